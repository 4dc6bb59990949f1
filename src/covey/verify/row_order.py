"""Does the order of the published rows tell where they stood in the original?

Whoever has the original's order, or part of it, could read identities off a release whose rows still stand in it. A
shuffle leaves no more agreement with the original's order than chance does; the limits here are so wide that an honest
release meets them practically always (one in a thousand billion does not), and so narrow that the original's own
order, or its reverse, is noticed from a few dozen rows on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from covey.arrays import Ints, Mask
from covey.counting import counted
from covey.data import Baskets
from covey.verdict import Check

NAME = "the order of the rows is not the original's"

#: Standard deviations from what a shuffle gives.
FAR = 8

#: Rows that are looked at, and random partners of each that agreement by chance is estimated from.
ROWS, DRAWS = 20_000, 4

#: Whether published rows could be made of original rows, pair by pair.
Fits = Callable[[Ints, Ints], Mask]


def check_positions(positions: Ints) -> Check:
    """Judge by the places in the original of rows that can be recognized, in the order in which they are published."""
    return _check(_in_order(positions), f"{counted(len(positions), 'row')} that can be recognized")


def check_grouped_positions(positions: Ints, group: Ints) -> Check:
    """As `check_positions`, for rows that stand by group: neither the groups nor the rows in them may be in order.

    Parameters
    ----------
    positions : int64 array
        Places in the original of rows that can be recognized, in the order in which they are published.
    group : int64 array
        The group of each, ascending.
    """
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    sizes = np.diff(starts, append=len(group))
    inside = np.diff(positions)[np.diff(group) == 0]
    # Shuffling r rows gives (r - 1) / 2 ascents, with a variance of (r + 1) / 12.
    spread = math.sqrt(float((sizes[sizes > 1] + 1).sum()) / 12)
    ordered = abs(int((inside > 0).sum()) - len(inside) / 2) > FAR * spread
    if len(starts):
        places = (ufunc.reduceat(positions, starts) for ufunc in (np.minimum, np.maximum, np.add))
        low, high, total = places
        ordered = ordered or any(map(_in_order, (low, high, total / sizes)))
    return _check(ordered, f"{counted(len(positions), 'row')} recognizable in {counted(len(starts), 'group')}")


def _in_order(places: Any) -> bool:
    """Whether numbers rise or fall, from each to the next or all in all, as they would not after a shuffle."""
    n = len(places)
    if n < 2:
        return False
    steps = np.sign(np.diff(places))
    if abs(float(steps.sum())) / 2 > FAR * math.sqrt((n + 1) / 12):
        return True
    return abs(_trend(places)) > FAR / math.sqrt(n - 1)


def _trend(places: Any) -> float:
    """How numbers, at least two, rise with their place: the correlation of their ranks with it, earlier ones first.

    Ranks and places are the numbers below n, whose variance is (n² - 1) / 12.
    """
    n = len(places)
    order = np.argsort(places, kind="stable") - (n - 1) / 2
    return 12 * float(order @ np.arange(n)) / (n * (n**2 - 1))


def check_fits(n: int, fits: Fits) -> Check:
    """Judge by how many published rows fit the original row at the same place, or at the same place from the end."""
    rng = np.random.default_rng(0)
    rows = np.sort(rng.choice(n, min(n, ROWS), replace=False))
    drawn = sum(int(fits(rows, rng.integers(0, n, len(rows))).sum()) for _ in range(DRAWS)) if n else 0
    chance = drawn / DRAWS
    found = max(int(fits(rows, there).sum()) for there in (rows, n - 1 - rows))
    # Bernstein's bound on how far a count of rare or common events strays: one in a thousand billion goes beyond.
    spread = chance * (1 - chance / max(len(rows), 1)) * (1 + 1 / DRAWS)
    far = found > chance + 10 + math.sqrt(100 + 60 * spread)
    return _check(far, f"{found:,} of {len(rows):,} rows may be at their place, {chance:,.0f} by chance")


def _check(ordered: bool, detail: str) -> Check:
    said = f"rows are in the original's order, or its reverse ({detail})" if ordered else detail
    return Check(name=NAME, passed=not ordered, detail=said)


def containment(published: Baskets, original: Baskets) -> Fits:
    """For `check_fits`: whether everything in a published row is in the original row."""
    place = {item: number for number, item in enumerate(original.items)}
    rename = np.array([place.get(item, -1) for item in published.items] or [0], np.int64)
    width = max(original.d, 1)

    def fits(ours: Ints, theirs: Ints) -> Mask:
        pair, entries = entries_of(published, ours)
        place, held = entries_of(original, theirs)
        there = place * width + held  # ascending, as the items of a row are
        items = rename[entries]
        wanted = pair * width + items
        at = np.minimum(np.searchsorted(there, wanted), max(len(there) - 1, 0))
        missing = (items < 0) | (there[at] != wanted if len(there) else np.ones(len(wanted), np.bool_))
        return np.asarray(np.bincount(pair[missing], minlength=len(ours)) == 0, np.bool_)

    return fits


def entries_of(baskets: Baskets, rows: Ints) -> tuple[Ints, Ints]:
    """The items of some rows one after the other, and for each the place of its row among `rows`."""
    lengths = baskets.indptr[rows + 1] - baskets.indptr[rows]
    pair = np.repeat(np.arange(len(rows)), lengths)
    first = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if len(rows) else np.zeros(0, np.int64)
    at = np.arange(int(lengths.sum())) - first[pair] + baskets.indptr[rows][pair]
    return pair, baskets.indices[at].astype(np.int64)
