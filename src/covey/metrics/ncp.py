"""NCP: the share of its items' meaning that a generalized release has lost, 0 to 1 (Liu & Wang 2010)."""

from __future__ import annotations

from covey.data import Baskets, Taxonomy
from covey.metrics.lm import lm
from covey.release.sets import SetsRelease, public_part


def ncp(release: SetsRelease, original: Baskets, taxonomy: Taxonomy | None = None) -> float:
    """`lm` over the number of occurrences of public items; times 100 it is the information loss in percent.

    Examples
    --------
    >>> import covey
    >>> data = Baskets.of([["ale", "tea"], ["tea"], ["ale", "rum"], ["ale"]])
    >>> ncp(covey.anonymize(data, "km-anonymity(k=2, m=2)", "mm"), data)
    0.5
    """
    return lm(release, original, taxonomy) / max(public_part(release, original).entries, 1)
