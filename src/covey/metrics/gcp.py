"""GCP, the global certainty penalty: which share of the original a release has lost (PatternKa 2020, eq. 16).

For sets it is 1 - RI / Ω: RI are the items that are published, over all transactions, Ω those of the original.
(Eq. 9 of the paper counts the size of a group twice; eq. 16 is the one that its text means.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.data import Baskets
from covey.errors import InputError, other_original
from covey.release.sets.model import SetsRelease
from covey.release.sets.original import public_part
from covey.tabular import Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLoss(Plain):
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


def gcp(release: SetsRelease, original: Baskets) -> SetLoss:
    """Loss of a release of sets against its original; tables have `covey.metrics.gcp_table`.

    Parameters
    ----------
    release : SetsRelease
        What was published by leaving items out. A coarser label than an item counts as suppressed; NCP values it.
    original : Baskets
        What it was made from. Private items, which are published as they were, count neither as kept nor as lost.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["beer", "chips"], ["beer", "chips", "wine"], ["soap"], ["soap", "rice"]])
    >>> gcp(covey.anonymize(baskets, "k-anonymity(k=2)", seed=0), baskets).gcp
    0.25
    """
    if release.recoded == "global":
        raise InputError(
            "gcp measures sets published by suppression; these were recoded",
            remedy="Measure a recoding by NCP.",
        )
    published, public = release.transactions, public_part(release, original)
    if published.n != public.n:
        raise other_original(f"the release has {published.n:,} transactions and the original {public.n:,}")
    named = int(np.count_nonzero(public.supports()))
    exact = np.isin(np.array(published.items), np.array(public.items))
    kept = int(published.supports()[exact].sum())
    return SetLoss(
        gcp=1 - kept / public.entries if public.entries else 0.0,
        published=kept,
        original=public.entries,
        lost_items=1 - int(exact.sum()) / named if named else 0.0,
        emptied=int((published.lengths() == 0).sum()) - int((public.lengths() == 0).sum()),
    )
