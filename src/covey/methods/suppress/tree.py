"""Loops of the method `suppress`: which ratings enough similar respondents share, and who is still exposed.

Nothing here is shared with the kernels that check the guarantee.

Who is exposed among many records that rate the same issues: the method's own search, 64 records a word.

It is written apart from the search that checks the guarantee, so that neither can inherit a fault of the other.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Codes, Ids, Ints, Mask, Words
from covey.data.jit import kernel, larger

Rows = tuple[Ints, Ids, Codes]


@kernel
def least_spread(members: Ints, secret: Rows, issues: int, zero: bool) -> float:
    """Return the lowest variance of a sensitive issue among `members`, in squared steps; inf without issues.

    By the textbook in two passes, mean first (docs/papers.md, Sun et al. 2010). O(issues + ratings of the members).
    """
    ptr, issue, code = secret
    rated, mean, deviation = np.zeros(issues, np.int64), np.zeros(issues), np.zeros(issues)
    for m in range(len(members)):
        for e in range(ptr[members[m]], ptr[members[m] + 1]):
            rated[issue[e]] += 1
            mean[issue[e]] += code[e]
    for s in range(issues):
        if rated[s] > 0:
            mean[s] /= rated[s]
    for m in range(len(members)):
        for e in range(ptr[members[m]], ptr[members[m] + 1]):
            deviation[issue[e]] += (code[e] - mean[issue[e]]) ** 2
    lowest = np.inf
    for s in range(issues):
        variance = 0.0
        if rated[s] > 0 and zero:
            variance = (deviation[s] + (len(members) - rated[s]) * mean[s] ** 2) / len(members)
        elif rated[s] > 0:
            variance = deviation[s] / rated[s]
        lowest = min(lowest, variance)
    return lowest


@kernel
def best_windows(
    rows: Rows, kept: Mask, members: Ints, k: int, epsilon: int, counts: Ints, gains: Ints, lows: Ints
) -> Ids:
    """Find for each issue the window of ratings, `epsilon` steps wide, that most members lie in.

    ``gains[issue]`` receives how many ratings can be kept by a split there, 0 when none is allowed: both parts
    need at least k members, and the part without the issue is filled up with members from the window if it
    is smaller. ``lows[issue]`` is the lowest code of the window. Precondition: `counts` (issues × codes) is
    zero; it is so again afterwards. Returns the issues met. O(ratings of the members + issues met × codes).
    """
    indptr, indices, codes = rows
    met, used = np.empty(counts.shape[0], np.int32), 0
    for m in range(len(members)):
        for e in range(indptr[members[m]], indptr[members[m] + 1]):
            if not kept[e]:
                if counts[indices[e], 0] == 0:
                    met[used] = indices[e]
                    used += 1
                counts[indices[e], 0] += 1
                counts[indices[e], codes[e]] += 1
    width = counts.shape[1]
    for i in range(used):
        issue = met[i]
        inside = best = np.int64(0)
        lows[issue] = 1
        for code in range(1, width):
            inside += counts[issue, code]
            if code - epsilon - 1 >= 1:
                inside -= counts[issue, code - epsilon - 1]
            if inside > best:
                best = inside
                lows[issue] = max(code - epsilon, 1)
        rest = len(members) - best
        if 0 < rest < k:
            best = len(members) - k
        gains[issue] = best if best >= k else 0
        counts[issue, :] = 0
    return met[:used].copy()


@kernel
def divide(rows: Rows, kept: Mask, members: Ints, issue: int, low: int, epsilon: int, k: int) -> tuple[Ints, Ints]:
    """Split `members` by a window: (the others, those who keep their rating of `issue`).

    Others are filled up to k from the window, first come first; the order is kept in both. O(ratings).
    """
    indptr, indices, codes = rows
    inside = np.zeros(len(members), np.bool_)
    for m in range(len(members)):
        for e in range(indptr[members[m]], indptr[members[m] + 1]):
            if indices[e] == issue:
                inside[m] = not kept[e] and low <= codes[e] <= low + epsilon
    others = len(members) - inside.sum()
    if 0 < others < k:
        for m in range(len(members)):
            if others < k and inside[m]:
                inside[m] = False
                others += 1
    return members[~inside], members[inside]


@kernel
def keep_issue(rows: Rows, kept: Mask, members: Ints, issue: int) -> None:
    """Mark the members' ratings of `issue` as kept. O(ratings of the members)."""
    indptr, indices, _ = rows
    for m in range(len(members)):
        for e in range(indptr[members[m]], indptr[members[m] + 1]):
            if indices[e] == issue:
                kept[e] = True


@kernel
def grow_tree(
    rows: Rows, kept: Mask, order: Ints, d: int, levels: int, k: int, epsilon: int, secret: Rows, issues: int,
    zero: bool, least: float, tries: int,
) -> tuple[Ints, Ints, Ints, Ints, Ids, bool]:  # fmt: skip
    """Split the respondents in `order` again and again; return (first, end, parent, leaf?, issue) of each cluster.

    Cluster c is ``order[first[c]:end[c]]`` after the call, and its members keep `issue` (-1: none) and those of
    its ancestors. Each split takes the allowed window that keeps most ratings, of those that leave the
    sensitive ratings of both parts a variance of `least`; a cluster for which `tries` windows leave too little stays
    whole. Also returns whether there were more windows to try. O(ratings × depth of the tree).
    """
    room = 4 * (len(order) // k + 2)
    first, end, parent = np.zeros(room, np.int64), np.zeros(room, np.int64), np.full(room, -1)
    leaf, which = np.ones(room, np.int64), np.full(room, -1, np.int32)
    counts = np.zeros((d, levels + 1), np.int64)
    gains, lows = np.zeros(d, np.int64), np.zeros(d, np.int64)
    end[0] = len(order)
    used, node, cut_short = 1, 0, False
    while node < used:
        members = order[first[node] : end[node]].copy()
        met = best_windows(rows, kept, members, k, epsilon, counts, gains, lows)
        for attempt in range(tries + 1):
            best = -1
            for i in range(len(met)):
                if gains[met[i]] > 0 and (best < 0 or gains[met[i]] > gains[best]):
                    best = met[i]
            if best < 0:
                break
            if attempt == tries:
                cut_short = True
                break
            gains[best] = 0
            others, inside = divide(rows, kept, members, best, lows[best], epsilon, k)
            if issues > 0 and len(others) > 0:
                spread = min(least_spread(others, secret, issues, zero), least_spread(inside, secret, issues, zero))
                if spread < least:
                    continue
            keep_issue(rows, kept, inside, best)
            first, end, parent = larger(first, used + 2), larger(end, used + 2), larger(parent, used + 2)
            leaf, which = larger(leaf, used + 2), larger(which, used + 2)
            leaf[node] = 0
            middle = first[node] + len(others)
            order[first[node] : middle] = others
            order[middle : end[node]] = inside
            if len(others) > 0:
                first[used], end[used], parent[used], leaf[used] = first[node], middle, node, 1
                which[used] = -1
                used += 1
            first[used], end[used], parent[used], leaf[used] = middle, end[node], node, 1
            which[used] = best
            used += 1
            break
        for i in range(len(met)):
            gains[met[i]] = 0
        node += 1
    return (
        first[:used].copy(),
        end[:used].copy(),
        parent[:used].copy(),
        leaf[:used].copy(),
        which[:used].copy(),
        cut_short,
    )


@kernel
def keep_ancestors(rows: Rows, kept: Mask, order: Ints, cluster: Ints, parent: Ints, which: Ids, d: int) -> None:
    """Keep of each respondent ``order[i]`` the ratings that its cluster and the cluster's ancestors keep, no others.

    O(ratings + respondents × depth).
    """
    indptr, indices, _ = rows
    stamp = np.full(d, -1)
    for i in range(len(order)):
        node = cluster[i]
        while node >= 0:
            if which[node] >= 0:
                stamp[which[node]] = i
            node = parent[node]
        for e in range(indptr[order[i]], indptr[order[i] + 1]):
            kept[e] = stamp[indices[e]] == i


@kernel
def near(rows: Rows, a: int, b: int, epsilon: int) -> bool:
    """Tell whether two records rate the same issues, none more than `epsilon` steps apart. O(ratings)."""
    indptr, indices, codes = rows
    size = indptr[a + 1] - indptr[a]
    if indptr[b + 1] - indptr[b] != size:
        return False
    for e in range(size):
        i, j = indptr[a] + e, indptr[b] + e
        if indices[i] != indices[j] or abs(np.int64(codes[i]) - codes[j]) > epsilon:
            return False
    return True


@kernel
def exposed(
    rows: Rows,
    order: Ints,
    starts: Ints,
    n: int,
    k: int,
    epsilon: int,
    secret: Rows,
    issues: int,
    zero: bool,
    least: float,
) -> Mask:
    """Mark the records with fewer than k near ones, or near ones whose sensitive ratings spread too little.

    Only records of the same run ``order[starts[b]:starts[b + 1]]`` are compared; `n` counts all records.
    Precondition: records that rate the same issues are in one run, by ascending first code. O(sum of squared
    run lengths) comparisons, most of them ended by the first issues; without sensitive issues a record is done
    when k are found.
    """
    indptr, _, codes = rows
    result = np.zeros(n, np.bool_)
    for b in range(len(starts) - 1):
        found = np.empty(starts[b + 1] - starts[b], np.int64)
        for i in range(starts[b], starts[b + 1]):
            row, count = order[i], 0
            for side in range(2):
                j = i - side
                while starts[b] <= j < starts[b + 1] and (issues > 0 or count < k):
                    other = order[j]
                    if indptr[row] < indptr[row + 1] and indptr[other] < indptr[other + 1]:
                        apart = abs(np.int64(codes[indptr[other]]) - codes[indptr[row]])
                        if apart > epsilon and rows[1][indptr[other]] == rows[1][indptr[row]]:
                            break
                    if near(rows, row, other, epsilon):
                        found[count] = other
                        count += 1
                    j += 1 if side == 0 else -1
            result[row] = count < k
            if issues > 0 and not result[row]:
                result[row] = least_spread(found[:count], secret, issues, zero) < least
    return result


Bits = Words

_ONE, _NONE, _FULL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def within(codes: Codes, epsilon: int, levels: int) -> Bits:
    """Return ``bits[issue, code]``: the records (rows of `codes`) rating the issue within `epsilon` of `code`.

    O(records × issues × (2 · epsilon + 1)).
    """
    n, issues = codes.shape
    bits = np.zeros((issues, levels + 1, (n + 63) // 64), np.uint64)
    for row in range(n):
        for issue in range(issues):
            for code in range(1, levels + 1):
                if abs(np.int64(codes[row, issue]) - code) <= epsilon:
                    bits[issue, code, row // 64] |= _ONE << np.uint64(row % 64)
    return bits


@kernel
def exposed_in_run(
    codes: Codes, bits: Bits, members: Ints, k: int, secret: Rows, issues: int, zero: bool, least: float
) -> Mask:
    """Mark the records with fewer than k near ones, or near ones whose sensitive ratings spread too little.

    Row i of `codes` belongs to respondent ``members[i]``. Without sensitive issues a record is done when k near
    ones are found. Precondition: all rows rate the same issues. O(records² / 64 × issues) at worst.
    """
    n, width = codes.shape
    result = np.zeros(n, np.bool_)
    found = np.empty(n, np.int64)
    words = (n + 63) // 64
    for i in range(n):
        count = 0
        for w in range(words):
            word = _FULL
            for t in range(width):
                word &= bits[t, codes[i, t], w]
                if word == _NONE:
                    break
            j = 64 * w
            while word != _NONE and j < n:
                if word & _ONE != _NONE:
                    found[count] = members[j]
                    count += 1
                word >>= _ONE
                j += 1
            if issues == 0 and count >= k:
                break
        result[i] = count < k
        if issues > 0 and count >= k:
            result[i] = least_spread(found[:count], secret, issues, zero) < least
    return result
