"""From all patterns of one length to those that are longer: several lengths in one search.

The patterns that `pattern_search` finds when longer ones exist are where the search for those goes on. Each ends with
the item that it was branched at; longer ones add later items that enough of its rows hold. An item that all its rows
hold is added without branching: until the longer pattern has been used up, the shorter one cannot be of use, and
after that neither can.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel
from covey.methods.growing import larger
from covey.methods.pattern_ka.search import Found

#: Items one after the other, where those of each pattern begin and how many they are, offsets of its rows, rows.
Longer = tuple[Ids, Ints, Ints, Ints, Ids]

#: Counts of an item: weight of the rows that hold it below, how many they are above.
ROW, WEIGHT = 1 << 32, (1 << 32) - 1


@kernel
def count_later(
    ptr: Ints, entries: Ids, weight: Ints, rows: Ids, last: int, k: int, count: Ints, seen: Ints
) -> tuple[int, int, int]:
    """Count what the `rows` hold behind the item `last`, and write to `seen` which items reach k.

    Returns how many these are, the weight of the rows, and the entries read. O(entries behind).
    """
    reached, total, read = np.int64(0), np.int64(0), np.int64(0)
    for x in range(len(rows)):
        r = rows[x]
        w = weight[r]
        total += w
        e = ptr[r + 1] - 1
        while e >= ptr[r] and entries[e] > last:
            j = entries[e]
            count[j] += ROW + w
            held = count[j] & WEIGHT
            seen[reached] = j
            reached += held >= k and held - w < k
            e -= 1
        read += ptr[r + 1] - e
    return reached, total, read


@kernel
def forget_later(ptr: Ints, entries: Ids, rows: Ids, last: int, count: Ints, read: int) -> None:
    """Set the counts of what the `rows` hold behind the item `last` to zero. O(entries behind)."""
    if 4 * read > len(count):
        count[:] = 0
        return
    for x in range(len(rows)):
        e = ptr[rows[x] + 1] - 1
        while e >= ptr[rows[x]] and entries[e] > last:
            count[entries[e]] = 0
            e -= 1


@kernel
def longer_patterns(
    found: Found, length: int, ptr: Ints, entries: Ids, weight: Ints, k: int, d: int, room: int
) -> tuple[Longer, bool]:
    """Return what was `found` of `length` items together with all longer patterns, each with its rows.

    Precondition: `longest_patterns` found all of `length` items in these rows, and no item is in all rows. A pattern
    all of whose rows hold another item may be left out, if the pattern with that item is there. Also returns whether
    all were found: the search ends early when items and rows listed are more than `room`. O(for each pattern, entries
    of its rows).
    """
    items, at, tids, n = found
    begin, size = np.arange(n + 1) * length, np.full(n + 1, length)
    last = items[length - 1 : n * length : length].copy()
    count, place, marked = np.zeros(d, np.int64), np.zeros(d, np.int64), np.full(d, -1)
    seen, free, q = np.empty(d + 1, np.int64), np.int64(n * length), np.int64(0)
    while q < n and at[n] + free <= room:
        rows = tids[at[q] : at[q + 1]]
        reached, total, read = count_later(ptr, entries, weight, rows, last[q], k, count, seen)
        for x in range(begin[q], begin[q] + size[q] if reached else begin[q]):
            marked[items[x]] = q
        # What all rows hold makes this pattern longer.
        children, same = np.int64(0), np.int64(0)
        for x in range(reached):
            j = seen[x]
            if marked[j] != q and count[j] & WEIGHT == total:
                items = larger(items, free + size[q] + same + 1)
                items[free + size[q] + same] = j
                same += 1
            elif marked[j] != q:
                seen[children] = j
                children += 1
        if same:
            for x in range(size[q]):
                items[free + x] = items[begin[q] + x]
            begin[q], size[q] = free, size[q] + same
            free += size[q]
        begin, size, last = larger(begin, n + children + 1), larger(size, n + children + 1), larger(last, n + children)
        at, items = larger(at, n + children + 1), larger(items, free + children * (size[q] + 1))
        for x in range(children):
            j = seen[x]
            begin[n], size[n], last[n] = free, size[q] + 1, j
            for y in range(size[q]):
                items[free + y] = items[begin[q] + y]
            items[free + size[q]] = j
            free += size[n]
            at[n + 1] = at[n] + (count[j] >> 32)
            place[j] = at[n] + 1
            n += 1
        if children:
            tids = larger(tids, at[n])
            rows = tids[at[q] : at[q + 1]]
            for x in range(len(rows)):
                e = ptr[rows[x] + 1] - 1
                while e >= ptr[rows[x]] and entries[e] > last[q]:
                    if place[entries[e]]:
                        tids[place[entries[e]] - 1] = rows[x]
                        place[entries[e]] += 1
                    e -= 1
            place[seen[:children]] = 0
        forget_later(ptr, entries, rows, last[q], count, read)
        q += 1
    return (items[:free], begin[:n], size[:n], at[: n + 1], tids[: at[n]]), q == n
