"""Loss of generalized and suppressed releases: the shares of items and of values that are not published.

- GCP of sets is 1 - RI / Ω: RI are the items that are published, over all transactions, Ω those of the original
  (PatternKa 2020, eq. 16; eq. 9 counts the size of a group twice, which contradicts the text of the paper). GCP of
  tables is the mean NCP of the columns (section 2.1).
- LM and NCP of sets (Liu & Wang 2010, section 2): an occurrence of an item costs (leaves(x) - 1) / (leaves(root) - 1)
  when it is published as x, and 1 when it is suppressed. LM is the sum over all occurrences in the original, NCP their
  mean.
- Records lose both, GCP of the attributes and NCP of the items (Poulis et al. 2013, section 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from covey.data import Baskets, Records, Table, Taxonomy
from covey.data.csr import take_rows
from covey.data.spans import published_loss
from covey.data.tree import supports_of_nodes
from covey.errors import InputError, other_original
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease, public_part
from covey.release.table import TableRelease
from covey.release.trace import trace_of
from covey.tabular import Figures, Plain
from covey.verify.sets_fidelity import nodes_of, tree_of


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


def gcp(release: SetsRelease, original: Baskets) -> SetLoss:
    """Return the loss of sets that were published by leaving items out.

    A coarser label than an item counts as suppressed; NCP values it. Private items, which are published as they were,
    count neither as kept nor as lost.

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


def gcp_table(release: TableRelease, original: Table) -> TableLoss:
    """Return the loss of the texts that are published, by the ranges and hierarchies of the original.

    Examples
    --------
    >>> import covey
    >>> people = covey.Table.of({"age": [20, 25, 50, 60], "sex": ["f", "f", "m", "m"]})
    >>> gcp_table(covey.anonymize(people, "k-anonymity(k=2)", "mondrian", seed=0), people).ncp
    {'age': 0.1875, 'sex': 0.0}
    """
    ncp = {}
    for column in release.of_role("quasi"):
        known, losses = original.column(column.name), []
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


def lm(release: SetsRelease, original: Baskets, taxonomy: Taxonomy | None = None) -> float:
    """Return the loss of generalized sets in item occurrences; of a local recoding as by `lost`.

    Private items are published as they were, and do not count. Without a taxonomy the flat one is meant.

    Examples
    --------
    >>> import covey
    >>> data = Baskets.of([["ale", "tea"], ["tea"], ["ale", "rum"], ["ale"]])
    >>> release = covey.anonymize(data, "km-anonymity(k=2, m=2)", "mm")
    >>> lm(release, data), ncp(release, data)
    (3.0, 0.5)
    """
    public = public_part(release, original)
    tree = Taxonomy.flat(public.items) if taxonomy is None else taxonomy
    if release.recoding is None:
        return lost(release, release.transactions, public, tree)
    loss = tree.loss()
    tree.bind(public.items)
    labels = [release.recoding.get(item, release.rest) for item in public.items]
    unknown = [label for label in labels if label and label not in tree]
    if unknown:
        raise InputError(
            f"the release publishes {unknown[0]!r}, which is not in the taxonomy",
            remedy="Give the taxonomy the release was made with (--taxonomy).",
        )
    losses = np.array([loss[tree.node(label)] if label else 1.0 for label in labels])
    return float((public.supports() * losses).sum())


def ncp(release: SetsRelease, original: Baskets, taxonomy: Taxonomy | None = None) -> float:
    """Return `lm` over the number of occurrences of public items; times 100 it is the information loss in percent."""
    return lm(release, original, taxonomy) / max(public_part(release, original).entries, 1)


def lost(release: SetsRelease | RecordsRelease, published: Baskets, original: Baskets, tree: Taxonomy) -> float:
    """Return the loss of all items of the original, each by the label above it; 1 where none is.

    The trace of the release has the original of each published row. Without it a label counts for as many items as it
    stands for on average among all rows with an item below it, which is an estimate. Precondition: no label of a row
    stands above another one of it.
    """
    loss, trace = tree.loss(), trace_of(release)
    label_ptr, labels = nodes_of(published, tree)
    leaf_ptr, leaves = nodes_of(original, tree)
    if trace is None:
        held, occurrences = supports_of_nodes(leaf_ptr, leaves, tree.parent)
        kept = float(((1.0 - loss) * occurrences / np.maximum(held, 1))[labels].sum())
        return max(original.entries - kept, 0.0)
    leaf_ptr, leaves = take_rows(leaf_ptr, leaves, trace.rows)
    first = np.arange(published.n) * tree.size
    keys = np.concatenate([[-1], np.repeat(first, np.diff(label_ptr)) + labels])
    row = np.repeat(first, np.diff(leaf_ptr))
    # The label above a leaf can only be the last one of its row that does not follow it in the tour.
    above = np.maximum(keys[np.searchsorted(keys, row + leaves, side="right") - 1] - row, -1)
    covered = (above >= 0) & (leaves <= tree.last[above])
    return float(loss[above[covered]].sum() + np.count_nonzero(~covered))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLoss:
    """How much released records have lost."""

    #: Of the attributes, 0 (nothing) to 1 (every quasi-identifier published as ``*``).
    gcp: float
    #: Mean loss of each quasi-identifier.
    ncp: Mapping[str, float]
    #: NCP of the items, 0 (nothing) to 1 (all suppressed).
    items: float

    def to_dict(self) -> Figures:
        """Return the figures as plain data for JSON."""
        return {"gcp": self.gcp, "ncp": dict(self.ncp), "items_ncp": self.items}


def record_loss(release: RecordsRelease, original: Records, taxonomy: Taxonomy | None = None) -> RecordLoss:
    """Return what was lost of attributes and of items.

    A broader label counts for the items of the person that it stands for; see `lost`.

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
    items = lost(release, release.baskets, original.baskets, tree) / max(original.entries, 1)
    return RecordLoss(gcp=attributes.gcp, ncp=attributes.ncp, items=items)
