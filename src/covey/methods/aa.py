"""AA, Apriori anonymization: generalization alone, repairing rare sets by size (Terrovitis et al. 2008, section 4).

Data flow: rows of leaves → for i = 1..m the rare sets of each label of the cut, raised along the ancestors that make
them frequent at least loss → recoding → publication. The cost is that of mining the rare sets, which `work` limits.
Oracle: `tests/oracles/recoding.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.data import Baskets, Taxonomy
from covey.data.tree import support_reaches
from covey.errors import ParameterError
from covey.guarantees.km_anonymity import KmAnonymity
from covey.methods.base import Recoded, RecodesSets
from covey.methods.rare_sets import RareSets
from covey.methods.tree_view import TreeView, recoded, set_size
from covey.methods.work import WORK, WORK_HELP, WorkLimit
from covey.parameters import parameter
from covey.progress import Progress

#: It has to look at all rare sets or gives up, so it may take twice what others may, and half of it at once.
PARTS = 2
#: Combinations of ancestors tried for one set before it is raised to the lowest common one.
TRIALS = 5_000

#: Members of rare sets of one label that are held at once.
MEMBERS = 50_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AA(RecodesSets):
    """Global generalization without suppression.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> tree = Taxonomy.from_pairs([("ale", "beer"), ("stout", "beer"), ("beer", "*"), ("tea", "*")])
    >>> data = Baskets.of([["ale", "tea"], ["stout", "tea"], ["tea"]])
    >>> AA(taxonomy=tree, seed=0).anonymize(data, guarantee("km-anonymity(k=2, m=2)")).recoding
    {'ale': 'beer', 'stout': 'beer', 'tea': 'tea'}
    """

    name = "aa"

    taxonomy: Taxonomy | None = parameter(
        None, says="How items may be generalized; without one, only to a single label for all of them."
    )
    trials: int = parameter(
        TRIALS,
        at_least=1,
        expert=True,
        says="How many combinations of ancestors are tried to repair one rare set before all its items get one label.",
        cut_short="Some rare sets were generalized to one label before all ways to repair them were tried; more trials "
        "may generalize less.",
    )
    work: int = parameter(
        2 * WORK,
        at_least=1,
        label="Work for the search",
        says=f"{WORK_HELP} If they are not enough, there is no release: all rare sets must be found.",
    )

    def recode(self, data: Baskets, promise: KmAnonymity, progress: Progress) -> Recoded:
        """Items as the labels of a cut.

        Raises
        ------
        ParameterError
            The rare sets of a size are too many to find within the work; it names the m that can be had.
        """
        view = TreeView.of(data, self.taxonomy)
        progress("generalizing", 0.0)
        limit = WorkLimit(self.work, progress, parts=PARTS)
        found = best_apriori_cut(view, promise.k, set_size(view, promise), limit, trials=self.trials)
        # A label for everything is too rare only where hardly any transaction holds an item that is not marked.
        label_of = found.cut_of if view.support[0] >= promise.k else np.full(view.tree.size, -1, np.int32)
        return recoded(view, label_of, ("trials",) if found.cut_short else ())


class AprioriCut:
    """A cut that starts at the leaves and is raised until no set of at most i labels is rare, for i = 1..m.

    For each set so many `trials` of combinations of ancestors are made; `cut_short` is whether that was too few.
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
        return ~self.in_cut[self.cut_of]


def best_apriori_cut(view: TreeView, k: int, m: int, limit: WorkLimit, *, trials: int = TRIALS) -> AprioriCut:
    """The better of two orders of repair: the paper leaves the order open, and neither always wins."""
    tried = [AprioriCut(view, k, limit, trials=trials).run(m, rare_first=first) for first in (True, False)]
    best = min(tried, key=lambda found: view.cost(found.cut_of))
    best.cut_short = any(found.cut_short for found in tried)
    return best
