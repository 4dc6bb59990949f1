"""Sizes and spreads of the groups of epsilon-proximate records (Sun et al. 2010, Def. 1 to 3).

Small buckets are compared pair by pair. In a large one a row of bits for each issue and rating marks the records near
it, and the records proximate to one of them are sliced out issue by issue with "and", 64 at a time. Only words with a
bit left go on to the next issue; since records are sorted, neighbours share the issues they agree on.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Codes, Floats, Ids, Ints, Words
from covey.data.jit import FULL, NONE, ONE, kernel, lowest, ones

#: Offsets, issues and codes of ratings, record after record.
Rows = tuple[Ints, Ids, Codes]
#: Size, lowest variance and the issue that has it, for each record.
Found = tuple[Ints, Floats, Ids]
#: Per sensitive issue the number, sum and sum of squares of the ratings met so far, then the issues met
#: (in order of first sight) and, at position 0 of the last array, how many those are.
Sums = tuple[Ints, Ints, Ints, Ids, Ints]


@kernel
def empty_sums(issues: int) -> Sums:
    """Return sums over no ratings for so many sensitive issues. O(issues)."""
    zero = np.zeros(issues, np.int64)
    return zero, zero.copy(), zero.copy(), np.zeros(issues, np.int32), np.zeros(1, np.int64)


@kernel
def add_ratings(sums: Sums, issue: int, code: int, many: int) -> None:
    """Add `many` ratings of one issue with one code, at least one. O(1)."""
    count, total, squares, met, used = sums
    if count[issue] == 0:
        met[used[0]] = issue
        used[0] += 1
    count[issue] += many
    total[issue] += many * code
    squares[issue] += many * code * code


@kernel
def add_record(sums: Sums, secret: Rows, row: int) -> None:
    """Add the sensitive ratings of one record. O(its ratings)."""
    for e in range(secret[0][row], secret[0][row + 1]):
        add_ratings(sums, secret[1][e], np.int64(secret[2][e]), 1)


@kernel
def take_lowest(sums: Sums, size: int, zero: bool) -> tuple[float, int]:
    """Return the lowest variance over the sensitive issues and the issue that has it; and empty the sums.

    `size` is the number of records in the group. With `zero`, the variance is over all of them and one
    without a rating deviates by the mean; otherwise it is over those with a rating. An issue that nobody in
    the group rates has variance 0. In squared steps of the scale; (inf, -1) when no issue is sensitive.

    Precondition: (records × levels)² < 2**63, so that the differences below are exact. O(issues).
    """
    count, total, squares, met, used = sums
    least, worst = np.inf, np.int64(-1)
    if used[0] < len(count):
        for s in range(len(count)):
            if count[s] == 0:
                least, worst = 0.0, s
                break
    for i in range(used[0]):
        s = np.int64(met[i])
        rated = count[s]
        around = (rated * squares[s] - total[s] * total[s]) / rated
        if zero:
            mean = total[s] / rated
            variance = (around + (size - rated) * (mean * mean)) / size
        else:
            variance = around / rated
        if variance < least or (variance == least and s < worst):
            least, worst = variance, s
        count[s] = total[s] = squares[s] = 0
    used[0] = 0
    return least, worst


@kernel
def groups_in_buckets(
    rows: Ints, buckets: Ints, public: Rows, epsilon: int, secret: Rows, issues: int, zero: bool, found: Found
) -> None:
    """Write size, lowest variance and its issue for the records ``rows[buckets[b]:buckets[b + 1]]`` of each bucket.

    `epsilon` in steps. Precondition: the records of a bucket rated the same issues of `public`.
    O(sum of squared bucket sizes, times the issues looked at before two records part).
    """
    ptr, codes = public[0], public[2]
    sums = empty_sums(issues)
    for b in range(len(buckets) - 1):
        for i in range(buckets[b], buckets[b + 1]):
            row, count = rows[i], 0
            for j in range(buckets[b], buckets[b + 1]):
                at, other = ptr[row], ptr[rows[j]]
                while at < ptr[row + 1] and abs(np.int64(codes[at]) - codes[other]) <= epsilon:
                    at += 1
                    other += 1
                if at == ptr[row + 1]:
                    count += 1
                    add_record(sums, secret, rows[j])
            found[0][row] = count
            found[1][row], found[2][row] = take_lowest(sums, count, zero)


@kernel
def near_bits(cells: Codes, low: Ints, high: Ints, epsilon: int) -> Words:
    """Return ``bits[t, cell]``: which records may have a code on issue t within `epsilon` of a code of the cell.

    Cell c of issue t has the codes ``low[t, c]`` to ``high[t, c]``, and ``cells[t, j]`` is that of record j.
    O(issues × cells × records).
    """
    issues, n = cells.shape
    bits = np.zeros((issues, low.shape[1], n // 64 + 1), np.uint64)
    for t in range(issues):
        for j in range(n):
            bit, own = ONE << np.uint64(j % 64), cells[t, j]
            for cell in range(low.shape[1]):
                if low[t, cell] <= high[t, own] + epsilon and high[t, cell] >= low[t, own] - epsilon:
                    bits[t, cell, j // 64] |= bit
    return bits


@kernel
def secret_bits(order: Ints, secret: Rows, issues: int, levels: int) -> Words:
    """Return ``bits[s, code]``: which records, in this order, gave the sensitive issue s this code; none for 0 levels.

    O(ratings).
    """
    bits = np.zeros((issues, levels + 1, len(order) // 64 + 1), np.uint64)
    for i in range(len(order) if levels > 0 else 0):
        for e in range(secret[0][order[i]], secret[0][order[i] + 1]):
            bits[secret[1][e], secret[2][e], i // 64] |= ONE << np.uint64(i % 64)
    return bits


@kernel
def confirmed(left: np.uint64, first: int, columns: Codes, record: int, epsilon: int) -> np.uint64:
    """Return the bits of a word of candidates, which begins with record `first`, that are proximate to `record`."""
    kept = left
    while left != NONE:
        other = first + lowest(left)
        for t in range(len(columns)):
            if abs(np.int64(columns[t, other]) - columns[t, record]) > epsilon:
                kept ^= left & (~left + ONE)
                break
        left &= left - ONE
    return kept


@kernel
def groups_by_words(
    columns: Codes, cells: Codes, near: Words, exact: bool, epsilon: int, starts: Ints, order: Ints, held: Words,
    secret: Rows, zero: bool, first: int, last: int, found: Found,
) -> None:  # fmt: skip
    """Write size, lowest variance and its issue for the distinct records ``first:last``.

    Distinct record i is the sorted records ``starts[i]:starts[i + 1]``; sorted record j is ``order[j]`` of the data.
    The stack holds, for each number of leading issues, the words with records near on all of them; only issues after
    the prefix shared with the previous distinct record are sliced anew. Where bits are not `exact`, what is left is
    compared. O(distinct records × words left, summed over the issues).
    """
    issues, words, records = len(near), len(order) // 64 + 1, len(order)
    secrets, codes = held.shape[0], held.shape[1]
    place = np.empty((issues + 1) * words, np.int32)
    mask = np.empty((issues + 1) * words, np.uint64)
    start = np.zeros(issues + 2, np.int64)
    for w in range(words):
        place[w], mask[w] = w, FULL
    mask[words - 1] = (ONE << np.uint64(records % 64)) - ONE
    start[1] = words
    sums = empty_sums(secrets)
    for i in range(first, last):
        record, shared = starts[i], 0
        while i > first and shared < issues and columns[shared, record] == columns[shared, starts[i - 1]]:
            shared += 1
        for t in range(shared, issues):
            row, write = near[t, cells[t, record]], start[t + 1]
            for e in range(start[t], start[t + 1]):
                # Whether a word has a bit left cannot be predicted, so all are written, and empty ones overwritten.
                left = mask[e] & row[place[e]]
                place[write], mask[write] = place[e], left
                write += left != NONE
            start[t + 2] = write
        count = 0
        for e in range(start[issues], start[issues + 1]):
            w, left = np.int64(place[e]), mask[e]
            if not exact:
                left = confirmed(left, 64 * w, columns, record, epsilon)
            many = np.int64(ones(left))
            count += many
            if many > codes > 1:
                for s in range(secrets):
                    for code in range(1, codes):
                        equal = np.int64(ones(left & held[s, code, w]))
                        if equal > 0:
                            add_ratings(sums, s, code, equal)
            elif secrets > 0:
                while left != NONE:
                    add_record(sums, secret, order[64 * w + lowest(left)])
                    left &= left - ONE
        variance, issue = take_lowest(sums, count, zero)
        for j in range(starts[i], starts[i + 1]):
            found[0][order[j]], found[1][order[j]], found[2][order[j]] = count, variance, issue
