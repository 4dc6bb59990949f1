"""Baskets seen through a taxonomy: rows of leaves, the rows of every node, and what its loss would be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data import Baskets, Taxonomy
from covey.guarantees.km_anonymity import KmAnonymity
from covey.kernels.shared.csr import canonicalize, take_rows
from covey.kernels.shared.tree import chain_ends, rows_of_nodes


@dataclass(frozen=True, slots=True, eq=False)
class TreeView:
    """What every method over a taxonomy works on.

    Attributes
    ----------
    tree : Taxonomy
        The taxonomy; all losses refer to it.
    indptr, leaf : arrays
        Transactions as ascending leaf numbers.
    node_ptr, node_rows : arrays
        For each node the transactions that hold a leaf below it.
    occurrences, support : int64 arrays
        Leaf occurrences below each node, and transactions with one.
    generalizing, suppressing : float arrays
        O(x)·IL_G(x), and O(x)·IL_S(x) on top of it (Liu & Wang 2010, section 2).
    chain_end : int32 array
        Where the chain of only children that begins at a node ends; cuts go through the ends of chains.
    words : int64 array
        A fixed random word per node, to name sets of nodes.
    flat : bool
        Whether there is no taxonomy, so that the leaves are the data's own items.
    """

    tree: Taxonomy
    indptr: Ints
    leaf: Ids
    node_ptr: Ints
    node_rows: Ids
    occurrences: Ints
    support: Ints
    generalizing: Floats
    suppressing: Floats
    chain_end: Ids
    words: Ints
    flat: bool

    @classmethod
    def of(cls, data: Baskets, taxonomy: Taxonomy | None) -> TreeView:
        """View `data` through `taxonomy`; None is the flat one."""
        tree = Taxonomy.flat(data.items) if taxonomy is None else taxonomy
        indptr, leaf = data.indptr.copy(), data.indices.copy()
        canonicalize(indptr, leaf, tree.bind(data.items))
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

    def rows(self, node: int) -> Ids:
        """The transactions with a leaf below `node`."""
        return self.node_rows[self.node_ptr[node] : self.node_ptr[node + 1]]

    def cost(self, label_of: Ids) -> float:
        """The loss of publishing each leaf as ``label_of[leaf]``, -1 meaning suppressed."""
        loss = np.append(self.tree.loss(), 1.0)
        leaves = np.flatnonzero(self.tree.is_leaf())
        return float((self.occurrences[leaves] * loss[label_of[leaves]]).sum())


def _counted(tree: Taxonomy, indptr: Ints, leaf: Ids) -> dict[str, Any]:
    """What a view says of these transactions: their leaves, the rows of every node, and what its loss would be."""
    ptr, rows, occurrences = rows_of_nodes(indptr, leaf, tree.parent)
    loss = tree.loss()
    return {
        "indptr": indptr,
        "leaf": leaf,
        "node_ptr": ptr,
        "node_rows": rows,
        "occurrences": occurrences,
        "support": np.diff(ptr),
        "generalizing": occurrences * loss,
        "suppressing": occurrences * (1.0 - loss),
    }


def set_size(view: TreeView, promise: KmAnonymity) -> int:
    """The largest set that the promise speaks of, m or the longest transaction."""
    return max(1, int(min(promise.m, view.longest)))
