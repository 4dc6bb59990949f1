"""Group formation of `matched`: each holder among rows that resemble it and are as likely to be holders."""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.kernels.methods.remaining import count_held, withdraw
from covey.kernels.shared.jit import kernel

#: Keeps the logarithm finite where nobody like a row is in the groups.
SMALL = 0.01


@kernel
def gather(
    j: int,
    head: Ints,
    item_ptr: Ints,
    item_rows: Ids,
    group: Ints,
    most: int,
    seen: Ints,
    stamp: int,
    found: Ints,
    count: int,
) -> int:
    """Add to `found` free rows with item j that are not stamped yet, up to `most` in all; return how many there are.

    Grouped rows met on the way are dropped from the front of the item's list, in place:
    ``head[j]`` moves on, and the order of the others stays. O(rows looked at), grouped ones once.
    """
    stop = head[j]
    while stop < item_ptr[j + 1] and count < most:
        v = item_rows[stop]
        if group[v] < 0 and seen[v] != stamp:
            seen[v] = stamp
            found[count] = v
            count += 1
        stop += 1
    write = stop
    for e in range(stop - 1, head[j] - 1, -1):
        if group[item_rows[e]] < 0:
            write -= 1
            item_rows[write] = item_rows[e]
    head[j] = write
    return count


@kernel
def shares_one(v: int, stamp: int, sens_ptr: Ints, sens: Ids, taken: Ints) -> bool:
    """Whether row v holds a sensitive item that is stamped in `taken`. O(its sensitive items)."""
    for e in range(sens_ptr[v], sens_ptr[v + 1]):  # noqa: SIM110 - kernels know no generators
        if taken[sens[e]] == stamp:
            return True
    return False


@kernel
def follow(
    start: int,
    wanted: int,
    group: Ints,
    skip: Ints,
    sens_ptr: Ints,
    sens: Ids,
    taken: Ints,
    seen: Ints,
    stamp: int,
    found: Ints,
    count: int,
) -> int:
    """Add the next free rows from `start` on to `found`, `wanted` of them plain, and return its length.

    Plain are those without sensitive items.
    Of the others as many are added, if they share no item that is stamped in `taken`. Gives up after 64 rows for each
    that is wanted; rows stamped in `seen` are in `found` already. ``skip[i]`` leads from row i over grouped rows
    towards the next one that may be free, and is brought up to date.
    """
    n, plain, holding, at = len(group), np.int64(0), np.int64(0), start
    for _ in range(64 * wanted):
        first = at
        while at < n and group[at] >= 0:
            at = max(skip[at], at + 1)
        skip[first] = max(at, skip[first])
        if at >= n or plain == wanted:
            break
        v = at
        at += 1
        if sens_ptr[v] == sens_ptr[v + 1]:
            plain += 1
        elif holding == wanted or shares_one(v, stamp, sens_ptr, sens, taken):
            continue
        else:
            holding += 1
        if seen[v] != stamp:
            seen[v] = stamp
            found[count] = v
            count += 1
    return count


@kernel
def typicality(qid_ptr: Ints, qid: Ids, supports: Ints, group: Ints, count_ptr: Ints, counted: Ids, m: int) -> Floats:
    """Return, rows x sensitive items, how typical each row is of the groups that count the item, as `hub` sees it.

    That is the share of the other rows with its items that are in such groups, on average over its items, as a
    logarithm. ``counted[count_ptr[g] : count_ptr[g + 1]]`` are the items that group g counts. O(entries · m).
    """
    n, share, found = len(qid_ptr) - 1, np.zeros((len(supports), m)), np.zeros((len(qid_ptr) - 1, m), np.float32)
    for i in range(n):
        for c in range(count_ptr[group[i]], count_ptr[group[i] + 1]):
            for e in range(qid_ptr[i], qid_ptr[i + 1]):
                share[qid[e], counted[c]] += 1 / max(supports[qid[e]] - 1, 1)
    for i in range(n):
        shared, itself = 0, 0.0
        for e in range(qid_ptr[i], qid_ptr[i + 1]):
            if supports[qid[e]] > 1:
                shared += 1
                itself += 1 / (supports[qid[e]] - 1)
                for s in range(m):
                    found[i, s] += share[qid[e], s]
        for c in range(count_ptr[group[i]], count_ptr[group[i] + 1]):
            found[i, counted[c]] -= itself
        for s in range(m):
            found[i, s] = np.log(max(found[i, s] / max(shared, 1), 0.0) + SMALL)
    return found


@kernel
def rate(
    t: int,
    found: Ints,
    qid_ptr: Ints,
    qid: Ids,
    miss: Floats,
    foreign: Floats,
    own: Floats,
    lengthy: float,
    score: Floats,
) -> None:
    """Write how much each row found resembles `t`: common items, few others, like length.

    Precondition: `own` is all zero, and is left so. O(entries of the rows).
    """
    whole = 0.0
    for e in range(qid_ptr[t], qid_ptr[t + 1]):
        own[qid[e]] = miss[qid[e]] + foreign[qid[e]]
        whole += miss[qid[e]]
    whole = max(whole, 1.0)
    for c in range(len(found)):
        v = found[c]
        common = 0.0
        for e in range(qid_ptr[v], qid_ptr[v + 1]):
            common += own[qid[e]] - foreign[qid[e]]
        score[c] = common / whole
        if lengthy > 0:
            score[c] -= lengthy * abs(np.log((qid_ptr[v + 1] - qid_ptr[v] + 1) / (qid_ptr[t + 1] - qid_ptr[t] + 1)))
    for e in range(qid_ptr[t], qid_ptr[t + 1]):
        own[qid[e]] = 0.0


@kernel
def near_in(t: int, found: Ints, sens_ptr: Ints, sens: Ids, told: Floats, weight: float, score: Floats) -> None:
    """Take from the score of each row found by how much it and `t` differ in what is `told` of t's sensitive items.

    O(rows found · sensitive items of t).
    """
    each = weight / max(sens_ptr[t + 1] - sens_ptr[t], 1)
    for e in range(sens_ptr[t], sens_ptr[t + 1]):
        for c in range(len(found)):
            score[c] -= each * abs(told[t, sens[e]] - told[found[c], sens[e]])


@kernel
def choose(
    t: int, wanted: int, found: Ints, score: Floats, sens_ptr: Ints, sens: Ids, taken: Ints, chosen: Ints
) -> int:
    """Write the best `wanted` rows to `chosen`, and return how many there are.

    No two of them, nor one and `t`, share a sensitive item. Ties go to the row found first. Precondition: the
    sensitive items of `t` are stamped with it in `taken`. O(rows · wanted).
    """
    for count in range(wanted):
        best, highest = -1, -np.inf
        for c in range(len(score)):
            if score[c] > highest:
                if shares_one(found[c], t, sens_ptr, sens, taken):
                    score[c] = -np.inf
                else:
                    best, highest = c, score[c]
        if best < 0:
            return count
        score[best] = -np.inf
        chosen[count] = found[best]
        for e in range(sens_ptr[found[best]], sens_ptr[found[best] + 1]):
            taken[sens[e]] = t
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
def form_matched_groups(
    qid_ptr: Ints,
    qid: Ids,
    item_ptr: Ints,
    item_rows: Ids,
    sens_ptr: Ints,
    sens: Ids,
    holder_ptr: Ints,
    holders: Ids,
    centres: Ints,
    odds: Floats,
    typical: Floats,
    miss: Floats,
    foreign: Floats,
    p: int,
    reach: int,
    lengthy: float,
    likely: float,
    alike: float,
) -> tuple[Ints, int]:
    """Return the group of each row, -1 for rows left over, and the number of groups, all of p rows.

    Each free row of `centres` in turn gathers a group; where so many of those left hold an item that each further group
    needs a holder of it, such holders do. Candidates are free rows that hold the centre's items, the rarest first,
    `reach` of them (for a centre without items, rows of the list behind that of the last item), and the next rows, 4p
    of them without sensitive items. Precondition: every sensitive item is in at most n / p rows; then the rows left
    over keep the degree p as one group. `item_rows` and `holders` list the rows of each item; `item_rows` is changed.
    O(centres · reach · (entries of a row + p)), and no more than n / p centres find a group.
    """
    n, d, m = len(qid_ptr) - 1, len(item_ptr) - 2, len(holder_ptr) - 1
    group, tried = np.full(n, -1, np.int64), np.zeros(n, np.bool_)
    skip = np.arange(n + 1)
    head, holder_head = item_ptr[:-1].copy(), holder_ptr[:-1].copy()
    seen, taken, own = np.full(n, -1, np.int64), np.full(m, -1, np.int64), np.zeros(d)
    found, score = np.empty(reach + 8 * p, np.int64), np.empty(reach + 8 * p)
    chosen = np.empty(p, np.int64)
    held, at, most = count_held(sens_ptr, sens, m)
    groups, remaining, i = np.int64(0), np.int64(n), np.int64(0)
    while remaining >= p:
        if p * most > remaining - p:
            t = next_holder(most, held, holder_head, holder_ptr, holders, group, tried)
        else:
            while i < len(centres) and (group[centres[i]] >= 0 or tried[centres[i]]):
                i += 1
            t = centres[i] if i < len(centres) else -1
        if t < 0:
            break
        tried[t], seen[t] = True, t
        count = 0
        items = qid[qid_ptr[t] : qid_ptr[t + 1]]
        rarest = np.argsort(item_ptr[items + 1] - item_ptr[items], kind="mergesort")
        for k in range(len(items)):
            if count < reach:
                count = gather(items[rarest[k]], head, item_ptr, item_rows, group, reach, seen, t, found, count)
        if len(items) == 0:
            count = gather(d, head, item_ptr, item_rows, group, reach, seen, t, found, count)
        for e in range(sens_ptr[t], sens_ptr[t + 1]):
            taken[sens[e]] = t
        count = follow(t + 1, 4 * p, group, skip, sens_ptr, sens, taken, seen, t, found, count)
        rate(t, found[:count], qid_ptr, qid, miss, foreign, own, lengthy, score)
        near_in(t, found[:count], sens_ptr, sens, odds, likely, score)
        if alike > 0:
            near_in(t, found[:count], sens_ptr, sens, typical, alike, score)
        got = choose(t, p - 1, found[:count], score[:count], sens_ptr, sens, taken, chosen)
        if got < p - 1:
            continue
        chosen[p - 1] = t
        top = withdraw(chosen, p, remaining, most, sens_ptr, sens, held, at)
        if top < 0:
            continue
        most = top
        remaining -= p
        group[chosen] = groups
        groups += 1
    return group, groups
