"""Choose the classes of persons that lose least: runs of neighbours on a line, or steps of a specialization.

Both choices are trees of candidates. What a candidate loses as one class does not depend on the others, so the
cheapest way to cut the line into classes is found from the leaves up, and is the best of all such ways.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data import Records, Taxonomy
from covey.data.groups import rows_by_group
from covey.data.tree import recode, rows_of_nodes
from covey.guarantees.k_km_anonymity import KKmAnonymity
from covey.guarantees.km_anonymity import KmAnonymity
from covey.methods.base import Groups
from covey.methods.cut_search import CutSearch
from covey.methods.extents import curve_order, extents_loss, group_extents, scale_of
from covey.methods.specialization import specialized
from covey.methods.tree_view import TreeView, set_size
from covey.methods.work import WorkLimit
from covey.progress import Progress, silent


class Run(NamedTuple):
    """Persons that are to be published as one class: their loss, and their items as nodes of the taxonomy."""

    cost: float
    indptr: Ints
    nodes: Ids


class ClassCosts:
    """What `persons` in a line lose, any piece of which may become a class.

    Losing attributes counts `weight`, from 0 to 1, and losing items the rest. `limit` holds for the searches for the
    recodings of all classes together.
    """

    def __init__(
        self,
        data: Records,
        persons: Ints,
        taxonomy: Taxonomy | None,
        promise: KKmAnonymity,
        *,
        weight: float,
        limit: WorkLimit,
    ) -> None:
        self.tree = Taxonomy.flat(data.items) if taxonomy is None else taxonomy
        self.promise, self.limit = KmAnonymity(promise.k, promise.m), limit
        self.view = TreeView.of(data.baskets.take(persons), self.tree)
        self.scale, self._codes = scale_of(data.attributes), data.attributes.rows("quasi")[persons]
        self.item_weight = (1.0 - weight) / max(data.baskets.entries, 1)
        self.attribute_weight = weight / max(self._codes.size, 1)

    def as_class(self, start: int, stop: int) -> Run:
        """What the persons from `start` up to `stop` lose as one class, and their items as they are then published."""
        inside = self._codes[start:stop]
        attributes = extents_loss(self.scale, inside.min(axis=0), inside.max(axis=0)) * len(inside)
        view = self.view.piece(start, stop)
        everything = np.ones(self.tree.size, np.bool_)
        found = CutSearch(view, self.promise.k, set_size(view, self.promise), everything, limit=self.limit).run()
        indptr, nodes = recode(view.indptr, view.leaf, found.label_of())
        return Run(self.attribute_weight * attributes + self.item_weight * found.cost, indptr, nodes)


class Level(NamedTuple):
    """All runs of one length: where they begin, and bounds on what each loses as a class, and at best cut up."""

    ptr: Ints
    least: Floats
    best_least: Floats
    best_most: Floats


class ClassRuns:
    """The runs of `small` classes, of at least k persons each, along a line of near ones.

    Runs are those of a binary tree: the classes themselves, pairs of neighbours, pairs of pairs, up to everybody.
    Recoding the items of a run is what takes time: it is left out wherever bounds that are quickly counted show that
    the run cannot be among the cheapest. Other parameters are as for `ClassCosts`.
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


class NestedClasses:
    """The classes of all steps of a top-down specialization; parameters as for `ClassCosts`.

    The classes of each step are those of the step before, cut further. `persons` is a line on which each is a piece.
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
