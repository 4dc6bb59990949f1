"""From what each leaf is published as to baskets of labels: the last step of every global recoding."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data import Baskets
from covey.kernels.shared.csr import count_items
from covey.kernels.shared.tree import recode
from covey.methods.base import Recoded
from covey.methods.tree_view import TreeView


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
    place = np.empty(view.tree.size, np.int32)
    place[used] = np.arange(len(used))
    return Baskets.build(indptr, place[nodes], [view.tree.labels[x] for x in used])
