"""A taxonomy made up from the data, for somebody who has none: items that are bought together share a group.

It says nothing about what the items mean, and it depends on the data, so publishing along it tells something about
which items go together. Every such tree is marked as derived, in its labels too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.data.baskets import Baskets
from covey.data.taxonomy import Taxonomy, _assemble
from covey.parameters import integer


def derive_taxonomy(baskets: Baskets, *, fanout: int = 4) -> Taxonomy:
    """Group items by co-occurrence, `fanout` at a time, level by level up to one root.

    Each level takes the most frequent ungrouped item and joins it with those that share most transactions with it,
    relative to their supports (cosine).

    Parameters
    ----------
    baskets : Baskets
        The data.
    fanout : int
        Children per node, at least 2.

    Returns
    -------
    Taxonomy
        With ``derived`` set and inner labels such as ``derived 1.3``: group 3 of level 1.

    Examples
    --------
    >>> data = Baskets.of([["ale", "stout"], ["ale", "stout"], ["tea", "milk"], ["tea", "milk"]])
    >>> tree = derive_taxonomy(data, fanout=2)
    >>> tree
    Taxonomy(derived, 7 nodes, 4 leaves, 2 levels below 'derived 2.1')
    """
    import scipy.sparse

    integer("derive_taxonomy", "fanout", fanout, minimum=2)
    names = list(baskets.items)
    taken = set(names)
    above: dict[str, str] = {}
    every = list(names)
    matrix = scipy.sparse.csc_array(baskets.to_scipy().astype(np.float64))
    level = 0
    while len(names) > 1:
        level += 1
        groups = _groups(matrix, fanout)
        labels = []
        for number, members in enumerate(groups, 1):
            label = f"derived {level}.{number}"
            while label in taken:
                label += "'"
            taken.add(label)
            labels.append(label)
            above |= {names[i]: label for i in members}
        owner = np.empty(len(names), np.int64)
        for number, members in enumerate(groups):
            owner[members] = number
        join = scipy.sparse.csc_array(
            (np.ones(len(names)), (np.arange(len(names)), owner)), shape=(len(names), len(groups))
        )
        matrix = scipy.sparse.csc_array(matrix @ join)
        matrix.data[:] = 1.0
        names = labels
        every += labels
    return _assemble(above, every, names, derived=True)


def _groups(matrix: Any, fanout: int) -> list[list[int]]:
    """Items in groups of `fanout`: the most frequent one left, and what goes best with it."""
    import scipy.sparse

    columns = scipy.sparse.csc_array(matrix)
    support = np.maximum(np.asarray(columns.sum(axis=0)).ravel(), 1.0)
    together = scipy.sparse.csr_array(columns.T @ columns)
    order = np.argsort(-support, kind="stable")
    free = np.ones(len(support), np.bool_)
    groups: list[list[int]] = []
    cursor = 0
    for seed in order:
        if not free[seed]:
            continue
        free[seed] = False
        near = together.indices[together.indptr[seed] : together.indptr[seed + 1]]
        shared = together.data[together.indptr[seed] : together.indptr[seed + 1]]
        open_ones = free[near]
        near, score = near[open_ones], shared[open_ones] / np.sqrt(support[near[open_ones]])
        members = [int(seed), *(int(i) for i in near[np.lexsort((near, -score))][: fanout - 1])]
        free[members] = False
        while len(members) < fanout and cursor < len(order):
            if free[order[cursor]]:
                members.append(int(order[cursor]))
                free[order[cursor]] = False
            cursor += 1
        groups.append(members)
    return groups
