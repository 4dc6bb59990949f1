"""Attacks on releases in chunks: by more items than the promise covers, by the whole basket, and by inference.

Chunks do not say which sub-records were one record, so nobody can point at a person's. What is measured is among how
many records a person is hidden: those that hold what is known of them in some original that the release may be of.
"""

from __future__ import annotations

import math

import numpy as np

from covey.arrays import Floats, Ids
from covey.counting import counted
from covey.data import Baskets
from covey.measure.attacks.lookups import Rows, targets
from covey.measure.attacks.result import AttackResult, compared, percent, promised
from covey.measure.risk import pick_items
from covey.parameters import parse_call
from covey.release.chunk_estimates import Space, answered
from covey.release.chunks import ChunksRelease

#: People attacked; each takes a question to the whole release.
TARGETS = 300


def linkage(release: ChunksRelease, original: Baskets, *, seed: int = 0) -> AttackResult:
    """Look for random people of whom one item more is known than the promise covers, and then two more.

    Where the promise covers any number of items, four are known, and then five.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "b", "c"]] * 4)
    >>> linkage(covey.anonymize(baskets, "km-anonymity(k=2, m=2)", "disassociation", seed=0), baskets).success_rate
    0.25
    """
    most = _covered(release)
    covered = 3 if most == math.inf else int(most)
    people, space = _known(release, original), Space.of(release)
    rng = np.random.default_rng(seed)
    steps = []
    for known in (covered + 1, covered + 2):
        eligible = np.flatnonzero(people.lengths() >= known)
        drawn = targets(eligible, TARGETS, rng)
        sets = pick_items(*people.csr, drawn, rng.random((len(drawn), known)))
        steps.append(_chances(space, list(sets)))
    claim = promised(release, "k") or 1.0
    chances, further = steps
    rate, later = _mean(chances), _mean(further)
    return AttackResult.of(
        "linkage",
        rate,
        claim=claim if most == math.inf else None,
        chance=1 / max(release.n, 1),
        targets=len(chances),
        explanation=(
            f"Knows {covered + 1} items of a random record, and picks one of the records that may hold them at random. "
            f"Right for {{right}} of {counted(len(chances), 'record')} with as many or more; with {covered + 2} items, "
            f"{percent(later)} of {counted(len(further), 'record')}. {percent(claim)} is claimed"
            + ("." if most == math.inf else f" for up to {counted(covered, 'item')}; of more, nothing.")
        ),
        details={"by_known": [{"known": covered + 1, "risk": rate}, {"known": covered + 2, "risk": later}]},
    )


def whole(release: ChunksRelease, original: Baskets, *, seed: int = 0) -> AttackResult:
    """Look for random people, knowing all that they hold.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a"], ["a"], ["b"], ["b"]])
    >>> whole(covey.anonymize(baskets, "km-anonymity(k=2, m=2)", "disassociation", seed=0), baskets).success_rate
    0.5
    """
    people = _known(release, original)
    filled = np.flatnonzero(people.lengths())
    rng = np.random.default_rng(seed)
    drawn = targets(filled, TARGETS, rng)
    sets = [people.indices[people.indptr[row] : people.indptr[row + 1]] for row in drawn]
    chances = _chances(Space.of(release), sets)
    rate, unique = _mean(chances), _mean(chances == 1)
    claim = promised(release, "k") if _covered(release) == math.inf else None
    return AttackResult.of(
        "whole",
        rate,
        claim=claim,
        chance=1 / max(release.n, 1),
        targets=len(chances),
        explanation=(
            "Knows all that a record holds, and picks one of the records that may hold it at random. Right for "
            f"{{right}} of {len(chances):,} records; {percent(unique)} can be no other record. "
            + compared(rate, claim, None)
        ),
        details={"unique": unique},
    )


def inference(release: ChunksRelease, original: Baskets, *, seed: int = 0) -> AttackResult:
    """Guess one item of a random person from all others, by baskets drawn from the release.

    What the baskets of others tell, if one had the original without the person's, is the baseline.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "b"]] * 4)
    >>> result = inference(covey.anonymize(baskets, "km-anonymity(k=2, m=2)", "disassociation", seed=0), baskets)
    >>> result.success_rate, result.baseline
    (1.0, 1.0)
    """
    people, drawn = _known(release, original), release.draw(seed)
    does = (
        "Knows all items of a random record but one, and guesses the one that most baskets with the others have, "
        "in baskets drawn from the release."
    )
    return Rows.of(people).inference(does, seed, seen=Rows.of(drawn), most=TARGETS)


def _covered(release: ChunksRelease) -> float:
    """Up to how many known items the promise holds."""
    return float(parse_call(release.guarantee)[2]["m"])


def _known(release: ChunksRelease, original: Baskets) -> Baskets:
    """The original's records over the items of the release, which are those that occur."""
    people = release.original(original)
    return people.only(people.supports() > 0)


def _chances(space: Space, sets: list[Ids]) -> Floats:
    """For each set the chance to name one record among all that may hold it."""
    return np.array([1 / max(answered(space, set(known.tolist()), set()).upper, 1) for known in sets])


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0
