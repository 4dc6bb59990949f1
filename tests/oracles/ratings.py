"""Slow twins for survey ratings in plain Python, straight from the definitions (docs/papers.md, Sun et al. 2010).

Records are lists with a number or None per issue; nothing here knows how covey stores or searches them.
"""

from __future__ import annotations

from fractions import Fraction


def distance(a, b, r):
    """Distance on one non-sensitive issue."""
    if a is None and b is None:
        return Fraction(0)
    if a is None or b is None:
        return Fraction(r)
    return abs(Fraction(a) - Fraction(b))


def proximate(x, y, open_issues, epsilon, r):
    """Definition 1."""
    return all(distance(x[i], y[i], r) <= Fraction(epsilon) for i in open_issues)


def groups(records, open_issues, epsilon, r):
    """Definition 2: for each record itself and all records proximate with it, as positions."""
    return [[j for j, y in enumerate(records) if proximate(x, y, open_issues, epsilon, r)] for x in records]


def trimmed(records, group, open_issues, epsilon, r):
    """Algorithm 1, lines 8 to 12: the members that are proximate with all members."""
    return [i for i in group if all(proximate(records[i], records[j], open_issues, epsilon, r) for j in group)]


def variance(values, nulls):
    """Square of the paper's standard deviation of one sensitive issue in a group, exactly."""
    rated = [Fraction(v) for v in values if v is not None]
    if not rated:
        return Fraction(0)
    mean = sum(rated) / len(rated)
    around = sum((v - mean) ** 2 for v in rated)
    if nulls == "omit":
        return around / len(rated)
    missing = len(values) - len(rated)
    return (around + missing * mean**2) / len(values)


def lowest_variance(records, group, secret_issues, nulls):
    """The lowest variance over the sensitive issues, or None when there are none."""
    return min((variance([records[i][s] for i in group], nulls) for s in secret_issues), default=None)


def violators(records, open_issues, secret_issues, k, epsilon, l, r, nulls="zero"):  # noqa: E741
    """For each record the set of clauses it breaks."""
    result = []
    for group in groups(records, open_issues, epsilon, r):
        broken = set()
        if len(group) < k:
            broken.add("k")
        if l is not None and lowest_variance(records, group, secret_issues, nulls) < Fraction(l) ** 2:
            broken.add("l")
        result.append(broken)
    return result


def rounded(rating, low, high, step):
    """The rating of a coarser scale that is nearest, the higher of two; the scale keeps its ends where it can."""
    low, high, step = Fraction(str(low)), Fraction(str(high)), Fraction(str(step))
    start = low if (high - low) % step == 0 else -1000 * step
    grid = [start + place * step for place in range(3000) if low <= start + place * step <= high]
    return float(min(reversed(grid), key=lambda known: abs(known - Fraction(str(rating)))))
