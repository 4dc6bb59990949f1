"""Rows that are equal, made one."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel


@kernel
def merge_rows(ptr: Ints, items: Ids, words: Ints) -> tuple[Ints, Ids, Ints]:
    """Return the distinct rows and how often each occurs. O(entries), expected.

    Rows are told apart by their items, not only by the hash (the exclusive or of `words`).
    """
    n = len(ptr) - 1
    size = 16
    while size < 2 * n:
        size *= 2
    slots = np.full(size, -1, np.int64)
    out_ptr, out, weight = np.zeros(n + 1, np.int64), np.empty(len(items), np.int32), np.zeros(n, np.int64)
    kept, write = np.int64(0), np.int64(0)
    for r in range(n):
        name = np.int64(0)
        for e in range(ptr[r], ptr[r + 1]):
            name ^= words[items[e]]
        length = ptr[r + 1] - ptr[r]
        slot = (name ^ (name >> 17)) & (size - 1)
        while True:
            other = slots[slot]
            if other < 0:
                slots[slot] = kept
                for e in range(length):
                    out[write + e] = items[ptr[r] + e]
                write += length
                weight[kept] = 1
                kept += 1
                out_ptr[kept] = write
                break
            same = out_ptr[other + 1] - out_ptr[other] == length
            e = np.int64(0)
            while same and e < length:
                same = out[out_ptr[other] + e] == items[ptr[r] + e]
                e += 1
            if same:
                weight[other] += 1
                break
            slot = (slot + 1) & (size - 1)
    return out_ptr[: kept + 1], out[:write], weight[:kept]
