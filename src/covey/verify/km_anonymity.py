"""km-anonymity(k, m), checked from what is published, or of data as it stands."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from covey.counting import counted, sizes
from covey.data import Baskets
from covey.errors import ParameterError
from covey.guarantees.km_anonymity import KmAnonymity
from covey.progress import Progress, silent
from covey.release.sets import SetsRelease
from covey.verdict import Check, Verdict
from covey.verify.rare_labels import count_offences, find_offence


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
    size = "any labels" if promise.m == math.inf else f"at most {counted(int(promise.m), 'label')}"
    detail = sizes(**{people.unit: people.n}, labels=people.d)
    figures: dict[str, Any] = {"labels": data.d, "offence": None}
    if offence is not None:
        all_of_them = count_offences(people, promise.k, promise.m)
        detail = f"{all_of_them.describe(people.unit)}; one of them: {offence.describe(people.unit)}"
        figures |= {
            "offence": offence.to_dict(),
            "offending_sets": all_of_them.sets,
            "violating": int(all_of_them.exposed.sum()),
            "all_counted": all_of_them.complete,
        }
    return Verdict(
        guarantee=promise.text,
        checks=(
            Check(
                name=f"every set of {size} that occurs is in at least {promise.k} {people.unit}",
                passed=offence is None,
                detail=detail,
            ),
        ),
        figures=figures,
    )


def violators(promise: KmAnonymity, data: Baskets) -> Iterator[tuple[object, ...]]:
    """A heading, then a line for everybody who holds a set that is too rare."""
    people = data.by_person()
    found = count_offences(people, promise.k, promise.m)
    if not found.complete:
        raise ParameterError(f"There are too many sets of up to {promise.m:g} items to list who holds one. Lower m.")
    yield people.unit[:-1], "items"
    for row in found.exposed.nonzero()[0].tolist():
        yield row + 1, "|".join(people.basket(row))
