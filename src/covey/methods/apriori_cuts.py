"""Apriori anonymization's cut: repair rare sets, smallest first, by generalization alone (Terrovitis et al. 2008)."""

from __future__ import annotations

import heapq

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.data.tree import support_reaches
from covey.errors import ParameterError
from covey.methods.rare_sets import RareSets
from covey.methods.tree_view import TreeView
from covey.methods.work import WorkLimit

#: Combinations of ancestors tried for one set before it is raised to the lowest common one.
TRIALS = 5_000

#: Members of rare sets of one label that are held at once.
MEMBERS = 50_000_000


class AprioriCut:
    """A cut that starts at the leaves and is raised until no set of at most i labels is rare, for i = 1..m.

    For each set so many `trials` of combinations of ancestors are made; `cut_short` says whether that was too few.
    """

    def __init__(self, view: TreeView, k: int, limit: WorkLimit, *, trials: int = TRIALS) -> None:
        self.view, self.k, self.trials, self.cut_short = view, k, trials, False
        self.in_cut = view.tree.is_leaf()
        self.cut_of = np.arange(view.tree.size, dtype=np.int32)
        self._rare = RareSets(view, k, limit, members=MEMBERS)

    def run(self, m: int, *, rare_first: bool) -> AprioriCut:
        """Repair all rare sets of at most m labels, the smaller ones first; labels by support, up or down."""
        support, sign = self.view.support, 1 if rare_first else -1
        for i in range(1, m + 1):
            present = np.flatnonzero(self.in_cut & (support > 0))
            waiting = [(sign * int(support[x]), int(x)) for x in present]
            heapq.heapify(waiting)
            while waiting:
                _, x = heapq.heappop(waiting)
                if self.in_cut[x]:
                    for y in self._clear(x, i):
                        heapq.heappush(waiting, (sign * int(support[y]), y))
        return self

    def _clear(self, x: int, i: int) -> list[int]:
        """Repair the rare sets of at most i labels that hold x; return the nodes that came into the cut.

        Sets of labels that stay are not touched by what happens to others, and every new node is looked at itself,
        so the sets of x have to be mined only once.
        """
        raised: list[int] = []
        if self.view.support[x] < self.k:
            return self._repair([x])
        offsets, members = self.rare_sets(x, i)
        for s in range(len(offsets) - 1):
            group = members[offsets[s] : offsets[s + 1]]
            if self.in_cut[group].all():
                raised += self._repair([int(y) for y in group])
                if not self.in_cut[x]:
                    break
        return raised

    def rare_sets(self, x: int, i: int) -> tuple[Ints, Ids]:
        """The minimal rare sets of 2 to i labels of the cut that hold x.

        Raises
        ------
        ParameterError
            They are too many to find or to hold: a cut that repairs some of them would break the promise.
        """
        complete, offsets, members = self._rare.around(x, np.array([x], np.int32), self.cut_of, i)
        if not complete:
            raise ParameterError(
                f"There are too many rare sets of up to {i} labels with {self.view.tree.labels[x]!r} for Apriori "
                f"anonymization. Lower m of the guarantee to {i - 1}, use mhghs, or allow aa more work."
            )
        return offsets, members

    def _repair(self, group: list[int]) -> list[int]:
        """Raise members of a rare set to the ancestors that make it frequent at least loss."""
        tree, view = self.view.tree, self.view
        parent = tree.parent
        start = tuple(sorted(group))
        queue, seen, tried = [(0.0, start)], {start}, 0
        while queue:
            _, labels = heapq.heappop(queue)
            tried += 1
            nodes = np.array(labels, np.int64)
            if tried > self.trials or labels == (0,):
                self.cut_short |= labels != (0,)
                return self._raise(self._common(group))
            if support_reaches(view.indptr, view.leaf, tree.last, view.leaf_ptr, view.leaf_rows, nodes, self.k):
                return [a for label in labels if label not in start for a in self._raise(label)]
            for label in labels:
                above = int(parent[label])
                if above < 0:
                    continue
                rest = [y for y in labels if not above <= y <= tree.last[above]]
                raised = tuple(sorted([*rest, above]))
                if raised not in seen:
                    seen.add(raised)
                    loss = sum(self._loss(y) for y in raised if y not in start)
                    heapq.heappush(queue, (loss, raised))
        return []

    def _common(self, group: list[int]) -> int:
        tree, low = self.view.tree, min(group)
        while tree.last[low] < max(group):
            low = int(tree.parent[low])
        while low > 0 and self.view.support[low] < self.k:
            low = int(tree.parent[low])
        return low

    def _loss(self, a: int) -> float:
        """What raising everything below `a` to it adds to the loss."""
        stop = self.view.tree.last[a] + 1
        below = self.view.generalizing[a:stop][self.in_cut[a:stop]].sum()
        return float(self.view.generalizing[a] - below)

    def _raise(self, a: int) -> list[int]:
        if self.in_cut[a]:
            return []
        stop = self.view.tree.last[a] + 1
        self.in_cut[a:stop] = False
        self.in_cut[a] = True
        self.cut_of[a:stop] = a
        return [a]

    def expanded(self) -> Mask:
        """The nodes strictly above the cut."""
        above = np.zeros(self.view.tree.size, np.bool_)
        cut = np.flatnonzero(self.in_cut)
        parents = np.unique(self.view.tree.parent[cut])
        while len(parents) and (parents := parents[(parents >= 0)]).size and not above[parents].all():
            above[parents] = True
            parents = np.unique(self.view.tree.parent[parents])
        return above


def best_apriori_cut(view: TreeView, k: int, m: int, limit: WorkLimit, *, trials: int = TRIALS) -> AprioriCut:
    """The better of two orders of repair: the paper leaves the order open, and neither always wins."""
    tried = [AprioriCut(view, k, limit, trials=trials).run(m, rare_first=first) for first in (True, False)]
    best = min(tried, key=lambda found: view.cost(found.cut_of))
    best.cut_short = any(found.cut_short for found in tried)
    return best
