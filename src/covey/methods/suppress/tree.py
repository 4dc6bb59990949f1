"""Loops of the method `suppress`: which ratings enough similar respondents share, and who is still exposed.

Nothing here is shared with the kernels that check the guarantee, so that neither can inherit a fault of the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.arrays import Codes, Ids, Ints, Mask
from covey.data.jit import FULL, NONE, ONE, kernel, larger, lowest

Rows = tuple[Ints, Ids, Codes]
#: Of each cluster: first and end of its members, its parent or -1, and the issue that it keeps or -1.
Tree = tuple[Ints, Ints, Ints, Ids]


class Demands(NamedTuple):
    """What the guarantee demands of the respondents who are near each one, in steps of the scale."""

    k: int
    epsilon: int
    #: The sensitive ratings, and of how many issues.
    secret: Rows
    issues: int
    #: Whether a missing rating counts as 0, and the least variance of each issue.
    zero: bool
    least: float


@kernel
def lowest_variance(members: Ints, demands: Demands) -> float:
    """Return the lowest variance of a sensitive issue among `members`, in squared steps; inf without issues.

    By the textbook in two passes, mean first (docs/papers.md, Sun et al. 2010). O(issues + ratings of the members).
    """
    ptr, issue, code = demands.secret
    issues = demands.issues
    rated, mean, deviation = np.zeros(issues, np.int64), np.zeros(issues), np.zeros(issues)
    for m in members:
        for e in range(ptr[m], ptr[m + 1]):
            rated[issue[e]] += 1
            mean[issue[e]] += code[e]
    for s in range(issues):
        if rated[s] > 0:
            mean[s] /= rated[s]
    for m in members:
        for e in range(ptr[m], ptr[m + 1]):
            deviation[issue[e]] += (code[e] - mean[issue[e]]) ** 2
    lowest = np.inf
    for s in range(issues):
        variance = 0.0
        if rated[s] > 0 and demands.zero:
            variance = (deviation[s] + (len(members) - rated[s]) * mean[s] ** 2) / len(members)
        elif rated[s] > 0:
            variance = deviation[s] / rated[s]
        lowest = min(lowest, variance)
    return lowest


@kernel
def breaks(near: Ints, demands: Demands) -> bool:
    """Whether a respondent with these `near` ones, itself among them, is exposed."""
    if len(near) < demands.k:
        return True
    return demands.issues > 0 and lowest_variance(near, demands) < demands.least


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
    for m in members:
        for e in range(indptr[m], indptr[m + 1]):
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
    for m in members:
        for e in range(indptr[m], indptr[m + 1]):
            if indices[e] == issue:
                kept[e] = True


@kernel
def grow_tree(
    rows: Rows, kept: Mask, order: Ints, d: int, levels: int, demands: Demands, tries: int
) -> tuple[Tree, bool]:
    """Split the respondents in `order` again and again; return the clusters.

    Cluster c is ``order[first[c]:end[c]]`` after the call, and its members keep its issue and those of its ancestors.
    Each split takes the allowed window that keeps most ratings, of those that leave the sensitive ratings of both parts
    enough variance; a cluster for which `tries` windows leave too little stays whole. Also returns whether there were
    more windows to try. O(ratings × depth of the tree).
    """
    first, end, parent = np.zeros(1, np.int64), np.full(1, len(order)), np.full(1, -1)
    which = np.full(1, -1, np.int32)
    counts, gains, lows = np.zeros((d, levels + 1), np.int64), np.zeros(d, np.int64), np.zeros(d, np.int64)
    used, node, cut_short = 1, 0, False
    while node < used:
        members = order[first[node] : end[node]].copy()
        met = best_windows(rows, kept, members, demands.k, demands.epsilon, counts, gains, lows)
        for attempt in range(tries + 1):
            best = np.int64(-1)
            for issue in met:
                if gains[issue] > 0 and (best < 0 or gains[issue] > gains[best]):
                    best = np.int64(issue)
            if best < 0:
                break
            if attempt == tries:
                cut_short = True
                break
            gains[best] = 0
            others, inside = divide(rows, kept, members, best, lows[best], demands.epsilon, demands.k)
            if demands.issues > 0 and len(others) > 0:
                spread = min(lowest_variance(others, demands), lowest_variance(inside, demands))
                if spread < demands.least:
                    continue
            keep_issue(rows, kept, inside, best)
            first, end, parent = larger(first, used + 2), larger(end, used + 2), larger(parent, used + 2)
            which = larger(which, used + 2)
            middle = first[node] + len(others)
            order[first[node] : middle], order[middle : end[node]] = others, inside
            if len(others) > 0:
                first[used], end[used], parent[used], which[used] = first[node], middle, node, -1
                used += 1
            first[used], end[used], parent[used], which[used] = middle, end[node], node, best
            used += 1
            break
        gains[met] = 0
        node += 1
    return (first[:used], end[:used], parent[:used], which[:used]), cut_short


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
def exposed(rows: Rows, order: Ints, starts: Ints, levels: int, demands: Demands) -> Mask:
    """Mark the records that are exposed, given in runs ``order[starts[b]:starts[b + 1]]`` that rate the same issues.

    For each issue and code of a run there is a bit for every record near it, so that 64 records are compared at a time.
    Without sensitive issues a record is done when k near ones are found. O(sum of run lengths² / 64 × issues) at worst.
    """
    ptr, _, codes = rows
    result = np.zeros(len(ptr) - 1, np.bool_)
    for b in range(len(starts) - 1):
        run = order[starts[b] : starts[b + 1]]
        n, width = len(run), ptr[run[0] + 1] - ptr[run[0]]
        if n < demands.k:
            result[run] = True
            continue
        bits, found = np.zeros((width, levels + 1, (n + 63) // 64), np.uint64), np.empty(n, np.int64)
        for i in range(n):
            for issue in range(width):
                code = int(codes[ptr[run[i]] + issue])
                for close in range(max(code - demands.epsilon, 1), min(code + demands.epsilon, levels) + 1):
                    bits[issue, close, i >> 6] |= ONE << np.uint64(i & 63)
        for row in run:
            count = 0
            for w in range(bits.shape[2]):
                word = FULL if 64 * (w + 1) <= n else (ONE << np.uint64(n % 64)) - ONE
                for issue in range(width):
                    word &= bits[issue, codes[ptr[row] + issue], w]
                while word != NONE:
                    found[count] = run[64 * w + lowest(word)]
                    count += 1
                    word &= word - ONE
                if demands.issues == 0 and count >= demands.k:
                    break
            result[row] = breaks(found[:count], demands)
    return result
