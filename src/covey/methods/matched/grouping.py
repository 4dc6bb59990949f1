"""Group formation of `matched`: each holder among rows that resemble it and are as likely to be holders.

Rows are numbered by falling propensity, and ``lists[start[j] : stop[j]]`` are the rows with item j, ascending; the list
behind that of the last item has all rows. Lists also name rows that have a group by now, until they are tidied up.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask, Words
from covey.data.jit import kernel, kth_smallest, stable_order
from covey.methods.remaining import Left, Rows, all_left, conflicts, mark, withdraw

#: Keeps the logarithm finite where nobody like a row is in the groups.
SMALL = 0.01
#: Of the rows found so many times p are compared item by item.
SHORTLIST = 8
#: So many times p of the next rows are looked at whatever they hold; more, up to the second, if these are too few.
NEXT, AT_MOST = 8, 512


@kernel
def tidy(start: Ints, stop: Ints, lists: Ids, free: Mask) -> None:
    """Drop rows that have a group from all lists, in place. O(entries)."""
    for j in range(len(start)):
        write = start[j]
        for e in range(start[j], stop[j]):
            if free[lists[e]]:
                lists[write] = lists[e]
                write += 1
        stop[j] = write


@kernel
def look_up(
    t: int, rows: Ids, width: int, worth: float, free: Mask, left: Left, stamp: int, common: Floats, found: Ints,
    count: int,
) -> tuple[int, int]:  # fmt: skip
    """Add `worth` to what the `width` rows of a list that are nearest to `t` have in `common` with it.

    Rows that are met for the first time, with less than 0 in `common`, are added to `found`, unless they conflict with
    the group of this stamp. Returns how many rows are found by now, and how many were looked at. O(width).
    """
    first = max(min(int(np.searchsorted(rows, t)) - width // 2, len(rows) - width), 0)
    last = min(first + width, len(rows))
    for e in range(first, last):
        v = rows[e]
        if v == t or not free[v]:
            continue
        if common[v] < 0:
            if conflicts(v, stamp, left):
                continue
            common[v] = 0.0
            found[count] = v
            count += 1
        common[v] += worth
    return count, last - first


@kernel
def find(
    t: int, items: Ids, reach: int, width: int, start: Ints, stop: Ints, lists: Ids, worth: Floats, bit: Ints,
    words: Words, free: Mask, left: Left, stamp: int, common: Floats, found: Ints,
) -> int:  # fmt: skip
    """Write candidates for `t`, which has the `items`, to `found`, and what is in common; return how many there are.

    They are rows of the lists of these items, the shortest list first, until `reach` entries are read, and `width` rows
    next to t. What is in common is counted as far as lists were read, and exactly for items that have a `bit` in the
    `words` of rows. O(reach · (bits of t) + width).
    """
    rarest, count, spare = stable_order(stop[items] - start[items]), np.int64(0), np.int64(reach)
    for j in items[rarest]:
        rows, more = lists[start[j] : stop[j]], worth[j] if bit[j] < 0 else 0.0
        count, read = look_up(t, rows, spare, more, free, left, stamp, common, found, count)
        spare -= read
    rows = lists[start[-1] : stop[-1]]
    count, _ = look_up(t, rows, width, 0.0, free, left, stamp, common, found, count)
    for j in items:
        if bit[j] >= 0:
            for c in range(count):
                if (words[found[c]] >> np.uint64(bit[j])) & np.uint64(1):
                    common[found[c]] += worth[j]
    return count


@kernel
def count_common(t: int, found: Ints, public: Rows, worth: Floats, own: Floats, common: Floats) -> None:
    """Write what each row found has in common with `t`, all items counted.

    Precondition: `own` is all zero, and is left so. O(entries of the rows).
    """
    ptr, items = public
    mine = items[ptr[t] : ptr[t + 1]]
    own[mine] = worth[mine]
    for v in found:
        common[v] = 0.0
        for e in range(ptr[v], ptr[v + 1]):
            common[v] += own[items[e]]
    own[mine] = 0.0


@kernel
def rate(
    t: int, found: Ints, common: Floats, whole: float, burden: Floats, length: Floats, lengthy: float, sens: Ids,
    odds: Floats, likely: float, typical: Floats, alike: float, score: Floats,
) -> None:  # fmt: skip
    """Write how good a companion each row found is for `t`, which holds `sens`.

    Better are rows with many items of t, few others, a like length, and nearly the same in what is known of t's
    sensitive items: the log odds to hold them, and, if `alike` is not 0, how typical a row is of their groups.
    O(rows found · sensitive items of t).
    """
    for c in range(len(found)):
        score[c] = (common[found[c]] - burden[found[c]]) / whole - lengthy * abs(length[found[c]] - length[t])
    for s in sens:
        for c in range(len(found)):
            score[c] -= likely / len(sens) * abs(odds[s, t] - odds[s, found[c]])
        if alike > 0:
            for c in range(len(found)):
                score[c] -= alike / len(sens) * abs(typical[s, t] - typical[s, found[c]])


@kernel
def shortlist(found: Ints, score: Floats, common: Floats, wanted: int) -> int:
    """Bring the best `wanted` rows to the front of `found`, in the order they have, and return how many there are.

    Ties go to the row found first. The others are forgotten: -1 in `common`. O(rows found).
    """
    if len(found) <= wanted:
        return len(found)
    edge = kth_smallest(score, len(found) - wanted)
    ties, kept = np.int64(wanted), np.int64(0)
    for c in range(len(found)):
        ties -= score[c] > edge
    for c in range(len(found)):
        if score[c] > edge or (score[c] == edge and ties > 0):
            ties -= score[c] == edge
            found[kept] = found[c]
            kept += 1
        else:
            common[found[c]] = -1.0
    return kept


@kernel
def shares_in_groups(public: Rows, supports: Ints, group: Ints, counted: Rows, m: int) -> Floats:
    """Return, items x sensitive items, the share of the rows with an item that are in groups which count the other.

    `counted` has the items that each group counts. Shares are those of all rows but one: where there is one row, it
    counts 1. O(entries · items that groups count).
    """
    (ptr, items), (count_ptr, count_items) = public, counted
    share = np.zeros((len(supports), m))
    for i in range(len(ptr) - 1):
        for c in range(count_ptr[group[i]], count_ptr[group[i] + 1]):
            for e in range(ptr[i], ptr[i + 1]):
                share[items[e], count_items[c]] += 1 / max(supports[items[e]] - 1, 1)
    return share


@kernel
def typicality(public: Rows, supports: Ints, group: Ints, counted: Rows, share: Floats) -> Floats:
    """Return, sensitive items x rows, how typical each row is of the groups that count the item, as `hub` sees it.

    That is the share of the other rows with its items that are in such groups, on average over its items, as a
    logarithm. `share` is what `shares_in_groups` returns. O(entries · sensitive items).
    """
    (ptr, items), (count_ptr, count_items) = public, counted
    n, m = len(ptr) - 1, share.shape[1]
    total, found = np.empty(m), np.zeros((m, n), np.float32)
    for i in range(n):
        shared, itself = 0, 0.0
        total[:] = 0.0
        for e in range(ptr[i], ptr[i + 1]):
            if supports[items[e]] > 1:
                shared += 1
                itself += 1 / (supports[items[e]] - 1)
                for s in range(m):
                    total[s] += share[items[e], s]
        for c in range(count_ptr[group[i]], count_ptr[group[i] + 1]):
            total[count_items[c]] -= itself
        for s in range(m):
            found[s, i] = np.log(max(total[s] / max(shared, 1), 0.0) + SMALL)
    return found


@kernel
def choose(wanted: int, found: Ints, score: Floats, left: Left, stamp: int, chosen: Ints) -> int:
    """Write the best `wanted` rows to `chosen`, and return how many there are.

    No two of them share a sensitive item, and none conflicts with the group of this stamp. Ties go to the row found
    first. O(rows · wanted).
    """
    for count in range(wanted):
        best, highest = -1, -np.inf
        for c in range(len(score)):
            if score[c] > highest:
                if conflicts(found[c], stamp, left):
                    score[c] = -np.inf
                else:
                    best, highest = c, score[c]
        if best < 0:
            return count
        score[best] = -np.inf
        chosen[count] = found[best]
        mark(found[best], stamp, left)
    return wanted


@kernel
def next_holder(left: Left, head: Ints, by_secret: Rows, group: Ints, tried: Mask) -> int:
    """Return the next row to hold an item that no other is held more often than, or -1.

    ``head[s]`` is how far the holders of item s were passed. O(items + rows passed, each once).
    """
    ptr, holders = by_secret
    for s in range(len(left.held)):
        if left.held[s] == left.total[1]:
            while head[s] < ptr[s + 1]:
                v = holders[head[s]]
                if group[v] < 0 and not tried[v]:
                    return int(v)
                head[s] += 1
    return -1


@kernel
def describe(public: Rows, foreign: Floats, bit: Ints) -> tuple[Words, Floats, Floats]:
    """Return for each row a word with the bits of its items, what they count together, and its length. O(entries).

    Lengths are logarithms; items without a bit have less than 0.
    """
    ptr, items = public
    n = len(ptr) - 1
    words, burden, length = np.zeros(n, np.uint64), np.zeros(n), np.empty(n)
    for i in range(n):
        for e in range(ptr[i], ptr[i + 1]):
            burden[i] += foreign[items[e]]
            if bit[items[e]] >= 0:
                words[i] |= np.uint64(1) << np.uint64(bit[items[e]])
        length[i] = np.log(ptr[i + 1] - ptr[i] + 1)
    return words, burden, length


@kernel
def form_matched_groups(
    public: Rows, by_item: Rows, secret: Rows, by_secret: Rows, centres: Ints, odds: Floats, typical: Floats,
    miss: Floats, foreign: Floats, bit: Ints, p: int, reach: int, lengthy: float, likely: float, alike: float,
) -> tuple[Ints, int]:  # fmt: skip
    """Return the group of each row, -1 for rows left over, and the number of groups, all of p rows.

    Each free row of `centres` in turn gathers a group; where so many of those left hold an item that each further group
    needs a holder of it, such holders do. Candidates are what `find` finds; the best are looked at more closely.
    Precondition: every sensitive item is in at most n / p rows; then the rows left over keep the degree p as one group.
    `odds` and `typical` are sensitive items x rows. The lists of `by_item` are changed. O(entries · log(p) +
    centres · (reach + p · (entries of a row + p))).
    """
    ptr, lists = public[0], by_item[1]
    n, m = len(ptr) - 1, len(by_secret[0]) - 1
    group, tried, free = np.full(n, -1, np.int64), np.zeros(n, np.bool_), np.ones(n, np.bool_)
    start, stop, head = by_item[0][:-1].copy(), by_item[0][1:].copy(), by_secret[0][:-1].copy()
    words, burden, length = describe(public, foreign, bit)
    worth, own, left = miss + foreign, np.zeros(len(miss)), all_left(secret, m)
    common, stamp = np.full(n, -1.0), np.int64(0)
    found, score, chosen = np.empty(n, np.int64), np.empty(n), np.empty(p, np.int64)
    groups, listed, i = np.int64(0), np.int64(n), np.int64(0)
    while left.total[0] >= p:
        if p * left.total[1] > left.total[0] - p:
            t = next_holder(left, head, by_secret, group, tried)
        else:
            while i < len(centres) and (group[centres[i]] >= 0 or tried[centres[i]]):
                i += 1
            t = centres[i] if i < len(centres) else -1
        if t < 0:
            break
        tried[t] = True
        if 2 * left.total[0] < listed:
            tidy(start, stop, lists, free)
            listed = left.total[0]
        items, secrets = public[1][ptr[t] : ptr[t + 1]], secret[1][left.ptr[t] : left.ptr[t + 1]]
        whole = max(miss[items].sum(), 1.0)
        width, got = NEXT * p if len(items) else max(NEXT * p, reach), np.int64(0)
        while got < p - 1 and width <= max(AT_MOST * p, reach):
            stamp += 1
            mark(t, stamp, left)
            count = find(
                t, items, reach, width, start, stop, lists, worth, bit, words, free, left, stamp, common, found
            )  # fmt: skip
            wanted = (lengthy, secrets, odds, likely, typical, alike)
            rate(t, found[:count], common, whole, burden, length, *wanted, score)
            count = shortlist(found[:count], score[:count], common, SHORTLIST * p)
            count_common(t, found[:count], public, worth, own, common)
            rate(t, found[:count], common, whole, burden, length, *wanted, score)
            got = choose(p - 1, found[:count], score[:count], left, stamp, chosen)
            common[found[:count]] = -1.0
            width *= 4
        if got < p - 1:
            continue
        chosen[p - 1] = t
        if withdraw(chosen, p, left):
            group[chosen], free[chosen] = groups, False
            groups += 1
    return group, groups
