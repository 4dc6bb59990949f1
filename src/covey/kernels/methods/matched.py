"""Group formation of `matched`: rows around centres that are taken by falling propensity, holders or not."""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.kernels.methods.remaining import count_held, withdraw
from covey.kernels.shared.jit import kernel

#: Sensitive items that a row is less likely than this to hold, among those it may hold, play no part in its matching.
NEGLIGIBLE = 0.02


@kernel
def gather(
    j: int,
    head: Ints,
    item_ptr: Ints,
    item_rows: Ids,
    group: Ints,
    most: int,
    beyond: int,
    seen: Ints,
    stamp: int,
    found: Ints,
    count: int,
) -> int:
    """Add to `found` free rows with item j that are not stamped yet, up to `most` in all; return how many there are.

    None is `beyond` or behind it. Grouped rows met on the way are dropped from the front of the item's list, in place:
    ``head[j]`` moves on, and the order of the others stays. O(rows looked at), grouped ones once.
    """
    stop = head[j]
    while stop < item_ptr[j + 1] and count < most:
        v = item_rows[stop]
        if v >= beyond:
            break
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
def rate(
    t: int,
    found: Ints,
    qid_ptr: Ints,
    qid: Ids,
    miss: Floats,
    foreign: Floats,
    own: Floats,
    odds: Floats,
    lengthy: float,
    likely: float,
    score: Floats,
) -> None:
    """Write how good a companion of `t` each row found is: common items, few others, like length and propensity.

    Precondition: `own` is all zero, and is left so. O(entries of the rows, and rows · sensitive items).
    """
    m = odds.shape[1]
    whole = 0.0
    for e in range(qid_ptr[t], qid_ptr[t + 1]):
        own[qid[e]] = miss[qid[e]] + foreign[qid[e]]
        whole += miss[qid[e]]
    whole = max(whole, 1.0)
    chance, matter, total = np.empty(m), np.empty(m, np.int64), 0.0
    for s in range(m):
        chance[s] = 1 / (1 + np.exp(-odds[t, s]))
        total += chance[s]
    kinds = 0
    for s in range(m):
        if chance[s] >= NEGLIGIBLE * total:
            chance[kinds], matter[kinds] = chance[s] / total, s
            kinds += 1
    for c in range(len(found)):
        v = found[c]
        common = 0.0
        for e in range(qid_ptr[v], qid_ptr[v + 1]):
            common += own[qid[e]] - foreign[qid[e]]
        apart = 0.0
        for k in range(kinds):
            apart += chance[k] * abs(odds[t, matter[k]] - odds[v, matter[k]])
        score[c] = common / whole - likely * apart
        if lengthy > 0:
            score[c] -= lengthy * abs(np.log((qid_ptr[v + 1] - qid_ptr[v] + 1) / (qid_ptr[t + 1] - qid_ptr[t] + 1)))
    for e in range(qid_ptr[t], qid_ptr[t + 1]):
        own[qid[e]] = 0.0


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
    odds: Floats,
    miss: Floats,
    foreign: Floats,
    p: int,
    reach: int,
    span: int,
    lengthy: float,
    likely: float,
) -> tuple[Ints, int]:
    """Return the group of each row, -1 for rows left over, and the number of groups, all of p rows.

    Each free row in turn becomes a centre; where so many of those left hold an item that each further group needs a
    holder, only holders do. Candidates are free rows that hold the centre's items, the rarest first, `reach` of them
    and not `span` rows behind it or more (for a centre without items, rows of the list behind that of the last item),
    and the next rows, 4p of them without sensitive items. Precondition: every sensitive item is in at most n / p rows;
    then the rows left over keep the degree p as one group. `item_rows` and `holders` list the rows of each item;
    `item_rows` is changed. With a `span`, memory is read near where it was read before, however many rows there are.
    O(n / p · reach · (entries of a row + p + sensitive items)).
    """
    n, d, m = len(qid_ptr) - 1, len(item_ptr) - 2, odds.shape[1]
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
            while i < n and (group[i] >= 0 or tried[i]):
                i += 1
            t = i if i < n else -1
        if t < 0:
            break
        tried[t], seen[t] = True, t
        count = 0
        items = qid[qid_ptr[t] : qid_ptr[t + 1]]
        rarest = np.argsort(item_ptr[items + 1] - item_ptr[items], kind="mergesort")
        for k in range(len(items)):
            if count < reach:
                count = gather(
                    items[rarest[k]], head, item_ptr, item_rows, group, reach, t + span, seen, t, found, count
                )
        if len(items) == 0:
            count = gather(d, head, item_ptr, item_rows, group, reach, n, seen, t, found, count)
        for e in range(sens_ptr[t], sens_ptr[t + 1]):
            taken[sens[e]] = t
        count = follow(t + 1, 4 * p, group, skip, sens_ptr, sens, taken, seen, t, found, count)
        rate(t, found[:count], qid_ptr, qid, miss, foreign, own, odds, lengthy, likely, score)
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
