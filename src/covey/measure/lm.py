"""LM and NCP: how much of its items' meaning a generalized release has lost (Liu & Wang 2010, section 2).

An occurrence of an item costs (leaves(x) - 1) / (leaves(root) - 1) when it is published as x, and 1 when it is
suppressed. LM is the sum over all occurrences in the original, NCP their mean.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data import Baskets, Taxonomy
from covey.data.cover import deal_out, fitting_pairs, pair_losses
from covey.data.csr import canonicalize
from covey.data.merging import merge_rows
from covey.data.tree import rows_of_nodes
from covey.errors import InputError
from covey.release.sets import SetsRelease, public_part


def lm(release: SetsRelease, original: Baskets, taxonomy: Taxonomy | None = None) -> float:
    """Return the loss of `release` in item occurrences.

    For a local recoding the release does not say which set came from which transaction, so its sets are dealt out to
    transactions that they cover, the cheapest pairs first. That is an estimate, usually a few hundredths too high.
    Private items are published as they were, and do not count. Without a taxonomy the flat one is meant.

    Examples
    --------
    >>> import covey
    >>> data = Baskets.of([["ale", "tea"], ["tea"], ["ale", "rum"], ["ale"]])
    >>> lm(covey.anonymize(data, "km-anonymity(k=2, m=2)", "mm"), data)
    3.0
    """
    public = public_part(release, original)
    tree = Taxonomy.flat(public.items) if taxonomy is None else taxonomy
    if release.recoding is None:
        return deal(release.transactions, public, tree)
    return float((public.supports() * item_losses(release, public, tree)).sum())


def item_losses(release: SetsRelease, public: Baskets, tree: Taxonomy) -> Floats:
    """What one occurrence of each item costs under a global recoding."""
    loss, recoding = tree.loss(), release.recoding or {}
    tree.bind(public.items)
    labels = [recoding.get(item, release.rest) for item in public.items]
    unknown = [label for label in labels if label and label not in tree]
    if unknown:
        raise InputError(
            f"the release publishes {unknown[0]!r}, which is not in the taxonomy",
            remedy="Give the taxonomy the release was made with (--taxonomy).",
        )
    return np.array([loss[tree.node(label)] if label else 1.0 for label in labels])


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


#: Pairs of set and transaction that may fit each other before measuring gives up.
PAIRS = 50_000_000


def deal(published: Baskets, original: Baskets, tree: Taxonomy) -> float:
    """The loss when published sets are dealt out to transactions that they cover, the cheapest pairs first.

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
    return dealt_loss(pair_set, pair_row, cost, set_left, row_left, np.diff(row_ptr))


def dealt_loss(pair_set: Ids, pair_row: Ids, cost: Floats, set_left: Ints, row_left: Ints, worst: Ints) -> float:
    """The loss of dealing out pairs, the cheapest first; the numbers of sets and rows that are left are used up.

    A row for which no set is left is charged its cheapest pair, and one without pairs its `worst` loss.
    """
    order = np.argsort(cost, kind="stable")
    least = worst.astype(np.float64)
    least[pair_row[order[::-1]]] = cost[order[::-1]]
    total = deal_out(order, pair_set, pair_row, cost, set_left, row_left)
    return float(total + (least * row_left).sum())


def _distinct(baskets: Baskets, tree: Taxonomy) -> tuple[Ints, Ids, Ints]:
    """The distinct rows as nodes in tour order, and how often each occurs."""
    indptr, nodes = baskets.indptr.copy(), baskets.indices.copy()
    canonicalize(indptr, nodes, np.array([tree.node(label) for label in baskets.items], np.int32))
    # The same words every time: the order of equal pairs depends on them, and with it the estimate.
    words = np.random.default_rng(20091).integers(1, 2**63 - 1, tree.size, np.int64)
    return merge_rows(indptr, nodes, words)
