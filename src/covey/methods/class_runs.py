"""Classes on a line and the runs of neighbours they may be merged to: which runs lose least in all?

Runs are those of a binary tree: the classes themselves, pairs of neighbours, pairs of pairs, up to everybody. What a
run loses if it is published as one class does not depend on the others, so the cheapest way to cut the line into
runs is found from the bottom up, and is the best of all such ways. Recoding the items of a run is what takes time:
it is left out wherever bounds that are quickly counted show that the run cannot be among the cheapest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data import Records, Taxonomy
from covey.guarantees.k_km_anonymity import KKmAnonymity
from covey.kernels.methods.extents import extents_loss, group_extents
from covey.kernels.shared.groups import rows_by_group
from covey.kernels.shared.tree import rows_of_nodes
from covey.methods.base import Groups
from covey.methods.class_costs import ClassCosts, Run
from covey.methods.extents import curve_order
from covey.methods.tree_view import TreeView
from covey.methods.work import WorkLimit
from covey.progress import Progress, silent


class Level(NamedTuple):
    """All runs of one length: where they begin, and bounds on what each loses as a class, and at best cut up."""

    ptr: Ints
    least: Floats
    best_least: Floats
    best_most: Floats


class ClassRuns:
    """The runs of classes of persons.

    Parameters
    ----------
    data, taxonomy, promise, weight, limit
        As for `ClassCosts`.
    small : Groups
        Classes of at least k persons each.

    Attributes
    ----------
    persons : int64 array
        The persons along the line; runs are pieces of it.
    costs : ClassCosts
        What pieces of the line lose.
    """

    def __init__(
        self,
        data: Records,
        small: Groups,
        taxonomy: Taxonomy | None,
        promise: KKmAnonymity,
        *,
        weight: float,
        limit: WorkLimit,
    ) -> None:
        codes = data.attributes.rows("quasi")
        ptr, rows = rows_by_group(small.group, np.arange(data.n), small.number)
        order = curve_order(group_extents(codes, ptr, rows)[0])
        place = np.empty(small.number, np.int64)
        place[order] = np.arange(small.number)
        ptr, self.persons = rows_by_group(place[small.group], np.arange(data.n), small.number)
        self.costs = ClassCosts(data, self.persons, taxonomy, promise, weight=weight, limit=limit)
        self.levels = self._bounded(ptr, *group_extents(codes, ptr, self.persons))

    def cheapest(self, progress: Progress = silent) -> list[Run]:
        """The runs that lose least in all, along the line."""
        return self._cheapest(len(self.levels) - 1, 0, progress)[1]

    def _cheapest(self, level: int, run: int, progress: Progress) -> tuple[float, list[Run]]:
        if level == 0:
            progress("merging", run / max(len(self.levels[0].least), 1))
            only = self.as_class(0, run)
            return only.cost, [only]
        below = self.levels[level - 1]
        halves = range(2 * run, min(2 * run + 2, len(below.least)))
        whole = None
        if self.levels[level].least[run] < below.best_most[halves].sum():
            whole = self.as_class(level, run)
            if whole.cost <= below.best_least[halves].sum():
                return whole.cost, [whole]
        parts = [self._cheapest(level - 1, half, progress) for half in halves]
        cost = sum(part[0] for part in parts)
        if whole is not None and whole.cost <= cost:
            return whole.cost, [whole]
        return cost, [one for part in parts for one in part[1]]

    def as_class(self, level: int, run: int) -> Run:
        """What a run loses as one class, and its items as they are then published."""
        bounds = self.levels[level]
        return self.costs.as_class(int(bounds.ptr[run]), int(bounds.ptr[run + 1]))

    def _bounded(self, ptr: Ints, low: Ids, high: Ids) -> list[Level]:
        """All levels, from the classes themselves to the one run of everybody."""
        home = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
        counting = ItemBounds(self.costs.view, self.costs.promise.k)
        levels: list[Level] = []
        while True:
            lost = np.array([extents_loss(self.costs.scale, low[i], high[i]) for i in range(len(low))])
            attributes = self.costs.attribute_weight * lost * np.diff(ptr)
            least, most = counting.of(home, len(low))
            least = attributes + self.costs.item_weight * least
            most = attributes + self.costs.item_weight * most
            best_least, best_most = least, most
            if levels:
                edges = np.arange(0, len(levels[-1].least), 2)
                best_least = np.minimum(least, np.add.reduceat(levels[-1].best_least, edges))
                best_most = np.minimum(most, np.add.reduceat(levels[-1].best_most, edges))
            levels.append(Level(ptr, least, best_least, best_most))
            if len(low) <= 1:
                return levels
            edges = np.arange(0, len(low), 2)
            low, high = np.minimum.reduceat(low, edges), np.maximum.reduceat(high, edges)
            ptr, home = np.append(ptr[:-1][::2], ptr[-1]), home // 2


class ItemBounds:
    """What the items of each class lose at least, and at most.

    At least: an item cannot be published as a node that fewer than k persons of the class hold, so it costs what its
    lowest ancestor costs that so many hold. At most: everything is suppressed.
    """

    def __init__(self, view: TreeView, k: int) -> None:
        self._k, self._size = k, view.tree.size
        self._parent, self._loss = view.tree.parent, np.append(view.tree.loss(), 1.0)
        ptr, self._rows, _ = rows_of_nodes(view.indptr, view.leaf, view.tree.parent)
        self._node = np.repeat(np.arange(view.tree.size), np.diff(ptr))
        self._leaf = view.leaf.astype(np.int64)
        self._person = np.repeat(np.arange(len(view.indptr) - 1), np.diff(view.indptr))

    def of(self, home: Ints, classes: int) -> tuple[Floats, Floats]:
        """The bounds for classes, `home` being that of each person. O(entries · height · log)."""
        held, persons = np.unique(home[self._rows] * self._size + self._node, return_counts=True)
        shared = held[persons >= self._k]
        at, node = home[self._person], self._leaf.copy()
        waiting = np.arange(len(node)) if len(shared) else np.empty(0, np.int64)
        if not len(shared):
            node[:] = -1
        while len(waiting):
            wanted = at[waiting] * self._size + node[waiting]
            found = np.minimum(np.searchsorted(shared, wanted), len(shared) - 1)
            waiting = waiting[shared[found] != wanted]
            node[waiting] = self._parent[node[waiting]]
            waiting = waiting[node[waiting] >= 0]
        most = np.bincount(at, minlength=classes).astype(np.float64)
        least: Floats = np.bincount(at, self._loss[node], minlength=classes).astype(np.float64)
        return least, most
