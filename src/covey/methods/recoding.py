"""From what each leaf is published as to a release: the last step of every global recoding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from covey.arrays import Ids, Ints
from covey.data import Baskets
from covey.methods.tree_view import TreeView
from covey.release.sets import publish
from covey.release.sets.model import SetsRelease


def publish_recoding(
    view: TreeView,
    label_of: Ids,
    *,
    guarantee: str,
    method: str,
    options: Mapping[str, Any],
    seed: int | None,
    private: Baskets | None = None,
) -> SetsRelease:
    """Publish every leaf as ``label_of[leaf]``, -1 meaning that it is suppressed everywhere.

    The recoding that goes with the release lists all leaves of the taxonomy that are not suppressed, whether they
    occur or not, so it tells nothing about the data beyond the cut.
    """
    from covey.kernels.shared.tree import recode

    indptr, nodes = recode(view.indptr, view.leaf, label_of)
    labels = view.tree.labels
    leaves = np.flatnonzero(view.tree.is_leaf())
    recoding = {labels[i]: labels[label_of[i]] for i in leaves if label_of[i] >= 0}
    return publish.generalized(
        baskets_of_nodes(view, indptr, nodes),
        guarantee=guarantee,
        method=method,
        options=options,
        seed=seed,
        recoding=recoding,
        private=private,
    )


def baskets_of_nodes(view: TreeView, indptr: Ints, nodes: Ids) -> Baskets:
    """Rows of nodes as baskets of their labels."""
    used, place = np.unique(nodes, return_inverse=True)
    return Baskets.build(indptr, place.astype(np.int32), [view.tree.labels[x] for x in used])
