"""The two algorithms of Sun et al. 2010 for the satisfaction problem: pairwise distances, and slicing (Alg. 1)."""

from __future__ import annotations

import numpy as np

from covey.arrays import Codes, Ints
from covey.data.jit import kernel
from covey.verify.proximity import Found, Rows, add_record, empty_sums, take_lowest


@kernel
def distance(rows: Rows, a: int, b: int, levels: int) -> int:
    """Return the largest distance of two records over all issues, in steps (eq. 1). O(their ratings).

    An issue that only one of them rated counts `levels`, one that neither rated counts 0.
    """
    indptr, indices, codes = rows
    i, j = indptr[a], indptr[b]
    largest = np.int64(0)
    while i < indptr[a + 1] and j < indptr[b + 1]:
        if indices[i] == indices[j]:
            largest = max(largest, abs(np.int64(codes[i]) - codes[j]))
            i += 1
            j += 1
        else:
            largest = max(largest, levels)
            if indices[i] < indices[j]:
                i += 1
            else:
                j += 1
    if i < indptr[a + 1] or j < indptr[b + 1]:
        largest = max(largest, levels)
    return largest


@kernel
def groups_by_pairs(
    rows: Rows, epsilon: int, levels: int, secret: Rows, issues: int, zero: bool, first: int, last: int,
    head: Ints, links: Ints, found: Found,
) -> Ints:  # fmt: skip
    """Write size, lowest variance and its issue for the records ``first:last``, from all pairwise distances.

    Every distance is computed once: the pairs found are remembered for the second of the two, in `links`
    (alternately the other record and the next link) under ``head[record]``, -1 for none; ``links[0]`` is the
    number of places used. Called for consecutive ranges from 0 on; returns `links`, perhaps longer.
    O(records × ratings of all).
    """
    n = len(head)
    size, lowest, worst = found
    sums = empty_sums(issues)
    for i in range(first, last):
        count = 1
        add_record(sums, secret, i)
        link = head[i]
        while link >= 0:
            count += 1
            add_record(sums, secret, links[link])
            link = links[link + 1]
        for j in range(i + 1, n):
            if distance(rows, i, j, levels) <= epsilon:
                count += 1
                add_record(sums, secret, j)
                used = links[0]
                if used + 2 > len(links):
                    wider = np.empty(2 * len(links) + 2, np.int64)
                    wider[:used] = links[:used]
                    links = wider
                links[used], links[used + 1] = i, head[j]
                head[j] = used
                links[0] = used + 2
        size[i] = count
        variance, issue = take_lowest(sums, count, zero)
        lowest[i], worst[i] = variance, issue
    return links


@kernel
def slice_candidates(
    rows: Rows,
    epsilon: int,
    levels: int,
    d: int,
    row: int,
    axis: tuple[Ints, Codes],
    cursor: Ints,
    alive: Ints,
) -> int:
    """Write the records proximate to `row` into `alive` and return how many there are (Alg. 1, lines 3 to 6).

    Candidates lie between two planes on the first issue, found by bisection in `axis` (the records by their
    first code, 0 for none, and those codes); then every further issue trims them, until only `row` is left.
    A record without a rating has its own plane. O(candidates left, summed over the issues).
    """
    indptr, indices, codes = rows
    order, first_codes = axis
    start = indptr[row]
    rated = start < indptr[row + 1] and indices[start] == 0
    value = np.int64(codes[start]) if rated else np.int64(0)
    low = max(value - epsilon, 1) if rated else np.int64(0)
    high = value + epsilon if rated else np.int64(0)
    if epsilon >= levels:
        low, high = np.int64(0), np.int64(levels)
    count = 0
    for place in range(np.searchsorted(first_codes, low), np.searchsorted(first_codes, high + 1)):
        j = order[place]
        alive[count] = j
        cursor[j] = indptr[j] + (first_codes[place] > 0)
        count += 1
    here = start + rated
    for x in range(1, d):
        if count == 1:
            break
        rated = here < indptr[row + 1] and indices[here] == x
        value = np.int64(codes[here]) if rated else np.int64(0)
        here += rated
        kept = 0
        for place in range(count):
            j = alive[place]
            e = cursor[j]
            has = e < indptr[j + 1] and indices[e] == x
            cursor[j] += has
            if has == rated:
                near = not has or abs(np.int64(codes[e]) - value) <= epsilon
            else:
                near = epsilon >= levels
            if near:
                alive[kept] = j
                kept += 1
        count = kept
    return count


@kernel
def count_pairwise_proximate(rows: Rows, epsilon: int, levels: int, alive: Ints, count: int) -> int:
    """Count the candidates that are proximate with all candidates (Alg. 1, lines 8 to 12). O(count² · ratings)."""
    trimmed = 0
    for a in range(count):
        b = 0
        while b < count and distance(rows, alive[a], alive[b], levels) <= epsilon:
            b += 1
        trimmed += b == count
    return trimmed


@kernel
def groups_by_slicing(
    rows: Rows, epsilon: int, levels: int, d: int, axis: tuple[Ints, Codes], secret: Rows, issues: int,
    zero: bool, first: int, last: int, found: Found, trimmed: Ints,
) -> None:  # fmt: skip
    """Write size, lowest variance and its issue for the records ``first:last`` by the paper's Slicing.

    The group is what is sliced out (Def. 2); ``trimmed[i]`` receives the size of the set that the paper's
    trimming step leaves of it, whose members are pairwise proximate. O(records × candidates × issues).
    """
    n = len(rows[0]) - 1
    size, lowest, worst = found
    sums = empty_sums(issues)
    cursor, alive = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for i in range(first, last):
        count = slice_candidates(rows, epsilon, levels, d, i, axis, cursor, alive)
        trimmed[i] = count_pairwise_proximate(rows, epsilon, levels, alive, count)
        for place in range(count):
            add_record(sums, secret, alive[place])
        size[i] = count
        variance, issue = take_lowest(sums, count, zero)
        lowest[i], worst[i] = variance, issue
