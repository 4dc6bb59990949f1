"""Mining all longest frequent patterns of weighted rows (PatternKa 2020, section 3.3).

A *pattern* of length L is a set of L items that rows of total weight k or more hold. The search goes depth
first: take an item, keep the rows that hold it, look only at later items (`nodes`). Three facts keep it
small when L is the greatest length that can occur:

- a row with fewer items left than the pattern still needs cannot help, nor can an item that rows of weight
  below k hold; dropping one may make the other droppable, so both are dropped to a fixpoint (length pruning);
- an item that all rows at hand hold belongs to every longest pattern among them (closed patterns);
- when one item is missing, the patterns are read off the counts and nothing is copied.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.data.jit import kernel


@kernel
def reduce_rows(
    indptr: Ints, indices: Ids, weight: Ints, free: Mask, bound: Ints, partners: Ids, k: int, need: int
) -> tuple[Ids, Ints, Ids]:
    """Return the part of the `free` rows that patterns of `need` items can use, as (rows, offsets, items).

    Left out are entries with too few `partners` (see `pairs`), entries before the first item of their row
    that can begin such a pattern (`bound`), rows with fewer than `need` entries left, and items in rows of weight
    below k; the last two to a fixpoint. O(rounds · nnz).
    """
    n, total = len(indptr) - 1, np.int64(0)
    rows, ptr, entries = np.empty(n, np.int32), np.zeros(n + 1, np.int64), np.empty(len(indices), np.int32)
    count = np.zeros(len(bound), np.int64)
    for r in range(n):
        if not free[r] or indptr[r + 1] - indptr[r] < need:
            continue
        start = write = ptr[total]
        for e in range(indptr[r], indptr[r + 1]):
            if partners[e] + 1 >= need and (write > start or bound[indices[e]] >= need):
                entries[write] = indices[e]
                write += 1
        if write - start < need:
            continue
        for e in range(start, write):
            count[entries[e]] += weight[r]
        rows[total] = r
        total += 1
        ptr[total] = write
    total = prune_rows(rows[:total], ptr, entries, weight, count, k, need)
    return rows[:total].copy(), ptr[: total + 1].copy(), entries[: ptr[total]].copy()


@kernel
def prune_rows(rows: Ids, ptr: Ints, out: Ids, weight: Ints, count: Ints, k: int, need: int) -> int:
    """Leave out items of weight below k and rows of fewer than `need` items, in place; return how many rows are left.

    `count` is the weight of the rows that hold each item. O(rounds · entries).
    """
    total, changed = len(rows), True
    while changed:
        changed = False
        kept, write, start = np.int64(0), np.int64(0), np.int64(0)
        for i in range(total):
            begin, stop, w = write, ptr[i + 1], weight[rows[i]]
            for e in range(start, stop):
                j = out[e]
                if count[j] >= k:
                    out[write] = j
                    write += 1
                else:
                    count[j] -= w
            start = stop
            if write - begin >= need:
                rows[kept] = rows[i]
                kept += 1
                ptr[kept] = write
                continue
            for e in range(begin, write):
                changed |= count[out[e]] >= k and count[out[e]] - w < k
                count[out[e]] -= w
            write = begin
        total = kept
    return total
