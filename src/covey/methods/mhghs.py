"""mHgHs: HgHs in m rounds, with a last refinement (Liu & Wang 2010, section 4.2).

Round i finds the best cut for sets of at most i labels on the taxonomy pruned below the cut of round i - 1, so the
threats of larger sets are only ever mined among coarse labels. Then the search goes on downwards from the last cut,
on the whole taxonomy. The cut of Apriori anonymization is a second place to search down from, and suppressing
items alone, as MM does, is a third recoding to look at unless a bound shows that it must lose more. What is
published is the cheapest of these, and so never loses more than AA or MM.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.arrays import Ids
from covey.data import Baskets, Taxonomy
from covey.errors import ParameterError
from covey.guarantees.km_anonymity import KmAnonymity
from covey.methods import apriori_cuts, mole_suppression
from covey.methods.base import BUDGET, Recoded, RecodesSets
from covey.methods.cut_search import CutSearch
from covey.methods.effort import EFFORT, SAYS_EFFORT, STEPS, Effort, OutOfTurn, announce
from covey.methods.recoding import recoded
from covey.methods.tree_view import TreeView, set_size
from covey.parameters import parameter
from covey.progress import Progress
from covey.threads import parallel, threads


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

    name: ClassVar[str] = "mhghs"

    taxonomy: Taxonomy | None = parameter(
        None, says="How items may be generalized; without one, an item is published or suppressed."
    )
    never_worse: bool = parameter(
        True,
        says="Also search down from the cut of aa, try the suppression of mm, and publish what loses least.",
    )
    budget: int = parameter(
        BUDGET,
        at_least=1,
        says="Members of threats that may be needed to examine one cut; a cut that needs more is skipped.",
        cut_short="Some cuts had too many threats to examine, or aa or mm did not finish; a larger budget "
        "may lose less.",
    )

    effort: int = parameter(
        EFFORT,
        at_least=1,
        says=SAYS_EFFORT,
        cut_short="The search ended when its effort was used up; what it had not looked at is generalized or "
        "suppressed. A smaller m helps most, more effort a little.",
    )

    def recode(self, data: Baskets, promise: KmAnonymity, progress: Progress) -> Recoded:
        """Items as the labels of a cut, some of them suppressed."""
        view = TreeView.of(data, self.taxonomy)
        k, m = promise.k, set_size(view, promise)
        announce(data.lengths(), promise.m)
        effort = Effort(self.effort * STEPS, progress)
        found, cut_short, least = self.search(view, data, k, m, effort)
        label_of, cost = found.label_of(), found.cost
        del found  # with its threats, before more are mined
        if effort.allowance() > 0 and least < cost:
            suppressing, complete = self._suppressing(view, data, k, m, effort)
            cut_short |= not complete
            if view.cost(suppressing) < cost:
                label_of = suppressing
        notes = ("effort",) if effort.used_up else ("budget",) if cut_short else ()
        return recoded(view, label_of, notes)

    def search(self, view: TreeView, data: Baskets, k: int, m: int, effort: Effort) -> tuple[CutSearch, bool, float]:
        """The cheaper of the cuts found, whether a search was cut short, and what suppressing alone costs at least."""
        if not self.never_worse:
            tried = self._from_the_top(view, k, m, effort)
            return tried[-1], any(search.cut_short for search in tried), np.inf
        # The second search may begin before its turn, if there is a thread for it. The bound is least work, and last.
        ahead = threads() > 1 and not view.flat
        steps = effort.ahead() if ahead else effort
        searches: tuple[Callable[[], Any], ...] = (
            lambda: self._from_the_top(view, k, m, effort),
            lambda: self._below_apriori(view, k, m, steps) if ahead else [],
            lambda: mole_suppression.least_suppression(data, k, m),
        )
        tried, second, least = parallel(lambda search: search(), searches)
        if ahead:
            try:
                effort.settle(steps)
            except OutOfTurn:
                ahead = False
        if not ahead:
            second = self._below_apriori(view, k, m, effort, tried[-1] if view.flat else None)
        best = min((search for search in (*tried, *second) if search.m == m), key=lambda search: search.cost)
        return best, not second or any(search.cut_short for search in (*tried, *second)), least

    def _from_the_top(self, view: TreeView, k: int, m: int, effort: Effort) -> list[CutSearch]:
        """The rounds, and behind them the search that goes on from their cut."""
        everything = np.ones(view.tree.size, np.bool_)
        tried = self.rounds(view, k, m, effort)
        if tried[-1].m < m:
            pruned = tried[-1].expanded
            tried.append(CutSearch(view, k, m, everything, budget=self.budget, effort=effort).descend(pruned))
        tried[-1].run(everything)
        return tried

    def _below_apriori(
        self, view: TreeView, k: int, m: int, effort: Effort, first: CutSearch | None = None
    ) -> list[CutSearch]:
        """The search down from the cut of Apriori anonymization; none with too many rare sets for that.

        Without a taxonomy there are two cuts, so a search from the upper one finds what the `first` has found.
        """
        everything = np.ones(view.tree.size, np.bool_)
        try:
            apriori = apriori_cuts.best_apriori_cut(view, k, m, budget=self._largest(), effort=effort)
            above = apriori.expanded()
            if first is not None and not above.any():
                return [first]
            search = CutSearch(view, k, m, everything, budget=self.budget, effort=effort)
            return [search.descend(above, safe=True).run()]
        except (ParameterError, OutOfTurn):
            return []

    def rounds(self, view: TreeView, k: int, m: int, effort: Effort | None = None) -> list[CutSearch]:
        """The outcome of each round; the rounds end early when no threat of a round's size exists."""
        allowed, done = np.ones(view.tree.size, np.bool_), []
        effort = effort or Effort(self.effort * STEPS)
        for i in range(1, m + 1):
            effort.reach((i - 1) / (2 * m))
            done.append(CutSearch(view, k, i, allowed, budget=self.budget, effort=effort).run())
            allowed = done[-1].expanded
            if i > 1 and done[-1].largest_threat < i:
                break
        return done

    def _suppressing(self, view: TreeView, data: Baskets, k: int, m: int, effort: Effort) -> tuple[Ids, bool]:
        """Each leaf as itself or not at all, as mm would publish it; and whether mm could look at all moles at once."""
        label_of = np.arange(view.tree.size, dtype=np.int32)
        try:
            gone, complete = mole_suppression.moles_suppressed(
                data, None, k, m, 1.0, budget=self._largest(), effort=effort
            )
        except ParameterError:
            # With too many moles for mm there is nothing to compare with.
            return np.full_like(label_of, -1), False
        label_of[view.tree.bind(data.items)[gone]] = -1
        return label_of, complete

    def _largest(self) -> int:
        """The budget of aa and mm, which have one search where this has many, and need more for it."""
        return max(self.budget, apriori_cuts.BUDGET)
