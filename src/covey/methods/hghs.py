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
from covey.methods.effort import announce
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
        says="Members of threats that looking at one cut may need; a cut that needs more is passed over.",
        cut_short="Some cuts had too many threats to look at; a larger budget, or mhghs, may lose less.",
    )

    def recode(self, data: Baskets, promise: KmAnonymity, progress: Progress) -> Recoded:
        """Items as the labels of a cut, some of them suppressed."""
        view = TreeView.of(data, self.taxonomy)
        announce(data.lengths(), promise.m)
        progress("generalizing", 0.0)
        found = self.search(view, promise)
        return recoded(view, found.label_of(), ("budget",) if found.cut_short else ())

    def search(self, view: TreeView, promise: KmAnonymity) -> CutSearch:
        """The cut and suppression scenario for the promise, with the path that led there."""
        everything = np.ones(view.tree.size, np.bool_)
        return CutSearch(view, promise.k, set_size(view, promise), everything, budget=self.budget).run()
