"""The root of the search for longest patterns: all rows, packed, and where each item stands in them.

Every search begins with the rows of one item after another, which lie scattered. So what belongs to a row lies in one
place, and the root is made once for all threads that search in it, which write nothing to it. It travels as one tuple:
the rows, ``packed`` as number, weight and length of each and then its items, ascending; the ``item`` list, ascending,
and from ``first`` on for each of its occurrences its ``places``, where the row begins (above bit `ROW`) and where it
stands itself; how many entries are ``behind`` those of each item, all together; and ``common``, the items that all rows
hold, which are in no row and in no list.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Words
from covey.data.csr import count_items, item_starts, keep_items, pieces
from covey.data.jit import kernel
from covey.methods.pattern_ka.nodes import Stack
from covey.threads import parallel

Root = tuple[Ids, Ids, Ints, Words, Ints, Ids]

#: Words of a packed row before its items.
HEAD = 3
#: Two places in one number: by how many bits the first is moved, and the bits of the second.
ROW, AT = np.uint64(32), np.uint64((1 << 32) - 1)


def plant(ptr: Ints, entries: Ids, weight: Ints, d: int) -> Root:
    """Return the root for these rows of `d` items.

    Precondition: as for `pack`. O(nnz + d).
    """
    held = count_items(entries, d)
    common = np.flatnonzero(held == len(weight)).astype(np.int32) if len(weight) else np.empty(0, np.int32)
    if len(common):
        rest = np.arange(d, dtype=np.int32)
        rest[common] = -1
        ptr, entries = keep_items(ptr, entries, rest)
    packed, places, first, behind = pack(ptr, entries, weight, d)
    item = np.flatnonzero(np.diff(first)).astype(np.int32)
    return packed, item, np.append(first[item], len(entries)), places, behind[item], common


def pack(ptr: Ints, entries: Ids, weight: Ints, d: int) -> tuple[Ids, Words, Ints, Ints]:
    """Return rows of `d` items packed, where each entry stands, where the list of each item begins, entries behind it.

    Precondition: rows are ascending; entries, and rows three times, are fewer than 2^32. O(nnz + d).
    """
    ranges = pieces(len(weight))
    first, starts = item_starts(ptr, entries, d, ranges)
    packed, places = np.empty(len(entries) + HEAD * len(weight), np.int32), np.empty(len(entries), np.uint64)
    cursors = np.stack([starts, np.zeros_like(starts)], axis=2)
    parallel(
        lambda part: plant_rows(ptr, entries, weight, part[0].start, part[0].stop, part[1], packed, places),
        zip(ranges, cursors, strict=True),
    )
    return packed, places, first, cursors[:, :, 1].sum(axis=0)


@kernel
def plant_rows(
    ptr: Ints, entries: Ids, weight: Ints, begin: int, end: int, cursor: Ints, packed: Ids, places: Words
) -> None:
    """Pack the rows from `begin` to `end` and list their entries where the lists of the items go on.

    That is what `cursor` says of each item, and it moves; beside it, the entries behind those of the item are added up.
    O(their entries).
    """
    for r in range(begin, end):
        head, length = ptr[r] + HEAD * r, ptr[r + 1] - ptr[r]
        packed[head], packed[head + 1], packed[head + 2] = r, weight[r], length
        for e in range(length):
            j = entries[ptr[r] + e]
            packed[head + HEAD + e] = j
            places[cursor[j, 0]] = np.uint64(head) << ROW | np.uint64(head + HEAD + e)
            cursor[j, 0] += 1
            cursor[j, 1] += length - e - 1


@kernel
def rows_behind(root: Root, o: int, p: int, stack: Stack, row: int, need: int) -> tuple[int, int]:
    """Write what follows the occurrences o to p in their rows as rows of the stack from `row` on, if `need` items do.

    Entries stay where they are. Returns where the rows end, and how many entries follow. Nothing waits here for what
    was read before, so rows are on their way from the memory many at a time. O(occurrences).
    """
    packed, places = root[0], root[3]
    start, stop, source, heft = stack[0], stack[1], stack[2], stack[8]
    behind = np.int64(0)
    for x in range(o, p):
        head = np.int64(places[x] >> ROW)
        source[row], heft[row] = packed[head], packed[head + 1]
        start[row], stop[row] = np.int64(places[x] & AT) + 1, head + HEAD + packed[head + 2]
        behind += stop[row] - start[row]
        row += stop[row] - start[row] >= need
    return row, behind


@kernel
def rows_holding(root: Root, o: int, p: int) -> Ids:
    """Return the rows of the occurrences o to p."""
    rows = np.empty(p - o, np.int32)
    for x in range(o, p):
        rows[x - o] = root[0][root[3][x] >> ROW]
    return rows
