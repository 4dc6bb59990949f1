"""All minimal threats of all cuts at once, mined depth-first over extended transactions (Liu & Wang 2010, section 4.1).

The methods mine the threats of one node at a time instead (see `cut_search`); this gives the whole set, to look at
and to test against.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from covey.data import Baskets, Taxonomy
from covey.errors import ParameterError
from covey.methods.tree_view import TreeView
from covey.parameters import integer

BUDGET = 20_000_000
WORK = 20_000_000_000


def minimal_threats(
    data: Baskets, taxonomy: Taxonomy | None = None, *, k: int, m: float, budget: int = BUDGET
) -> list[tuple[str, ...]]:
    """Every minimal set of at most m unrelated nodes that occurs, but in fewer than k transactions.

    Parameters
    ----------
    data : Baskets
        The transactions; one holds a node if it holds an item below it.
    taxonomy : Taxonomy or None
        None is the flat one.
    k, m
        As in ``km-anonymity(k, m)``.
    budget : int
        Members of threats to hold; more is an error that says what to lower.

    Examples
    --------
    >>> minimal_threats(Baskets.of([["ale", "tea"], ["ale"], ["tea"], ["rum"]]), k=2, m=2)
    [('rum',), ('ale', 'tea')]
    """
    from covey.kernels.methods import threats
    from covey.kernels.shared.csr import keep_items, transpose

    integer("minimal_threats", "k", k, minimum=1)
    view = TreeView.of(data, taxonomy)
    frequent = np.flatnonzero(view.support >= k)
    number = np.full(view.tree.size, -1, np.int32)
    number[frequent] = np.arange(len(frequent), dtype=np.int32)
    # The transposed lists of the nodes are the extended transactions. Related nodes need no care: one above another
    # changes no support, so no minimal set holds both.
    row_ptr, nodes = transpose(view.node_ptr, view.node_rows, data.n)
    ptr, local = keep_items(row_ptr, nodes, number)
    complete, offsets, members, _ = threats.mine(
        ptr,
        local,
        np.ones(data.n, np.int64),
        len(frequent),
        len(frequent),
        k,
        int(min(m, view.longest)),
        view.words[frequent],
        np.zeros(4096, np.int64),
        np.zeros(1, np.int64),
        budget,
        WORK,
    )
    if not complete:
        raise ParameterError(
            f"There are too many minimal threats to hold (budget={budget:,}). Lower m (now {m:g}) or k, "
            "or raise the budget."
        )
    labels = view.tree.labels
    alone = [(labels[x],) for x in np.flatnonzero((view.support > 0) & (view.support < k))]
    found = [
        tuple(sorted(labels[frequent[x]] for x in members[start:stop])) for start, stop in pairwise(offsets)
    ]
    return sorted(alone + found, key=lambda threat: (len(threat), threat))
