"""MM: total suppression of public items until no mole is left (Xu et al. 2008, section 4, for (h, k, p)-coherence).

Data flow: public and private part → minimal moles, mined once, depth-first → greedily suppress the item with most
minimal moles per occurrence → publication. If that takes too much memory or work, they are taken by size. The cost is
that of mining the moles, which `work` limits. Oracle: `tests/oracles/recoding.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

from covey.data import Baskets, Taxonomy
from covey.guarantees.coherence import Coherence
from covey.guarantees.km_anonymity import KmAnonymity
from covey.methods.base import Recoded, RecodesSets
from covey.methods.mole_suppression import moles_suppressed
from covey.methods.work import SAYS_WORK, WORK, WorkLimit
from covey.parameters import parameter
from covey.progress import Progress

#: One search for all moles, and if that fails one for each size: the first may take half of what all may.
PARTS = 2


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

    name = "mm"

    taxonomy: Taxonomy | None = parameter(
        None, expert=True, says="Only checked to hold all items of the data; nothing is generalized."
    )
    work: int = parameter(
        2 * WORK,
        at_least=1,
        label="Work for the search",
        says=f"{SAYS_WORK} If the moles of one size take more, there is no release: all of them must be found.",
        cut_short="There were too many moles to choose among all of them at once, so they were handled by size; more "
        "work, or a smaller set size, may keep more items.",
    )

    def recode(self, data: Baskets, promise: Coherence | KmAnonymity, progress: Progress) -> Recoded:
        """Items as they are, without those that make moles."""
        progress("suppressing", 0.0)
        public, private, k, p, h = as_coherence(data, promise)
        if self.taxonomy is not None:
            self.taxonomy.bind(public.items)
        guarded = private if h < 1 else None
        limit = WorkLimit(self.work, progress, stage="suppressing", parts=PARTS)
        gone = moles_suppressed(public, guarded, k, p, h, limit)
        published = public.only(~gone).with_sensitive([])
        return Recoded(
            published,
            recoding={item: item for item in published.items},
            private=private,
            notes=("work",) if limit.hit else (),
        )


def as_coherence(data: Baskets, promise: Coherence | KmAnonymity) -> tuple[Baskets, Baskets | None, int, float, float]:
    """Return the public items, the private ones to publish beside them, and k, p and h of a promise as coherence."""
    if isinstance(promise, Coherence):
        return (*data.split(), promise.k, promise.p, promise.h)
    return data, None, promise.k, promise.m, 1.0
