"""Patterns of rows that lie on several machines: rows by the items that patterns begin with, and rows by center.

A pattern is found where its first item is at home: a *shard* is some of the items, and the rows that hold one of them,
from the first of these on (PatternKa 2020, Alg. 5; Li et al. 2008). Items are numbered from the rarest to the most
frequent, ascending within a row.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel


@kernel
def shard_rows(indptr: Ints, indices: Ids, home: Ids, shards: int, need: int) -> tuple[Ids, Ids, Ints, Ids]:
    """Return (shard, row, offsets, items): each row once for each shard that its items are at home in.

    What a shard gets of a row begins with the first item at home there (``home[item]``, -1 for items that no pattern
    can begin with) and is left out when it has fewer than `need` items. O(entries written + nnz).
    """
    seen = np.full(shards, -1, np.int64)
    copies, entries = np.int64(0), np.int64(0)
    for r in range(len(indptr) - 1):
        for e in range(indptr[r], indptr[r + 1] - need + 1):
            g = home[indices[e]]
            if g >= 0 and seen[g] != r:
                seen[g] = r
                copies += 1
                entries += indptr[r + 1] - e
    shard, row = np.empty(copies, np.int32), np.empty(copies, np.int32)
    ptr, out = np.zeros(copies + 1, np.int64), np.empty(entries, np.int32)
    seen[:] = -1
    copies = np.int64(0)
    for r in range(len(indptr) - 1):
        for e in range(indptr[r], indptr[r + 1] - need + 1):
            g = home[indices[e]]
            if g >= 0 and seen[g] != r:
                seen[g] = r
                shard[copies], row[copies] = g, r
                length = indptr[r + 1] - e
                for x in range(length):
                    out[ptr[copies] + x] = indices[e + x]
                copies += 1
                ptr[copies] = ptr[copies - 1] + length
    return shard, row, ptr, out


@kernel
def first_held(
    indptr: Ints,
    indices: Ids,
    now: Ints,
    lot: Ints,
    lots: int,
    center_ptr: Ints,
    centers: Ids,
    fill: Ints,
    under_ptr: Ints,
    under: Ids,
) -> Ints:
    """Return the first center that each row holds and may take, or -1.

    A row takes a center that is longer than its present one, which has `now` items. It takes one that is `loss` items
    shorter only to fill it up: when ``loss * lots + lot`` is below what is wanted, ``fill[c]``, where `lot` is the
    row's own number below `lots`. Each center is listed under its first item (`under`, ascending). O(nnz + centers
    under the rows' items, times their length).
    """
    marked = np.full(len(under_ptr) - 1, -1, np.int64)
    found = np.full(len(indptr) - 1, -1, np.int64)
    for r in range(len(indptr) - 1):
        best = np.int64(len(center_ptr) - 1)
        for e in range(indptr[r], indptr[r + 1]):
            marked[indices[e]] = r
        for e in range(indptr[r], indptr[r + 1]):
            for f in range(under_ptr[indices[e]], under_ptr[indices[e] + 1]):
                c = np.int64(under[f])
                if c >= best:
                    break
                length = center_ptr[c + 1] - center_ptr[c]
                loss = now[r] - length
                if length > indptr[r + 1] - e or (loss >= 0 and loss * lots + lot[r] >= fill[c]):
                    continue
                holds = True
                for x in range(center_ptr[c], center_ptr[c + 1]):
                    if marked[centers[x]] != r:
                        holds = False
                        break
                if holds:
                    best = c
        if best < len(center_ptr) - 1:
            found[r] = best
    return found
