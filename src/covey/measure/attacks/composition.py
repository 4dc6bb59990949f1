"""Composition: what two releases about the same people tell together, by intersecting groups and classes.

Each release hides a person among others; together they hide the person among those who are with them in both. Whoever
is in a group that counts a sensitive item, and in the other release in one that does not, no longer hides anybody
(Ganta, Kasiviswanathan, Smith: Composition Attacks and Auxiliary Information in Data Privacy, KDD 2008). The attacker
knows everything ordinary of everybody, and takes what is hidden to be the same in both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.arrays import Floats, Ints
from covey.counting import counted
from covey.data.kinds import data_kind
from covey.guarantees import guarantee
from covey.measure.attack_kernels import expected_hits
from covey.measure.attacks.company import Company, company_of, same_people, shared_rows
from covey.measure.attacks.result import AttackResult, percent, promised


def compose(
    release: Any, original: Any, other: Any, other_original: Any = None, *, same_rows: bool = False
) -> list[AttackResult]:
    """Attack a release with the help of another one about the same people.

    Parameters
    ----------
    release, original
        What is attacked, and what it was made from.
    other : a release of any kind
        What else is known.
    other_original : data or None
        What `other` was made from; its persons are found again by their names. None: it was made from `original`, too.
    same_rows : bool
        Whether the two originals are the same rows in the same order, read with other roles perhaps.

    Returns
    -------
    list of AttackResult
        `company`, and where `release` hides something that `other` tells of, `composition`. What `release` tells alone
        is their `chance`.

    Raises
    ------
    ParameterError
        Releases of this kind have no groups or classes, or it is not known who is who.
    InputError
        A release was not made from its original, or nobody is in both.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([[f"i{i}", "s"] if i % 4 == 0 else [f"i{i}"] for i in range(40)], sensitive=["s"])
    >>> june, july = (covey.anonymize(baskets, "degree(p=4)", "anatomy", merge=False, seed=seed) for seed in (1, 2))
    >>> [(result.attack, result.success_rate > result.chance) for result in compose(june, baskets, july)]
    [('company', True), ('composition', False)]
    """
    mine = company_of(release, original)
    theirs = company_of(other, original if other_original is None else other_original, tuple(mine.holds))
    if other_original is not None and not same_rows:
        again = same_people(original, other_original)
    else:
        again = shared_rows(len(mine.home), len(theirs.home))
    both = np.flatnonzero(again >= 0)
    # What is looked for, one and many: people, or rows where nobody has said whose they are.
    kind = data_kind(original.kind)
    whom = (kind.row, kind.rows) if getattr(original, "persons", None) is None else ("person", "people")
    found = [_company(release, mine, theirs, both, again[both], whom)]
    shared = [name for name in mine.holds if name in theirs.share and mine.holds[name][both].any()]
    if shared:
        found.append(_composition(release, mine, theirs, both, again[both], shared, whom[1]))
    return found


def _company(
    release: Any, mine: Company, theirs: Company, both: Ints, again: Ints, whom: tuple[str, str]
) -> AttackResult:
    """How few are left that are with a person in both releases."""
    pair = mine.home[both] * len(theirs.size) + theirs.home[again]
    _, at, people = np.unique(pair, return_inverse=True, return_counts=True)
    left = people[at.reshape(-1)]
    rate, alone = float((1 / left).mean()), float((1 / mine.size[mine.home[both]]).mean())
    single = float((left == 1).mean())
    return AttackResult.of(
        "company",
        rate,
        claim=promised(release, "k") or promised(release, "p") or 1.0,
        chance=alone,
        targets=len(both),
        explanation=(
            f"Knows in which group or class a {whom[0]} is in both releases, and picks one of those in the same two at "
            f"random. Right for {{right}} of the {len(both):,} {whom[1]} in both; "
            f"for {percent(alone)} with the first release alone. {percent(single)} share both with no other."
        ),
        details={"people_in_both": len(both), "median_left": float(np.median(left)), "left_alone": single},
    )


def _composition(
    release: Any, mine: Company, theirs: Company, both: Ints, again: Ints, shared: list[str], whom: str
) -> AttackResult:
    """How many holders are named rightly by what both releases say of them."""
    right = alone = 0.0
    occurrences = 0
    for name in shared:
        holds, first, second = mine.holds[name][both], mine.share[name][both], theirs.share[name][again]
        holders = int(holds.sum())
        right += _named(_odds(first) * _odds(second), holds, holders)
        alone += _named(first, holds, holders)
        occurrences += holders
    rate, before = right / occurrences, alone / occurrences
    return AttackResult.of(
        "composition",
        rate,
        claim=guarantee(release.guarantee).certainty or before,
        chance=before,
        targets=occurrences,
        explanation=(
            f"Knows all ordinary items of the {len(both):,} {whom} in both releases, and combines them: what "
            f"cannot have an item in one of them is ruled out. For everything hidden, it names as many {whom} as "
            f"have it, the most likely first. Right for {{right}} of {counted(occurrences, 'occurrence')}; "
            f"for {percent(before)} with the first release alone."
        ),
        details={"people_in_both": len(both), "alone": before, "hidden": len(shared)},
    )


def _odds(share: Floats) -> Floats:
    """Chances as odds; certainty stays finite, so that nothing is not a number."""
    return share / np.maximum(1 - share, 1e-12)


def _named(score: Floats, holds: Floats, holders: int) -> float:
    """How many of the `holders` likeliest people are holders; what differs in the last digits only is a tie."""
    return float(expected_hits(np.array([0, len(score)]), np.round(score, 12), holds, np.array([holders]))[0])
