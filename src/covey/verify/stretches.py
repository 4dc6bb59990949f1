"""Does a stretch of published rows fit a stretch of the original, row by row?

Rows that stand in the original's order, reversed, rotated, swapped or interleaved by a rule, still follow each other as
they did there: one or two published rows on, the original is one, two or three rows on, forwards or backwards. So from
a few published rows, every row of the original that fits is taken for theirs, and each such guess goes on for as long
as the next rows fit. After a shuffle all of them soon fail. What goes on for longer than chance allows is an order.

Nothing is known here of rows but which published ones fit which of the original, and which published ones are equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from covey.arrays import Floats, Ints, Mask
from covey.verify.chance import FALSE_ALARM

#: Whether published rows could be made of original rows, pair by pair.
Fits = Callable[[Ints, Ints], Mask]

#: How far the published and the original rows go on at each step.
STEPS = [(ours, theirs) for ours in (1, 2) for theirs in (1, 2, 3, -1, -2, -3)]

#: Guesses start at so many published rows at least and at most, those that fit the fewest of some random original rows,
#: out of so many. Each is held against all original rows, so that there are fewer where there are many of those.
FEWEST, STARTS, CANDIDATES, PARTNERS = 2, 8, 128, 128

#: Fits that are asked for to find the guesses, about; guesses in all; fits asked for to follow them; and at once.
FIRST, GUESSES, TESTS, AT_ONCE = 1 << 20, 1 << 18, 1 << 23, 1 << 14

#: Steps after which what is left is judged, and how many of the guesses that are left.
JUDGED, MOST = (3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256), 16

#: Published rows that a fit by chance is estimated from: first roughly, then well.
ROUGH, WELL = 256, 20_000


@dataclass(frozen=True, slots=True)
class _Guesses:
    """Published row `ours` is original row `theirs`, and so on by these steps."""

    ours: Ints
    theirs: Ints
    our_step: Ints
    their_step: Ints

    def some(self, which: Ints | Mask | slice) -> _Guesses:
        return _Guesses(self.ours[which], self.theirs[which], self.our_step[which], self.their_step[which])

    def after(self, steps: int, n: int) -> tuple[Ints, Ints]:
        """The published and the original rows so many steps on; behind the last row comes the first."""
        return (self.ours + steps * self.our_step) % n, (self.theirs + steps * self.their_step) % n


def follow_each_other(kind: Ints, fits: Fits) -> bool:
    """Whether published rows follow each other as original rows do, further than they would after a shuffle.

    Parameters
    ----------
    kind : int64 array
        A number for each published row, the same for equal rows only.
    fits : callable
        Whether published rows could be made of original rows.
    """
    n = len(kind)
    if n < 2:
        return False
    guesses, tried = _first_guesses(n, fits)
    limit = math.log(FALSE_ALARM / (max(tried, 1) * len(JUDGED)))
    tests = 0
    for step in range(1, min(JUDGED[-1], n - 1) + 1):
        guesses = guesses.some(_asked(fits, *guesses.after(step, n)))
        tests += len(guesses.ours)
        if not len(guesses.ours) or tests > TESTS:
            return False
        if step in JUDGED and any(
            _log_chance(guesses, at, step, kind, fits, ROUGH) < limit
            and _log_chance(guesses, at, step, kind, fits, WELL) < limit
            for at in range(min(MOST, len(guesses.ours)))
        ):
            return True
    return False


def _first_guesses(n: int, fits: Fits) -> tuple[_Guesses, int]:
    """Where some published rows may stand in the original, for all `STEPS`; and how many guesses there are in all."""
    rng = np.random.default_rng(0)
    rows = rng.permutation(n)[:CANDIDATES]
    partners = rng.integers(0, n, (len(rows), PARTNERS))
    held = _asked(fits, np.repeat(rows, PARTNERS), partners.reshape(-1)).reshape(len(rows), PARTNERS)
    starts = rows[np.argsort(held.sum(axis=1), kind="stable")[: min(max(FIRST // n, FEWEST), STARTS)]]
    places = [np.flatnonzero(_asked(fits, np.full(n, start), np.arange(n))) for start in starts]
    ours, theirs = np.repeat(starts, [len(place) for place in places]), np.concatenate(places)
    tried = len(ours) * len(STEPS)
    if tried > GUESSES:
        some = rng.choice(len(ours), GUESSES // len(STEPS), replace=False)
        ours, theirs = ours[some], theirs[some]
    steps = np.repeat(np.array(STEPS, np.int64), len(ours), axis=0)
    return _Guesses(np.tile(ours, len(STEPS)), np.tile(theirs, len(STEPS)), steps[:, 0], steps[:, 1]), tried


def _asked(fits: Fits, ours: Ints, theirs: Ints) -> Mask:
    """What `fits` says, asked for a part at a time."""
    parts = range(0, len(ours), AT_ONCE)
    said = [fits(ours[start : start + AT_ONCE], theirs[start : start + AT_ONCE]) for start in parts]
    return np.concatenate([np.empty(0, np.bool_), *said])


def _log_chance(guesses: _Guesses, at: int, steps: int, kind: Ints, fits: Fits, look: int) -> float:
    """The logarithm of a bound on how likely one guess is to go on for `steps` after a shuffle.

    A step counts only if the row differs from the one before, since equal rows may stand together: Spark writes them
    so. Then rows, or equal rows taken as one, come as if drawn from all that are not like the one before.
    """
    n = len(kind)
    passed = np.array([guesses.some(slice(at, at + 1)).after(step, n) for step in range(steps + 1)]).reshape(-1, 2)
    new = np.flatnonzero(np.diff(kind[passed[:, 0]])) + 1
    originals = passed[new, 1]
    sizes = np.bincount(kind)
    alone, together = _shares(originals, kind, sizes, fits, look)
    # As many were taken before, and one kind of row cannot come.
    rows_left = 1 - (steps + 1 + int(sizes.max())) / n
    kinds_left = 1 - (steps + 2) / int((sizes > 0).sum())
    if rows_left <= 0 or kinds_left <= 0:
        return 0.0
    share = np.maximum(alone / rows_left, together / kinds_left)
    return float(np.log(np.minimum(share, 1.0)).sum())


def _shares(originals: Ints, kind: Ints, sizes: Ints, fits: Fits, look: int) -> tuple[Floats, Floats]:
    """Which share of the published rows, and of the different ones, fits each of these original rows, at most."""
    n = len(kind)
    rows = np.arange(n) if n <= look else np.random.default_rng(1).integers(0, n, look)
    # A sample may miss what is rare: it counts as if some more had been found, and none in the rough estimate.
    more = 0 if n <= look or look == ROUGH else 10
    held = _asked(fits, np.tile(rows, len(originals)), np.repeat(originals, len(rows))).reshape(-1, len(rows))
    weight = 1 / sizes[kind[rows]]
    alone = (held.sum(axis=1) + more) / len(rows)
    together = (held @ weight + more) / weight.sum()
    return np.maximum(alone, 1 / n), np.maximum(together, 1 / n)
