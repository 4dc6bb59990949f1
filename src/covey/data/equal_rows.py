"""Which rows of a sparse matrix are equal; for checks and measures, no method uses it."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.kernels.shared.set_classes import classes_of, set_hashes


def equal_rows(indptr: Ints, indices: Ids, d: int, seed: int | None = None) -> tuple[Ints, Ints, Ints]:
    """A number for each row, the same for equal rows only; how many rows have each number, and one of them.

    Rows over `d` items ascend. Without a `seed`, hashes are drawn afresh: nobody can prepare rows whose hashes collide
    and make it slow.

    Examples
    --------
    >>> number, size, example = equal_rows(np.array([0, 1, 2, 3]), np.array([1, 0, 1], np.int32), 2)
    >>> size[number].tolist(), bool(number[0] == number[2])
    ([2, 1, 2], True)
    """
    words = np.random.default_rng(seed).integers(0, 2**64, max(d, 1), np.uint64)
    hashes = set_hashes(indptr, indices, words)
    number, example = classes_of(indptr, indices, hashes, np.argsort(hashes, kind="stable"))
    return number, np.bincount(number, minlength=len(example)), example
