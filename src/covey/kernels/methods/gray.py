"""Rows in the order of their Gray codes (Ghinita, Kalnis, Tao, TKDE 2011): neighbours differ in few frequent items.

Seen as binary numbers whose first digit is the most frequent item, rows are visited as a Gray code visits all numbers:
from one to the next a single digit changes. The place of a row in that sequence is the number whose k-th digit is the
parity of the row's first k digits; so of two rows that agree up to an item, the one that holds it comes later if both
held an even number of items before it, and earlier if an odd number.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.kernels.shared.jit import kernel


@kernel
def comes_first(a: int, b: int, indptr: Ints, ranks: Ids) -> bool:
    """Whether row `a` comes before row `b`, or is equal to it. O(items that both begin with)."""
    x, y = indptr[a], indptr[b]
    odd = False
    while x < indptr[a + 1] and y < indptr[b + 1] and ranks[x] == ranks[y]:
        odd = not odd
        x += 1
        y += 1
    if x == indptr[a + 1] and y == indptr[b + 1]:
        return True
    holds = y == indptr[b + 1] or (x < indptr[a + 1] and ranks[x] < ranks[y])
    return bool(holds == odd)


@kernel
def gray_order(indptr: Ints, ranks: Ids) -> Ints:
    """Return the rows in Gray order; equal rows keep theirs.

    Precondition: `ranks` ascend within a row; rank 0 is the most frequent item. A merge sort:
    O(rows · log(rows) · items that neighbours begin with).
    """
    n = len(indptr) - 1
    order, sorted_rows = np.arange(n), np.empty(n, np.int64)
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            i, j = start, min(start + width, n)
            middle, end = j, min(start + 2 * width, n)
            for write in range(start, end):
                if j == end or (i < middle and comes_first(order[i], order[j], indptr, ranks)):
                    sorted_rows[write] = order[i]
                    i += 1
                else:
                    sorted_rows[write] = order[j]
                    j += 1
        order, sorted_rows = sorted_rows, order
        width *= 2
    return order
