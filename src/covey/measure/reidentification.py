"""How likely is it that someone who knows r items of a transaction, or of a person, finds it?

A transaction with at least r published items is drawn uniformly, then r of its items uniformly; the risk is
the mean of 1 / (number of transactions that hold all of them). Exact for r = 1, sampled above. Where persons are named,
it is persons that are drawn and counted, with all the items of their transactions.

A grouped release publishes ordinary items exactly, so finding a transaction is as easy *after* as before.
What changes is what the finder learns: `exposure` measures how sure the attacker becomes of a sensitive item.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data import Baskets
from covey.data.csr import pieces
from covey.data.postings import distinct_sets, postings
from covey.measure.attack_kernels import posteriors
from covey.measure.person_view import by_person
from covey.measure.risk import mean_inverse_support, pick_items
from covey.parameters import integer
from covey.release.grouped import GroupedRelease
from covey.release.grouped_original import holders, parts
from covey.tabular import Plain
from covey.threads import parallel
from covey.verify.row_matching import same_multiset

#: Transactions to look at for one figure, about, and the fewest cases to draw all the same.
STEPS = 200_000_000
FEWEST = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk(Plain):
    """The re-identification risk for one number of known items."""

    #: How many items the attacker knows.
    known: int
    #: Mean probability of picking the right transaction, 0 to 1.
    risk: float
    #: 95 % confidence interval; equal to `risk` when it is exact.
    low: float
    high: float
    #: Share of the cases in which the items point to one transaction only.
    unique: float
    #: Cases drawn; 0 when the figure is exact.
    samples: int
    #: Transactions with at least `known` items.
    eligible: int

    @classmethod
    def of(cls, known: int, found: Ints, eligible: int) -> Risk:
        """The figures from how many transactions hold the items of each case."""
        if not len(found):
            return cls(known=known, risk=0.0, low=0.0, high=0.0, unique=0.0, samples=0, eligible=eligible)
        inverse = 1.0 / found
        risk = float(inverse.mean())
        margin = 1.96 * float(inverse.std(ddof=1)) / np.sqrt(len(found)) if len(found) > 1 else 1.0
        return cls(
            known=known,
            risk=risk,
            low=max(0.0, risk - margin),
            high=min(1.0, risk + margin),
            unique=float((found == 1).mean()),
            samples=len(found),
            eligible=eligible,
        )


def reidentification(
    baskets: Baskets, known: int, *, samples: int = 20_000, seed: int | None = 0, among: Baskets | None = None
) -> Risk:
    """Risk of an attacker who knows `known` quasi-identifier items of a random transaction.

    Parameters
    ----------
    baskets : Baskets
        Sensitive items are left out: the attacker does not know them. Where persons are named, they are looked for.
    samples : int
        Cases drawn when `known` is above 1; fewer on data so large that it would take minutes.
    among : Baskets or None
        The baskets looked through, in another order, where somebody has lists of their rows: no others are made.

    Examples
    --------
    >>> baskets = Baskets.of([["a", "b"], ["a", "c"], ["a", "b"]])
    >>> round(reidentification(baskets, 1).risk, 3)
    0.5
    >>> reidentification(baskets, 2).risk > 0.5
    True
    """
    integer("reidentification", "known", known, minimum=1)
    integer("reidentification", "samples", samples, minimum=1)
    people = _people(baskets) if baskets.person is not None else baskets
    public = _public(people) if people.sensitive.any() else people
    lengths = public.lengths()
    eligible = np.flatnonzero(lengths >= known)
    if not len(eligible):
        return Risk.of(known, eligible, 0)
    supports = public.supports()
    if known == 1:
        ranges = [public.indptr[rows.start : rows.stop + 1] for rows in pieces(public.n)]
        means = parallel(lambda rows: mean_inverse_support(rows, public.indices, supports), ranges)
        risk = float(np.concatenate(means)[eligible].mean())
        single = np.flatnonzero((supports == 1)[public.indices])
        alone = np.bincount(np.searchsorted(public.indptr, single, side="right") - 1, minlength=public.n)
        unique = float((alone / np.maximum(lengths, 1, out=lengths))[eligible].mean())
        return Risk(known=1, risk=risk, low=risk, high=risk, unique=unique, samples=0, eligible=len(eligible))
    rng = np.random.default_rng(seed)
    rows, able = rng.choice(eligible, samples), len(eligible)
    del lengths, eligible  # a number for every row, which others need beside these lists
    sets = affordable(pick_items(*public.csr, rows, rng.random((samples, known))), supports)
    return Risk.of(known, postings(public if among is None else among).containing(sets), able)


def affordable(cases: Ids, supports: Ints) -> Ids:
    """As many cases as can be looked up in reasonable time.

    On large data the lists to walk are long; fewer cases then give nearly the same figure, with its interval.
    """
    steps = np.cumsum(supports[cases].min(axis=1))
    return cases[: max(int(np.searchsorted(steps, STEPS)), FEWEST)]


@lru_cache(maxsize=1)
def _people(baskets: Baskets) -> Baskets:
    """One basket per person, an object of its own."""
    return replace(baskets.by_person())


@lru_cache(maxsize=1)
def _public(baskets: Baskets) -> Baskets:
    """What someone may know who looks for a transaction, or for a person."""
    return baskets.only(~baskets.sensitive)


def of_published(release: Any, original: Any, *, known: int = 1, samples: int = 20_000, seed: int | None = 0) -> Risk:
    """The same risk in what is published; where persons are counted, the original tells whose baskets are whose."""
    seen = by_person(release, original)[0] if isinstance(release, GroupedRelease) else release
    return reidentification(seen.transactions, known, samples=samples, seed=seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure(Plain):
    """What knowing a few items of a holder of a sensitive item gives, before and after publication."""

    #: How many published items the attacker knows.
    known: int
    #: Mean probability of picking the right transaction of anybody; equal, as ordinary items are exact.
    find_before: float
    find_after: float
    #: Mean probability that the attacker gives to a sensitive item that the person really holds.
    link_before: float
    link_after: float
    #: The largest such probability; after publication with ``degree(p)`` at most 1/p.
    worst_before: float
    worst_after: float
    #: Share of the cases in which the attacker is certain.
    certain_before: float
    certain_after: float
    #: Holders drawn; 0 when nobody who holds a sensitive item has that many published ones.
    samples: int

    @classmethod
    def of(cls, known: int, found: tuple[float, float], before: Floats, after: Floats) -> Exposure:
        """The figures from the chances to find someone, and from what is believed of each case before and after."""
        figures = {"find_before": found[0], "find_after": found[1]}
        for when, values in (("before", before), ("after", after)):
            some = len(values) > 0
            figures |= {
                f"link_{when}": float(values.mean()) if some else 0.0,
                f"worst_{when}": float(values.max()) if some else 0.0,
                f"certain_{when}": float((values >= 1).mean()) if some else 0.0,
            }
        return cls(known=known, samples=len(before), **figures)


def exposure(
    release: GroupedRelease, original: Baskets, known: int, *, samples: int = 1_000, seed: int | None = 0
) -> Exposure:
    """Compare what an attacker who knows `known` items learns from the original and from the release.

    Finding is measured as by `reidentification`. For linking, an occurrence of a sensitive item is drawn
    uniformly among transactions with at least `known` published items, then which of these are known. The
    attacker looks at all transactions with the known items. In the original, the probability is the share of
    them that hold the item; in the release, the mean share that their groups' counts give to it.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "b", "s"], ["a"], ["b"], ["b", "c"]], sensitive=["s"])
    >>> seen = exposure(covey.anonymize(baskets, "degree(p=4)", seed=0), baskets, 2)
    >>> seen.link_before, seen.link_after
    (1.0, 0.25)
    """
    integer("exposure", "known", known, minimum=1)
    integer("exposure", "samples", samples, minimum=1)
    public, secret = parts(release, original)
    # Where rows are the same, those of the release are looked through: they have lists of their own in any case.
    through = release.transactions if same_rows(release.transactions, public) else public
    chances = _finding(release.transactions, public, through, known, 20 * samples, seed)
    holder = secret.row_of_entries()
    eligible = np.flatnonzero(public.lengths()[holder] >= known)
    if not len(eligible):
        return Exposure.of(known, chances, np.empty(0), np.empty(0))
    rng = np.random.default_rng(seed)
    drawn = rng.choice(eligible, samples)
    sets = pick_items(*public.csr, holder[drawn], rng.random((samples, known)))
    asked = secret.indices[drawn].astype(np.int64)
    with_item = np.column_stack([asked, sets + len(release.sensitive_items)]).astype(np.int32)
    before = holders(release, original).containing(with_item) / postings(through).containing(sets)
    sizes = release.group_sizes()
    after = _believed(
        sets,
        asked,
        release.transactions,
        np.repeat(np.arange(release.groups), sizes),
        sizes,
        np.searchsorted(release.count_group, np.arange(release.groups + 1)),
        release.count_item,
        release.count,
        secret.d,
    )
    # A mean of equal numbers can come out above them in the last digit.
    after = np.minimum(after, (release.count / sizes[release.count_group]).max())
    return Exposure.of(known, chances, before, after)


def _finding(
    published: Baskets, public: Baskets, through: Baskets, known: int, samples: int, seed: int | None
) -> tuple[float, float]:
    """The chance of finding someone in the original and in what is published: one figure where rows are the same."""
    among = through if public.person is None else None  # persons are not rows
    before = reidentification(public, known, samples=samples, seed=seed, among=among).risk
    if through is published:
        return before, before
    return before, reidentification(published, known, samples=samples, seed=seed).risk


@lru_cache(maxsize=4)
def same_rows(published: Baskets, public: Baskets) -> bool:
    """Whether the published rows are those of the original, in any order."""
    return same_multiset(published, public)


def _believed(sets: Ids, asked: Ints, rows: Baskets, *groups: Any) -> Floats:
    """How likely those who know `sets` find what is `asked`; equal sets stand together, to be looked up once."""
    distinct, at = distinct_sets(sets, rows.d)
    order = np.argsort(at, kind="stable")
    found = np.empty(len(sets))
    found[order] = posteriors(distinct[at[order]], asked[order], *postings(rows).arrays, *groups)[2]
    return found
