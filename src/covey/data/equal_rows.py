"""Which rows of a sparse matrix are equal; for checks and measures, no method uses it."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.csr import pieces
from covey.data.set_classes import classes_of, set_hashes
from covey.threads import parallel


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
    n, ranges = len(indptr) - 1, pieces(len(indptr) - 1)
    hashes = np.concatenate(
        parallel(lambda rows: set_hashes(indptr[rows.start : rows.stop + 1], indices, words), ranges)
    )
    # Equal rows have equal hashes, so what lies between two hashes is looked at by itself.
    part = (hashes >> np.uint64(32)) * np.uint64(len(ranges)) >> np.uint64(32)

    def classes(at: int) -> tuple[Ints, Ints, Ints]:
        some = np.flatnonzero(part == at)
        order = some[np.argsort(hashes[some], kind="stable")]
        return order, *classes_of(indptr, indices, hashes, order)

    number, examples, before = np.empty(n, np.int64), [], 0
    for order, numbers, example in parallel(classes, range(len(ranges))):
        number[order] = numbers + before
        examples.append(example)
        before += len(example)
    return number, np.bincount(number, minlength=before), np.concatenate(examples)
