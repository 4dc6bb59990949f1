"""mHgHs: HgHs in m rounds, with a last refinement (Liu & Wang 2010, section 4.2).

Round i finds the best cut for sets of at most i labels on the taxonomy pruned below the cut of round i - 1, so the
threats of larger sets are only ever mined among coarse labels. Then the search goes on downwards from the last cut,
on the whole taxonomy. The cut of Apriori anonymization is a second place to search down from, and suppressing
items alone, as MM does, is a third recoding to look at unless a bound shows that it must lose more. What is
published is the cheapest of these, and so never loses more than AA or MM.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.arrays import Ids
from covey.data import Baskets, Taxonomy
from covey.errors import ParameterError
from covey.guarantees.base import Guarantee
from covey.methods.apriori_cuts import best_apriori_cut
from covey.methods.cut_search import BUDGET, CutSearch
from covey.methods.mole_suppression import least_suppression, moles_suppressed
from covey.methods.recoding import publish_recoding
from covey.methods.tree_view import TreeView, set_size
from covey.parameters import integer
from covey.progress import Progress, silent
from covey.release.sets.model import SetsRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class MHgHs:
    """Global generalization with total suppression, in rounds of growing set size.

    Parameters
    ----------
    taxonomy : Taxonomy or None
        How items may be generalized; None is the flat one, under which an item is published or suppressed.
    never_worse : bool
        Also search down from the cut of AA and look at the suppression of MM, and publish what costs least.
    budget : int
        Members of threats that looking at one cut may need. A cut that needs more is passed over.
    seed : int or None
        For the publication's shuffle. None: the system's entropy.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> tree = Taxonomy.from_pairs([("ale", "beer"), ("stout", "beer"), ("beer", "*"), ("tea", "*")])
    >>> data = Baskets.of([["ale", "tea"], ["stout", "tea"], ["tea"]])
    >>> MHgHs(taxonomy=tree, seed=0).anonymize(data, guarantee("km-anonymity(k=2, m=2)")).recoding
    {'ale': 'beer', 'stout': 'beer', 'tea': 'tea'}
    """

    name: ClassVar[str] = "mhghs"

    taxonomy: Taxonomy | None = None
    never_worse: bool = True
    budget: int = BUDGET
    seed: int | None = None

    def __post_init__(self) -> None:
        integer(self.name, "budget", self.budget, minimum=1)
        if self.seed is not None:
            integer(self.name, "seed", self.seed, minimum=0)

    def options(self) -> dict[str, Any]:
        """What the manifest may state of how the release was made; never the seed."""
        return {"never_worse": self.never_worse, "budget": self.budget}

    def anonymize(self, data: Baskets, guarantee: Guarantee, *, progress: Progress = silent) -> SetsRelease:
        """Return a recoded release of `data` that keeps ``km-anonymity``."""
        guarantee.require_feasible(data)
        view = TreeView.of(data, self.taxonomy)
        found = self.search(view, guarantee, progress)
        label_of = found.label_of()
        if self.never_worse:
            label_of = _suppressing_if_cheaper(view, data, guarantee, label_of, found.cost, progress)
        progress("publishing", 0.0)
        return publish_recoding(
            view,
            label_of,
            guarantee=guarantee.text,
            method=self.name,
            options=self.options(),
            seed=self.seed,
        )

    def search(self, view: TreeView, guarantee: Guarantee, progress: Progress = silent) -> CutSearch:
        """The cheaper of the cuts found, with its suppression scenario."""
        k: int = guarantee.k  # type: ignore[attr-defined]
        m = set_size(view, guarantee)
        everything = np.ones(view.tree.size, np.bool_)
        found = self.rounds(view, k, m, progress)[-1]
        if found.m < m:
            found = CutSearch(view, k, m, everything, budget=self.budget).descend(found.expanded)
        found.run(everything)
        if self.never_worse:
            # Where Apriori anonymization has too many rare sets to finish, there is no second place to start from.
            with suppress(ParameterError):
                apriori = best_apriori_cut(view, k, m, progress)
                second = CutSearch(view, k, m, everything, budget=self.budget)
                second.descend(apriori.expanded()).run()
                found = min(found, second, key=lambda search: search.cost)
        return found

    def rounds(self, view: TreeView, k: int, m: int, progress: Progress = silent) -> list[CutSearch]:
        """The outcome of each round; the rounds end early when no threat of a round's size exists."""
        allowed, done = np.ones(view.tree.size, np.bool_), []
        for i in range(1, m + 1):
            progress("generalizing", (i - 1) / m)
            done.append(CutSearch(view, k, i, allowed, budget=self.budget).run())
            allowed = done[-1].expanded
            if i > 1 and done[-1].largest_threat < i:
                break
        return done


def _suppressing_if_cheaper(
    view: TreeView, data: Baskets, guarantee: Guarantee, label_of: Ids, cost: float, progress: Progress
) -> Ids:
    """What each leaf is published as: as found at `cost`, or as itself or not at all when that costs less."""
    k: int = guarantee.k  # type: ignore[attr-defined]
    m = set_size(view, guarantee)
    if least_suppression(data, k, m) >= cost:
        return label_of
    progress("suppressing", 0.0)
    # Where MM has too many moles to finish, there is nothing to compare with.
    with suppress(ParameterError):
        gone = moles_suppressed(data, None, k, m, 1.0, progress=progress)
        suppressing = np.arange(view.tree.size, dtype=np.int32)
        suppressing[view.tree.bind(data.items)[gone]] = -1
        if view.cost(suppressing) < cost:
            return suppressing
    return label_of
