"""Which items keep company: groups of items that share most rows, and the rows seen through such groups.

Rows are *packed*: the number of items, how many of them may still be free, then the items, in any order. What belongs
to a row lies in one place, since waiting for memory is most of the time. Counts are made for one item at a time, so
that no matrix of all pairs is ever held.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints, Places
from covey.data.jit import kernel


@kernel
def pack_company(indptr: Ints, indices: Ids) -> Ids:
    """Return the rows packed. O(nnz)."""
    n = len(indptr) - 1
    packed = np.empty(indptr[n] + 2 * n, np.int32)
    for row in range(n):
        at = indptr[row] + 2 * row
        packed[at] = indptr[row + 1] - indptr[row]
        for e in range(indptr[row], indptr[row + 1]):
            packed[at + 2 + e - indptr[row]] = indices[e]
    return packed


@kernel
def list_rows(packed: Ids, d: int) -> tuple[Ints, Places]:
    """Return for each item where the rows begin that hold it, with offsets; all items become free. O(entries)."""
    ptr = np.zeros(d + 1, np.int64)
    at = np.int64(0)
    while at < len(packed):
        stop = at + 2 + packed[at]
        packed[at + 1] = packed[at]
        for e in range(at + 2, stop):
            ptr[packed[e] + 1] += 1
        at = stop
    for j in range(d):
        ptr[j + 1] += ptr[j]
    cursor, begin = ptr[:-1].copy(), np.empty(ptr[d], np.uint32)
    at = 0
    while at < len(packed):
        stop = at + 2 + packed[at]
        for e in range(at + 2, stop):
            begin[cursor[packed[e]]] = at
            cursor[packed[e]] += 1
        at = stop
    return ptr, begin


@kernel
def count_company(packed: Ids, begin: Places, count: Ids, met: Ids) -> int:
    """Count the free items in the rows that begin at these places; return how many different ones `met` lists.

    Among the items of a row that may be free are some that are so no more, whose `count` is negative: these are moved
    behind the others, so each is passed over once. O(free entries of the rows), amortised.
    """
    found = np.int64(0)
    for q in range(len(begin)):
        at = np.int64(begin[q])
        e, stop = at + 2, at + 2 + packed[at + 1]
        while e < stop:
            x = packed[e]
            times = count[x]
            if times >= 0:
                if times == 0:
                    met[found] = x
                    found += 1
                count[x] = times + 1
                e += 1
            else:
                stop -= 1
                packed[e], packed[stop] = packed[stop], x
        packed[at + 1] = stop - at - 2
    return found


@kernel
def group_company(
    packed: Ids, item_ptr: Ints, begin: Places, order: Ints, fanout: int, fill: bool
) -> tuple[Ints, Ids]:  # fmt: skip
    """Group items, up to `fanout` at a time; returns offsets and members, the seed of each group first.

    Precondition: `list_rows` was called just before. Seeds come in the given order. Each takes the free items that
    share most rows with it, relative to the root of their supports, lower numbers first; then, if `fill`, the first
    free ones of the order. Changes the order of items within rows. O(rows of every seed, times the free items in them).
    """
    d = len(item_ptr) - 1
    # Half-size counts stay in the nearest cache; an item that is free no more has -1.
    count, met = np.zeros(d, np.int32), np.empty(d, np.int32)
    best, score = np.empty(fanout, np.int32), np.empty(fanout)
    root = np.sqrt(np.diff(item_ptr).astype(np.float64))
    ptr, members = np.zeros(d + 1, np.int64), np.empty(d, np.int32)
    groups, write, cursor = np.int64(0), np.int64(0), np.int64(0)
    for i in range(len(order)):
        seed = order[i]
        if count[seed] < 0:
            continue
        count[seed] = -1
        found = count_company(packed, begin[item_ptr[seed] : item_ptr[seed + 1]], count, met)
        kept = keep_best(met[:found], count, root, best, score)
        members[write] = seed
        members[write + 1 : write + 1 + kept] = best[:kept]
        count[best[:kept]] = -1
        write += 1 + kept
        size = 1 + kept
        while fill and size < fanout and cursor < len(order):
            if count[order[cursor]] >= 0:
                members[write] = order[cursor]
                count[order[cursor]] = -1
                write, size = write + 1, size + 1
            cursor += 1
        groups += 1
        ptr[groups] = write
    return ptr[: groups + 1].copy(), members


@kernel
def keep_best(met: Ids, count: Ids, root: Floats, best: Ids, score: Floats) -> int:
    """Write the items with most company per root of support to `best`, one fewer than it holds; empty the counts.

    Returns how many there are; equal ones come by number. O(items met), more for those that are written.
    """
    kept, room, least = np.int64(0), len(best) - 1, 0.0
    for i in range(len(met)):
        x = met[i]
        many = count[x]
        count[x] = 0
        if many < least * root[x]:
            continue
        value = many / root[x]
        at = kept
        while at > 0 and (score[at - 1] < value or (score[at - 1] == value and best[at - 1] > x)):
            at -= 1
        if at >= room:
            continue
        kept = min(kept + 1, room)
        for j in range(kept - 1, at, -1):
            best[j], score[j] = best[j - 1], score[j - 1]
        best[at], score[at] = x, value
        if kept == room:
            # A shade less than the last one's score, so that rounding passes nobody over.
            least = score[room - 1] * (1 - 1e-9)
    return kept


@kernel
def join_items(packed: Ids, owner: Ids, groups: int) -> int:
    """Replace items by their owners, each once in a row, in place; return where the rows end now. O(entries)."""
    seen = np.full(groups, -1, np.int64)
    write, at = np.int64(0), np.int64(0)
    while at < len(packed):
        stop, head = at + 2 + packed[at], write
        write += 2
        for e in range(at + 2, stop):
            x = owner[packed[e]]
            if seen[x] != at:
                seen[x] = at
                packed[write] = x
                write += 1
        packed[head] = write - head - 2
        at = stop
    return write
