"""Which items keep company: groups of items that share most rows, and the rows seen through such groups.

Rows need not be sorted. Counts are made for one item at a time, so that no matrix of all pairs is ever held.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.kernels.shared.jit import kernel


@kernel
def count_company(
    seed: int, span: Ints, items: Ids, item_ptr: Ints, item_rows: Ids, free: Mask, count: Ints, met: Ids
) -> int:  # fmt: skip
    """Count the free items in the rows of `seed`; return how many different ones are listed in `met`.

    The free items of row r stand from ``span[r, 0]`` to ``span[r, 1]``, perhaps with others that are free no more:
    these are moved behind the end, so each is passed over once. O(free entries of the rows), amortised.
    """
    found = np.int64(0)
    for q in range(item_ptr[seed], item_ptr[seed + 1]):
        row = item_rows[q]
        e, stop = span[row, 0], span[row, 1]
        while e < stop:
            x = items[e]
            if free[x]:
                if count[x] == 0:
                    met[found] = x
                    found += 1
                count[x] += 1
                e += 1
            else:
                stop -= 1
                items[e], items[stop] = items[stop], x
        span[row, 1] = stop
    return found


@kernel
def group_company(
    indptr: Ints, items: Ids, item_ptr: Ints, item_rows: Ids, order: Ints, fanout: int, fill: bool
) -> tuple[Ints, Ids]:  # fmt: skip
    """Group items, up to `fanout` at a time; returns offsets and members, the seed of each group first.

    Seeds come in the given order. Each takes the free items that share most rows with it, relative to the root of
    their supports, lower numbers first; then, if `fill`, the first free ones of the order. Changes the order of items
    within rows. O(rows of every seed, times the free items in them).
    """
    d, n = len(item_ptr) - 1, len(indptr) - 1
    free, count, met = np.ones(d, np.bool_), np.zeros(d, np.int64), np.empty(d, np.int32)
    best, score = np.empty(fanout, np.int32), np.empty(fanout)
    root = np.sqrt(np.diff(item_ptr).astype(np.float64))
    span = np.empty((n, 2), np.int64)
    span[:, 0], span[:, 1] = indptr[:-1], indptr[1:]
    ptr, members = np.zeros(d + 1, np.int64), np.empty(d, np.int32)
    groups, write, cursor = np.int64(0), np.int64(0), np.int64(0)
    for i in range(len(order)):
        seed = order[i]
        if not free[seed]:
            continue
        free[seed] = False
        found = count_company(seed, span, items, item_ptr, item_rows, free, count, met) if n else 0
        kept = keep_best(met[:found], count, root, best, score)
        members[write] = seed
        members[write + 1 : write + 1 + kept] = best[:kept]
        free[best[:kept]] = False
        write += 1 + kept
        size = 1 + kept
        while fill and size < fanout and cursor < len(order):
            if free[order[cursor]]:
                members[write] = order[cursor]
                free[order[cursor]] = False
                write, size = write + 1, size + 1
            cursor += 1
        groups += 1
        ptr[groups] = write
    return ptr[: groups + 1].copy(), members


@kernel
def keep_best(met: Ids, count: Ints, root: Floats, best: Ids, score: Floats) -> int:
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
def join_items(indptr: Ints, items: Ids, owner: Ids, groups: int) -> int:
    """Replace items by their owners, each once in a row, in place; return the number of entries left. O(entries)."""
    seen = np.full(groups, -1, np.int64)
    write, start = np.int64(0), indptr[0]
    for row in range(len(indptr) - 1):
        stop = indptr[row + 1]
        for e in range(start, stop):
            x = owner[items[e]]
            if seen[x] != row:
                seen[x] = row
                items[write] = x
                write += 1
        start = stop
        indptr[row + 1] = write
    return write
