"""GCP, the global certainty penalty: the share of the original that a release has lost (PatternKa 2020).

For sets it is 1 - RI / Ω: RI are the items that are published, over all transactions, Ω those of the original (eq. 16;
eq. 9 counts the size of a group twice, which contradicts the text of the paper). For tables it is the mean NCP of the
columns (section 2.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from covey.data import Baskets, Table
from covey.data.spans import published_loss
from covey.errors import InputError, other_original
from covey.release.sets import SetsRelease, public_part
from covey.release.table import TableRelease
from covey.tabular import Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLoss(Plain):
    """What suppression has taken from sets."""

    #: Share of all items in all transactions that is not published, 0 to 1.
    gcp: float
    #: Items in all transactions of the release, and of the original.
    published: int
    original: int
    #: Share of the different items of the original that the release no longer names.
    lost_items: float
    #: Transactions that had items and are published without any.
    emptied: int

    @property
    def value(self) -> float:
        """The one figure by which releases are compared: `gcp`."""
        return self.gcp


def gcp(release: SetsRelease, original: Baskets) -> SetLoss:
    """Loss of a release of sets against its original; tables have `covey.measure.gcp`.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLoss(Plain):
    """How much a released table has lost."""

    #: Global certainty penalty, 0 (nothing lost) to 1 (every quasi-identifier published as ``*``).
    gcp: float
    #: Mean normalized certainty penalty of each quasi-identifier.
    ncp: Mapping[str, float]

    @property
    def value(self) -> float:
        """The GCP, as the one number to compare releases by."""
        return self.gcp


def gcp_table(release: TableRelease, original: Table) -> TableLoss:
    """Loss of the published values, measured on the texts that are published.

    Parameters
    ----------
    original : Table
        What it was made from: its ranges and hierarchies are what values are measured by.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> from covey.methods.mondrian import Mondrian
    >>> people = Table.of({"age": [20, 25, 50, 60], "sex": ["f", "f", "m", "m"]})
    >>> gcp_table(Mondrian(seed=0).anonymize(people, guarantee("k-anonymity(2)")), people).ncp
    {'age': 0.1875, 'sex': 0.0}
    """
    ncp = {}
    for column in release.of_role("quasi"):
        known = original.column(column.name)
        losses = []
        for label in column.labels:
            loss = published_loss(known, label)
            if loss is None:
                raise InputError(
                    f"{label!r} covers no value of the original",
                    column=column.name,
                    remedy="Give the original that the release was made from, with the same hierarchies.",
                )
            losses.append(loss)
        weights = np.bincount(column.codes, minlength=len(losses))
        ncp[column.name] = float(np.dot(weights, losses) / max(release.n, 1))
    return TableLoss(gcp=float(np.mean(list(ncp.values()))) if ncp else 0.0, ncp=ncp)
