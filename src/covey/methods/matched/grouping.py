"""Group formation of `matched`: each holder among rows that resemble it and are as likely to be holders.

Rows are numbered by falling propensity, and ``lists[start[j] : stop[j]]`` are the rows with item j, ascending; the list
behind that of the last item has all rows. Lists also name rows that have a group by now, until they are tidied up.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask, Words
from covey.data.jit import kernel, kth_smallest
from covey.methods.remaining import count_held, withdraw

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
def shares_one(v: int, stamp: int, sens_ptr: Ints, sens: Ids, taken: Ints) -> bool:
    """Whether row v holds a sensitive item that is stamped in `taken`. O(its sensitive items)."""
    for e in range(sens_ptr[v], sens_ptr[v + 1]):  # noqa: SIM110 - kernels know no generators
        if taken[sens[e]] == stamp:
            return True
    return False


@kernel
def look_up(
    t: int,
    rows: Ids,
    width: int,
    worth: float,
    free: Mask,
    sens_ptr: Ints,
    sens: Ids,
    taken: Ints,
    stamp: int,
    common: Floats,
    found: Ints,
    count: int,
) -> tuple[int, int]:
    """Add `worth` to what the `width` rows of a list that are nearest to `t` have in `common` with it.

    Rows that are met for the first time, with less than 0 in `common`, are added to `found`, unless they have a
    sensitive item that is stamped in `taken`. Returns how many rows are found by now, and how many were looked at.
    O(width).
    """
    first = max(min(int(np.searchsorted(rows, t)) - width // 2, len(rows) - width), 0)
    last = min(first + width, len(rows))
    for e in range(first, last):
        v = rows[e]
        if v == t or not free[v]:
            continue
        if common[v] < 0:
            if shares_one(v, stamp, sens_ptr, sens, taken):
                continue
            common[v] = 0.0
            found[count] = v
            count += 1
        common[v] += worth
    return count, last - first


@kernel
def find(
    t: int,
    reach: int,
    width: int,
    qid_ptr: Ints,
    qid: Ids,
    start: Ints,
    stop: Ints,
    lists: Ids,
    worth: Floats,
    bit: Ints,
    words: Words,
    free: Mask,
    sens_ptr: Ints,
    sens: Ids,
    taken: Ints,
    stamp: int,
    common: Floats,
    found: Ints,
) -> int:
    """Write candidates for `t` to `found` and what they have in common with it, and return how many there are.

    They are rows of the lists of t's items, the shortest list first, until `reach` entries are read, and `width` rows
    next to t. What is in common is counted as far as lists were read, and exactly for items that have a `bit` in the
    `words` of rows. O(reach · (bits of t) + width).
    """
    items = qid[qid_ptr[t] : qid_ptr[t + 1]]
    rarest, count, left = np.argsort(stop[items] - start[items], kind="mergesort"), np.int64(0), np.int64(reach)
    for k in range(len(items)):
        j = items[rarest[k]]
        rows, more = lists[start[j] : stop[j]], worth[j] if bit[j] < 0 else 0.0
        count, read = look_up(t, rows, left, more, free, sens_ptr, sens, taken, stamp, common, found, count)
        left -= read
    rows = lists[start[-1] : stop[-1]]
    count, _ = look_up(t, rows, width, 0.0, free, sens_ptr, sens, taken, stamp, common, found, count)
    for j in items:
        if bit[j] >= 0:
            for c in range(count):
                if (words[found[c]] >> np.uint64(bit[j])) & np.uint64(1):
                    common[found[c]] += worth[j]
    return count


@kernel
def count_common(t: int, found: Ints, qid_ptr: Ints, qid: Ids, worth: Floats, own: Floats, common: Floats) -> None:
    """Write what each row found has in common with `t`, all items counted.

    Precondition: `own` is all zero, and is left so. O(entries of the rows).
    """
    for e in range(qid_ptr[t], qid_ptr[t + 1]):
        own[qid[e]] = worth[qid[e]]
    for v in found:
        common[v] = 0.0
        for e in range(qid_ptr[v], qid_ptr[v + 1]):
            common[v] += own[qid[e]]
    for e in range(qid_ptr[t], qid_ptr[t + 1]):
        own[qid[e]] = 0.0


@kernel
def rate(
    t: int,
    found: Ints,
    common: Floats,
    whole: float,
    burden: Floats,
    length: Floats,
    lengthy: float,
    sens: Ids,
    odds: Floats,
    likely: float,
    typical: Floats,
    alike: float,
    score: Floats,
) -> None:
    """Write how good a companion each row found is for `t`, which holds `sens`.

    Better are rows with many items of t, few others, a like length, and nearly the same in what is told of t's
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
def shares_in_groups(
    qid_ptr: Ints, qid: Ids, supports: Ints, group: Ints, count_ptr: Ints, counted: Ids, m: int
) -> Floats:
    """Return, items x sensitive items, the share of the rows with an item that are in groups which count the other.

    ``counted[count_ptr[g] : count_ptr[g + 1]]`` are the items that group g counts. Shares are those of all rows but
    one: where there is one row, it counts 1. O(entries · items that groups count).
    """
    share = np.zeros((len(supports), m))
    for i in range(len(qid_ptr) - 1):
        for c in range(count_ptr[group[i]], count_ptr[group[i] + 1]):
            for e in range(qid_ptr[i], qid_ptr[i + 1]):
                share[qid[e], counted[c]] += 1 / max(supports[qid[e]] - 1, 1)
    return share


@kernel
def typicality(
    qid_ptr: Ints, qid: Ids, supports: Ints, group: Ints, count_ptr: Ints, counted: Ids, share: Floats
) -> Floats:
    """Return, sensitive items x rows, how typical each row is of the groups that count the item, as `hub` sees it.

    That is the share of the other rows with its items that are in such groups, on average over its items, as a
    logarithm. `share` is what `shares_in_groups` returns. O(entries · sensitive items).
    """
    n, m = len(qid_ptr) - 1, share.shape[1]
    told, found = np.empty(m), np.zeros((m, n), np.float32)
    for i in range(n):
        shared, itself = 0, 0.0
        told[:] = 0.0
        for e in range(qid_ptr[i], qid_ptr[i + 1]):
            if supports[qid[e]] > 1:
                shared += 1
                itself += 1 / (supports[qid[e]] - 1)
                for s in range(m):
                    told[s] += share[qid[e], s]
        for c in range(count_ptr[group[i]], count_ptr[group[i] + 1]):
            told[counted[c]] -= itself
        for s in range(m):
            found[s, i] = np.log(max(told[s] / max(shared, 1), 0.0) + SMALL)
    return found


@kernel
def choose(
    wanted: int, found: Ints, score: Floats, sens_ptr: Ints, sens: Ids, taken: Ints, stamp: int, chosen: Ints
) -> int:
    """Write the best `wanted` rows to `chosen`, and return how many there are.

    No two of them share a sensitive item, and none has one that is stamped in `taken`. Ties go to the row found first.
    O(rows · wanted).
    """
    for count in range(wanted):
        best, highest = -1, -np.inf
        for c in range(len(score)):
            if score[c] > highest:
                if shares_one(found[c], stamp, sens_ptr, sens, taken):
                    score[c] = -np.inf
                else:
                    best, highest = c, score[c]
        if best < 0:
            return count
        score[best] = -np.inf
        chosen[count] = found[best]
        for e in range(sens_ptr[found[best]], sens_ptr[found[best] + 1]):
            taken[sens[e]] = stamp
    return wanted


@kernel
def next_holder(
    most: int, held: Ints, holder_head: Ints, holder_ptr: Ints, holders: Ids, group: Ints, tried: Mask
) -> int:
    """Return the next row to hold an item that is held `most` often, or -1. O(items + rows passed, each once)."""
    for s in range(len(held)):
        if held[s] == most:
            while holder_head[s] < holder_ptr[s + 1]:
                v = holders[holder_head[s]]
                if group[v] < 0 and not tried[v]:
                    return int(v)
                holder_head[s] += 1
    return -1


@kernel
def describe(qid_ptr: Ints, qid: Ids, foreign: Floats, bit: Ints) -> tuple[Words, Floats, Floats]:
    """Return for each row a word with the bits of its items, what they count together, and its length. O(entries).

    Lengths are logarithms; items without a bit have less than 0.
    """
    n = len(qid_ptr) - 1
    words, burden, length = np.zeros(n, np.uint64), np.zeros(n), np.empty(n)
    for i in range(n):
        for e in range(qid_ptr[i], qid_ptr[i + 1]):
            burden[i] += foreign[qid[e]]
            if bit[qid[e]] >= 0:
                words[i] |= np.uint64(1) << np.uint64(bit[qid[e]])
        length[i] = np.log(qid_ptr[i + 1] - qid_ptr[i] + 1)
    return words, burden, length


@kernel
def form_matched_groups(
    qid_ptr: Ints,
    qid: Ids,
    item_ptr: Ints,
    lists: Ids,
    sens_ptr: Ints,
    sens: Ids,
    holder_ptr: Ints,
    holders: Ids,
    centres: Ints,
    odds: Floats,
    typical: Floats,
    miss: Floats,
    foreign: Floats,
    bit: Ints,
    p: int,
    reach: int,
    lengthy: float,
    likely: float,
    alike: float,
) -> tuple[Ints, int]:
    """Return the group of each row, -1 for rows left over, and the number of groups, all of p rows.

    Each free row of `centres` in turn gathers a group; where so many of those left hold an item that each further group
    needs a holder of it, such holders do. Candidates are what `find` finds; the best are looked at more closely.
    Precondition: every sensitive item is in at most n / p rows; then the rows left over keep the degree p as one group.
    `odds` and `typical` are sensitive items x rows, and `holders` has the rows of each sensitive item. `lists`, by
    `item_ptr`, is changed. O(entries · log(p) + centres · (reach + p · (entries of a row + p))).
    """
    n, m = len(qid_ptr) - 1, len(holder_ptr) - 1
    group, tried, free = np.full(n, -1, np.int64), np.zeros(n, np.bool_), np.ones(n, np.bool_)
    start, stop, holder_head = item_ptr[:-1].copy(), item_ptr[1:].copy(), holder_ptr[:-1].copy()
    words, burden, length = describe(qid_ptr, qid, foreign, bit)
    worth, own = miss + foreign, np.zeros(len(miss))
    common, taken, stamp = np.full(n, -1.0), np.full(m, -1, np.int64), np.int64(0)
    found, score, chosen = np.empty(n, np.int64), np.empty(n), np.empty(p, np.int64)
    held, at, most = count_held(sens_ptr, sens, m)
    groups, remaining, listed, i = np.int64(0), np.int64(n), np.int64(n), np.int64(0)
    while remaining >= p:
        if p * most > remaining - p:
            t = next_holder(most, held, holder_head, holder_ptr, holders, group, tried)
        else:
            while i < len(centres) and (group[centres[i]] >= 0 or tried[centres[i]]):
                i += 1
            t = centres[i] if i < len(centres) else -1
        if t < 0:
            break
        tried[t] = True
        if 2 * remaining < listed:
            tidy(start, stop, lists, free)
            listed = remaining
        items, secrets = qid[qid_ptr[t] : qid_ptr[t + 1]], sens[sens_ptr[t] : sens_ptr[t + 1]]
        whole = max(miss[items].sum(), 1.0)
        width, got = NEXT * p if len(items) else max(NEXT * p, reach), np.int64(0)
        while got < p - 1 and width <= max(AT_MOST * p, reach):
            stamp += 1
            taken[secrets] = stamp
            count = find(
                t, reach, width, qid_ptr, qid, start, stop, lists, worth, bit, words, free, sens_ptr, sens, taken,
                stamp, common, found,
            )  # fmt: skip
            told = (lengthy, secrets, odds, likely, typical, alike)
            rate(t, found[:count], common, whole, burden, length, *told, score)
            count = shortlist(found[:count], score[:count], common, SHORTLIST * p)
            count_common(t, found[:count], qid_ptr, qid, worth, own, common)
            rate(t, found[:count], common, whole, burden, length, *told, score)
            got = choose(p - 1, found[:count], score[:count], sens_ptr, sens, taken, stamp, chosen)
            common[found[:count]] = -1.0
            width *= 4
        if got < p - 1:
            continue
        chosen[p - 1] = t
        top = withdraw(chosen, p, remaining, most, sens_ptr, sens, held, at)
        if top < 0:
            continue
        most = top
        remaining -= p
        group[chosen], free[chosen] = groups, False
        groups += 1
    return group, groups
