"""mHgHs: HgHs in m rounds, with a last refinement (Liu & Wang 2010, section 4.2).

Round i finds the best cut for sets of at most i labels on the taxonomy pruned below the cut of round i - 1, so the
threats of larger sets are only ever mined among coarse labels. Then the search goes on downwards from the last cut,
on the whole taxonomy. The cut of Apriori anonymization is a second place to search down from, and suppressing
items alone, as MM does, is a third recoding to look at unless a bound shows that it must lose more. What is
published is the cheapest of these, and so never loses more than AA or MM. The cost is that of mining threats, which
`work` limits. Oracle: `tests/oracles/recoding.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Ids
from covey.data import Baskets, Taxonomy
from covey.errors import ParameterError
from covey.guarantees.km_anonymity import KmAnonymity
from covey.methods.aa import best_apriori_cut
from covey.methods.base import Recoded, RecodesSets
from covey.methods.cut_search import CutSearch
from covey.methods.mm import least_suppression, moles_suppressed
from covey.methods.tree_view import TreeView, recoded, set_size
from covey.methods.work import WORK, WORK_HELP, WorkLimit
from covey.parameters import parameter
from covey.progress import Progress
from covey.threads import parallel


@dataclass(frozen=True, slots=True, kw_only=True)
class MHgHs(RecodesSets):
    """Global generalization with total suppression, in rounds of growing set size.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> tree = Taxonomy.from_pairs([("ale", "beer"), ("stout", "beer"), ("beer", "*"), ("tea", "*")])
    >>> data = Baskets.of([["ale", "tea"], ["stout", "tea"], ["tea"]])
    >>> MHgHs(taxonomy=tree, seed=0).anonymize(data, guarantee("km-anonymity(k=2, m=2)")).recoding
    {'ale': 'beer', 'stout': 'beer', 'tea': 'tea'}
    """

    name = "mhghs"

    taxonomy: Taxonomy | None = parameter(
        None, says="How items may be generalized; without one, an item is published or suppressed."
    )
    never_worse: bool = parameter(
        True, says="Also search down from the cut of aa, try the suppression of mm, and publish what loses least."
    )
    work: int = parameter(
        WORK,
        at_least=1,
        label="Work for the search",
        says=WORK_HELP,
        cut_short="Some cuts had too many threats to examine, or aa or mm did not finish; what the search did not look "
        "at is generalized or suppressed. A smaller m may lose less; more work helps a little.",
    )

    def recode(self, data: Baskets, promise: KmAnonymity, progress: Progress) -> Recoded:
        """Items as the labels of a cut, some of them suppressed."""
        view = TreeView.of(data, self.taxonomy)
        k, m = promise.k, set_size(view, promise)
        limit, below = WorkLimit(self.work, progress), WorkLimit(self.work)
        found, least = self.search(view, data, k, m, limit, below)
        label_of, cost = found.label_of(), found.cost
        del found  # with its threats, before more are mined
        if least < cost:
            suppressing = self._suppressing(view, data, k, m, limit)
            if view.cost(suppressing) < cost:
                label_of = suppressing
        return recoded(view, label_of, ("work",) if limit.hit or below.hit else ())

    def search(
        self, view: TreeView, data: Baskets, k: int, m: int, limit: WorkLimit, below: WorkLimit
    ) -> tuple[CutSearch, float]:
        """The cheaper of the cuts found, and what suppressing alone costs at least.

        The two searches may run at the same time, so each has a limit of its own: `below` is that of the second.
        """
        if not self.never_worse:
            return self._from_the_top(view, k, m, limit)[-1], np.inf
        # Without a taxonomy the second search may end with what the first has found, and waits for it.
        searches: tuple[Callable[[], Any], ...] = (
            lambda: self._from_the_top(view, k, m, limit),
            lambda: [] if view.flat else self._below_apriori(view, k, m, below),
            lambda: least_suppression(data, k, m),
        )
        tried, second, least = parallel(lambda search: search(), searches)
        if view.flat:
            second = self._below_apriori(view, k, m, below, tried[-1])
        return min((one for one in (*tried, *second) if one.m == m), key=lambda one: one.cost), least

    def _from_the_top(self, view: TreeView, k: int, m: int, limit: WorkLimit) -> list[CutSearch]:
        """The rounds, and behind them the search that goes on from their cut."""
        everything = np.ones(view.tree.size, np.bool_)
        tried = self.rounds(view, k, m, limit)
        if tried[-1].m < m:
            pruned = tried[-1].expanded
            tried.append(CutSearch(view, k, m, everything, limit=limit).descend(pruned))
        tried[-1].run(everything)
        return tried

    def _below_apriori(
        self, view: TreeView, k: int, m: int, limit: WorkLimit, first: CutSearch | None = None
    ) -> list[CutSearch]:
        """The search down from the cut of Apriori anonymization; none with too many rare sets for that.

        Without a taxonomy there are two cuts, so a search from the upper one finds what the `first` has found.
        """
        everything = np.ones(view.tree.size, np.bool_)
        try:
            apriori = best_apriori_cut(view, k, m, limit)
            above = apriori.expanded()
            if first is not None and not above.any():
                return [first]
            return [CutSearch(view, k, m, everything, limit=limit).descend(above, safe=True).run()]
        except ParameterError:
            return []

    def rounds(self, view: TreeView, k: int, m: int, limit: WorkLimit) -> list[CutSearch]:
        """The outcome of each round; the rounds end early when no threat of a round's size exists."""
        allowed, done = np.ones(view.tree.size, np.bool_), []
        for i in range(1, m + 1):
            limit.reach((i - 1) / (2 * m))
            done.append(CutSearch(view, k, i, allowed, limit=limit).run())
            allowed = done[-1].expanded
            if i > 1 and done[-1].largest_threat < i:
                break
        return done

    def _suppressing(self, view: TreeView, data: Baskets, k: int, m: int, limit: WorkLimit) -> Ids:
        """Each leaf as itself or not at all, as mm would publish it."""
        label_of = np.arange(view.tree.size, dtype=np.int32)
        try:
            gone = moles_suppressed(data, None, k, m, 1.0, limit)
        except ParameterError:
            # With too many moles for mm there is nothing to compare with.
            return np.full_like(label_of, -1)
        label_of[view.tree.bind(data.items)[gone]] = -1
        return label_of
