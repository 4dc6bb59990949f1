"""Classes by top-down specialization, each cut further or not: which of them lose least in all?

The classes of each step of the specialization are those of the step before, cut further, so that all of them are a
tree. What one loses as a class does not depend on the others, so that the cheapest choice is found from the leaves up.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from covey.data import Records, Taxonomy
from covey.guarantees.k_km_anonymity import KKmAnonymity
from covey.methods.class_costs import ClassCosts, Run
from covey.methods.specialization import specialized
from covey.methods.work import WorkLimit
from covey.progress import Progress, silent


class NestedClasses:
    """The classes of all steps.

    Parameters
    ----------
    data, taxonomy, promise, weight, limit
        As for `ClassCosts`.

    Attributes
    ----------
    persons : int64 array
        The persons along a line on which every class is a piece.
    costs : ClassCosts
        What pieces of the line lose.
    """

    def __init__(
        self, data: Records, taxonomy: Taxonomy | None, promise: KKmAnonymity, *, weight: float, limit: WorkLimit
    ) -> None:
        steps = list(specialized(data.attributes, promise.k))
        self.persons = np.lexsort(steps[::-1])
        self.costs = ClassCosts(data, self.persons, taxonomy, promise, weight=weight, limit=limit)
        self._steps = [step[self.persons] for step in steps]

    def cheapest(self, progress: Progress = silent) -> list[Run]:
        """The classes that lose least in all, along the line."""
        return self._cheapest(0, 0, len(self.persons), progress)[1]

    def _cheapest(self, step: int, start: int, stop: int, progress: Progress) -> tuple[float, list[Run]]:
        progress("merging", start / max(len(self.persons), 1))
        whole = self.costs.as_class(start, stop)
        while step < len(self._steps) and self._steps[step][start] == self._steps[step][stop - 1]:
            step += 1
        if step == len(self._steps):
            return whole.cost, [whole]
        edges = start + np.flatnonzero(np.diff(self._steps[step][start:stop])) + 1
        parts = [self._cheapest(step, a, b, progress) for a, b in pairwise([start, *edges.tolist(), stop])]
        cost = sum(part[0] for part in parts)
        return (whole.cost, [whole]) if whole.cost <= cost else (cost, [run for part in parts for run in part[1]])
