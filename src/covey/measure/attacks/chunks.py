"""Attacks on releases in chunks: by more items than the promise covers, by the whole basket, and by inference.

Chunks do not state which sub-records were one record, so nobody can point at a person's. What is measured is among how
many records a person is hidden: those that hold what is known of them in some original that the release may be of.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from covey.arrays import Floats, Ids
from covey.counting import counted
from covey.data import Baskets
from covey.measure.attacks.lookups import Rows, drawn
from covey.measure.attacks.result import AttackResult, compared, percent, promised
from covey.measure.risk import pick_items
from covey.parameters import parse_call
from covey.release.chunk_estimates import Space, answered
from covey.release.chunks import ChunksRelease

#: People attacked; each takes a question to the whole release.
TARGETS = 300


def on_chunks(release: ChunksRelease, original: Baskets, seed: int) -> Iterator[AttackResult]:
    """Attack random people of whom one or two items more are known than the promise covers, all, or all but one.

    Where the promise covers any number of items, four are known, and then five. Items are guessed by baskets drawn from
    the release; what the baskets of others give away, if one had the original without the person's, is the baseline.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "b"], ["a", "b"], ["a", "b"], ["a", "b"]])
    >>> release = covey.anonymize(baskets, "km-anonymity(k=2, m=2)", "disassociation", seed=0)
    >>> [(one.attack, one.success_rate) for one in on_chunks(release, baskets, 0)]
    [('linkage', 0.0), ('whole', 0.25), ('inference', 1.0)]
    """
    people = release.original(original)
    people = people.only(people.supports() > 0)
    space, lengths, whom = Space.of(release), people.lengths(), 1 / max(release.n, 1)
    most = float(parse_call(release.guarantee)[2]["m"])
    unlimited, covered = most == math.inf, 3 if most == math.inf else int(most)

    rng, steps = np.random.default_rng(seed), []
    for known in (covered + 1, covered + 2):
        targets = drawn(np.flatnonzero(lengths >= known), TARGETS, rng)
        steps.append(_chances(space, pick_items(*people.csr, targets, rng.random((len(targets), known)))))
    claim, (first, then) = promised(release, "k") or 1.0, steps
    rate, later = _mean(first), _mean(then)
    yield AttackResult.of(
        "linkage",
        rate,
        claim=claim if unlimited else None,
        chance=whom,
        targets=len(first),
        explanation=(
            f"Knows {covered + 1} items of a random record, and picks one of the records that may hold them at random. "
            f"Right for {{right}} of {counted(len(first), 'record')} with as many or more; with {covered + 2} items, "
            f"{percent(later)} of {counted(len(then), 'record')}. {percent(claim)} is claimed"
            + ("." if unlimited else f" for up to {counted(covered, 'item')}; of more, nothing.")
        ),
        details={"by_known": [{"known": covered + 1, "risk": rate}, {"known": covered + 2, "risk": later}]},
    )

    targets = drawn(np.flatnonzero(lengths), TARGETS, np.random.default_rng(seed))
    chances = _chances(space, (people.indices[people.indptr[row] : people.indptr[row + 1]] for row in targets))
    rate, unique, bound = _mean(chances), _mean(chances == 1), promised(release, "k") if unlimited else None
    yield AttackResult.of(
        "whole",
        rate,
        claim=bound,
        chance=whom,
        targets=len(chances),
        explanation=(
            "Knows all that a record holds, and picks one of the records that may hold it at random. Right for "
            f"{{right}} of {len(chances):,} records; {percent(unique)} can be no other record. "
            + compared(rate, bound, None)
        ),
        details={"unique": unique},
    )

    does = (
        "Knows all items of a random record but one, and guesses the one that most baskets with the others have, "
        "in baskets drawn from the release."
    )
    yield Rows.of(people).inference(does, seed, seen=Rows.of(release.draw(seed)), most=TARGETS)


def _chances(space: Space, sets: Iterable[Ids]) -> Floats:
    """Return for each set the chance to name one record among all that may hold it."""
    return np.array([1 / max(answered(space, set(known.tolist()), set()).upper, 1) for known in sets])


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0
