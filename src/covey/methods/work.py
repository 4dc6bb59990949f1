"""A limit on the work of searches: counted in steps, never in seconds, so that the same seed gives the same release."""

from __future__ import annotations

from covey.progress import Progress, silent

#: Steps (entries read, labels sorted, subsets looked up) for each unit of an option `work`; a hundred units take about
#: a second.
STEPS = 1_000_000

#: Units that all searches of one release may take together, by default.
WORK = 6_000

#: A single search takes at most this part of them, so that others have their turn.
PARTS = 10

#: What the option means, wherever it is one.
WORK_HELP = "Millions of steps that all searches together may take; a hundred take about a second."


class WorkLimit:
    """The steps that several searches may take together; what they have taken is reported as progress.

    `hit` is whether some search ended early, because it would have needed more steps or more memory.
    """

    def __init__(
        self, work: int = WORK, progress: Progress = silent, *, stage: str = "generalizing", parts: int = PARTS
    ) -> None:
        self._most = self.left = work * STEPS
        self._progress, self._stage, self._reported, self._parts = progress, stage, 0.0, parts
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
        if share > self._reported + 0.01:
            self._reported = share
            self._progress(self._stage, min(share, 1.0))
