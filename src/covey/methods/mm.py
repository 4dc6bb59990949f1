"""MM: total suppression of public items until no mole is left (Xu et al. 2008, for (h, k, p)-coherence).

Data flow: public and private part → minimal moles, mined once, depth-first → greedily suppress the item with most
minimal moles per occurrence → publication. If the moles are too many to hold at once, they are taken by size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from covey.contracts import Guarantee, Progress, silent
from covey.data import Baskets, Taxonomy
from covey.errors import ParameterError
from covey.methods.recoding import publish_recoding
from covey.methods.tree_view import TreeView
from covey.parameters import integer
from covey.release.generalized import GeneralizedRelease

Mask = NDArray[np.bool_]

#: Members of moles that are held at once, and entries read to find them.
BUDGET = 50_000_000
WORK = 4_000_000_000


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

    def anonymize(
        self, data: Baskets, guarantee: Guarantee, *, progress: Progress = silent
    ) -> GeneralizedRelease:
        """Return a release of `data` from which the items that make moles are gone."""
        guarantee.require_feasible(data)
        k: int = guarantee.k  # type: ignore[attr-defined]
        h = float(getattr(guarantee, "h", 1.0))
        largest = float(getattr(guarantee, "p", getattr(guarantee, "m", np.inf)))
        coherent = hasattr(guarantee, "h")
        public, private = data.split() if coherent else (data, None)
        progress("suppressing", 0.0)
        gone = self.suppressed(public, private if h < 1 else None, k, largest, h, progress)
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

    def suppressed(
        self,
        public: Baskets,
        private: Baskets | None,
        k: int,
        largest: float,
        h: float,
        progress: Progress = silent,
    ) -> Mask:
        """Which public items have to go."""
        p = max(1, int(min(largest, int(public.lengths().max(initial=0)))))
        gone = public.supports() < k
        complete, more = self._round(public, private, gone, k, p, h)
        if complete:
            return gone | more
        for size in range(1, p + 1):
            progress("suppressing", size / (p + 1))
            complete = False
            while not complete:
                complete, more = self._round(public, private, gone, k, size, h)
                if not complete and not more.any():
                    raise ParameterError(
                        f"The moles of up to {size} items cannot be searched within the bounds of mm. "
                        f"Lower the set size of the guarantee (now {largest:g}), or raise the budget of mm."
                    )
                gone = gone | more
        return gone

    def _round(
        self, public: Baskets, private: Baskets | None, gone: Mask, k: int, p: int, h: float
    ) -> tuple[bool, Mask]:
        """One mining with items `gone`: whether it was complete, and what its moles make one suppress."""
        from covey.kernels.moles import minimal_moles, suppress_greedily

        left = public.only(~gone)
        words = np.random.default_rng(20080).integers(1, 2**63 - 1, left.d, np.int64)
        secret_ptr = np.zeros(left.n + 1, np.int64) if private is None else private.indptr
        secret = np.empty(0, np.int32) if private is None else private.indices
        secrets = 0 if private is None else private.d
        complete, offsets, members = minimal_moles(
            left.indptr, left.indices, secret_ptr, secret, secrets, left.d, k, p, h, words, self.budget, WORK
        )
        more = np.zeros(public.d, np.bool_)
        more[np.flatnonzero(~gone)] = suppress_greedily(offsets, members, left.supports())
        return bool(complete), more
