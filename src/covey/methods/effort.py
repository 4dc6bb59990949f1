"""How much searches may do in all, told as they go, and what is said beforehand of one that will do much."""

from __future__ import annotations

import math
import warnings

import numpy as np

from covey.arrays import Ints
from covey.errors import LargeSearch
from covey.progress import Progress, silent

#: Steps of mining (entries read, labels sorted, subsets looked up) for each unit of effort; about a second of work.
STEPS = 100_000_000

#: A single search takes at most this part of all steps, so that others have their turn.
PARTS = 10

#: Hundreds of millions of steps that are taken in all unless someone says otherwise: about a minute of work.
EFFORT = 60

#: What stands beside it wherever it is an option.
SAYS_EFFORT = "How many hundreds of millions of steps all searches together may take; each takes about a second."

#: Sets of labels in all transactions beyond which a search is announced as large.
MANY_SETS = 10**10


class OutOfTurn(Exception):
    """What was begun ahead of its turn would have had fewer steps in its turn."""


class Effort:
    """Steps that several searches may take together; what they have taken is told as progress that only grows.

    Parameters
    ----------
    steps : int
        How many may be taken.
    progress : callable
        Told of a stage.
    stage : str
        Which one.
    parts : int
        A single search takes at most this part of all steps.

    Attributes
    ----------
    used_up : bool
        Whether some search would have needed more.
    """

    def __init__(
        self, steps: int, progress: Progress = silent, *, stage: str = "generalizing", parts: int = PARTS
    ) -> None:
        self._most = self._left = steps
        self._progress, self._stage, self._told, self._parts = progress, stage, 0.0, parts
        self._first: Effort | None = None
        self.used_up = False

    def ahead(self) -> Effort:
        """Steps for searches that are begun before those that should come first are done, by another thread.

        Their outcome is the same as if they had waited, as long as both together leave enough for one search more. If
        they do not, asking for an allowance, or settling at the end, raises `OutOfTurn`.
        """
        other = Effort(self._most, stage=self._stage, parts=self._parts)
        other._first = self
        return other

    def settle(self, other: Effort) -> None:
        """Count the steps that were taken `ahead`; raises `OutOfTurn` as well if it has been raised before."""
        other._require_turn()
        self._left -= other._most - other._left
        self.used_up |= other.used_up

    def _require_turn(self) -> None:
        if self._first is not None and self._first._left - (self._most - self._left) < self._most // self._parts:
            raise OutOfTurn

    def allowance(self) -> int:
        """How many steps the next search may take; no single one takes more than a part of all."""
        self._require_turn()
        return min(self._left, self._most // self._parts)

    def leave(self, steps: int) -> None:
        """Note that so many steps of the allowance were not needed."""
        self.used_up |= steps <= 0
        self._left -= self.allowance() - steps
        self.reach(1 - self._left / self._most)

    def reach(self, share: float) -> None:
        """Tell how far the search has come, unless it was further already."""
        if share > self._told + 0.01:
            self._told = share
            self._progress(self._stage, min(share, 1.0))


def announce(lengths: Ints, m: float) -> None:
    """Warn if the transactions hold so many sets of at most m labels that looking at them will take long.

    Examples
    --------
    >>> announce(np.array([30, 30]), 3)
    """
    sizes, counts = np.unique(lengths, return_counts=True)
    held = sum(
        int(count) * sum(math.comb(int(size), j) for j in range(1, min(int(min(m, size)), 40) + 1))
        for size, count in zip(sizes, counts, strict=True)
        if size
    )
    if held > MANY_SETS:
        warnings.warn(LargeSearch(int(sizes[-1]), m, float(min(held, 10**300))), stacklevel=2)
