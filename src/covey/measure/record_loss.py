"""Loss of released records: GCP of the attributes and NCP of the items (Poulis et al. 2013, section 3).

How much of the meaning of items a release of records keeps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data import Records, Taxonomy
from covey.data.jit import kernel
from covey.measure.gcp import gcp_table
from covey.release.records import RecordsRelease
from covey.release.trace import trace_of
from covey.verify.sets_fidelity import nodes_of, tree_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLoss:
    """How much released records have lost."""

    #: Of the attributes, 0 (nothing) to 1 (every quasi-identifier published as ``*``).
    gcp: float
    #: Mean loss of each quasi-identifier.
    ncp: Mapping[str, float]
    #: NCP of the items, 0 (nothing) to 1 (all suppressed).
    items: float

    @property
    def value(self) -> float:
        """The mean of both losses, as the one number to compare releases by."""
        return (self.gcp + self.items) / 2

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {"gcp": self.gcp, "ncp": dict(self.ncp), "items_ncp": self.items}


def record_loss(release: RecordsRelease, original: Records, taxonomy: Taxonomy | None = None) -> RecordLoss:
    """What was lost of attributes and of items.

    A broader label counts for the items of the person that it stands for. Without the trace of the release, it counts
    for as many as it stands for on average among all persons who have any below it: an estimate.

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
    lost = original.entries - _kept(release, original, tree)
    items = max(lost, 0.0) / max(original.entries, 1)
    return RecordLoss(gcp=attributes.gcp, ncp=attributes.ncp, items=items)


def _kept(release: RecordsRelease, original: Records, tree: Taxonomy) -> float:
    """How much of the meaning of all items is published, in items."""
    trace = trace_of(release)
    if trace is not None:
        cell, cells, cell_ptr, persons = np.arange(release.n), release.n, np.arange(release.n + 1), trace.rows
    else:
        cell, cells, cell_ptr = np.zeros(release.n, np.int64), 1, np.array([0, original.n])
        persons = np.arange(original.n)
    indptr, nodes = nodes_of(release.baskets, tree)
    keys, published = np.unique(np.repeat(cell, np.diff(indptr)) * tree.size + nodes, return_counts=True)
    return meaning_kept(
        cell_ptr,
        persons,
        np.searchsorted(keys, np.arange(cells + 1) * tree.size),
        (keys % tree.size).astype(np.int32),
        published.astype(np.int64),
        1.0 - tree.loss(),
        tree.parent,
        *nodes_of(original.baskets, tree),
    )


@kernel
def meaning_kept(
    cell_ptr: Ints, persons: Ints, label_ptr: Ints, labels: Ids, published: Ints, worth: Floats, parent: Ids,
    leaf_ptr: Ints, leaves: Ids,
) -> float:  # fmt: skip
    """Sum over cells and their labels of: how often it is published · its worth · how many items it stands for.

    Cell c could be of the persons ``persons[cell_ptr[c]:cell_ptr[c + 1]]`` and publishes the nodes
    ``labels[label_ptr[c]:label_ptr[c + 1]]``. What one stands for is the mean number of items below it, over those of
    these persons who have any; 1 where nobody has. O(entries of all these persons · height).
    """
    slot = np.full(len(parent), -1, np.int64)
    total = 0.0
    for c in range(len(cell_ptr) - 1):
        first, width = label_ptr[c], label_ptr[c + 1] - label_ptr[c]
        for place in range(width):
            slot[labels[first + place]] = place
        below, holders = np.zeros(width, np.int64), np.zeros(width, np.int64)
        latest = np.full(width, -1, np.int64)
        for at in range(cell_ptr[c], cell_ptr[c + 1]):
            person = persons[at]
            for e in range(leaf_ptr[person], leaf_ptr[person + 1]):
                x = leaves[e]
                while x >= 0:
                    place = slot[x]
                    if place >= 0:
                        below[place] += 1
                        if latest[place] != person:
                            latest[place] = person
                            holders[place] += 1
                    x = parent[x]
        for place in range(width):
            many = below[place] / holders[place] if holders[place] else 1.0
            total += published[first + place] * worth[labels[first + place]] * many
            slot[labels[first + place]] = -1
    return total
