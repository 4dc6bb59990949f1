"""Re-identification risk: how many transactions hold a given set of items."""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.kernels.shared.jit import kernel


@kernel
def mean_inverse_support(indptr: Ints, indices: Ids, supports: Ints) -> Floats:
    """Return per row the mean of 1/support over its items; 0 for an empty row. O(nnz)."""
    n = len(indptr) - 1
    risk = np.zeros(n, np.float64)
    for row in range(n):
        for e in range(indptr[row], indptr[row + 1]):
            risk[row] += 1.0 / supports[indices[e]]
        if indptr[row + 1] > indptr[row]:
            risk[row] /= indptr[row + 1] - indptr[row]
    return risk


@kernel
def pick_items(indptr: Ints, indices: Ids, rows: Ints, uniforms: Floats) -> Ids:
    """Return for each of `rows` r distinct items of it, drawn by the given uniform numbers.

    `uniforms` is len(rows) × r. Floyd's sampling: O(r²) per row, whatever the row's length.
    Precondition: every row has at least r items.
    """
    r = uniforms.shape[1]
    picked = np.empty((len(rows), r), np.int32)
    places = np.empty(r, np.int64)
    for i in range(len(rows)):
        start = indptr[rows[i]]
        length = indptr[rows[i] + 1] - start
        for c in range(r):
            top = length - r + c
            place = min(np.int64(uniforms[i, c] * (top + 1)), top)
            for b in range(c):
                if places[b] == place:
                    place = top
                    break
            places[c] = place
            picked[i, c] = indices[start + place]
    return picked


@kernel
def rarest(item_ptr: Ints, items: Ids) -> int:
    """Return the item with the shortest list of rows. O(r)."""
    best = int(items[0])
    for c in range(len(items)):
        if item_ptr[items[c] + 1] - item_ptr[items[c]] < item_ptr[best + 1] - item_ptr[best]:
            best = int(items[c])
    return best


@kernel
def holds_all(item_ptr: Ints, item_rows: Ids, items: Ids, known: int, row: int) -> bool:
    """Tell whether `row` holds all `items`; that it holds `known` is taken for granted. O(r · log n)."""
    for c in range(len(items)):
        j = items[c]
        if j == known:
            continue
        rows = item_rows[item_ptr[j] : item_ptr[j + 1]]
        at = np.searchsorted(rows, row)
        if at == len(rows) or rows[at] != row:
            return False
    return True


@kernel
def seek(rows: Ids, start: int, row: int) -> int:
    """Return the first place at or after `start` in the ascending `rows` that is not below `row`.

    Steps double until they overshoot, then halve: O(log distance), so walking a whole list stays cheap.
    """
    step = np.int64(1)
    low, high = np.int64(start), np.int64(start)
    while high < len(rows) and rows[high] < row:
        low = high + 1
        high += step
        step *= 2
    high = min(high, len(rows))
    while low < high:
        middle = (low + high) // 2
        if rows[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def count_containing(item_ptr: Ints, item_rows: Ids, sets: Ids) -> Ints:
    """Return for each row of `sets` how many transactions hold all its items.

    `item_ptr`/`item_rows` list the ascending transactions of each item. The shortest list is walked and the
    others are followed from where they were: O(shortest · r · log gap) per set.
    """
    result = np.zeros(len(sets), np.int64)
    at = np.empty(sets.shape[1], np.int64)
    for i in range(len(sets)):
        first = rarest(item_ptr, sets[i])
        at[:] = 0
        for e in range(item_ptr[first], item_ptr[first + 1]):
            row = item_rows[e]
            inside = True
            for c in range(sets.shape[1]):
                j = sets[i, c]
                if j == first:
                    continue
                rows = item_rows[item_ptr[j] : item_ptr[j + 1]]
                at[c] = seek(rows, at[c], row)
                if at[c] == len(rows) or rows[at[c]] != row:
                    inside = False
                    break
            if inside:
                result[i] += 1
    return result
