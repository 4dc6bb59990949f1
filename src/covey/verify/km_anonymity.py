"""km-anonymity(k, m), checked from what is published, or of data as it stands."""

from __future__ import annotations

import math

from covey.data import Baskets
from covey.guarantees.km_anonymity import KmAnonymity
from covey.progress import Progress, silent
from covey.release.sets import SetsRelease
from covey.verdict import Check, Verdict
from covey.verify.rare_labels import find_offence


def check(promise: KmAnonymity, release: SetsRelease) -> Verdict:
    """Check from the published transactions alone."""
    return check_baskets(promise, release.transactions)


def check_baskets(promise: KmAnonymity, data: Baskets, *, progress: Progress = silent) -> Verdict:
    """Ask the same of data as it stands.

    A taxonomy makes no difference: knowing a coarser label than an item never leaves fewer candidates.

    Examples
    --------
    >>> check_baskets(KmAnonymity(2, 2), Baskets.of([["ale", "tea"], ["ale"], ["tea"]])).holds
    False
    """
    people = data.by_person()
    offence = find_offence(promise.name, "m", people, None, promise.k, promise.m)
    size = "any" if promise.m == math.inf else f"at most {int(promise.m)}"
    detail = f"{people.n:,} {people.unit}, {people.d:,} labels"
    return Verdict(
        guarantee=promise.text,
        checks=(
            Check(
                name=f"every set of {size} labels that occurs is in at least {promise.k} {people.unit}",
                passed=offence is None,
                detail=detail if offence is None else offence.describe(people.unit),
            ),
        ),
        figures={"labels": data.d, "offence": None if offence is None else offence.to_dict()},
    )
