"""Leaving out records so that the sensitive ratings of those that stay spread far enough."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from covey.arrays import Ints
from covey.data import Ratings

#: Up to so many records all choices of them are tried, and the answer is the best there is.
FEW = 12


def drop_records(data: Ratings, k: int, least: float, zero: bool) -> Ints:
    """The respondents to stay, as many as are found; none when fewer than k would stay.

    Every sensitive issue must have a variance of `least` (in squared steps) over all that stay; `zero` is the
    reading of missing ratings.
    """
    columns = [_column(data, int(issue)) for issue in np.flatnonzero(data.sensitive)]
    if data.n > FEW:
        return _drop_greedily(columns, data.lengths(), max(k, 1), least, zero)
    for size in range(data.n, max(k, 1) - 1, -1):
        for choice in combinations(range(data.n), size):
            stay = np.array(choice)
            if all(_variance(np.bincount(column[stay]), zero) >= least for column in columns):
                return stay
    return np.empty(0, np.int64)


def _drop_greedily(columns: list[Ints], lengths: Ints, k: int, least: float, zero: bool) -> Ints:
    """While some issue varies too little, leave out records whose rating of it lowers the variance most.

    Those with the fewest ratings go first.
    """
    stay = np.ones(len(lengths), np.bool_)
    while True:
        counts = [np.bincount(column[stay]) for column in columns]
        variances = [_variance(count, zero) for count in counts]
        worst = int(np.argmin(variances))
        if variances[worst] >= least:
            return np.flatnonzero(stay)
        code, amount = _removal(counts[worst], least, zero)
        amount = min(amount, int(stay.sum()) - k)
        if amount <= 0:
            return np.empty(0, np.int64)
        candidates = np.flatnonzero(stay & (columns[worst] == code))
        stay[candidates[np.argsort(lengths[candidates], kind="stable")[:amount]]] = False


def _column(data: Ratings, issue: int) -> Ints:
    """The rating of each record in steps, 0 where there is none."""
    column = np.zeros(data.n, np.int64)
    held = data.indices == issue
    column[np.repeat(np.arange(data.n), data.lengths())[held]] = data.codes[held]
    return column


def _variance(counts: Ints, zero: bool) -> float:
    """The variance (docs/papers.md, Sun et al. 2010) of a histogram over no rating, 1, 2, ..."""
    codes = np.arange(len(counts), dtype=np.float64)
    rated = counts[1:].sum()
    if rated == 0:
        return 0.0
    mean = float((counts * codes).sum() / rated)
    around = float((counts[1:] * (codes[1:] - mean) ** 2).sum())
    if zero:
        return (around + float(counts[0]) * mean**2) / float(counts.sum())
    return around / float(rated)


def _removal(counts: Ints, least: float, zero: bool) -> tuple[int, int]:
    """The code whose removal raises the variance most, and how many to remove before looking again."""
    now = _variance(counts, zero)
    best, gain = -1, 0.0
    for code in np.flatnonzero(counts):
        fewer = counts.copy()
        fewer[code] -= 1
        raised = _variance(fewer, zero) - now
        if raised > gain:
            best, gain = int(code), raised
    if best < 0:
        return 0, 0
    # A tenth of what one record's gain suggests: gains grow as records go, so this does not overshoot much.
    return best, int(np.clip((least - now) / gain / 10, 1, counts[best]))
