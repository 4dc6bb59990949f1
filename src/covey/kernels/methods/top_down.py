"""The split of a group of rows by one item that keeps most: the top-down rival of PatternKa (2020, section 5.2)."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.kernels.shared.csr import transpose_rows
from covey.kernels.shared.jit import kernel


@kernel
def best_split(indptr: Ints, indices: Ids, d: int, k: int) -> tuple[int, int]:
    """The item to split rows by, and how many items the two parts keep; (-1, what the whole keeps) if there is none.

    Both parts, the rows with the item and those without, have at least k rows and keep the items that all of theirs
    hold. Every possible item is tried, as the paper says; of equally good ones it is the first.
    O(sum over the rows of the square of their length).
    """
    n = len(indptr) - 1
    by_ptr, by_row = transpose_rows(indptr, indices, d)
    held = np.diff(by_ptr)
    holding = np.zeros(n + 1, np.int64)  # how many items so many rows hold
    for j in range(d):
        holding[held[j]] += 1
    best, most = np.int64(-1), n * holding[n] if n else np.int64(0)
    together = np.zeros(d, np.int64)
    for i in range(d):
        inside, outside = held[i], n - held[i]
        if inside < k or outside < k:
            continue
        for e in range(by_ptr[i], by_ptr[i + 1]):
            for f in range(indptr[by_row[e]], indptr[by_row[e] + 1]):
                together[indices[f]] += 1
        with_it, without = np.int64(0), holding[outside]
        for e in range(by_ptr[i], by_ptr[i + 1]):
            for f in range(indptr[by_row[e]], indptr[by_row[e] + 1]):
                j = indices[f]
                if together[j]:
                    with_it += together[j] == inside
                    # It was counted as one that no row with item i holds.
                    without += np.int64(held[j] - together[j] == outside) - np.int64(held[j] == outside)
                    together[j] = 0
        kept = inside * with_it + outside * without
        if kept > most:
            best, most = np.int64(i), kept
    return best, most
