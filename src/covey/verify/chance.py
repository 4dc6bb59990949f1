"""How unlikely something is after a shuffle: upper bounds, so that what they call impossible practically is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from covey.arrays import Floats, Ints, Mask

#: A test that looks at one thing finds it in so few honest releases; one that looks at many shares this among them.
FALSE_ALARM = 1e-11


def log_chance(found: Any, expected: Any, of: Any) -> Floats:
    """The logarithm of a bound on how likely a count is to stray from its mean as far as `found` did, to the same side.

    Hoeffding's bound for `of` events that are independent, or of which any make the others less likely.

    Examples
    --------
    >>> log_chance(np.array([5, 20]), 5.0, 100).round(1).tolist()
    [0.0, -14.0]
    """
    found, of = np.asarray(found, np.float64), np.maximum(of, 1e-300)
    expected = np.clip(expected, 1e-300, of)

    def term(ours: Floats, mean: Floats) -> Floats:
        return np.where(ours > 0, ours * np.log(np.maximum(mean, 1e-300) / np.maximum(ours, 1e-300)), 0.0)

    return np.asarray(np.minimum(term(found, expected) + term(of - found, of - expected), 0.0), np.float64)


def close_by(places: Any) -> bool:
    """Whether rows that are published near each other stood near each other, more often than after a shuffle.

    True of the original's order, its reverse and all that is made of them by moving, swapping or interleaving parts.

    Parameters
    ----------
    places : array
        Different numbers, in the order in which they are published.
    """
    n = len(places)
    rank: Ints = np.empty(n, np.int64)
    rank[np.argsort(places, kind="stable")] = np.arange(n)
    widths = [1 << power for power in range(max(n // 8, 1).bit_length())]
    limit = math.log(FALSE_ALARM / (len(LAGS) * len(widths)))
    for lag in LAGS:
        if lag >= n:
            break
        apart = np.abs(rank[lag:] - rank[:-lag])
        counts = np.cumsum(np.bincount(np.minimum(apart, n - apart), minlength=n + 1))
        # Of the m ranks not seen before, the next row has one of at most 2 · width near ones.
        unseen = n - np.arange(lag, n)
        for width in widths:
            expected = np.minimum(1.0, 2 * width / unseen).sum()
            if counts[width] > expected and log_chance(counts[width], expected, n - lag) < limit:
                return True
    return False


#: Rows that are published so far from each other are looked at.
LAGS = (1, 2, 3)


def uneven(place: Ints, size: Ints, mark: Ints | None = None) -> bool:
    """Whether marked rows stand at certain places in their groups, more or less often than after a shuffle.

    Parameters
    ----------
    place, size : int64 arrays
        Of each marked row: its place in its group, from 0, and how many rows the group has.
    mark : int64 array or None
        What each is marked as, if there are several marks; each is looked at by itself.
    """
    if not len(place):
        return False
    number = np.zeros(len(place), np.int64) if mark is None else mark
    marks = int(number.max()) + 1
    of = np.bincount(number, minlength=marks)
    regions = _regions(place, size)
    limit = math.log(FALSE_ALARM / (marks * len(regions)))
    for there, share in regions:
        found = np.bincount(number[there], minlength=marks)
        expected = np.bincount(number, share, minlength=marks)
        if bool((log_chance(found, expected, of) < limit).any()):
            return True
    return False


#: The first and last places of groups that are looked at, and into how many parts longer groups are cut.
ENDS, PARTS = 4, (2, 4, 8)


def _regions(place: Ints, size: Ints) -> list[tuple[Mask, Floats]]:
    """Parts of groups: whether each row stands there, and which share of its group does."""
    regions = []
    for end in range(ENDS):
        share = np.where(end < size, 1 / size, 0.0)
        regions += [(place == end, share), (size - 1 - place == end, share)]
    for parts in PARTS:
        for part in range(parts):
            # Places q with q * parts // size == part.
            first, stop = -(-part * size // parts), -(-(part + 1) * size // parts)
            regions.append(((place >= first) & (place < stop), (stop - first) / size))
    regions.append((place % 2 == 0, (size + 1) // 2 / size))
    return regions
