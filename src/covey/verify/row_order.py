"""Does the order of the published rows tell where they stood in the original?

Whoever has the original's order, or part of it, could read identities off a release whose rows still stand in it. A
shuffle leaves no more agreement with the original's order than chance does; the limits here are so wide that an honest
release meets them practically always (one in a thousand billion does not), and so narrow that the original's own
order, or its reverse, is noticed from a few dozen rows on.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from covey.arrays import Ints, Mask
from covey.data import Baskets
from covey.verdict import Check

NAME = "the order of the rows is not the original's"

#: Rows that are looked at, and random partners of each that agreement by chance is estimated from.
ROWS, DRAWS = 20_000, 4

#: Whether published rows could be made of original rows, pair by pair.
Fits = Callable[[Ints, Ints], Mask]


def check_positions(positions: Ints) -> Check:
    """Judge by the places in the original of rows that can be recognised, in the order in which they are published.

    Counts how often the next one stands behind the last one: half of the times after a shuffle, also after one of
    groups and of rows within groups.
    """
    n = len(positions)
    ascents = int((np.diff(positions) > 0).sum())
    far = abs(ascents - (n - 1) / 2) > 8 * math.sqrt(n / 6) if n > 1 else False
    return _check(far, f"{n:,} rows that can be recognised")


def check_fits(n: int, fits: Fits) -> Check:
    """Judge by how many published rows fit the original row at the same place, or at the same place from the end."""
    rng = np.random.default_rng(0)
    rows = np.sort(rng.choice(n, min(n, ROWS), replace=False))
    chance = (
        sum(int(fits(rows, rng.integers(0, n, len(rows))).sum()) for _ in range(DRAWS)) / DRAWS if n else 0.0
    )
    found = max(int(fits(rows, there).sum()) for there in (rows, n - 1 - rows))
    detail = f"{found:,} of {len(rows):,} rows fit their place, {chance:,.0f} by chance"
    return _check(found > chance + 5 * math.sqrt(len(rows)), detail)


def _check(ordered: bool, detail: str) -> Check:
    said = f"rows stand in the original's order, or its reverse ({detail})" if ordered else detail
    return Check(name=NAME, passed=not ordered, detail=said)


def containment(published: Baskets, original: Baskets) -> Fits:
    """For `check_fits`: whether everything in a published row is in the original row."""
    place = {item: number for number, item in enumerate(original.items)}
    rename = np.array([place.get(item, -1) for item in published.items] or [0], np.int64)
    width = max(original.d, 1)
    # Rows and the items in them ascend, and so do these.
    there = np.repeat(np.arange(original.n), original.lengths()) * width + original.indices

    def fits(ours: Ints, theirs: Ints) -> Mask:
        pair, entries = entries_of(published, ours)
        items = rename[entries]
        wanted = theirs[pair] * width + items
        at = np.minimum(np.searchsorted(there, wanted), max(len(there) - 1, 0))
        missing = (items < 0) | (there[at] != wanted if len(there) else np.ones(len(wanted), np.bool_))
        return np.asarray(np.bincount(pair[missing], minlength=len(ours)) == 0, np.bool_)

    return fits


def entries_of(baskets: Baskets, rows: Ints) -> tuple[Ints, Ints]:
    """The items of some rows one after the other, and for each the place of its row among `rows`."""
    lengths = baskets.lengths()[rows]
    pair = np.repeat(np.arange(len(rows)), lengths)
    first = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if len(rows) else np.zeros(0, np.int64)
    at = np.arange(int(lengths.sum())) - first[pair] + baskets.indptr[rows][pair]
    return pair, baskets.indices[at].astype(np.int64)
