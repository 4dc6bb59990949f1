"""Minimal moles of (h, k, p)-coherence, and the greedy choice of what to suppress (Xu et al. 2008)."""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.kernels.methods.threats import (
    add_known,
    count_behind,
    deliver,
    first_lists,
    holds_known,
    is_known,
    larger,
    larger_ids,
)
from covey.kernels.shared.jit import kernel
from covey.kernels.shared.sorting import sort_ids


@kernel
def betrays(
    row: Ids, weight: Ints, start: int, stop: int, whole: int, h: float, secret_ptr: Ints, secret: Ids, count: Ints
) -> bool:  # fmt: skip
    """Whether more than the fraction h of the listed rows hold one private item. O(private entries of the rows)."""
    most = np.int64(0)
    for e in range(start, stop):
        for q in range(secret_ptr[row[e]], secret_ptr[row[e] + 1]):
            count[secret[q]] += weight[row[e]]
            most = max(most, count[secret[q]])
    for e in range(start, stop):
        for q in range(secret_ptr[row[e]], secret_ptr[row[e] + 1]):
            count[secret[q]] = 0
    return most > h * whole + 1e-9


@kernel
def minimal_moles(
    indptr: Ints, items: Ids, secret_ptr: Ints, secret: Ids, secrets: int, width: int, k: int, p: int, h: float,
    words: Ints, limit: int, work_limit: int,
) -> tuple[bool, Ints, Ids]:  # fmt: skip
    """Return every minimal mole of at most p items: too rare, or giving a private item away.

    Precondition: rows ascending; every item is in at least k rows. Returns (complete?, offsets, members);
    incomplete when more than `limit` members or `work_limit` entries read were needed. The same depth-first search
    as for threats; a set that gives a private item away is reported when visited and not extended.
    """
    weight = np.ones(len(indptr) - 1, np.int64)
    row, place, begin, mass = first_lists(indptr, items, weight, width)
    count, rows, touched = np.zeros(width, np.int64), np.zeros(width, np.int64), np.empty(width, np.int32)
    cursor, private = np.full(width, -1, np.int64), np.zeros(secrets, np.int64)
    todo, low, high = np.arange(width), begin[:-1].copy(), begin[1:].copy()
    depth_of, waiting, prefix = np.zeros(width, np.int64), width, np.empty(width + 1, np.int32)
    ptr, out, sets = np.zeros(1024, np.int64), np.empty(1024, np.int64), np.int64(0)
    table, used, work = np.zeros(4096, np.int64), np.zeros(1, np.int64), np.int64(0)
    guarded = 1 if secrets else 0
    while waiting > 0:
        waiting -= 1
        size, start, stop, whole = depth_of[waiting] + 1, low[waiting], high[waiting], mass[waiting]
        prefix[size - 1] = todo[waiting]
        if guarded:
            last = words[prefix[size - 1]]
            if size > 1 and (is_known(table, last) or holds_known(prefix, size - 1, last, words, table)):
                continue
            if betrays(row, weight, start, stop, whole, h, secret_ptr, secret, private):
                ptr, out, table, sets = record(prefix, size, words, ptr, out, sets, table, used)
                continue
        if size >= p:
            continue
        found = count_behind(indptr, items, weight, row, place, start, stop, count, rows, touched)
        ordered = touched[:found].copy()
        sort_ids(ordered)
        free, wanted = stop, np.int64(0)
        for i in range(found):
            f = ordered[i]
            if count[f] < k:
                if not (is_known(table, words[f]) or holds_known(prefix, size, words[f], words, table)):
                    prefix[size] = f
                    ptr, out, table, sets = record(prefix, size + 1, words, ptr, out, sets, table, used)
            elif count[f] < whole and size + 1 < p + guarded:
                wanted += 1
                need = waiting + wanted
                todo, low, high = larger(todo, need), larger(low, need), larger(high, need)
                mass, depth_of = larger(mass, need), larger(depth_of, need)
                todo[need - 1], low[need - 1], high[need - 1] = f, free, free + rows[f]
                mass[need - 1], depth_of[need - 1] = count[f], size
                cursor[f] = free
                free += rows[f]
            work += rows[f]
            count[f], rows[f] = 0, 0
        if wanted:
            place = larger(place, free)
            if len(row) < free:
                row = larger_ids(row, len(place))
            deliver(indptr, items, row, place, start, stop, cursor)
            cursor[ordered] = -1
            waiting += wanted
        if ptr[sets] > limit or work > work_limit:
            return False, ptr[: sets + 1], out[: ptr[sets]].astype(np.int32)
    return True, ptr[: sets + 1], out[: ptr[sets]].astype(np.int32)


@kernel
def record(
    prefix: Ids, size: int, words: Ints, ptr: Ints, out: Ints, sets: int, table: Ints, used: Ints
) -> tuple[Ints, Ints, Ints, int]:  # fmt: skip
    """Append ``prefix[:size]`` to the sets found and to the table of known ones. O(size), amortised."""
    out, ptr = larger(out, ptr[sets] + size), larger(ptr, sets + 2)
    name = np.int64(0)
    for j in range(size):
        out[ptr[sets] + j] = prefix[j]
        name ^= words[prefix[j]]
    ptr[sets + 1] = ptr[sets] + size
    return ptr, out, add_known(table, used, name), sets + 1


@kernel
def suppress_greedily(offsets: Ints, members: Ids, support: Ints) -> Mask:
    """Return the items to suppress so that no mole is left: always the one with most moles per occurrence.

    A tie goes to the last item. O(items suppressed · items + members).
    """
    d, sets = len(support), len(offsets) - 1
    gone, alive = np.zeros(d, np.bool_), np.ones(sets, np.bool_)
    moles, begin = np.zeros(d, np.int64), np.zeros(d + 1, np.int64)
    for e in range(len(members)):
        moles[members[e]] += 1
    begin[1:] = np.cumsum(moles)
    holder, cursor = np.empty(len(members), np.int64), begin[:-1].copy()
    for s in range(sets):
        for e in range(offsets[s], offsets[s + 1]):
            holder[cursor[members[e]]] = s
            cursor[members[e]] += 1
    left = sets
    while left > 0:
        worst = np.int64(-1)
        for x in range(d):
            if moles[x] > 0 and (worst < 0 or moles[x] * support[worst] >= moles[worst] * support[x]):
                worst = x
        gone[worst] = True
        for q in range(begin[worst], begin[worst + 1]):
            s = holder[q]
            if alive[s]:
                alive[s] = False
                left -= 1
                for e in range(offsets[s], offsets[s + 1]):
                    moles[members[e]] -= 1
    return gone


@kernel
def packed(offsets: Ints, members: Ids, price: Floats) -> float:
    """Return what hitting every one of the sets costs at least, and lower `price` by what that accounts for.

    Each set in turn takes from all its members the price of the one that has least left: a feasible dual of the
    cheapest hitting set, so its value is a lower bound. Going on with more sets adds to the bound. O(members).
    """
    total = 0.0
    for s in range(len(offsets) - 1):
        least = np.inf
        for e in range(offsets[s], offsets[s + 1]):
            least = min(least, price[members[e]])
        total += least
        for e in range(offsets[s], offsets[s + 1]):
            price[members[e]] -= least
    return total
