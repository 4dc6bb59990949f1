"""Does the order of the published rows tell where they stood in the original, or who holds a secret?

Whoever has the original's order, or part of it, could read identities off a release whose rows still stand in it. A
shuffle leaves no more agreement with the original's order than chance does; the limits here are so wide that an honest
release meets them practically always (not one in a thousand million fails them), and so narrow that the original's
own order, its reverse, and what moving, swapping and interleaving make of them are noticed from a few dozen rows on.
An order that only looks like chance, such as one that was agreed upon in secret, cannot be told from a shuffle.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from covey.arrays import Ints, Mask
from covey.counting import counted
from covey.data import Baskets
from covey.verdict import Check
from covey.verify.chance import close_by, uneven
from covey.verify.stretches import Fits, follow_each_other

__all__ = ["NAME", "Fits", "check_fits", "check_grouped_positions", "check_positions", "containment", "entries_of"]

NAME = "the order of the rows is not the original's"

#: Standard deviations from what a shuffle gives.
FAR = 8

#: Rows that are looked at, and random partners of each that agreement by chance is estimated from.
ROWS, DRAWS = 20_000, 4


def check_positions(positions: Ints) -> Check:
    """Judge by the places in the original of rows that can be recognized, in the order in which they are published."""
    ordered = _in_order(positions) or close_by(positions)
    return _check(ordered, f"{counted(len(positions), 'row')} that can be recognized")


def check_grouped_positions(positions: Ints, group: Ints, secret: Baskets) -> Check:
    """As `check_positions`, for rows that stand by group: neither the groups nor the rows in them may be in order.

    Nor may the rows in a group stand by what is secret about them.

    Parameters
    ----------
    positions : int64 array
        Places in the original of rows that can be recognized, in the order in which they are published.
    group : int64 array
        The group of each, ascending.
    secret : Baskets
        The sensitive items of the original.
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
        ordered = ordered or any(map(_in_order, (low, high, total / sizes))) or close_by(low) or close_by(high)
        number = np.repeat(np.arange(len(starts)), sizes)
        place, size = np.arange(len(group)) - starts[number], sizes[number]
        ends = (np.flatnonzero(positions == end[number]) for end in (low, high))
        ordered = ordered or any(uneven(place[one], size[one]) for one in ends)
        if not ordered and _by_secret(positions, place, size, secret):
            told = "who holds a sensitive item stands at certain places of the groups"
            return Check(name=NAME, passed=False, detail=f"{told} ({counted(len(positions), 'row')} recognizable)")
    return _check(ordered, f"{counted(len(positions), 'row')} recognizable in {counted(len(starts), 'group')}")


def _by_secret(positions: Ints, place: Ints, size: Ints, secret: Baskets) -> bool:
    """Whether the holders of any sensitive item, or of all together, stand at certain places of their groups."""
    several = np.flatnonzero(size > 1)
    row, item = entries_of(secret, positions[several])
    holding = several[np.flatnonzero(secret.lengths()[positions[several]])]
    if uneven(place[holding], size[holding]):
        return True
    return uneven(place[several[row]], size[several[row]], item)


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


def check_fits(kind: Ints, fits: Fits) -> Check:
    """Judge by which published rows fit which original ones.

    That is, by how many fit the original row at the same place, or at the same place from the end, and by how far rows
    follow each other as they do in the original.

    Parameters
    ----------
    kind : int64 array
        A number for each published row, the same for equal rows only.
    fits : callable
        Whether published rows could be made of original rows.
    """
    n = len(kind)
    rng = np.random.default_rng(0)
    # Equal rows may stand together, as Spark writes them; they fit at one place like one row.
    apart = np.flatnonzero(np.diff(kind, prepend=-1))
    rows = np.sort(rng.choice(apart, min(len(apart), ROWS), replace=False)) if n else apart
    drawn = sum(int(fits(rows, rng.integers(0, n, len(rows))).sum()) for _ in range(DRAWS)) if n else 0
    chance = drawn / DRAWS
    found = max(int(fits(rows, there).sum()) for there in (rows, n - 1 - rows))
    # Bernstein's bound on how far a count of rare or common events strays: one in a thousand billion goes beyond.
    spread = chance * (1 - chance / max(len(rows), 1)) * (1 + 1 / DRAWS)
    far = found > chance + 10 + math.sqrt(100 + 60 * spread)
    detail = f"{found:,} of {len(rows):,} rows may be at their place, {chance:,.0f} by chance"
    return _check(far or follow_each_other(kind, fits), detail)


def _check(ordered: bool, detail: str) -> Check:
    said = f"rows follow each other as in the original, or its reverse, more than by chance ({detail})"
    said = said if ordered else detail
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
