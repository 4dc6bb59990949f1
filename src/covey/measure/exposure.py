"""What someone who knows a few items of a holder of a sensitive item learns, before and after publication."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Floats
from covey.data.postings import distinct_sets, postings
from covey.measure.attacks.grouped import believes
from covey.measure.risk import pick_items, reidentification
from covey.measure.study import Study
from covey.parameters import integer
from covey.tabular import Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure(Plain):
    """What knowing a few items of a holder of a sensitive item gives, before and after publication."""

    #: How many published items the attacker knows.
    known: int
    #: Mean probability of picking the right transaction of anybody; equal, as ordinary items are exact.
    find_before: float
    find_after: float
    #: Mean probability that the attacker gives to a sensitive item that the person really holds.
    link_before: float = 0.0
    link_after: float = 0.0
    #: The largest such probability; after publication with ``degree(p)`` at most 1/p.
    worst_before: float = 0.0
    worst_after: float = 0.0
    #: Share of the cases in which the attacker is certain.
    certain_before: float = 0.0
    certain_after: float = 0.0
    #: Holders drawn; 0 when nobody who holds a sensitive item has that many published ones.
    samples: int = 0


def exposure(study: Study, known: int, *, samples: int = 1_000, seed: int | None = 0) -> Exposure:
    """Compare what an attacker who knows `known` items learns from the original and from the release.

    Finding is measured as by `reidentification`. For linking, an occurrence of a sensitive item is drawn
    uniformly among transactions with at least `known` published items, then which of these are known. The
    attacker looks at all transactions with the known items. In the original, the probability is the share of
    them that hold the item; in the release, the mean share that their groups' counts give to it.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "b", "s"], ["a"], ["b"], ["b", "c"]], sensitive=["s"])
    >>> seen = exposure(Study(covey.anonymize(baskets, "degree(p=4)", seed=0), baskets), 2)
    >>> seen.link_before, seen.link_after
    (1.0, 0.25)
    """
    integer("exposure", "known", known, minimum=1)
    integer("exposure", "samples", samples, minimum=1)
    release, public, secret = study.release, study.public, study.secret
    among = release.transactions
    find = reidentification(public, known, samples=20 * samples, seed=seed, among=among).risk
    found = {"known": known, "find_before": find, "find_after": find}
    holder = secret.row_of_entries()
    eligible = np.flatnonzero(public.lengths()[holder] >= known)
    if not len(eligible):
        return Exposure(**found)
    rng = np.random.default_rng(seed)
    drawn = rng.choice(eligible, samples)
    sets = pick_items(*public.csr, holder[drawn], rng.random((samples, known)))
    asked = secret.indices[drawn].astype(np.int64)
    with_item = np.column_stack([asked, sets + secret.d]).astype(np.int32)
    before = study.holders.containing(with_item) / postings(among).containing(sets)
    # Equal sets stand together, to be looked up once.
    distinct, at = distinct_sets(sets, public.d)
    order, after = np.argsort(at, kind="stable"), np.empty(samples)
    after[order] = believes(study, distinct[at[order]], asked[order])[2]
    # A mean of equal numbers can come out above them in the last digit.
    after = np.minimum(after, (release.count / release.group_sizes()[release.count_group]).max())
    return Exposure(**found, samples=samples, **_believed("before", before), **_believed("after", after))


def _believed(when: str, values: Floats) -> dict[str, float]:
    figures = {"link": values.mean(), "worst": values.max(), "certain": (values >= 1).mean()}
    return {f"{name}_{when}": float(value) for name, value in figures.items()}
