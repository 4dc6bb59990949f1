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
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.k_km_anonymity import KKmAnonymity
from covey.guarantees.km_anonymity import KmAnonymity
from covey.kernels.methods.extents import Scale, extents_loss, group_extents
from covey.kernels.shared.groups import rows_by_group
from covey.kernels.shared.tree import recode
from covey.methods.base import Groups
from covey.methods.cut_search import CutSearch
from covey.methods.extents import curve_order, extents_of
from covey.methods.tree_view import TreeView, set_size
from covey.progress import Progress, silent


class Run(NamedTuple):
    """A run that is to be published as one class: its loss, and its persons' items as nodes of the taxonomy."""

    cost: float
    indptr: Ints
    nodes: Ids


class Level(NamedTuple):
    """All runs of one length: where they begin, and bounds on what each loses as a class, and at best cut up."""

    ptr: Ints
    attributes: Floats
    least: Floats
    best_least: Floats
    best_most: Floats


class ClassRuns:
    """The runs of classes of persons.

    Parameters
    ----------
    data : Records
        The original.
    small : Groups
        Classes of at least k persons each.
    taxonomy : Taxonomy or None
        How items may be generalized; None is the flat one.
    promise : KKmAnonymity
        What each class must keep.
    weight : float
        What the loss of attributes counts, from 0 to 1; that of items counts the rest.
    budget : int
        As for `CutSearch`; `cut_short` says whether it was too small for some run.

    Attributes
    ----------
    persons : int64 array
        The persons along the line; runs are pieces of it.
    tree : Taxonomy
        What items are generalized along.
    """

    def __init__(
        self,
        data: Records,
        small: Groups,
        taxonomy: Taxonomy | None,
        promise: KKmAnonymity,
        *,
        weight: float,
        budget: int,
    ) -> None:
        self.tree = Taxonomy.flat(data.items) if taxonomy is None else taxonomy
        self.promise, self.budget, self.cut_short = KmAnonymity(promise.k, promise.m), budget, False
        extents = extents_of(data.attributes, KAnonymity(promise.k))
        ptr, rows = rows_by_group(small.group, np.arange(data.n), small.number)
        order = curve_order(group_extents(extents.codes, ptr, rows)[0])
        place = np.empty(small.number, np.int64)
        place[order] = np.arange(small.number)
        ptr, self.persons = rows_by_group(place[small.group], np.arange(data.n), small.number)
        self.view = TreeView.of(data.baskets.take(self.persons), self.tree)
        self._item_weight = (1.0 - weight) / max(data.baskets.entries, 1)
        self._attribute_weight = weight / max(data.n * extents.codes.shape[1], 1)
        self.levels = self._bounded(ptr, extents.scale, *group_extents(extents.codes, ptr, self.persons))

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
        view = self.view.piece(int(bounds.ptr[run]), int(bounds.ptr[run + 1]))
        everything = np.ones(self.tree.size, np.bool_)
        size = set_size(view, self.promise)
        found = CutSearch(view, self.promise.k, size, everything, budget=self.budget).run()
        self.cut_short |= found.cut_short
        indptr, nodes = recode(view.indptr, view.leaf, found.label_of())
        return Run(bounds.attributes[run] + self._item_weight * found.cost, indptr, nodes)

    def _bounded(self, ptr: Ints, scale: Scale, low: Ids, high: Ids) -> list[Level]:
        """All levels, from the classes themselves to the one run of everybody."""
        home = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
        counting = ItemBounds(self.view, self.promise.k)
        levels: list[Level] = []
        while True:
            lost = np.array([extents_loss(scale, low[i], high[i]) for i in range(len(low))])
            attributes = self._attribute_weight * lost * np.diff(ptr)
            least, most = counting.of(home, len(low))
            least = attributes + self._item_weight * least
            most = attributes + self._item_weight * most
            best_least, best_most = least, most
            if levels:
                edges = np.arange(0, len(levels[-1].least), 2)
                best_least = np.minimum(least, np.add.reduceat(levels[-1].best_least, edges))
                best_most = np.minimum(most, np.add.reduceat(levels[-1].best_most, edges))
            levels.append(Level(ptr, attributes, least, best_least, best_most))
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
        self._k, self._size, self._rows = k, view.tree.size, view.node_rows
        self._parent, self._loss = view.tree.parent, np.append(view.tree.loss(), 1.0)
        self._node = np.repeat(np.arange(view.tree.size), np.diff(view.node_ptr))
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
