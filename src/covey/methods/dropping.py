"""Leaving out records so that the sensitive ratings of those that stay spread far enough."""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ints
from covey.data import Ratings


def drop_records(data: Ratings, k: int, least: float, zero: bool) -> Ints:
    """The respondents to stay, as many as a greedy search finds; none when fewer than k would stay.

    While some sensitive issue has a variance below `least` (in squared steps) over all that stay, records go
    whose rating of it is the one that lowers the variance most, those with the fewest ratings first.
    """
    stay = np.ones(data.n, np.bool_)
    lengths = data.lengths()
    columns = [_column(data, int(issue)) for issue in np.flatnonzero(data.sensitive)]
    while True:
        # Column 0 of a histogram counts the records without a rating.
        counts = [np.bincount(column[stay], minlength=data.scale.levels + 1) for column in columns]
        variances = [_variance(count.astype(np.float64), zero) for count in counts]
        worst = int(np.argmin(variances))
        if variances[worst] >= least:
            return np.flatnonzero(stay)
        if int(stay.sum()) <= max(k, 1):
            return np.empty(0, np.int64)
        code, amount = _removal(counts[worst].astype(np.float64), least, zero)
        if amount == 0:
            return np.empty(0, np.int64)
        candidates = np.flatnonzero(stay & (columns[worst] == code))
        amount = min(amount, int(stay.sum()) - max(k, 1))
        stay[candidates[np.argsort(lengths[candidates], kind="stable")[:amount]]] = False


def _column(data: Ratings, issue: int) -> Ints:
    column = np.zeros(data.n, np.int64)
    held = data.indices == issue
    column[np.repeat(np.arange(data.n), data.lengths())[held]] = data.codes[held]
    return column


def _variance(counts: Floats, zero: bool) -> float:
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


def _removal(counts: Floats, least: float, zero: bool) -> tuple[int, int]:
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
