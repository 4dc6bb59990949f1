"""Mining minimal threats: sets of labels that occur, but too rarely, while all their subsets are frequent.

With private items also minimal moles of (h, k, p)-coherence (Xu et al. 2008): sets that are too rare, or whose rows
hold one private item too often. The search is depth-first over rows of small local numbers, those of the labels below
one node of the current cut. It visits larger first elements before smaller ones, so every subset of a set is seen
before the set, and asks a table of known sets whether a set is minimal. A set is known by the exclusive or of one
random word per label. Used by methods only; the checkers have loops of their own. Oracle: `tests/oracles/recoding.py`.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Places
from covey.data.csr import NEAR, bring_rests_near, count_items
from covey.data.jit import kernel, larger, sort_ids

#: The private items of each row as (offsets, items, number of items), and the share h of rows that may hold one.
Secrets = tuple[Ints, Ids, int, float]


@kernel
def is_known(table: Ints, name: int) -> bool:
    """Whether a set of this name is in the table (open addressing, 0 is free). O(1)."""
    mask = len(table) - 1
    slot = name & mask
    while table[slot] != 0:
        if table[slot] == name:
            return True
        slot = (slot + 1) & mask
    return False


@kernel
def add_known(table: Ints, used: Ints, name: int) -> Ints:
    """Add a name and return the table, which is a larger one when it was half full. Amortised O(1)."""
    if 2 * used[0] >= len(table):
        wider = np.zeros(4 * len(table), np.int64)
        mask = len(wider) - 1
        for i in range(len(table)):
            if table[i] != 0:
                slot = table[i] & mask
                while wider[slot] != 0:
                    slot = (slot + 1) & mask
                wider[slot] = table[i]
        table = wider
    mask = len(table) - 1
    slot = name & mask
    while table[slot] != 0 and table[slot] != name:
        slot = (slot + 1) & mask
    if table[slot] == 0:
        table[slot] = name
        used[0] += 1
    return table


@kernel
def holds_known(prefix: Ids, size: int, last: int, words: Ints, table: Ints) -> bool:
    """Whether a proper subset of ``prefix[:size]`` plus the last element is known to be rare.

    The prefix itself is frequent, so only subsets with the last element count. 2^size lookups up to 10 elements;
    above that only pairs and the subsets that lack one element are looked up, which may let a set through that is
    not minimal: harmless, since it forbids nothing that its subset does not forbid.
    """
    if size <= 10:
        for mask in range(1, (1 << size) - 1):
            name = last
            for i in range(size):
                if mask >> i & 1:
                    name ^= words[prefix[i]]
            if is_known(table, name):
                return True
        return False
    total = last
    for i in range(size):
        total ^= words[prefix[i]]
    for i in range(size):
        if is_known(table, last ^ words[prefix[i]]) or is_known(table, total ^ words[prefix[i]]):
            return True
    return False


@kernel
def count_behind(
    indptr: Ints, items: Ids, weight: Ints, row: Ids, place: Places, start: int, stop: int,
    count: Ints, rows: Ints, touched: Ids,
) -> int:  # fmt: skip
    """Count what the listed rows hold from `place` on; return how many items were touched. O(entries read)."""
    found, near = np.int64(0), np.empty((3, NEAR), np.int64)
    for done in range(start, stop, NEAR):
        some = row[done : min(done + NEAR, stop)]
        bring_rests_near(indptr, items, some, place[done : done + NEAR], near)
        for i in range(len(some)):
            for q in range(near[0, i], near[1, i]):
                f = items[q]
                if rows[f] == 0:
                    touched[found] = f
                    found += 1
                rows[f] += 1
                count[f] += weight[some[i]]
    return found


@kernel
def deliver(
    indptr: Ints, items: Ids, row: Ids, place: Places, start: int, stop: int, cursor: Ints
) -> None:  # fmt: skip
    """Append each listed row to the list of every wanted item from its place on. O(entries read).

    ``cursor[f]`` is where the list of item f goes on, -1 when it is not wanted. Lists lie behind `stop`.
    """
    for e in range(start, stop):
        r = row[e]
        for q in range(place[e], indptr[r + 1]):
            f = items[q]
            if cursor[f] >= 0:
                row[cursor[f]] = r
                place[cursor[f]] = q + 1
                cursor[f] += 1


@kernel
def first_lists(indptr: Ints, items: Ids, weight: Ints, per_head: Ints) -> tuple[Ids, Places, Ints, Ints]:
    """Return the rows of each head, the places behind it, where each list begins, and its weight. O(entries)."""
    heads = len(per_head)
    begin, total = np.zeros(heads + 1, np.int64), np.zeros(heads, np.int64)
    begin[1:] = np.cumsum(per_head)
    row, place = np.empty(max(begin[heads], 1), np.int32), np.empty(max(begin[heads], 1), np.uint32)
    cursor = begin[:-1].copy()
    for r in range(len(indptr) - 1):
        for q in range(indptr[r], indptr[r + 1]):
            h = items[q]
            if h < heads:
                row[cursor[h]], place[cursor[h]] = r, q + 1
                cursor[h] += 1
                total[h] += weight[r]
    return row, place, begin, total


@kernel
def record(
    prefix: Ids, size: int, words: Ints, ptr: Ints, out: Ids, sets: int, table: Ints, used: Ints, known: bool
) -> tuple[Ints, Ids, Ints, int]:  # fmt: skip
    """Append ``prefix[:size]`` to the sets found and, if it is to be `known`, to the table. O(size), amortised."""
    out, ptr = larger(out, ptr[sets] + size), larger(ptr, sets + 2)
    name = np.int64(0)
    for j in range(size):
        out[ptr[sets] + j] = prefix[j]
        name ^= words[prefix[j]]
    ptr[sets + 1] = ptr[sets] + size
    if known:
        table = add_known(table, used, name)
    return ptr, out, table, sets + 1


@kernel
def betrays(row: Ids, weight: Ints, start: int, stop: int, whole: int, secrets: Secrets, count: Ints) -> bool:
    """Whether more than the fraction h of the listed rows hold one private item. O(private entries of the rows).

    `count` is all zero before and after.
    """
    ptr, secret, _, h = secrets
    most = np.int64(0)
    for e in range(start, stop):
        for q in range(ptr[row[e]], ptr[row[e] + 1]):
            count[secret[q]] += weight[row[e]]
            most = max(most, count[secret[q]])
    for e in range(start, stop):
        for q in range(ptr[row[e]], ptr[row[e] + 1]):
            count[secret[q]] = 0
    return most > h * whole + 1e-9


#: What sorting one label counts among the steps of a search.
SORTED = 8


@kernel
def mine(
    indptr: Ints, items: Ids, weight: Ints, width: int, heads: int, secrets: Secrets, k: int, m: int,
    words: Ints, table: Ints, used: Ints, limit: int,
) -> tuple[bool, Ints, Ids, Ints]:  # fmt: skip
    """Return every minimal set of at most m local numbers with a head in it that is a threat, or a mole.

    That is a set of two or more that occurs in fewer than k rows, or a set that gives one of the `secrets` away.
    Precondition: rows ascending, with fewer than 2^32 entries; heads are the numbers below `heads`, with secrets all of
    them; every number is frequent by itself. Returns (complete?, offsets, members, table of known sets); incomplete
    when more than `limit` members or more than ``used[1]`` steps were needed; this then has the number of steps left.
    Items in all rows of a prefix are left out below it: they change no support, so no minimal set holds both. Cost:
    rows of every frequent set (Liu & Wang 2010, section 4.1).
    """
    count, rows, touched = np.zeros(width, np.int64), np.zeros(width, np.int64), np.empty(width, np.int32)
    cursor, private = np.full(width, -1, np.int64), np.zeros(secrets[2], np.int64)
    prefix = np.empty(width + 1, np.int32)
    ptr, out, sets = np.zeros(1024, np.int64), np.empty(1024, np.int32), np.int64(0)
    guarded, spare = secrets[2] > 0, used[1]
    row, place, begin, mass = first_lists(indptr, items, weight, count_items(items, width)[:heads])
    # One entry per extension still to be visited: the item, its list of rows, their weight.
    todo, low, high = np.arange(heads), begin[:-1].copy(), begin[1:].copy()
    depth_of, waiting = np.zeros(heads, np.int64), heads
    while waiting > 0:
        waiting -= 1
        size, start, stop, whole = depth_of[waiting] + 1, low[waiting], high[waiting], mass[waiting]
        prefix[size - 1] = todo[waiting]
        if guarded:
            last = words[prefix[size - 1]]
            if size > 1 and (is_known(table, last) or holds_known(prefix, size - 1, last, words, table)):
                continue
            if betrays(row, weight, start, stop, whole, secrets, private):
                ptr, out, table, sets = record(prefix, size, words, ptr, out, sets, table, used, guarded)
                continue
        if size >= m:
            continue
        found = count_behind(indptr, items, weight, row, place, start, stop, count, rows, touched)
        spare -= stop - start + SORTED * found
        ordered = touched[:found].copy()
        sort_ids(ordered)
        free, wanted = stop, np.int64(0)
        for i in range(found):
            f = ordered[i]
            spare -= rows[f]
            if count[f] < k:
                spare -= np.int64(1) << min(size, 20)
                alone = guarded and is_known(table, words[f])
                if not (alone or holds_known(prefix, size, words[f], words, table)):
                    prefix[size] = f
                    known = guarded or m > 2
                    ptr, out, table, sets = record(prefix, size + 1, words, ptr, out, sets, table, used, known)
            elif count[f] < whole and size + 1 < m + guarded:
                wanted += 1
                need = waiting + wanted
                todo, low, high = larger(todo, need), larger(low, need), larger(high, need)
                mass, depth_of = larger(mass, need), larger(depth_of, need)
                todo[need - 1], low[need - 1], high[need - 1] = f, free, free + rows[f]
                mass[need - 1], depth_of[need - 1] = count[f], size
                cursor[f] = free
                free += rows[f]
            count[f], rows[f] = 0, 0
        if wanted:
            row, place = larger(row, free), larger(place, free)
            deliver(indptr, items, row, place, start, stop, cursor)
            cursor[ordered] = -1
            waiting += wanted
        used[1] = max(spare, 0)
        if ptr[sets] > limit or spare <= 0:
            return False, ptr[: sets + 1], out[: ptr[sets]], table
    return True, ptr[: sets + 1], out[: ptr[sets]], table
