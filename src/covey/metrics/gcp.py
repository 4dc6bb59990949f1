"""GCP, the global certainty penalty: which share of the original a release has lost (PatternKa 2020, eq. 16).

For sets it is 1 - RI / Ω: RI are the items that are published, over all transactions, Ω those of the original.
(Eq. 9 of the paper counts the size of a group twice; eq. 16 is the one that its text means.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.data import Baskets
from covey.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLoss:
    """What suppression has taken from sets.

    Attributes
    ----------
    gcp : float
        Share of all items in all transactions that is not published, 0 to 1.
    published, original : int
        Items in all transactions of the release, and of the original.
    lost_items : float
        Share of the different items of the original that the release no longer names.
    emptied : int
        Transactions that had items and are published without any.
    """

    gcp: float
    published: int
    original: int
    lost_items: float
    emptied: int

    @property
    def value(self) -> float:
        """The one figure by which releases are compared: `gcp`."""
        return self.gcp

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def gcp(release: Any, original: Any) -> Any:
    """Loss of a release against its original: a `SetLoss` for sets, a `TableLoss` for tables.

    Parameters
    ----------
    release : SetsRelease or TableRelease
        What was published. In sets a coarser label than an item counts as suppressed; NCP values it.
    original : Baskets or Table
        What it was made from.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["beer", "chips"], ["beer", "chips", "wine"], ["soap"], ["soap", "rice"]])
    >>> gcp(covey.anonymize(baskets, "k-anonymity(k=2)", seed=0), baskets).gcp
    0.25
    """
    if release.kind == "table":
        from covey.metrics.gcp_table import gcp_table

        return gcp_table(release, original)
    if release.kind != "generalized" or release.recoding is not None:
        raise InputError(
            "gcp measures sets published by suppression, or tables",
            remedy="Measure a recoding by NCP, and groups by their KL error.",
        )
    return _gcp_sets(release.transactions, original)


def _gcp_sets(published: Baskets, original: Baskets) -> SetLoss:
    if published.n != original.n:
        raise InputError(
            f"the release has {published.n:,} transactions and the original {original.n:,}",
            remedy="Give the original that the release was made from.",
        )
    named = int(np.count_nonzero(original.supports()))
    exact = np.isin(np.array(published.items), np.array(original.items))
    kept = int(published.supports()[exact].sum())
    return SetLoss(
        gcp=1 - kept / original.entries if original.entries else 0.0,
        published=kept,
        original=original.entries,
        lost_items=1 - int(exact.sum()) / named if named else 0.0,
        emptied=int((published.lengths() == 0).sum()) - int((original.lengths() == 0).sum()),
    )
