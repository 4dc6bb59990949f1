"""CAHD group formation on linked lists (Ghinita et al. 2008, Fig. 8).

All matrices are in band order, so the rows a scan touches lie next to each other in memory. Row numbers
below are positions in band order; `previous` and `following` link the rows that are not yet in a group.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.kernels.methods.remaining import count_held, withdraw
from covey.kernels.shared.jit import kernel

#: Scans give up after this many times the candidates they look for, so that a long run of rows that share
#: one sensitive item cannot make the whole quadratic.
PATIENCE = 64
#: A candidate's key: overlap (negated) in the high bits, distance and side in the low `PLACE` bits.
PLACE = 33
#: How candidates are chosen: by common items, by their share among the items of both, by coverage.
OVERLAP, JACCARD, COVERAGE = 0, 1, 2
#: What an item that the sensitive row lacks costs a candidate under coverage, in nats. The best of 0, 0.05 and
#: 0.1 for uniform queries on BMS-WebView-1 and -2; not tuned further, and 0.1 is clearly worse on the second.
FOREIGN = 0.05


@kernel
def collect(
    t: int,
    link: Ints,
    reach: int,
    sens_ptr: Ints,
    sens: Ids,
    taken: Ints,
    epoch: int,
    found: Ints,
    count: int,
) -> tuple[int, bool]:
    """Append up to `reach` ungrouped rows along `link` from `t` that conflict with nothing listed.

    ``taken[s] == epoch`` marks the sensitive items of `t` and of the candidates so far; a row that holds
    one of them is skipped. Returns the new length of `found`, and whether the scan gave up before it had
    enough. O(reach) unless rows conflict.
    """
    limit = count + reach
    steps = np.int64(0)
    u = link[t]
    while u >= 0 and count < limit and steps < PATIENCE * reach:
        free = True
        for e in range(sens_ptr[u], sens_ptr[u + 1]):
            if taken[sens[e]] == epoch:
                free = False
                break
        if free:
            for e in range(sens_ptr[u], sens_ptr[u + 1]):
                taken[sens[e]] = epoch
            found[count] = u
            count += 1
        steps += 1
        u = link[u]
    return count, u >= 0 and count < limit


@kernel
def rank_by_overlap(
    t: int, qid_ptr: Ints, qid: Ids, marked: Ints, epoch: int, jaccard: bool, rows: Ints, keys: Ints
) -> None:
    """Order `rows` by shared quasi-identifier items with `t`, ties by distance, in place.

    With `jaccard` the share of common items among all items of both rows counts instead of their number.
    O(entries of the rows + len(rows) log len(rows)).
    """
    for e in range(qid_ptr[t], qid_ptr[t + 1]):
        marked[qid[e]] = epoch
    length = qid_ptr[t + 1] - qid_ptr[t]
    for c in range(len(rows)):
        u = rows[c]
        common = np.int64(0)
        for e in range(qid_ptr[u], qid_ptr[u + 1]):
            if marked[qid[e]] == epoch:
                common += 1
        if jaccard:
            union = length + qid_ptr[u + 1] - qid_ptr[u] - common
            common = common * 1_000_000 // max(union, 1)
        place = 2 * (t - u) if u < t else 2 * (u - t) + 1
        keys[c] = (((np.int64(1) << 29) - common) << PLACE) + place
    keys[: len(rows)].sort()
    for c in range(len(rows)):
        place = keys[c] & ((np.int64(1) << PLACE) - 1)
        rows[c] = t + (place >> 1) if place & 1 else t - (place >> 1)


@kernel
def choose_by_coverage(t: int, qid_ptr: Ints, qid: Ids, cover: Ints, wanted: int, rows: Ints) -> None:
    """Bring to the front of `rows` the `wanted` rows that together cover the items of `t` best, in place.

    A group estimates an item of `t` the better the more members hold it, by the logarithm of their number; so
    rows are taken one by one by the sum of log((k + 1) / k) over the items of `t` they hold, k being the
    members that hold the item so far, less `FOREIGN` for each other item. Ties: nearest, then before `t`.
    Precondition: `cover` is all zero, and is left so. O(wanted · entries of the rows).
    """
    for e in range(qid_ptr[t], qid_ptr[t + 1]):
        cover[qid[e]] = 1
    for pick in range(min(wanted, len(rows))):
        best, best_gain, best_place = pick, -np.inf, np.int64(0)
        for c in range(pick, len(rows)):
            u = rows[c]
            gain = 0.0
            for e in range(qid_ptr[u], qid_ptr[u + 1]):
                k = cover[qid[e]]
                gain += np.log((k + 1) / k) if k > 0 else -FOREIGN
            place = 2 * (t - u) if u < t else 2 * (u - t) + 1
            if gain > best_gain or (gain == best_gain and place < best_place):
                best, best_gain, best_place = c, gain, place
        u = rows[best]
        rows[best], rows[pick] = rows[pick], u
        for e in range(qid_ptr[u], qid_ptr[u + 1]):
            if cover[qid[e]] > 0:
                cover[qid[e]] += 1
    for e in range(qid_ptr[t], qid_ptr[t + 1]):
        cover[qid[e]] = 0


@kernel
def form_groups(
    qid_ptr: Ints, qid: Ids, d: int, sens_ptr: Ints, sens: Ids, m: int, p: int, alpha: int, score: int
) -> tuple[Ints, int, bool]:
    """Return the group of each row, the number of groups, and whether scans that gave up left a row over.

    Rows left over carry -1. `score` is one of `OVERLAP`, `JACCARD` and `COVERAGE`.
    Precondition: every sensitive item is in at most n / p rows. Then p · held[s] <= remaining holds for
    every s throughout, so the rows left over satisfy the degree as one group. O(alpha · p · n) item reads.
    """
    n = len(qid_ptr) - 1
    group = np.full(n, -1, np.int64)
    previous = np.arange(-1, n - 1)
    following = np.arange(1, n + 1)
    if n:
        following[n - 1] = -1
    held, at, most = count_held(sens_ptr, sens, m)
    taken, marked = np.full(m, -1, np.int64), np.full(d, -1, np.int64)
    reach = alpha * p
    found, keys = np.empty(2 * reach + 1, np.int64), np.empty(2 * reach + 1, np.int64)
    cover = np.zeros(d, np.int64)
    groups, remaining, stranded = np.int64(0), np.int64(n), False
    for t in range(n):
        if sens_ptr[t] == sens_ptr[t + 1] or group[t] >= 0:
            continue
        for e in range(sens_ptr[t], sens_ptr[t + 1]):
            taken[sens[e]] = t
        count, short = collect(t, previous, reach, sens_ptr, sens, taken, t, found, 0)
        count, shorter = collect(t, following, reach, sens_ptr, sens, taken, t, found, count)
        if count < p - 1:
            stranded |= short or shorter
            continue
        if score == COVERAGE:
            choose_by_coverage(t, qid_ptr, qid, cover, p - 1, found[:count])
        else:
            rank_by_overlap(t, qid_ptr, qid, marked, t, score == JACCARD, found[:count], keys)
        found[p - 1] = t
        top = withdraw(found[:p], p, remaining, most, sens_ptr, sens, held, at)
        if top < 0:
            continue
        most = top
        remaining -= p
        for c in range(p):
            u = found[c]
            group[u] = groups
            if previous[u] >= 0:
                following[previous[u]] = following[u]
            if following[u] >= 0:
                previous[following[u]] = previous[u]
        groups += 1
    return group, groups, stranded


@kernel
def place_rest(group: Ints, groups: int, qid_ptr: Ints, qid: Ids, d: int, p: int, alpha: int, jaccard: bool) -> int:
    """Give every row left over a group, in place, and return the number of groups.

    p or more rows form one group. Fewer hold no sensitive item (see `form_groups`), so each may join any
    group without lowering its degree: it joins the group of the most similar row among the alpha · p before
    and after it, as Ellen joins Bob and David in Fig. 1c. O(n), plus O(alpha · p²) for fewer than p rows.
    """
    n = len(group)
    rest = np.flatnonzero(group < 0)
    if len(rest) == 0:
        return groups
    if len(rest) >= p or groups == 0:
        group[rest] = groups
        return groups + 1
    marked = np.full(d, -1, np.int64)
    found, keys = np.empty(2 * alpha * p, np.int64), np.empty(2 * alpha * p, np.int64)
    homes = np.empty(len(rest), np.int64)
    for i in range(len(rest)):
        t = rest[i]
        count = 0
        for u in range(max(0, t - alpha * p), min(n, t + alpha * p + 1)):
            if group[u] >= 0 and u != t:
                found[count] = u
                count += 1
        rank_by_overlap(t, qid_ptr, qid, marked, t, jaccard, found[:count], keys)
        homes[i] = group[found[0]]
    group[rest] = homes
    return groups
