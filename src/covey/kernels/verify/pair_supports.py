"""How often pairs and sets of items are together, for comparing chunks with their original."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel


@kernel
def held_pairs(indptr: Ints, indices: Ids, d: int) -> Ints:
    """Return a * d + b for every two items a < b of every row. O(pairs)."""
    total = np.int64(0)
    for row in range(len(indptr) - 1):
        length = indptr[row + 1] - indptr[row]
        total += length * (length - 1) // 2
    pairs = np.empty(total, np.int64)
    at = np.int64(0)
    for row in range(len(indptr) - 1):
        for e in range(indptr[row], indptr[row + 1]):
            for f in range(e + 1, indptr[row + 1]):
                pairs[at] = np.int64(indices[e]) * d + indices[f]
                at += 1
    return pairs


@kernel
def count_pairs(indptr: Ints, indices: Ids, d: int, wanted: Ints) -> Ints:
    """Return in how many rows each of the pairs `wanted`, as `held_pairs` has them and sorted, is.

    O(pairs of the rows x log of the partners that their first item has in `wanted`).
    """
    count = np.zeros(len(wanted), np.int64)
    first = np.searchsorted(wanted, np.arange(d + 1) * d)
    for row in range(len(indptr) - 1):
        for e in range(indptr[row], indptr[row + 1]):
            low, high = first[indices[e]], first[indices[e] + 1]
            if low == high:
                continue
            for f in range(e + 1, indptr[row + 1]):
                key = np.int64(indices[e]) * d + indices[f]
                at = low + np.searchsorted(wanted[low:high], key)
                if at < high and wanted[at] == key:
                    count[at] += 1
    return count


@kernel
def short_sets(set_ptr: Ints, sets: Ids, ptr: Ints, rows: Ids, asked: Ints, copies: Ints) -> int:
    """Return the first of the sets `asked` that fewer rows hold than it has copies, or -1.

    `ptr` and `rows` are the ascending rows of each item. Cost: the rows of the rarest items of the sets, times the
    logarithm of those of their other items.
    """
    for i in range(len(asked)):
        first, stop = set_ptr[asked[i]], set_ptr[asked[i] + 1]
        rarest = first
        for e in range(first + 1, stop):
            if ptr[sets[e] + 1] - ptr[sets[e]] < ptr[sets[rarest] + 1] - ptr[sets[rarest]]:
                rarest = e
        held = np.int64(0)
        for r in range(ptr[sets[rarest]], ptr[sets[rarest] + 1]):
            every = True
            for e in range(first, stop):
                if e != rarest:
                    low, high = ptr[sets[e]], ptr[sets[e] + 1]
                    at = low + np.searchsorted(rows[low:high], rows[r])
                    if at == high or rows[at] != rows[r]:
                        every = False
                        break
            if every:
                held += 1
            if held == copies[i]:
                break
        if held < copies[i]:
            return int(asked[i])
    return -1
