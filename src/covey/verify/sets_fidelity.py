"""Is a release of sets made of this original? How that is checked depends on how the release says it was recoded."""

from __future__ import annotations

from covey.data import Baskets, Taxonomy
from covey.release.sets import SetsRelease
from covey.verdict import Check
from covey.verify import recoded_fidelity, suppressed_fidelity


def compare(release: SetsRelease, original: Baskets, taxonomy: Taxonomy | None = None) -> list[Check]:
    """Check that every original transaction is published once, with labels that stand above its items."""
    if release.recoded == "suppressed":
        return suppressed_fidelity.compare(release.transactions, original)
    return recoded_fidelity.compare(release, original, taxonomy)
