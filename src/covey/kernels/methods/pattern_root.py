"""The root of the search for longest patterns: all rows, packed, and where each item stands in them.

Every search begins with the rows of one item after another, which lie scattered. So what belongs to a row lies in one
place, and the root is made once for all threads that search in it, which write nothing to it. It travels as one tuple:
the rows, ``packed`` as number, weight and length of each and then its items, ascending; the ``item`` list, ascending,
and from ``first`` on for each of its occurrences the ``head`` of the row and the place ``at`` which it stands; how many
entries are ``behind`` those of each item, all together; and ``common``, the items that all rows hold, which are in no
row and in no list.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Places
from covey.kernels.methods.pattern_nodes import Stack
from covey.kernels.shared.csr import item_starts, keep_items, pieces
from covey.kernels.shared.jit import kernel
from covey.threads import side_by_side

Root = tuple[Ids, Ids, Ints, Places, Places, Ints, Ids]

#: Words of a packed row before its items.
HEAD = 3


def plant(ptr: Ints, entries: Ids, weight: Ints, d: int) -> Root:
    """Return the root for these rows of `d` items.

    Precondition: rows are ascending; entries, and rows three times, are fewer than 2^32. O(nnz + d).
    """
    n, ranges = len(weight), pieces(len(weight))
    first, starts = item_starts(ptr, entries, d, ranges)
    common = np.flatnonzero(np.diff(first) == n).astype(np.int32) if n else np.empty(0, np.int32)
    if len(common):
        rest = np.arange(d, dtype=np.int32)
        rest[common] = -1
        ptr, entries = keep_items(ptr, entries, rest)
        first, starts = item_starts(ptr, entries, d, ranges)
    packed, behind = np.empty(len(entries) + HEAD * n, np.int32), np.zeros((len(ranges), d), np.int64)
    heads, at = np.empty(len(entries), np.uint32), np.empty(len(entries), np.uint32)
    side_by_side(
        lambda part: plant_rows(
            ptr, entries, weight, ranges[part].start, ranges[part].stop, starts[part], packed, heads, at, behind[part]
        ),
        range(len(ranges)),
    )
    item = np.flatnonzero(np.diff(first)).astype(np.int32)
    return packed, item, np.append(first[item], len(entries)), heads, at, behind.sum(axis=0)[item], common


@kernel
def plant_rows(
    ptr: Ints,
    entries: Ids,
    weight: Ints,
    begin: int,
    end: int,
    cursor: Ints,
    packed: Ids,
    heads: Places,
    at: Places,
    behind: Ints,
) -> None:
    """Pack the rows from `begin` to `end` and list their entries where the lists of the items go on; `cursor` moves.

    Adds to `behind` how many entries are behind those of each item. O(their entries).
    """
    for r in range(begin, end):
        head, length = ptr[r] + HEAD * r, ptr[r + 1] - ptr[r]
        packed[head], packed[head + 1], packed[head + 2] = r, weight[r], length
        for e in range(length):
            j = entries[ptr[r] + e]
            packed[head + HEAD + e] = j
            heads[cursor[j]], at[cursor[j]] = head, head + HEAD + e
            cursor[j] += 1
            behind[j] += length - e - 1


@kernel
def rows_behind(root: Root, o: int, p: int, stack: Stack, row: int) -> int:
    """Write what follows the occurrences o to p in their rows as rows of the stack from `row` on; count the entries.

    These stay where they are. Nothing waits here for what was read before, so rows are on their way from the memory
    many at a time. O(occurrences).
    """
    packed, heads, at = root[0], root[3], root[4]
    start, stop, source, heft = stack[0], stack[1], stack[2], stack[8]
    behind = np.int64(0)
    for x in range(o, p):
        head = np.int64(heads[x])
        source[row], heft[row] = packed[head], packed[head + 1]
        start[row], stop[row] = np.int64(at[x]) + 1, head + HEAD + packed[head + 2]
        behind += stop[row] - start[row]
        row += 1
    return behind


@kernel
def rows_holding(root: Root, o: int, p: int) -> Ids:
    """Return the rows of the occurrences o to p."""
    rows = np.empty(p - o, np.int32)
    for x in range(o, p):
        rows[x - o] = root[0][root[3][x]]
    return rows
