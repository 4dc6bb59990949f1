"""Mining all longest frequent patterns of weighted rows (PatternKa 2020, section 3.3).

A *pattern* of length L is a set of L items that rows of total weight k or more hold. The search goes depth
first: take an item, keep the rows that hold it, look only at later items (`pattern_nodes`). Three facts keep it
small when L is the greatest length that can occur:

- a row with fewer items left than the pattern still needs cannot help, nor can an item that rows of weight
  below k hold; dropping one may make the other droppable, so both are dropped to a fixpoint (length pruning);
- an item that all rows at hand hold belongs to every longest pattern among them (closed patterns);
- when one item is missing, the patterns are read off the counts and nothing is copied.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from covey.arrays import Ids, Ints, Mask, Places
from covey.kernels.shared.bits import ONE
from covey.kernels.shared.csr import NEAR, item_starts, pieces
from covey.kernels.shared.jit import kernel
from covey.threads import side_by_side

TWO = np.uint64(2)
#: So many entries are looked at for partners at once.
AT_ONCE = 1 << 18


def pair_bounds(indptr: Ints, indices: Ids, weight: Ints, item_ptr: Ints, in_row: Ids, k: int) -> tuple[Ints, Ids]:
    """Return how long a pattern can be that begins with each item, and how many partners each entry has.

    An entry's partners are the other items of its row that rows of weight k hold together with it. A pattern
    that begins with item j needs rows of weight k in which as many of the items behind j are its partners.
    ``item_ptr``/``in_row`` list the rows of each item, and partners stand as they do; `in_row` is given away. Holds for
    any part of the rows. Precondition: entries, and rows twice, are fewer than 2^32. O(squares of the lengths of the
    rows).
    """
    n, heads = len(indptr) - 1, in_row.view(np.uint32)
    packed = np.empty(len(indices) + 2 * n, np.int32)
    side_by_side(lambda rows: pack_rows(indptr, indices, weight, rows.start, rows.stop, packed), pieces(n))
    side_by_side(lambda some: find_heads(indptr, in_row[some], heads[some]), pieces(len(in_row)))
    bound, partners = np.zeros(len(item_ptr) - 1, np.int64), np.zeros(len(in_row), np.int32)
    # Items cannot be divided, so whoever is done first takes the next of many pieces.
    cuts = np.searchsorted(item_ptr, [part.stop for part in pieces(len(in_row), AT_ONCE)[:-1]])
    side_by_side(
        lambda items: bounds_of_items(packed, item_ptr, heads, k, items[0], items[1], bound, partners),
        pairwise([0, *cuts.tolist(), len(bound)]),
    )
    return bound, partners


@kernel
def pack_rows(indptr: Ints, indices: Ids, weight: Ints, begin: int, end: int, packed: Ids) -> None:
    """Write the rows from `begin` to `end`: weight and length of each, then its entries.

    What belongs to a row then lies in one place, which halves the waiting for memory. O(their entries).
    """
    for r in range(begin, end):
        head = indptr[r] + 2 * r
        packed[head], packed[head + 1] = weight[r], indptr[r + 1] - indptr[r]
        for e in range(indptr[r], indptr[r + 1]):
            packed[e + 2 * r + 2] = indices[e]


@kernel
def find_heads(indptr: Ints, rows: Ids, heads: Places) -> None:
    """Write where each of the rows begins, see `pack_rows`; `heads` may lie where `rows` do. O(rows)."""
    for x in range(len(rows)):
        heads[x] = indptr[rows[x]] + 2 * rows[x]


@kernel
def bounds_of_items(
    packed: Ids, item_ptr: Ints, heads: Places, k: int, begin: int, end: int, bound: Ints, partners: Ids
) -> None:
    """Do what `pair_bounds` does for the items from `begin` to `end`; ``heads`` are where the rows of each begin.

    Whole rows are read, not only what is behind the item, so that each item writes to places of its own. Precondition:
    `partners` is all zero.
    """
    d = len(item_ptr) - 1
    # Half-size counts stay in the nearest cache. None is above the number of transactions, which is below 2^31.
    count, held_by, near = np.zeros(d, np.int32), np.zeros(d + 1, np.int64), np.empty(NEAR, np.int32)
    for j in range(begin, end):
        most, reached, read, top = np.int64(0), np.int64(0), np.int64(0), np.int32(0)
        for start in range(item_ptr[j], item_ptr[j + 1], NEAR):
            some = heads[start : min(start + NEAR, item_ptr[j + 1])]
            for x in range(len(some)):  # a scattered read each: all are on their way before the first is needed
                near[x] = packed[some[x]]
            for x in range(len(some)):
                first = np.uint64(some[x]) + TWO  # no place is negative, and none is asked whether it is
                held = np.uint64(packed[first - ONE])
                read += np.int64(held)
                for e in range(first, first + held):
                    count[packed[e]] += near[x]
        bound[j] = count[j] >= k
        count[j] = 0
        few = 4 * read <= d
        if not few:
            for i in range(d):
                top = max(top, count[i])
        for x in range(item_ptr[j], item_ptr[j + 1] if few or top >= k else item_ptr[j]):
            first, own, behind = np.uint64(heads[x]) + TWO, np.int64(0), np.int64(0)
            for e in range(first, first + np.uint64(packed[first - ONE])):
                partner = np.int64(count[packed[e]] >= k)
                own += partner
                behind += partner & np.int64(packed[e] > j)
            partners[x] = own
            held_by[behind] += packed[heads[x]]
            most = max(most, behind)
        for behind in range(most, -1, -1):
            reached += held_by[behind]
            held_by[behind] = 0
            if reached >= k:
                bound[j] = max(bound[j], behind + 1)
        # Clearing by the whole is faster than reading the rows once more, unless they were few.
        if not few:
            count[:] = 0
            continue
        for x in range(item_ptr[j], item_ptr[j + 1]):
            first = np.uint64(heads[x]) + TWO
            for e in range(first, first + np.uint64(packed[first - ONE])):
                count[packed[e]] = 0


def partners_by_row(indptr: Ints, indices: Ids, d: int, partners: Ids) -> tuple[Ids, Ids]:
    """Return the partners that `pair_bounds` found as entries stand in rows, and for each row its reach.

    That is how long a pattern it can hold: the greatest h with h entries of h - 1 partners or more. O(nnz).
    """
    n, ranges = len(indptr) - 1, pieces(len(indptr) - 1)
    placed, reach = np.empty(len(indices), np.int32), np.empty(n, np.int32)
    side_by_side(
        lambda part: reach_of_rows(indptr, indices, part[0].start, part[0].stop, part[1], partners, placed, reach),
        zip(ranges, item_starts(indptr, indices, d, ranges)[1], strict=True),
    )
    return placed, reach


@kernel
def reach_of_rows(
    indptr: Ints, indices: Ids, begin: int, end: int, cursor: Ints, partners: Ids, placed: Ids, reach: Ids
) -> None:
    """Do what `partners_by_row` does for the rows from `begin` to `end`; `cursor` says where their items' lists go on.

    `cursor` moves. O(their entries).
    """
    longest = np.int64(0)
    for r in range(begin, end):
        longest = max(longest, indptr[r + 1] - indptr[r])
    count = np.zeros(longest + 1, np.int64)
    for r in range(begin, end):
        length = indptr[r + 1] - indptr[r]
        for e in range(indptr[r], indptr[r + 1]):
            j = indices[e]
            placed[e] = partners[cursor[j]]
            cursor[j] += 1
            count[min(placed[e] + 1, length)] += 1
        h, enough = length, count[length]
        while enough < h:
            h -= 1
            enough += count[h]
        reach[r] = h
        count[: length + 1] = 0


def reduce_rows(
    indptr: Ints, indices: Ids, weight: Ints, free: Mask, bound: Ints, partners: Ids, k: int, need: int
) -> tuple[Ids, Ints, Ids]:
    """Return the part of the `free` rows that patterns of `need` items can use, as (rows, offsets, items).

    Left out are entries with too few `partners`, entries before the first item of their row that can begin such
    a pattern (`bound`), rows with fewer than `need` entries left, and items in rows of weight below k; the last
    two to a fixpoint. O(rounds · nnz).
    """
    found = side_by_side(
        lambda piece: usable_rows(indptr, indices, weight, free, bound, partners, need, piece.start, piece.stop),
        pieces(len(indptr) - 1),
    )
    rows, lengths, entries = (np.concatenate([part[i] for part in found]) for i in range(3))
    ptr = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(lengths, out=ptr[1:])
    count = np.sum([part[3] for part in found], axis=0)
    total = prune_rows(rows, ptr, entries, weight, count, k, need)
    return rows[:total].copy(), ptr[: total + 1].copy(), entries[: ptr[total]].copy()


@kernel
def usable_rows(
    indptr: Ints, indices: Ids, weight: Ints, free: Mask, bound: Ints, partners: Ids, need: int, begin: int, end: int
) -> tuple[Ids, Ids, Ids, Ints]:
    """Return rows from `begin` to `end` with what they can use, each looked at alone: rows, lengths, items.

    Also returns the weight of the rows that hold each item. O(their entries).
    """
    rows, lengths = np.empty(end - begin, np.int32), np.empty(end - begin, np.int32)
    out = np.empty(indptr[end] - indptr[begin], np.int32)
    count = np.zeros(len(bound), np.int64)
    total, start = np.int64(0), np.int64(0)
    for r in range(begin, end):
        if not free[r] or indptr[r + 1] - indptr[r] < need:
            continue
        write = start
        for e in range(indptr[r], indptr[r + 1]):
            if partners[e] + 1 >= need and (write > start or bound[indices[e]] >= need):
                out[write] = indices[e]
                write += 1
        if write - start < need:
            continue
        for e in range(start, write):
            count[out[e]] += weight[r]
        rows[total], lengths[total] = r, write - start
        total += 1
        start = write
    return rows[:total].copy(), lengths[:total].copy(), out[:start].copy(), count


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
