"""A limit on the work of searches: counted in steps, never in seconds, so that the same seed gives the same release."""

from __future__ import annotations

from covey.progress import Progress, silent

#: Steps (entries read, labels sorted, subsets looked up) for each unit of an option `work`; a hundred units take about
#: a second.
STEPS = 1_000_000

#: Units that all searches of one release may take together, unless the option says otherwise.
WORK = 6_000

#: A single search takes at most this part of them, so that others have their turn.
PARTS = 10

#: What the option means, wherever it is one.
SAYS_WORK = "Millions of steps that all searches together may take; a hundred take about a second."


class WorkLimit:
    """The steps that several searches may take together; what they have taken is told as progress.

    `hit` says whether some search ended early, because it would have needed more steps or more memory.
    """

    def __init__(
        self, work: int = WORK, progress: Progress = silent, *, stage: str = "generalizing", parts: int = PARTS
    ) -> None:
        self._most = self.left = work * STEPS
        self._progress, self._stage, self._told, self._parts = progress, stage, 0.0, parts
        self.hit = False

    def allowance(self) -> int:
        """Return how many steps the next search may take."""
        return min(self.left, self._most // self._parts)

    def spend(self, steps: int, *, complete: bool) -> None:
        """Count the steps of a search, and whether it came to its end."""
        self.left -= steps
        self.hit |= not complete
        self.reach(1 - self.left / self._most)

    def reach(self, share: float) -> None:
        """Report how far the search has come, unless it was further already."""
        if share > self._told + 0.01:
            self._told = share
            self._progress(self._stage, min(share, 1.0))
