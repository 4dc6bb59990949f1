"""Loss of released records: GCP of the attributes and NCP of the items (Poulis et al. 2013, section 3)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Floats
from covey.data import Baskets, Records, Taxonomy
from covey.metrics.dealing import dealt_loss
from covey.metrics.gcp_table import gcp_table
from covey.release.records.model import RecordsRelease
from covey.verify.recoded_fidelity import tree_of
from covey.verify.records_fidelity import Pairs, fitting
from covey.verify.row_order import entries_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLoss:
    """How much released records have lost.

    Attributes
    ----------
    gcp : float
        Of the attributes, 0 (nothing) to 1 (every quasi-identifier published as ``*``).
    ncp : mapping
        Mean loss of each quasi-identifier.
    items : float or None
        NCP of the items, 0 (nothing) to 1 (all suppressed); None where too many records fit too many persons to tell.
    """

    gcp: float
    ncp: Mapping[str, float]
    items: float | None

    @property
    def value(self) -> float:
        """The mean of both losses, as the one number to compare releases by; NaN where one is not known."""
        return math.nan if self.items is None else (self.gcp + self.items) / 2

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {"gcp": self.gcp, "ncp": dict(self.ncp), "items_ncp": self.items}


def record_loss(release: RecordsRelease, original: Records, taxonomy: Taxonomy | None = None) -> RecordLoss:
    """What was lost of attributes and of items.

    The release does not say which record is whose, so records are dealt out to persons whom they fit, the cheapest
    pairs first. For items that is an estimate, usually a few hundredths off.

    Examples
    --------
    >>> import covey
    >>> data = Records.of({"age": [20, 21, 60, 61]}, [["ale"], ["ale", "rum"], ["tea"], ["tea"]])
    >>> found = record_loss(covey.anonymize(data, "k-km-anonymity(k=2, m=2)"), data)
    >>> round(found.gcp, 3), found.items
    (0.024, 0.2)
    """
    attributes = gcp_table(release.attributes, original.attributes)
    tree = tree_of(release.baskets, original.baskets, taxonomy)
    pairs = fitting(release, original, tree)
    items = _items_lost(pairs, release.baskets, original.baskets, tree) if pairs.whole else None
    return RecordLoss(gcp=attributes.gcp, ncp=attributes.ncp, items=items)


def _items_lost(pairs: Pairs, published: Baskets, original: Baskets, tree: Taxonomy) -> float:
    worst = original.lengths()
    lost = dealt_loss(
        pairs.record.astype(np.int32),
        pairs.person.astype(np.int32),
        worst[pairs.person] - _kept(pairs, published, original, tree),
        pairs.size.copy(),
        np.ones(original.n, np.int64),
        worst,
    )
    return lost / max(original.entries, 1)


def _kept(pairs: Pairs, published: Baskets, original: Baskets, tree: Taxonomy) -> Floats:
    """How much of the meaning of a person's items is kept if a published record is theirs, for each pair."""
    nodes = np.array([tree.node(label) for label in published.items] or [0], np.int64)
    leaves = np.array([tree.node(item) for item in original.items] or [0], np.int64)
    there = np.sort(np.repeat(np.arange(original.n), original.lengths()) * tree.size + leaves[original.indices])
    pair, label = entries_of(published, pairs.first[pairs.record])
    node = nodes[label]
    base = pairs.person[pair] * tree.size
    below = np.searchsorted(there, base + tree.last[node], side="right") - np.searchsorted(there, base + node)
    kept: Floats = np.bincount(pair, below * (1.0 - tree.loss()[node]), minlength=len(pairs.record)).astype(np.float64)
    return kept
