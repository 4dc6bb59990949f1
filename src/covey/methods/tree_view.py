"""Baskets seen through a taxonomy: rows of leaves, losses of nodes, and the baskets that a recoding publishes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from covey.arrays import Floats, Ids, Ints, Words, places_of
from covey.data import Baskets, Taxonomy
from covey.data.csr import canonicalize, count_items, take_rows, transpose
from covey.data.tree import chain_ends, recode, supports_of_nodes
from covey.guarantees.km_anonymity import KmAnonymity
from covey.methods.base import Recoded


@dataclass(frozen=True, slots=True, eq=False)
class TreeView:
    """What every method over a taxonomy works on."""

    #: The taxonomy; all losses refer to it.
    tree: Taxonomy
    #: Transactions as ascending leaf numbers.
    indptr: Ints
    leaf: Ids
    #: For each leaf the transactions that hold it, by number, so that those of the leaves below a node stand together.
    leaf_ptr: Ints
    leaf_rows: Ids
    #: Leaf occurrences below each node, and transactions with one.
    occurrences: Ints
    support: Ints
    #: O(x)·IL_G(x), and O(x)·IL_S(x) on top of it (Liu & Wang 2010, section 2).
    generalizing: Floats
    suppressing: Floats
    #: Where the chain of only children that begins at a node ends; cuts go through the ends of chains.
    chain_end: Ids
    #: A fixed random word per node, to name sets of nodes.
    words: Ints
    #: Whether there is no taxonomy, so that the leaves are the data's own items.
    flat: bool

    @classmethod
    def of(cls, data: Baskets, taxonomy: Taxonomy | None) -> TreeView:
        """View `data` through `taxonomy`; None is the flat one."""
        tree = Taxonomy.flat(data.items) if taxonomy is None else taxonomy
        indptr, leaf = data.indptr.copy(), data.indices.copy()
        leaf = leaf[: canonicalize(indptr, leaf, tree.bind(data.items))]
        return cls(
            tree=tree,
            **_counted(tree, indptr, leaf),
            chain_end=chain_ends(tree.child_ptr, tree.child),
            words=np.random.default_rng(20090).integers(1, 2**63 - 1, tree.size, np.int64),
            flat=taxonomy is None,
        )

    def piece(self, start: int, stop: int) -> TreeView:
        """The same view of the transactions from `start` up to `stop` alone."""
        indptr = self.indptr[start : stop + 1]
        leaf = self.leaf[indptr[0] : indptr[-1]]
        return replace(self, **_counted(self.tree, indptr - indptr[0], leaf))

    def of_rows(self, rows: Ints) -> TreeView:
        """The same view of these transactions alone."""
        return replace(self, **_counted(self.tree, *take_rows(self.indptr, self.leaf, rows)))

    @property
    def longest(self) -> int:
        """Items in the longest transaction."""
        return int(np.diff(self.indptr).max(initial=0))

    def marks(self) -> Words:
        """A bit for each transaction, for `rows_below`."""
        return np.zeros(len(self.indptr) // 64 + 1, np.uint64)

    def cost(self, label_of: Ids) -> float:
        """The loss of publishing each leaf as ``label_of[leaf]``, -1 meaning suppressed."""
        loss = np.append(self.tree.loss(), 1.0)
        leaves = np.flatnonzero(self.tree.is_leaf())
        return float((self.occurrences[leaves] * loss[label_of[leaves]]).sum())


def _counted(tree: Taxonomy, indptr: Ints, leaf: Ids) -> dict[str, Any]:
    """The arrays of a view of these transactions: their leaves, the rows of every leaf, and the loss of a node."""
    ptr, rows = transpose(indptr, leaf, tree.size)
    support, occurrences = supports_of_nodes(indptr, leaf, tree.parent)
    loss = tree.loss()
    return {
        "indptr": indptr,
        "leaf": leaf,
        "leaf_ptr": ptr,
        "leaf_rows": rows,
        "occurrences": occurrences,
        "support": support,
        "generalizing": occurrences * loss,
        "suppressing": occurrences * (1.0 - loss),
    }


def set_size(view: TreeView, promise: KmAnonymity) -> int:
    """The largest set that the promise speaks of, m or the longest transaction."""
    return max(1, int(min(promise.m, view.longest)))


def recoded(view: TreeView, label_of: Ids, notes: tuple[str, ...] = ()) -> Recoded:
    """Every leaf as ``label_of[leaf]``, -1 meaning that it is suppressed everywhere.

    The recoding lists all leaves of the taxonomy that are not suppressed, whether they occur or not, so it tells
    nothing about the data beyond the cut. Without a taxonomy the leaves are the data's own items, some of them perhaps
    one person's: then only those are listed that are published as themselves, and the rest is the root.
    """
    indptr, nodes = recode(view.indptr, view.leaf, label_of)
    labels = view.tree.labels
    listed = view.tree.is_leaf() & (label_of >= 0)
    if view.flat:
        listed &= label_of == np.arange(view.tree.size)
    return Recoded(
        baskets_of_nodes(view, indptr, nodes),
        recoding={labels[leaf]: labels[label_of[leaf]] for leaf in np.flatnonzero(listed)},
        rest=labels[0] if view.flat else "",
        notes=notes,
    )


def baskets_of_nodes(view: TreeView, indptr: Ints, nodes: Ids) -> Baskets:
    """Rows of nodes as baskets of their labels."""
    used = np.flatnonzero(count_items(nodes, view.tree.size))
    return Baskets.build(indptr, places_of(used, view.tree.size)[nodes], [view.tree.labels[x] for x in used])
