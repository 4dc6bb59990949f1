"""Is a release of sets made of this original? How that is checked depends on how the release says it was recoded."""

from __future__ import annotations

from covey.data import Baskets, Taxonomy
from covey.release.sets import SetsRelease
from covey.verdict import Check
from covey.verify import recoded_fidelity, suppressed_fidelity
from covey.verify.person_fidelity import same_unit


def compare(release: SetsRelease, original: Baskets, taxonomy: Taxonomy | None = None) -> list[Check]:
    """Check that every original transaction is published once, with labels that stand above its items.

    Where persons are named, it is everybody's transactions together.
    """
    unit = same_unit(release.transactions.person is not None, original.persons, "transactions")
    if unit is not None:
        return [unit, *(_compare(release, original.by_person(), taxonomy) if unit.passed else [])]
    return _compare(release, original, taxonomy)


def _compare(release: SetsRelease, original: Baskets, taxonomy: Taxonomy | None) -> list[Check]:
    if release.recoded == "suppressed":
        return suppressed_fidelity.compare(release.transactions, original)
    return recoded_fidelity.compare(release, original, taxonomy)
