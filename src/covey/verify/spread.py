"""How far sensitive ratings of a group spread: sums per issue, the lowest variance (Sun et al. 2010, section 3)."""

from __future__ import annotations

import numpy as np

from covey.arrays import Codes, Ids, Ints
from covey.data.jit import kernel

# Per sensitive issue the number, sum and sum of squares of the ratings met so far, then the issues met
# (in order of first sight) and, at position 0 of the last array, how many those are.
Sums = tuple[Ints, Ints, Ints, Ids, Ints]


@kernel
def empty_sums(issues: int) -> Sums:
    """Return sums over no ratings for so many sensitive issues. O(issues)."""
    zero = np.zeros(issues, np.int64)
    return zero, zero.copy(), zero.copy(), np.zeros(issues, np.int32), np.zeros(1, np.int64)


@kernel
def add_record(sums: Sums, row: int, ptr: Ints, issue: Ids, code: Codes) -> None:
    """Add the sensitive ratings of one record. O(its ratings)."""
    count, total, squares, met, used = sums
    for e in range(ptr[row], ptr[row + 1]):
        s = issue[e]
        if count[s] == 0:
            met[used[0]] = s
            used[0] += 1
        value = np.int64(code[e])
        count[s] += 1
        total[s] += value
        squares[s] += value * value


@kernel
def add_class(sums: Sums, row: int, ptr: Ints, issue: Ids, figures: Ints) -> None:
    """Add the sensitive ratings of all records of a class, given as rows of ``figures[:, (count, sum, squares)]``.

    O(issues that the class rates).
    """
    count, total, squares, met, used = sums
    for e in range(ptr[row], ptr[row + 1]):
        s = issue[e]
        if count[s] == 0:
            met[used[0]] = s
            used[0] += 1
        count[s] += figures[e, 0]
        total[s] += figures[e, 1]
        squares[s] += figures[e, 2]


@kernel
def take_lowest(sums: Sums, size: int, zero: bool) -> tuple[float, int]:
    """Return the lowest variance over the sensitive issues and the issue that has it; and empty the sums.

    `size` is the number of records in the group. With `zero`, the variance is over all of them and one
    without a rating deviates by the mean; otherwise it is over those with a rating. An issue that nobody in
    the group rates has variance 0. In squared steps of the scale; (inf, -1) when no issue is sensitive.

    Precondition: (records × levels)² < 2**63, so that the differences below are exact. O(issues).
    """
    count, total, squares, met, used = sums
    lowest, worst = np.inf, np.int64(-1)
    if used[0] < len(count):
        for s in range(len(count)):
            if count[s] == 0:
                lowest, worst = 0.0, s
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
        if variance < lowest or (variance == lowest and s < worst):
            lowest, worst = variance, s
        count[s] = total[s] = squares[s] = 0
    used[0] = 0
    return lowest, worst
