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

import numpy as np

from covey.arrays import Ids, Ints, Mask, Places
from covey.kernels.shared.bits import ONE
from covey.kernels.shared.csr import pieces
from covey.kernels.shared.jit import kernel
from covey.threads import side_by_side


@kernel
def pack_rows(indptr: Ints, indices: Ids, in_row: Ids, weight: Ints) -> tuple[Ids, Places]:
    """Return the rows with the weight of each behind its entries, and for each of `in_row` where the weight stands.

    What belongs to a row then lies in one place, which halves the waiting for memory. Precondition: rows and entries
    are fewer than 2^32 together. O(nnz).
    """
    n = len(indptr) - 1
    packed, ends = np.empty(len(indices) + n, np.int32), np.empty(len(in_row), np.uint32)
    for r in range(n):
        for e in range(indptr[r], indptr[r + 1]):
            packed[e + r] = indices[e]
        packed[indptr[r + 1] + r] = weight[r]
    for x in range(len(in_row)):
        ends[x] = indptr[in_row[x] + 1] + in_row[x]
    return packed, ends


@kernel
def unpack_entries(indptr: Ints, packed: Ids) -> Ids:
    """Return what stands in the places of the entries, see `pack_rows`. O(nnz)."""
    n = len(indptr) - 1
    entries = np.empty(indptr[n], np.int32)
    for r in range(n):
        for e in range(indptr[r], indptr[r + 1]):
            entries[e] = packed[e + r]
    return entries


@kernel
def pair_bounds(packed: Ids, item_ptr: Ints, ends: Places, k: int) -> tuple[Ints, Ids]:
    """Return how long a pattern can be that begins with each item, and how many partners each entry has.

    An entry's partners are the other items of its row that rows of weight k hold together with it. A pattern
    that begins with item j needs rows of weight k in which as many of the items behind j are its partners.
    ``item_ptr``/``ends`` list the rows of each item; partners stand where entries do in `packed`, see `pack_rows`.
    Holds for any part of the rows. O(squares of the lengths of the rows).
    """
    d = len(item_ptr) - 1
    bound, partners = np.zeros(d, np.int64), np.zeros(len(packed), np.int32)
    # Half-size counts stay in the nearest cache. None is above the number of transactions, which is below 2^31.
    count, held_by = np.zeros(d, np.int32), np.zeros(d + 1, np.int64)
    for j in range(d):
        total, most, reached, read, top = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        for x in range(item_ptr[j], item_ptr[j + 1]):
            e = np.uint64(ends[x])  # no place is negative, and none is asked whether it is
            w = np.int64(packed[e])
            total += w
            e -= ONE
            i = packed[e]
            while i > j:
                held = count[i] + w
                count[i] = held
                top = max(top, held)
                e -= ONE
                i = packed[e]
            read += np.int64(np.uint64(ends[x]) - e)
        bound[j] = total >= k
        for x in range(item_ptr[j], item_ptr[j + 1] if top >= k else item_ptr[j]):
            held = np.int64(0)
            e = np.uint64(ends[x]) - ONE
            i = packed[e]
            while i > j:
                partner = np.int64(count[i] >= k)
                partners[e] += partner
                held += partner
                e -= ONE
                i = packed[e]
            partners[e] += held
            held_by[held] += packed[ends[x]]
            most = max(most, held)
        for held in range(most, -1, -1):
            reached += held_by[held]
            held_by[held] = 0
            if reached >= k:
                bound[j] = max(bound[j], held + 1)
        # Clearing by the whole is faster than reading the rows once more, unless they were few.
        if 4 * read > d:
            count[j:] = 0
            continue
        for x in range(item_ptr[j], item_ptr[j + 1]):
            e = np.int64(ends[x]) - 1
            while packed[e] > j:
                count[packed[e]] = 0
                e -= 1
    return bound, partners


@kernel
def row_reach(indptr: Ints, partners: Ids) -> Ids:
    """Return for each row how long a pattern it can hold: the greatest h with h entries of h - 1 partners or more.

    O(nnz).
    """
    n = len(indptr) - 1
    reach, longest = np.zeros(n, np.int32), np.int64(0)
    for r in range(n):
        longest = max(longest, indptr[r + 1] - indptr[r])
    count = np.zeros(longest + 1, np.int64)
    for r in range(n):
        length = indptr[r + 1] - indptr[r]
        for e in range(indptr[r], indptr[r + 1]):
            count[min(partners[e] + 1, length)] += 1
        h, enough = length, count[length]
        while enough < h:
            h -= 1
            enough += count[h]
        reach[r] = h
        count[: length + 1] = 0
    return reach


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
