"""Which frequent generalized itemsets can still be found in a release?

An itemset is a set of unrelated nodes of the taxonomy; a transaction holds a node if it holds an item (or a published
label) below it. What was frequent in the original and is still frequent in the release has survived.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from covey.arrays import Bytes, Ids, Ints
from covey.data import Baskets, Taxonomy
from covey.data.csr import canonicalize
from covey.data.tree import rows_of_nodes
from covey.errors import ParameterError
from covey.parameters import integer, number
from covey.release.sets import SetsRelease, public_part

Bits = Bytes
_ONES = np.array([bin(b).count("1") for b in range(256)], np.uint8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surviving:
    """Frequent itemsets before and after."""

    #: Frequent generalized itemsets in the original.
    frequent: int
    #: Those that are frequent in the release too.
    surviving: int
    #: The share of the transactions from which on an itemset is frequent.
    least: float

    @property
    def share(self) -> float:
        """The share that survives, 1 when nothing was frequent."""
        return self.surviving / self.frequent if self.frequent else 1.0

    @property
    def value(self) -> float:
        """The share again, under the name by which comparisons ask for it."""
        return self.share

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {"frequent": self.frequent, "surviving": self.surviving, "share": self.share, "least": self.least}


def frequent(
    release: SetsRelease,
    original: Baskets,
    taxonomy: Taxonomy | None = None,
    *,
    share: float | None = None,
    size: int = 3,
    limit: int = 200_000,
) -> Surviving:
    """Count the generalized itemsets that are frequent in the original, and those that still are in the release.

    Parameters
    ----------
    release, original, taxonomy
        As for `lm`.
    share : float or None
        An itemset is frequent when it is in at least this share of the transactions. None takes 1 %, or twice that as
        often as too many are; where too many are in all transactions, smaller ones are counted.
    size : int
        Nodes per itemset at most.
    limit : int
        Itemsets to look at before giving up with an error that says what to change.
    """
    asked = number("frequent", "share", 0.01 if share is None else share, minimum=0, maximum=1)
    integer("frequent", "size", size, minimum=1)
    public = public_part(release, original)
    tree = Taxonomy.flat(public.items) if taxonomy is None else taxonomy
    while True:
        least = max(1, int(np.ceil(asked * public.n)))
        nodes, before = _bits(public, tree, least)
        _, after = _bits(release.transactions, tree, 0, nodes)
        every = _frequent(nodes, before, after, tree.last, least, size)
        kept = np.fromiter(every if size == 1 else islice(every, limit + 1), np.int64)
        if len(kept) <= limit or (share is None and size == 1):
            return Surviving(frequent=len(kept), surviving=int((kept >= least).sum()), least=asked)
        if share is not None:
            raise ParameterError(
                f"More than {limit:,} itemsets are frequent at share={share:g}: raise share, or lower size={size}."
            )
        asked, size = (min(2 * asked, 1.0), size) if asked < 1 else (asked, size - 1)


def _bits(baskets: Baskets, tree: Taxonomy, least: int, nodes: Ints | None = None) -> tuple[Ints, Bits]:
    """The nodes below the root held by at least `least` rows (or those given), and a row of bits for each."""
    indptr, labels = baskets.indptr.copy(), baskets.indices.copy()
    canonicalize(indptr, labels, np.array([tree.node(label) for label in baskets.items], np.int32))
    ptr, rows, _ = rows_of_nodes(indptr, labels, tree.parent)
    if nodes is None:
        nodes = np.flatnonzero(np.diff(ptr) >= least)
        nodes = nodes[nodes > 0]
    bits = np.zeros((len(nodes), (baskets.n + 7) // 8), np.uint8)
    for i, x in enumerate(nodes):
        held = np.zeros(baskets.n, np.bool_)
        held[rows[ptr[x] : ptr[x + 1]]] = True
        bits[i] = np.packbits(held)
    return nodes, bits


def _frequent(nodes: Ints, before: Bits, after: Bits, last: Ids, least: int, size: int) -> Iterator[int]:
    """Support in the release of each set of unrelated nodes that is frequent in the original, depth-first."""
    every = np.arange(len(nodes))
    todo = [(every, before, after, 1)]
    while todo:
        candidates, here, there, length = todo.pop()
        now = _ONES[here].sum(axis=1, dtype=np.int64)
        then = _ONES[there].sum(axis=1, dtype=np.int64)
        good = np.flatnonzero(now >= least)
        for i in good:
            yield int(then[i])
            if length < size:
                # Nodes stand in tour order, so a later one is related iff it lies below this one.
                later = good[(good > i) & (nodes[candidates[good]] > last[nodes[candidates[i]]])]
                if len(later):
                    wider = candidates[later]
                    todo.append((wider, before[wider] & here[i], after[wider] & there[i], length + 1))
