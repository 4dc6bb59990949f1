"""What some kernels do, written with numpy: for data so small that loading numba would take longer.

Each function here returns exactly what its kernel does, sums of floating-point numbers included: `numpy.bincount` adds
them in the order in which they stand, as a loop does.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Mask, Signs


def canonical_rows(indptr: Ints, indices: Ids, rename: Ids) -> int:
    """Do what `csr.canonicalize_rows` does."""
    if indptr[0] == indptr[-1]:
        indptr[:] = 0
        return 0
    low, width = np.int64(rename.min()), np.int64(rename.max()) - rename.min() + 1
    row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    places = row * width + (rename[indices[indptr[0] : indptr[-1]]] - low)
    places.sort()
    kept = places[np.concatenate(([True], places[1:] != places[:-1]))]
    indices[: len(kept)] = kept % width + low
    indptr[0] = 0
    np.cumsum(np.bincount(kept // width, minlength=len(indptr) - 1), out=indptr[1:])
    return len(kept)


def row_out_of_order(indptr: Ints, indices: Ids, d: int) -> int:
    """Do what `csr.bad_row` does."""
    start, stop = int(indptr[0]), int(indptr[-1])
    ids = indices[start:stop]
    wrong = (ids < 0) | (ids >= d)
    falls = np.zeros(len(ids) + 1, np.bool_)
    falls[1:-1] = ids[1:] <= ids[:-1]
    falls[indptr - start] = False  # between two rows ids may fall
    wrong |= falls[:-1]
    if not wrong.any():
        return -1
    return int(np.searchsorted(indptr, start + int(wrong.argmax()), "right")) - 1


def item_counts(indices: Ids, d: int) -> Ints:
    """Do what `csr.count_items` does."""
    return np.bincount(indices, minlength=d)


def group_matches(indptr: Ints, indices: Ids, group_ptr: Ints, sign: Signs, present: int) -> Ints:
    """Do what `groups.matches_per_group` does."""
    signs = sign[indices]
    match = (_sums(signs > 0, indptr) == present) & (_sums(signs < 0, indptr) == 0)
    return _sums(match, group_ptr)


def _sums(marks: Mask, ptr: Ints) -> Ints:
    """How many of `marks` stand between each of the offsets `ptr` and the next."""
    before = np.concatenate(([0], np.cumsum(marks)))
    return np.diff(before[ptr])
