"""Disassociation: rows into clusters, and items into chunks (Terrovitis et al. 2012, sections 4.1 and 4.2)."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.kernels.methods.growing import larger
from covey.kernels.shared.jit import kernel
from covey.kernels.shared.sorting import stable_order


@kernel
def holders_of(
    indptr: Ints, indices: Ids, rows: Ints, least: int, count: Ints, start: Ints
) -> tuple[Ints, Ints, Ints]:  # fmt: skip
    """Return (items in at least `least` of `rows`, by ascending count; where the holders of each begin; holders).

    `count` and `start` are as long as there are items; `count` is zero before and tells the counts of all items that
    occur afterwards, `start[item]` where the holders of an item begin. Holders are places in `rows`. O(entries).
    """
    found, entries = np.int64(0), np.int64(0)
    touched = np.empty(64, np.int64)
    for row in rows:
        for e in range(indptr[row], indptr[row + 1]):
            if count[indices[e]] == 0:
                touched = larger(touched, found + 1)
                touched[found] = indices[e]
                found += 1
            count[indices[e]] += 1
            entries += 1
    touched = np.sort(touched[:found])
    at = np.int64(0)
    for item in touched:
        start[item] = at
        at += count[item]
    holders, cursor = np.empty(entries, np.int64), np.empty(found, np.int64)
    for i in range(found):
        cursor[i] = start[touched[i]]
    for place in range(len(rows)):
        for e in range(indptr[rows[place]], indptr[rows[place] + 1]):
            item = indices[e]
            holders[start[item]] = place
            start[item] += 1
    for i in range(found):
        start[touched[i]] = cursor[i]
    kept = np.empty(found, np.int64)
    many = np.int64(0)
    for item in touched:
        if count[item] >= least:
            kept[many] = item
            many += 1
    kept = kept[:many]
    keys = np.empty(many, np.int64)
    for i in range(many):
        keys[i] = count[kept[i]]
    return kept[stable_order(keys)], touched, holders


@kernel
def split_rows(
    indptr: Ints, indices: Ids, order: Ints, d: int, least: int, cluster: int, k: int
) -> Mask:  # fmt: skip
    """Reorder the rows in `order` so that rows that go together are neighbours, and say where clusters begin.

    A part of `cluster` rows or more is split by one item after another, the most frequent ones first, that at least
    `least` of its remaining rows hold: the holders become a part of their own. What holds no such item is cut into
    even parts, after those who share a frequent item were put side by side. Precondition: k <= least, k <= cluster.
    Every cluster has at least k rows if there are so many. O(entries x depth of the splits).
    """
    n = len(order)
    begins = np.zeros(n, np.bool_)
    low, high = np.zeros(1, np.int64), np.full(1, n, np.int64)
    pending = np.int64(1 if n else 0)
    count, start = np.zeros(d, np.int64), np.zeros(d, np.int64)
    while pending > 0:
        pending -= 1
        first, stop = low[pending], high[pending]
        size = stop - first
        begins[first] = True
        if size < cluster:
            continue
        rows = order[first:stop].copy()
        items, touched, holders = holders_of(indptr, indices, rows, 1, count, start)
        lengths = count[touched]
        taken = np.zeros(size, np.bool_)
        left, write = size, first
        for i in range(len(items)):
            item = items[len(items) - 1 - i]
            many = lengths[np.searchsorted(touched, item)]
            # An item of all rows splits nothing, and others may have lost their holders to items before them.
            rest = left - count[item]
            if many == size or count[item] < least or left < cluster or 0 < rest < k:
                continue
            begin = write
            for h in range(start[item], start[item] + many):
                place = holders[h]
                if taken[place]:
                    continue
                taken[place] = True
                order[write] = rows[place]
                write += 1
                for e in range(indptr[rows[place]], indptr[rows[place] + 1]):
                    count[indices[e]] -= 1
            left = rest
            low, high = larger(low, pending + 1), larger(high, pending + 1)
            low[pending], high[pending] = begin, write
            pending += 1
        begin = write
        # What is left is cut where it may, but those who share an item stand side by side.
        for i in range(len(items) - 1, -1, -1):
            many = lengths[np.searchsorted(touched, items[i])]
            for h in range(start[items[i]], start[items[i]] + (many if many < size else 0)):
                if not taken[holders[h]]:
                    taken[holders[h]] = True
                    order[write] = rows[holders[h]]
                    write += 1
        for place in range(size):
            if not taken[place]:
                order[write] = rows[place]
                write += 1
        parts = min(left // max(cluster - 1, 1) + 1, left // k)
        for part in range(parts):
            begins[begin + part * left // parts] = True
        for item in touched:
            count[item] = 0
    return begins


@kernel
def rare_beside(
    rows: Ints, row_ptr: Ints, items: Ids, chunk_of: Ints, chunk: int, k: int, size: int, work: int
) -> int:  # fmt: skip
    """Return 1 when fewer than k of `rows`, but some, hold a set of at most `size` items of a chunk, else 0.

    2 means that finding out would read more than `work` entries. Precondition: the items of a row ascend. Cost: the
    rows of every set of fewer than `size` items that occurs, times the items that these hold.
    """
    lists, places = rows.copy(), row_ptr[rows] - 1
    low, high, depth = np.zeros(1, np.int64), np.full(1, len(rows), np.int64), np.zeros(1, np.int64)
    pending = np.int64(1)
    while pending > 0:
        pending -= 1
        first, stop, length = low[pending], high[pending], depth[pending]
        # The pending sets lie behind one another, and this one is the last of them.
        top, smallest = stop, np.int64(-1)
        while True:
            # The next item, by number, that any of the rows holds further on.
            item = np.int64(-1)
            for i in range(first, stop):
                for e in range(places[i] + 1, row_ptr[lists[i] + 1]):
                    work -= 1
                    if items[e] > smallest and chunk_of[items[e]] == chunk:
                        if item < 0 or items[e] < item:
                            item = np.int64(items[e])
                        break
            if work < 0:
                return 2
            if item < 0:
                break
            smallest, end = item, top
            for i in range(first, stop):
                for e in range(places[i] + 1, row_ptr[lists[i] + 1]):
                    if items[e] >= item:
                        if items[e] == item:
                            lists, places = larger(lists, end + 1), larger(places, end + 1)
                            lists[end], places[end] = lists[i], e
                            end += 1
                        break
            if end - top < k:
                return 1
            if length + 1 < size and end - top < stop - first:
                low, high, depth = larger(low, pending + 1), larger(high, pending + 1), larger(depth, pending + 1)
                low[pending], high[pending], depth[pending] = top, end, length + 1
                pending += 1
                top = end
    return 0


@kernel
def deal_items(
    block_ptr: Ints, row_ptr: Ints, items: Ids, d: int, k: int, m: int, work: int
) -> tuple[Ids, bool]:  # fmt: skip
    """Return the chunk of each entry within its block, -1 for an item in fewer than k rows of it; and whether all was
    looked at.

    Rows ``block_ptr[b]`` to ``block_ptr[b + 1]`` are block b. By falling support, each item goes into the chunk that
    most of its rows have items of, among those in which every set of at most m items that occurs still occurs k times.
    O(sum of squared lengths of rows) for m = 2; `work` bounds the entries read for one item and chunk beyond pairs.
    """
    chunk_of_entry = np.full(len(items), -1, np.int32)
    count, start, chunk_of = np.zeros(d, np.int64), np.zeros(d, np.int64), np.full(d, -1, np.int64)
    beside, met = np.zeros(d, np.int64), np.empty(d, np.int64)
    complete = True
    for b in range(len(block_ptr) - 1):
        rows = np.arange(block_ptr[b], block_ptr[b + 1])
        chosen, touched, holders = holders_of(row_ptr, items, rows, k, count, start)
        chunks = np.int64(0)
        drawn, clash = np.zeros(len(chosen), np.int64), np.zeros(len(chosen), np.bool_)
        for i in range(len(chosen) - 1, -1, -1):
            item = chosen[i]
            mine = rows[holders[start[item] : start[item] + count[item]]]
            seen = np.int64(0)
            for row in mine:
                for e in range(row_ptr[row], row_ptr[row + 1]):
                    other = items[e]
                    if chunk_of[other] >= 0:
                        if beside[other] == 0:
                            met[seen] = other
                            seen += 1
                        beside[other] += 1
            for s in range(seen):
                c = chunk_of[met[s]]
                drawn[c] += beside[met[s]]
                clash[c] = clash[c] or (m > 1 and beside[met[s]] < k)
            while True:
                best = np.int64(-1)
                for c in range(chunks):
                    if not clash[c] and (best < 0 or drawn[c] > drawn[best]):
                        best = c
                if best < 0 or m < 3 or drawn[best] == 0:
                    break
                rare = rare_beside(mine, row_ptr, items, chunk_of, best, k, m - 1, work)
                if rare == 0:
                    break
                complete = complete and rare == 1
                clash[best] = True
            if best < 0:
                best = chunks
                chunks += 1
            chunk_of[item] = best
            for s in range(seen):
                beside[met[s]] = 0
            drawn[:chunks] = 0
            clash[:chunks] = False
        for e in range(row_ptr[block_ptr[b]], row_ptr[block_ptr[b + 1]]):
            chunk_of_entry[e] = chunk_of[items[e]]
        for item in touched:
            count[item] = 0
            chunk_of[item] = -1
    return chunk_of_entry, complete
