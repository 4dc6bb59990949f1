"""Is a release of sets made of this original? How that is checked depends on how the release says it was recoded."""

from __future__ import annotations

from covey.data import Baskets, Taxonomy
from covey.release.sets import SetsRelease
from covey.verdict import Check
from covey.verify import recoded_fidelity, suppressed_fidelity
from covey.verify.exposed import check_exposed
from covey.verify.person_fidelity import same_unit


def compare(release: SetsRelease, original: Baskets, taxonomy: Taxonomy | None = None) -> list[Check]:
    """Check that every original transaction is published once, with labels that stand above its items.

    Where persons are named, it is everybody's transactions together.
    """
    unit = same_unit(release.transactions.person is not None, original.persons, "transactions")
    checks = [] if unit is None else [unit]
    if unit is not None and not unit.passed:
        return checks
    people = original if unit is None else original.by_person()
    if release.private is None:
        checks += check_exposed(release.transactions.items, original.items, original.sensitive_items(), taxonomy)
    elif release.recoding is None:
        detail = f"they cannot be compared beside sets whose recoding is {release.recoded!r}"
        return [*checks, Check(name="the private items are the original's", passed=False, detail=detail)]
    if release.recoded == "suppressed":
        return checks + suppressed_fidelity.compare(release.transactions, people)
    return checks + recoded_fidelity.compare(release, people, taxonomy)
