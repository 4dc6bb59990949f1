"""What is left of itemsets: the frequent generalized ones that survive, and the measures of Terrovitis et al. 2012.

The latter (section 6) are for releases that can be drawn from. A release is taken as what plain baskets drawn from it
are on the average of ten draws: generalized labels become one of the items they stand for, sub-records of chunks go to
records at random.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from covey.arrays import Bytes, Ids, Ints, Mask, places_of
from covey.data import Baskets, Taxonomy
from covey.data.baskets import unmarked
from covey.data.csr import canonicalize
from covey.data.jit import kernel
from covey.data.tree import rows_of_nodes
from covey.parameters import parse_call
from covey.release.chunks import ChunksRelease
from covey.release.sets import SetsRelease, public_part
from covey.tabular import Plain

#: How many itemsets are the most frequent ones, and draws that are averaged.
TOP, DRAWS = 1_000, 10
#: A generalized itemset is frequent if it is in this share of the transactions; it has at most so many nodes.
LEAST_SHARE, SIZE = 0.01, 3

#: The pairs of the 20 items from this rank on, by support, are compared; of the last 20 where there are fewer items.
RANK, ITEMS = 200, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Surviving(Plain):
    """Frequent itemsets before and after."""

    #: Frequent generalized itemsets in the original.
    frequent: int
    #: Those that are frequent in the release too.
    surviving: int
    #: The share that survives, 1 when nothing was frequent.
    share: float
    #: The share of the transactions from which on an itemset is frequent.
    least: float


def frequent(
    release: SetsRelease, original: Baskets, taxonomy: Taxonomy | None = None, limit: int = 200_000
) -> Surviving:
    """Count the generalized itemsets that are frequent in the original, and those that still are in the release.

    An itemset is a set of at most `SIZE` unrelated nodes of the taxonomy, the flat one without any; a transaction holds
    a node if it holds an item (or a published label) below it. An itemset is frequent when it is in at least 1 % of the
    transactions, or twice that as often as more than `limit` are; where so many are in all transactions, smaller ones
    are counted.
    """
    public, least_share, size = public_part(release, original), LEAST_SHARE, SIZE
    tree = Taxonomy.flat(public.items) if taxonomy is None else taxonomy
    while True:
        least = max(1, int(np.ceil(least_share * public.n)))
        nodes, before = _bits(public, tree, least)
        _, after = _bits(release.transactions, tree, 0, nodes)
        every = _frequent(nodes, before, after, tree.last, least, size)
        kept = np.fromiter(every if size == 1 else islice(every, limit + 1), np.int64)
        if len(kept) <= limit or size == 1:
            surviving = int((kept >= least).sum())
            share = surviving / len(kept) if len(kept) else 1.0
            return Surviving(frequent=len(kept), surviving=surviving, share=share, least=least_share)
        least_share, size = (min(2 * least_share, 1.0), size) if least_share < 1 else (1.0, size - 1)


def _bits(baskets: Baskets, tree: Taxonomy, least: int, nodes: Ints | None = None) -> tuple[Ints, Bytes]:
    """Return the nodes below the root held by at least `least` rows (or those given), and a row of bits for each."""
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


def _frequent(nodes: Ints, before: Bytes, after: Bytes, last: Ids, least: int, size: int) -> Iterator[int]:
    """Yield the support in the release of each set of unrelated nodes that is frequent in the original, depth-first."""
    every = np.arange(len(nodes))
    todo = [(every, before, after, 1)]
    while todo:
        candidates, here, there, length = todo.pop()
        now = np.bitwise_count(here).sum(axis=1, dtype=np.int64)
        then = np.bitwise_count(there).sum(axis=1, dtype=np.int64)
        good = np.flatnonzero(now >= least)
        for i in good:
            yield int(then[i])
            if length < size:
                # Nodes stand in tour order, so a later one is related iff it lies below this one.
                later = good[(good > i) & (nodes[candidates[good]] > last[nodes[candidates[i]]])]
                if len(later):
                    wider = candidates[later]
                    todo.append((wider, before[wider] & here[i], after[wider] & there[i], length + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsetUtility(Plain):
    """How well itemsets are kept."""

    #: Share of the most frequent itemsets of at most three items that are not among the most frequent of the release.
    top_deviation: float
    #: Mean of |o - r| / ((o + r) / 2) over pairs of items of middling support, o and r being how many records hold the
    #: pair in the original and in the release; pairs that neither has have no error.
    pair_error: float
    #: Share of the items that at least k records hold of which the release counts none.
    lost_items: float
    #: How many itemsets were the most frequent ones.
    top: int
    #: Pairs that were compared.
    pairs: int


def itemsets(release: SetsRelease | ChunksRelease, original: Baskets, *, seed: int = 0) -> ItemsetUtility:
    """Compare the `TOP` most frequent itemsets of a release with those of its original.

    Examples
    --------
    >>> import covey
    >>> data = Baskets.of([["ale", "tea"], ["ale", "tea"], ["ale", "rum"], ["ale"]])
    >>> found = itemsets(covey.anonymize(data, "km-anonymity(k=2, m=2)", "mm", seed=0), data)
    >>> found.lost_items, found.top_deviation
    (0.0, 0.4)
    """
    known = release.original(original)
    drawn = _pooled([release.draw([seed, i]) for i in range(DRAWS)], known.items)
    before, after = top_sets(known, TOP), top_sets(drawn, TOP)
    middling = _middling(known)
    ours, theirs = _pairs(drawn, middling) / DRAWS, _pairs(known, middling)
    occurring = ours + theirs > 0
    ours, theirs = ours[occurring], theirs[occurring]
    errors = np.abs(ours - theirs) / ((ours + theirs) / 2)
    k = int(parse_call(release.guarantee)[2].get("k", 1))
    supports = known.supports()
    wanted = {known.items[i] for i in np.flatnonzero(supports >= k)}
    return ItemsetUtility(
        top_deviation=1 - len(before & after) / len(before) if before else 0.0,
        pair_error=float(errors.mean()) if len(errors) else 0.0,
        lost_items=len(wanted - release.counted_items()) / len(wanted) if wanted else 0.0,
        top=len(before),
        pairs=len(errors),
    )


def top_sets(baskets: Baskets, top: int) -> set[tuple[int, ...]]:
    """Return the `top` most frequent sets of one to three items; of equally frequent ones the smaller, then by label.

    Examples
    --------
    >>> sorted(top_sets(Baskets.of([["a", "b"], ["a", "b"], ["a"], ["c"]]), 3))
    [(0,), (0, 1), (1,)]
    """
    supports = baskets.supports()
    chosen = np.sort(np.lexsort((np.arange(baskets.d), -supports))[:top])
    chosen = chosen[supports[chosen] > 0]
    place = places_of(chosen, baskets.d)
    pairs = baskets.pair_supports(place >= 0)
    a, b = np.nonzero(np.triu(pairs, 1))
    counts = np.concatenate([supports[chosen], pairs[a, b]])
    least = int(np.partition(counts, len(counts) - top)[len(counts) - top]) if len(counts) > top else 1
    linked: Mask = (pairs >= least) & (pairs > 0)
    np.fill_diagonal(linked, False)
    triples = _triangles(linked)
    width = max(len(chosen), 1)
    keys = (triples[:, 0] * width + triples[:, 1]) * width + triples[:, 2]
    often = triple_counts(*baskets.csr, place, linked, keys)
    frequent = linked[a, b]
    a, b = a[frequent], b[frequent]
    found = [
        *((-int(supports[i]), 1, (int(i),)) for i in chosen),
        *((-int(pairs[x, y]), 2, (int(chosen[x]), int(chosen[y]))) for x, y in zip(a, b, strict=True)),
        *((-int(n), 3, tuple(chosen[t].tolist())) for n, t in zip(often, triples, strict=True) if n),
    ]
    return {members for _, _, members in sorted(found)[:top]}


def _triangles(linked: Mask) -> Ints:
    """Return all a < b < c that are linked in pairs, in order."""
    found = [np.empty((0, 3), np.int64)]
    for a in range(len(linked)):
        near = np.flatnonzero(linked[a, a + 1 :]) + a + 1
        x, y = np.nonzero(np.triu(linked[np.ix_(near, near)], 1))
        found.append(np.stack([np.full(len(x), a), near[x], near[y]], axis=1))
    return np.concatenate(found)


def _middling(baskets: Baskets) -> Ints:
    """Return the items from the rank on that pairs are compared of."""
    ranked = np.lexsort((np.arange(baskets.d), -baskets.supports()))
    ranked = ranked[baskets.supports()[ranked] > 0]
    start = min(RANK - 1, max(len(ranked) - ITEMS, 0))
    return np.sort(ranked[start : start + ITEMS])


def _pairs(baskets: Baskets, items: Ints) -> Ints:
    """Return the supports of all pairs of some items."""
    count = baskets.pair_supports(places_of(items, baskets.d) >= 0)
    return count[np.triu_indices(len(items), 1)]


def _pooled(drawn: list[Baskets], items: tuple[str, ...]) -> Baskets:
    """Return the rows of all draws, with the items of the original; labels that are no items of it are left out."""
    at = {item: i for i, item in enumerate(items)}
    ends, entries = [np.zeros(1, np.int64)], []
    for baskets in drawn:
        known = baskets.only(np.array([item in at for item in baskets.items], np.bool_))
        rename = np.array([at[item] for item in known.items] or [0], np.int32)
        ends.append(ends[-1][-1] + known.indptr[1:])
        entries.append(rename[known.indices])
    return unmarked(np.concatenate(ends), np.concatenate(entries), items)


@kernel
def triple_counts(indptr: Ints, indices: Ids, place: Ids, linked: Mask, keys: Ints) -> Ints:
    """Return in how many rows each of some triples is.

    Precondition: `keys` are sorted, (a * width + b) * width + c for places a < b < c that `linked` links in pairs, and
    items ascend as their places do. O(linked triples in all rows x log(keys)).
    """
    width = len(linked)
    count = np.zeros(len(keys), np.int64)
    here = np.empty(width, np.int64)
    for row in range(len(indptr) - 1):
        many = 0
        for e in range(indptr[row], indptr[row + 1]):
            if place[indices[e]] >= 0:
                here[many] = place[indices[e]]
                many += 1
        for i in range(many):
            for j in range(i + 1, many):
                if not linked[here[i], here[j]]:
                    continue
                for h in range(j + 1, many):
                    if linked[here[i], here[h]] and linked[here[j], here[h]]:
                        key = (here[i] * width + here[j]) * width + here[h]
                        count[np.searchsorted(keys, key)] += 1
    return count
