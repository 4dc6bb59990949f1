"""The nodes of the search for longest patterns, as rows of items (see `reduction`).

A *node* of the search is a set of rows cut down to the items still allowed. A row is where its entries ``start``
and ``stop``, which of the given rows is its ``source``, and its weight, the ``heft``; an ``entry`` is an item,
ascending within a row. The items of a node are listed in ``item``; from ``first`` on, their occurrences stand by row in
``in_row`` and by entry in ``at``. Nodes lie on a stack, which is a tuple of these arrays, ``heft`` last.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel, sort_ids

Stack = tuple[Ints, Ints, Ids, Ids, Ids, Ints, Ids, Ints, Ints]


@kernel
def behind_occurrences(stack: Stack, o: int, p: int, row: int, need: int) -> tuple[int, int]:
    """Write what follows the occurrences o to p in their rows as rows from `row` on, if `need` items do.

    Entries stay where they are. Returns where the rows end, and how many entries follow. O(occurrences).
    """
    start, stop, source, in_row, at, heft = stack[0], stack[1], stack[2], stack[6], stack[7], stack[8]
    behind = np.int64(0)
    for x in range(o, p):
        r = in_row[x]
        start[row], stop[row], source[row], heft[row] = at[x] + 1, stop[r], source[r], heft[r]
        behind += stop[row] - start[row]
        row += stop[row] - start[row] >= need
    return row, behind


@kernel
def frequent_part(
    stack: Stack, row: int, end: int, k: int, need: int, count: Ints, free: int
) -> tuple[int, int, int, bool]:
    """Write the frequent items of the rows `row` to `end` that have `need` of them.

    Returns where rows and entries end, the weight of the rows, and whether `count`, the weight of each item written,
    may be below k because of rows left out. O(entries).
    """
    start, stop, source, entry, heft = stack[0], stack[1], stack[2], stack[3], stack[8]
    total, kept, write, changed = np.int64(0), np.int64(end), np.int64(free), False
    for r in range(row, end):
        w, behind = heft[r], entry[start[r] : stop[r]]
        for e in range(len(behind)):
            count[behind[e]] += w
    for r in range(row, end):
        w, begin, behind = heft[r], write, entry[start[r] : stop[r]]
        for e in range(len(behind)):  # no branch here: nobody could foretell it
            j = behind[e]
            weight = count[j]
            entry[write] = j
            write += weight >= k
            count[j] = weight - w * (weight < k)
        if write - begin >= need:
            start[kept], stop[kept], source[kept], heft[kept] = begin, write, source[r], w
            total += w
            kept += 1
            continue
        for e in range(begin, write):
            weight = count[entry[e]]
            changed |= weight >= k and weight - w < k
            count[entry[e]] = weight - w
        write = begin
    return kept, write, total, changed


@kernel
def project(stack: Stack, row: int, end: int, k: int, need: int, count: Ints, free: int) -> tuple[int, int, int]:
    """Write the node of the rows `row` to `end`; return where its rows and entries end.

    Rows go to ``start[end:]``, entries to ``entry[free:]``. Rows and items that no pattern with `need` more items
    can use are dropped to a fixpoint. `count` is all zero before, and holds the weight of each of the node's items
    after. Also returns the weight of the rows; (end, free, 0) when it is below k. O(rounds · entries).
    """
    start, stop, source, entry, heft = stack[0], stack[1], stack[2], stack[3], stack[8]
    last, write, total, changed = frequent_part(stack, row, end, k, need, count, free)
    while changed and total >= k:
        changed = False
        kept, write = np.int64(end), np.int64(free)
        for r in range(end, last):
            begin = write
            w = heft[r]
            for e in range(start[r], stop[r]):
                j = entry[e]
                if count[j] >= k:
                    entry[write] = j
                    write += 1
                else:
                    count[j] -= w
            if write - begin >= need:
                start[kept], stop[kept], source[kept], heft[kept] = begin, write, source[r], w
                kept += 1
                continue
            for e in range(begin, write):
                j = entry[e]
                changed |= count[j] >= k and count[j] - w < k
                count[j] -= w
            write = begin
            total -= w
        last = kept
    if total < k:
        for e in range(free, write):
            count[entry[e]] = 0
        return end, free, 0
    return last, write, total


@kernel
def list_items(
    stack: Stack, row: int, end: int, total: int, count: Ints, begin: int, prefix: Ids, length: int
) -> tuple[int, int]:
    """List the items of the rows `row` to `end` from ``item[begin:]``, ascending.

    Items that all rows hold (`total` is the weight of the rows) go to ``prefix[length:]`` instead and are taken
    out of the rows. `count` holds the weight of each item and is all zero after. Returns where the items end
    and the new length of the prefix. O(entries + items log items).
    """
    start, stop, entry, item = stack[0], stack[1], stack[3], stack[4]
    last, longer = np.int64(begin), np.int64(length)
    for r in range(row, end):
        write = start[r]
        for e in range(start[r], stop[r]):
            j = entry[e]
            if count[j] == total:
                prefix[longer] = j
                longer += 1
                count[j] = -1
            elif count[j] > 0:
                item[last] = j
                last += 1
                count[j] = -2
            if count[j] == -2:
                entry[write] = j
                write += 1
        stop[r] = write
    sort_ids(item[begin:last])
    for i in range(length, longer):
        count[prefix[i]] = 0
    for i in range(begin, last):
        count[item[i]] = 0
    return last, longer


@kernel
def list_occurrences(stack: Stack, row: int, end: int, count: Ints, begin: int, last: int, base: int) -> None:
    """Write the occurrences of the items `begin` to `last` in the rows `row` to `end` from ``in_row[base:]``.

    `count` is all zero before and after. O(entries).
    """
    start, stop, entry = stack[0], stack[1], stack[3]
    item, first, in_row, at = stack[4], stack[5], stack[6], stack[7]
    for r in range(row, end):
        for e in range(start[r], stop[r]):
            count[entry[e]] += 1
    cursor = np.int64(base)
    for i in range(begin, last):
        first[i] = cursor
        cursor += count[item[i]]
        count[item[i]] = first[i]
    first[last] = cursor
    for r in range(row, end):
        for e in range(start[r], stop[r]):
            j = entry[e]
            in_row[count[j]] = r
            at[count[j]] = e
            count[j] += 1
    for i in range(begin, last):
        count[item[i]] = 0
