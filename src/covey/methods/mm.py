"""MM: total suppression of public items until no mole is left (Xu et al. 2008, for (h, k, p)-coherence).

Data flow: public and private part → minimal moles, mined once, depth-first → greedily suppress the item with most
minimal moles per occurrence → publication. If the moles are too many to hold at once, they are taken by size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from covey.data import Baskets, Taxonomy
from covey.guarantees.coherence import Coherence
from covey.guarantees.km_anonymity import KmAnonymity
from covey.methods.base import Recoded, RecodesSets
from covey.methods.effort import SAYS_EFFORT, STEPS, Effort, announce
from covey.methods.mole_suppression import BUDGET, moles_suppressed
from covey.parameters import parameter
from covey.progress import Progress

#: One search for all moles, and if that fails one for each size: the first may take half of what all may.
EFFORT, PARTS = 120, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class MM(RecodesSets):
    """Suppression of whole items; keeps ``coherence`` and, as its special case, ``km-anonymity``.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> data = Baskets.of([["ale", "tea"], ["tea"], ["ale", "rum"], ["ale"]])
    >>> MM(seed=0).anonymize(data, guarantee("km-anonymity(k=2, m=2)")).recoding
    {'ale': 'ale'}
    """

    name: ClassVar[str] = "mm"

    taxonomy: Taxonomy | None = parameter(
        None, expert=True, says="Only checked to hold all items of the data; nothing is generalized."
    )
    budget: int = parameter(
        BUDGET,
        at_least=1,
        says="How many members of moles to hold at once; if there are more, they are handled by size, smaller ones "
        "first.",
        cut_short="There were too many moles to choose among all of them at once; a larger budget may keep more items.",
    )
    effort: int = parameter(
        EFFORT,
        at_least=1,
        says=f"{SAYS_EFFORT} If the moles of one size take more, there is no release: all of them must be found.",
        cut_short="Finding all moles at once took too long, so they were handled by size; more effort, or a smaller "
        "set size, may keep more items.",
    )

    def recode(self, data: Baskets, promise: Coherence | KmAnonymity, progress: Progress) -> Recoded:
        """Items as they are, without those that make moles."""
        progress("suppressing", 0.0)
        public, private, k, p, h = _Coherence.of(data, promise)
        if self.taxonomy is not None:
            self.taxonomy.bind(public.items)
        guarded = private if h < 1 else None
        announce(public.lengths(), p)
        effort = Effort(self.effort * STEPS, progress, stage="suppressing", parts=PARTS)
        gone, complete = moles_suppressed(public, guarded, k, p, h, budget=self.budget, effort=effort)
        published = public.only(~gone).with_sensitive([])
        return Recoded(
            published,
            recoding={item: item for item in published.items},
            private=private,
            notes=() if complete else ("effort",) if effort.used_up else ("budget",),
        )


class _Coherence(NamedTuple):
    """A promise as coherence of the public items, with the private ones to publish beside them."""

    public: Baskets
    private: Baskets | None
    k: int
    p: float
    h: float

    @classmethod
    def of(cls, data: Baskets, promise: Coherence | KmAnonymity) -> _Coherence:
        if isinstance(promise, Coherence):
            return cls(*data.split(), promise.k, promise.p, promise.h)
        return cls(data, None, promise.k, promise.m, 1.0)
