"""HgHs: heuristic generalization with heuristic suppression (Liu & Wang 2010, section 3).

Data flow: rows of leaves → top-down greedy over cuts, each with the suppression scenario of the inner loop, threats
of full size m mined below each node that is tried → recoding → publication. The cost is that of mining threats, which
`work` limits. Oracle: `tests/oracles/recoding.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.data import Baskets, Taxonomy
from covey.guarantees.km_anonymity import KmAnonymity
from covey.methods.base import Recoded, RecodesSets
from covey.methods.cut_search import CutSearch
from covey.methods.tree_view import TreeView, recoded, set_size
from covey.methods.work import WORK, WORK_HELP, WorkLimit
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

    name = "hghs"

    taxonomy: Taxonomy | None = parameter(
        None, says="How items may be generalized; without one, an item is published or suppressed."
    )
    work: int = parameter(
        WORK,
        at_least=1,
        label="Work for the search",
        says=WORK_HELP,
        cut_short="Some cuts had too many threats to examine; what the search did not look at is generalized or "
        "suppressed. A smaller m, or mhghs, may lose less; more work helps a little.",
    )

    def recode(self, data: Baskets, promise: KmAnonymity, progress: Progress) -> Recoded:
        """Items as the labels of a cut, some of them suppressed."""
        view = TreeView.of(data, self.taxonomy)
        progress("generalizing", 0.0)
        limit = WorkLimit(self.work, progress)
        found = self.search(view, promise, limit)
        return recoded(view, found.label_of(), ("work",) if limit.hit else ())

    def search(self, view: TreeView, promise: KmAnonymity, limit: WorkLimit | None = None) -> CutSearch:
        """The cut and suppression scenario for the promise, with the path that led there."""
        everything, m = np.ones(view.tree.size, np.bool_), set_size(view, promise)
        return CutSearch(view, promise.k, m, everything, limit=limit).run()
