"""The one order of rows that says nothing but what the rows hold."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel


@kernel
def comes_before(indptr: Ints, indices: Ids, a: int, b: int) -> bool:
    """Whether row a stands before row b in a dictionary, a row that the other begins with first. O(length)."""
    shift = indptr[b] - indptr[a]
    for e in range(indptr[a], min(indptr[a + 1], indptr[b + 1] - shift)):
        if indices[e] != indices[e + shift]:
            return bool(indices[e] < indices[e + shift])
    return bool(indptr[a + 1] - indptr[a] < indptr[b + 1] - indptr[b])


@kernel
def sort_rows(indptr: Ints, indices: Ids, order: Ints, other: Ints) -> None:
    """Bring the rows that `order` names into the order of a dictionary; `other` is room for as many.

    O(n log n x length of common beginnings).
    """
    width = 1
    while width < len(order):
        for start in range(0, len(order), 2 * width):
            middle, stop = min(start + width, len(order)), min(start + 2 * width, len(order))
            left, right = start, middle
            for write in range(start, stop):
                if right >= stop or (left < middle and not comes_before(indptr, indices, order[right], order[left])):
                    other[write] = order[left]
                    left += 1
                else:
                    other[write] = order[right]
                    right += 1
        order[:] = other[: len(order)]
        width *= 2


@kernel
def in_dictionary_order(indptr: Ints, indices: Ids, group_ptr: Ints) -> bool:
    """Whether the rows of each group are in the order of a dictionary. O(nnz)."""
    for g in range(len(group_ptr) - 1):
        for row in range(group_ptr[g] + 1, group_ptr[g + 1]):
            if comes_before(indptr, indices, row, row - 1):
                return False
    return True


@kernel
def take_groups(indptr: Ints, indices: Ids, group_ptr: Ints, groups: Ints) -> tuple[Ints, Ids]:
    """Return the matrix of some groups of rows, one after the other, each in the order of a dictionary.

    O(rows log(largest group) x length of common beginnings); beside the result, room for the rows of one group.
    """
    largest, rows, entries = np.int64(0), np.int64(0), np.int64(0)
    for g in groups:
        largest = max(largest, group_ptr[g + 1] - group_ptr[g])
        rows += group_ptr[g + 1] - group_ptr[g]
        entries += indptr[group_ptr[g + 1]] - indptr[group_ptr[g]]
    order, other = np.empty(largest, np.int64), np.empty(largest, np.int64)
    ptr, out = np.zeros(rows + 1, np.int64), np.empty(entries, np.int32)
    row, write = np.int64(0), np.int64(0)
    for g in groups:
        size = group_ptr[g + 1] - group_ptr[g]
        for i in range(size):
            order[i] = group_ptr[g] + i
        sort_rows(indptr, indices, order[:size], other)
        for i in range(size):
            for e in range(indptr[order[i]], indptr[order[i] + 1]):
                out[write] = indices[e]
                write += 1
            row += 1
            ptr[row] = write
    return ptr, out
