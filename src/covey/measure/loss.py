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

from covey.arrays import Floats, Ids, Ints
from covey.data import Baskets, Records, Table, Taxonomy
from covey.data.cover import deal_out, fitting_pairs, pair_losses
from covey.data.csr import canonicalize
from covey.data.equal_rows import merge_rows
from covey.data.jit import kernel
from covey.data.spans import published_loss
from covey.data.tree import rows_of_nodes
from covey.errors import InputError, other_original
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease, public_part
from covey.release.table import TableRelease
from covey.release.trace import trace_of
from covey.tabular import Figures, Plain
from covey.verify.sets_fidelity import nodes_of, tree_of

#: Pairs of set and transaction that may fit each other before measuring gives up.
PAIRS = 50_000_000


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
    """Return the loss of generalized sets in item occurrences.

    For a local recoding the release does not state which set came from which transaction, so its sets are dealt out to
    transactions that they cover, the cheapest pairs first. That is an estimate, usually a few hundredths too high.
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
        return _deal(release.transactions, public, tree)
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


def _deal(published: Baskets, original: Baskets, tree: Taxonomy) -> float:
    """Return the loss when published sets are dealt out to transactions that they cover, the cheapest pairs first.

    A transaction for which no set is left is charged the cheapest set that covers it; one that no set covers counts
    as suppressed.
    """
    set_ptr, sets, set_left = _distinct(published, tree)
    row_ptr, leaves, row_left = _distinct(original, tree)
    node_ptr, node_rows, _ = rows_of_nodes(row_ptr, leaves, tree.parent)
    complete, pair_set, pair_row = fitting_pairs(set_ptr, sets, row_ptr, leaves, node_ptr, node_rows, tree.last, PAIRS)
    if not complete:
        raise InputError("too many published sets fit too many transactions to measure the loss")
    cost = pair_losses(pair_set, pair_row, set_ptr, sets, row_ptr, leaves, tree.loss())
    order = np.argsort(cost, kind="stable")
    least = np.diff(row_ptr).astype(np.float64)
    least[pair_row[order[::-1]]] = cost[order[::-1]]
    total = deal_out(order, pair_set, pair_row, cost, set_left, row_left)
    return float(total + (least * row_left).sum())


def _distinct(baskets: Baskets, tree: Taxonomy) -> tuple[Ints, Ids, Ints]:
    """Return the distinct rows as nodes in tour order, and how often each occurs."""
    indptr, nodes = baskets.indptr.copy(), baskets.indices.copy()
    canonicalize(indptr, nodes, np.array([tree.node(label) for label in baskets.items], np.int32))
    # The same words every time: the order of equal pairs depends on them, and with it the estimate.
    words = np.random.default_rng(20091).integers(1, 2**63 - 1, tree.size, np.int64)
    return merge_rows(indptr, nodes, words)


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

    def to_dict(self) -> Figures:
        """Return the figures as plain data for JSON."""
        return {"gcp": self.gcp, "ncp": dict(self.ncp), "items_ncp": self.items}


def record_loss(release: RecordsRelease, original: Records, taxonomy: Taxonomy | None = None) -> RecordLoss:
    """Return what was lost of attributes and of items.

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
    """Return how much of the meaning of all items is published, in items."""
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
