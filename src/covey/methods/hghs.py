"""HgHs: heuristic generalization with heuristic suppression (Liu & Wang 2010, section 3).

Data flow: rows of leaves → top-down greedy over cuts, each with the suppression scenario of the inner loop, threats
of full size m mined below each node that is tried → recoding → publication.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.data import Baskets, Taxonomy
from covey.guarantees.base import Guarantee
from covey.methods.cut_search import BUDGET, CutSearch
from covey.methods.recoding import publish_recoding
from covey.methods.tree_view import TreeView, set_size
from covey.parameters import integer
from covey.progress import Progress, silent
from covey.release.sets.model import SetsRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class HgHs:
    """Global generalization with total suppression, in one top-down search with threats of full size.

    Parameters
    ----------
    taxonomy : Taxonomy or None
        How items may be generalized; None is the flat one, under which an item is published or suppressed.
    budget : int
        Members of threats that looking at one cut may need. A cut that needs more is passed over, so the release
        may lose more than it had to; `mhghs` needs less.
    seed : int or None
        For the publication's shuffle. None: the system's entropy.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> tree = Taxonomy.from_pairs([("ale", "beer"), ("stout", "beer"), ("beer", "*"), ("tea", "*")])
    >>> data = Baskets.of([["ale", "tea"], ["stout", "tea"], ["tea"]])
    >>> HgHs(taxonomy=tree, seed=0).anonymize(data, guarantee("km-anonymity(k=2, m=2)")).recoding
    {'ale': 'beer', 'stout': 'beer', 'tea': 'tea'}
    """

    name: ClassVar[str] = "hghs"

    taxonomy: Taxonomy | None = None
    budget: int = BUDGET
    seed: int | None = None

    def __post_init__(self) -> None:
        integer(self.name, "budget", self.budget, minimum=1)
        if self.seed is not None:
            integer(self.name, "seed", self.seed, minimum=0)

    def options(self) -> dict[str, Any]:
        """What the manifest may state of how the release was made; never the seed."""
        return {"budget": self.budget}

    def anonymize(self, data: Baskets, guarantee: Guarantee, *, progress: Progress = silent) -> SetsRelease:
        """Return a recoded release of `data` that keeps ``km-anonymity``."""
        guarantee.require_feasible(data)
        view = TreeView.of(data, self.taxonomy)
        progress("generalizing", 0.0)
        found = self.search(view, guarantee)
        progress("publishing", 0.0)
        return publish_recoding(
            view,
            found.label_of(),
            guarantee=guarantee.text,
            method=self.name,
            options=self.options(),
            seed=self.seed,
        )

    def search(self, view: TreeView, guarantee: Guarantee) -> CutSearch:
        """The cut and suppression scenario for the guarantee, with the path that led there."""
        k: int = guarantee.k  # type: ignore[attr-defined]
        everything = np.ones(view.tree.size, np.bool_)
        return CutSearch(view, k, set_size(view, guarantee), everything, budget=self.budget).run()
