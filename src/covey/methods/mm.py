"""MM: total suppression of public items until no mole is left (Xu et al. 2008, for (h, k, p)-coherence).

Data flow: public and private part → minimal moles, mined once, depth-first → greedily suppress the item with most
minimal moles per occurrence → publication. If the moles are too many to hold at once, they are taken by size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.data import Baskets, Taxonomy
from covey.guarantees.base import Guarantee
from covey.methods.mole_suppression import BUDGET, moles_suppressed
from covey.methods.recoding import publish_recoding
from covey.methods.tree_view import TreeView
from covey.parameters import integer
from covey.progress import Progress, silent
from covey.release.sets.model import SetsRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class MM:
    """Suppression of whole items; keeps ``coherence`` and, as its special case, ``km-anonymity``.

    Parameters
    ----------
    taxonomy : Taxonomy or None
        Only says which items there are; nothing is generalized.
    budget : int
        Members of moles to hold at once. More than that are dealt with by size, smaller ones first.
    seed : int or None
        For the publication's shuffle. None: the system's entropy.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> data = Baskets.of([["ale", "tea"], ["tea"], ["ale", "rum"], ["ale"]])
    >>> MM(seed=0).anonymize(data, guarantee("km-anonymity(k=2, m=2)")).recoding
    {'ale': 'ale'}
    """

    name: ClassVar[str] = "mm"

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
        """Return a release of `data` from which the items that make moles are gone."""
        guarantee.require_feasible(data)
        k: int = guarantee.k  # type: ignore[attr-defined]
        h = float(getattr(guarantee, "h", 1.0))
        largest = float(getattr(guarantee, "p", getattr(guarantee, "m", np.inf)))
        coherent = hasattr(guarantee, "h")
        public, private = data.split() if coherent else (data, None)
        progress("suppressing", 0.0)
        gone = moles_suppressed(
            public, private if h < 1 else None, k, largest, h, budget=self.budget, progress=progress
        )
        view = TreeView.of(public, self.taxonomy)
        label_of = np.arange(view.tree.size, dtype=np.int32)
        label_of[view.tree.bind(public.items)[gone]] = -1
        if private is not None:
            hidden = [view.tree.node(item) for item in private.items if item in view.tree]
            label_of[np.array(hidden, np.int64)] = -1
        progress("publishing", 0.0)
        return publish_recoding(
            view,
            label_of,
            guarantee=guarantee.text,
            method=self.name,
            options=self.options(),
            seed=self.seed,
            private=private,
        )
