"""Loops of the attackers: posteriors from known items, who stands out in a group, naive Bayes, counting hits."""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints, Words
from covey.data.jit import kernel
from covey.data.postings import list_holding
from covey.data.sorting import kth_smallest


@kernel
def posteriors(
    sets: Ids,
    asked: Ints,
    item_ptr: Ints,
    item_rows: Ids,
    place: Ids,
    bits: Words,
    group: Ints,
    size: Ints,
    count_ptr: Ints,
    count_item: Ids,
    count: Ints | Floats,
    m: int,
) -> tuple[Ints, Floats, Floats]:
    """Return for each set of known items (likeliest sensitive item, its posterior, the posterior of `asked`).

    The posterior of s is the mean of (count of s in the group) / (size of the group) over the rows that hold
    all known items, looked up as by `list_holding`. ``asked[i]`` may be -1; ties go to the lowest id; the
    item is -1 when no row holds them all or no sensitive item is near. Precondition: rows of one group are
    adjacent. O(looking up + counts of the groups met) per set; equal sets that stand together count as one.
    """
    queries = len(sets)
    item, best, own = np.full(queries, -1, np.int64), np.zeros(queries), np.zeros(queries)
    weight, met = np.zeros(m), np.empty(m, np.int64)
    rows, found, kinds = np.empty(len(group), np.int32), np.int64(0), np.int64(0)
    for i in range(queries):
        if i > 0 and np.array_equal(sets[i], sets[i - 1]):
            item[i], best[i] = item[i - 1], best[i - 1]
            if asked[i] >= 0 and found > 0:
                own[i] = weight[asked[i]] / found
            continue
        for c in range(kinds):
            weight[met[c]] = 0
        kinds = np.int64(0)
        found = list_holding(item_ptr, item_rows, place, bits, sets[i], rows)
        start = np.int64(0)
        while start < found:
            here, stop = group[rows[start]], start + 1
            while stop < found and group[rows[stop]] == here:
                stop += 1
            for c in range(count_ptr[here], count_ptr[here + 1]):
                if weight[count_item[c]] == 0:
                    met[kinds] = count_item[c]
                    kinds += 1
                weight[count_item[c]] += (stop - start) * (count[c] / size[here])
            start = stop
        if found == 0:
            continue
        if asked[i] >= 0:
            own[i] = weight[asked[i]] / found
        for c in range(kinds):
            posterior = weight[met[c]] / found
            if posterior > best[i] or (posterior == best[i] and met[c] < item[i]):
                item[i], best[i] = met[c], posterior
    return item, best, own


@kernel
def group_overlaps(indptr: Ints, indices: Ids, group_ptr: Ints, d: int) -> Ints:
    """Return for each row the items it shares with the others of its group, summed over them. O(nnz)."""
    held = np.zeros(d, np.int64)
    overlap = np.zeros(len(indptr) - 1, np.int64)
    for g in range(len(group_ptr) - 1):
        first, last = indptr[group_ptr[g]], indptr[group_ptr[g + 1]]
        for e in range(first, last):
            held[indices[e]] += 1
        for row in range(group_ptr[g], group_ptr[g + 1]):
            for e in range(indptr[row], indptr[row + 1]):
                overlap[row] += held[indices[e]] - 1
        for e in range(first, last):
            held[indices[e]] = 0
    return overlap


@kernel
def group_completeness(indptr: Ints, indices: Ids, group_ptr: Ints, supports: Ints) -> Floats:
    """Return for each row how many of the other rows with its items are in its group, as a mean of shares. O(nnz).

    Items that nobody else holds say nothing; a row with no other items has 0.
    """
    held = np.zeros(len(supports), np.int64)
    found = np.zeros(len(indptr) - 1)
    for g in range(len(group_ptr) - 1):
        first, last = indptr[group_ptr[g]], indptr[group_ptr[g + 1]]
        for e in range(first, last):
            held[indices[e]] += 1
        for row in range(group_ptr[g], group_ptr[g + 1]):
            shared = np.int64(0)
            for e in range(indptr[row], indptr[row + 1]):
                j = indices[e]
                if supports[j] > 1:
                    shared += 1
                    found[row] += (held[j] - 1) / (supports[j] - 1)
            found[row] /= max(shared, 1)
        for e in range(first, last):
            held[indices[e]] = 0
    return found


@kernel
def expected_hits(ptr: Ints, score: Floats, share: Floats, count: Ints) -> Floats:
    """Return how many right guesses an attacker makes who guesses the ``count[g]`` best of each group.

    Members ``ptr[g]`` to ``ptr[g + 1]`` are group g, and ``share`` is the chance that each is a holder. Ties at the
    edge are broken at random, and the result is the mean over all ways to do so. Precondition: no group has more
    guesses than members. O(members).
    """
    hits = np.zeros(len(count))
    for g in range(len(count)):
        first, last = ptr[g], ptr[g + 1]
        if count[g] == 0:
            continue
        some, place = score[first:last], last - first - count[g]
        edge = some.max() if count[g] == 1 else kth_smallest(some, place)
        above, level, tied = np.int64(0), np.int64(0), 0.0
        for i in range(first, last):
            if score[i] > edge:
                above += 1
                hits[g] += share[i]
            elif score[i] == edge:
                level += 1
                tied += share[i]
        hits[g] += tied * (count[g] - above) / level
    return hits


@kernel
def ranks_within(ptr: Ints, values: Floats) -> Floats:
    """Return for each value which share of its group is below it, equals counting half. O(members · log(members))."""
    found = np.empty(len(values))
    for g in range(len(ptr) - 1):
        first, last = ptr[g], ptr[g + 1]
        order = first + np.argsort(values[first:last])
        start = np.int64(0)
        while start < last - first:
            stop = start + 1
            while stop < last - first and values[order[stop]] == values[order[start]]:
                stop += 1
            for i in range(start, stop):
                found[order[i]] = (start + stop) / (2 * (last - first))
            start = stop
    return found


@kernel
def log_odds(held: Floats, total: float, supports: Ints, n: int, smoothing: float, out: Floats) -> None:
    """Write for each item how much its presence speaks for a holder: a difference of log odds. O(d).

    ``held[j]`` is the expected number of holders with item j, out of `total` holders among n rows.
    """
    for j in range(len(supports)):
        inside = (held[j] + smoothing) / (total + 2 * smoothing)
        outside = (supports[j] - held[j] + smoothing) / (n - total + 2 * smoothing)
        out[j] = np.log(inside) - np.log1p(-inside) - np.log(outside) + np.log1p(-outside)


@kernel
def share_out(scores: Floats, count: int, weights: Floats) -> None:
    """Write to `weights` how a group's `count` holders are spread over it: by exp(score), at most 1."""
    top = scores.max()
    total = 0.0
    for i in range(len(scores)):
        weights[i] = np.exp(scores[i] - top)
        total += weights[i]
    for i in range(len(scores)):
        weights[i] = min(1.0, count * weights[i] / total)


@kernel
def learn_scores(
    indptr: Ints,
    indices: Ids,
    supports: Ints,
    group_ptr: Ints,
    groups: Ints,
    count: Ints,
    rounds: int,
    smoothing: float,
) -> Floats:
    """Return how strongly naive Bayes takes each row for a holder of one sensitive item, counted in `groups`.

    Starts from equal shares inside each group; each round learns how items speak for a holder and shares the
    counts out anew (Kifer 2009). Rows of other groups have 0. O(rounds · entries of the groups).
    """
    n, d = len(indptr) - 1, len(supports)
    score, weight = np.zeros(n), np.empty(n)
    odds = np.empty(d)
    total = 0.0
    for i in range(len(groups)):
        first, last = group_ptr[groups[i]], group_ptr[groups[i] + 1]
        weight[first:last] = count[i] / (last - first)
        total += count[i]
    for _ in range(rounds):
        held = np.zeros(d)
        for g in groups:
            for row in range(group_ptr[g], group_ptr[g + 1]):
                for f in range(indptr[row], indptr[row + 1]):
                    held[indices[f]] += weight[row]
        log_odds(held, total, supports, n, smoothing, odds)
        for i in range(len(groups)):
            first, last = group_ptr[groups[i]], group_ptr[groups[i] + 1]
            for row in range(first, last):
                score[row] = 0.0
                for f in range(indptr[row], indptr[row + 1]):
                    score[row] += odds[indices[f]]
            share_out(score[first:last], count[i], weight[first:last])
    return score
