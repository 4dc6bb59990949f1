"""The one order of rows that says nothing but what the rows hold."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.kernels.shared.jit import kernel


@kernel
def comes_before(indptr: Ints, indices: Ids, a: int, b: int) -> bool:
    """Whether row a stands before row b in a dictionary, a row that the other begins with first. O(length)."""
    shift = indptr[b] - indptr[a]
    for e in range(indptr[a], min(indptr[a + 1], indptr[b + 1] - shift)):
        if indices[e] != indices[e + shift]:
            return bool(indices[e] < indices[e + shift])
    return bool(indptr[a + 1] - indptr[a] < indptr[b + 1] - indptr[b])


@kernel
def dictionary_order(indptr: Ints, indices: Ids, group_ptr: Ints) -> Ints:
    """Return the rows of each group in the order of a dictionary; groups stay where they are.

    Precondition: the groups cover all rows. O(n log(largest group) x length of common beginnings).
    """
    n = len(indptr) - 1
    order, other = np.arange(n), np.empty(n, np.int64)
    for g in range(len(group_ptr) - 1):
        low, high = group_ptr[g], group_ptr[g + 1]
        width = 1
        while width < high - low:
            for start in range(low, high, 2 * width):
                middle, stop = min(start + width, high), min(start + 2 * width, high)
                left, right = start, middle
                for write in range(start, stop):
                    if right >= stop or (
                        left < middle and not comes_before(indptr, indices, order[right], order[left])
                    ):
                        other[write] = order[left]
                        left += 1
                    else:
                        other[write] = order[right]
                        right += 1
            order[low:high] = other[low:high]
            width *= 2
    return order
