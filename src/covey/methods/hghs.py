"""HgHs: heuristic generalization with heuristic suppression (Liu & Wang 2010, section 3).

Data flow: rows of leaves → top-down greedy over cuts, each with the suppression scenario of the inner loop, threats
of full size m mined below each node that is tried → recoding → publication.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from covey.data import Baskets, Taxonomy
from covey.guarantees.km_anonymity import KmAnonymity
from covey.methods.base import BUDGET, Recoded, RecodesSets
from covey.methods.cut_search import CutSearch
from covey.methods.effort import EFFORT, SAYS_EFFORT, STEPS, Effort, announce
from covey.methods.recoding import recoded
from covey.methods.tree_view import TreeView, set_size
from covey.parameters import parameter
from covey.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class HgHs(RecodesSets):
    """Global generalization with total suppression, in one top-down search with threats of full size.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> tree = Taxonomy.from_pairs([("ale", "beer"), ("stout", "beer"), ("beer", "*"), ("tea", "*")])
    >>> data = Baskets.of([["ale", "tea"], ["stout", "tea"], ["tea"]])
    >>> HgHs(taxonomy=tree, seed=0).anonymize(data, guarantee("km-anonymity(k=2, m=2)")).recoding
    {'ale': 'beer', 'stout': 'beer', 'tea': 'tea'}
    """

    name: ClassVar[str] = "hghs"

    taxonomy: Taxonomy | None = parameter(
        None, says="How items may be generalized; without one, an item is published or suppressed."
    )
    budget: int = parameter(
        BUDGET,
        at_least=1,
        says="Members of threats that may be needed to examine one cut; a cut that needs more is skipped.",
        cut_short="Some cuts had too many threats to examine; a larger budget, or mhghs, may lose less.",
    )
    effort: int = parameter(
        EFFORT,
        at_least=1,
        says=SAYS_EFFORT,
        cut_short="The search ended when its effort was used up; what it had not looked at is generalized or "
        "suppressed. A smaller m, or mhghs, may lose less; more effort helps a little.",
    )

    def recode(self, data: Baskets, promise: KmAnonymity, progress: Progress) -> Recoded:
        """Items as the labels of a cut, some of them suppressed."""
        view = TreeView.of(data, self.taxonomy)
        announce(data.lengths(), promise.m)
        progress("generalizing", 0.0)
        effort = Effort(self.effort * STEPS, progress)
        found = self.search(view, promise, effort)
        notes = ("effort",) if effort.used_up else ("budget",) if found.cut_short else ()
        return recoded(view, found.label_of(), notes)

    def search(self, view: TreeView, promise: KmAnonymity, effort: Effort | None = None) -> CutSearch:
        """The cut and suppression scenario for the promise, with the path that led there."""
        everything, m = np.ones(view.tree.size, np.bool_), set_size(view, promise)
        return CutSearch(view, promise.k, m, everything, budget=self.budget, effort=effort).run()
