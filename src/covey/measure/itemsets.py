"""What is left of itemsets: the measures of Terrovitis et al. 2012, section 6, for releases that can be drawn from.

A release is taken as what plain baskets drawn from it are on the average of ten draws: generalized labels become one of
the items they stand for, sub-records of chunks go to records at random.

Counting triples of a few items over many rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Ids, Ints, Mask, places_of
from covey.data import Baskets
from covey.data.baskets import unmarked
from covey.data.jit import kernel
from covey.data.pairs import pair_counts
from covey.parameters import integer, parse_call
from covey.tabular import Plain

#: How many itemsets are the most frequent ones, and draws that are averaged.
TOP, DRAWS = 1_000, 10

#: The pairs of the 20 items from this rank on, by support, are compared; of the last 20 where there are fewer items.
RANK, ITEMS = 200, 20


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

    @property
    def value(self) -> float:
        """The one figure by which releases are compared: `pair_error`."""
        return self.pair_error


def itemsets(release: Any, original: Baskets, *, top: int = TOP, draws: int = DRAWS, seed: int = 0) -> ItemsetUtility:
    """Compare itemsets of a release with those of its original.

    Parameters
    ----------
    top : int
        How many itemsets are the most frequent ones.

    Examples
    --------
    >>> import covey
    >>> data = Baskets.of([["ale", "tea"], ["ale", "tea"], ["ale", "rum"], ["ale"]])
    >>> found = itemsets(covey.anonymize(data, "km-anonymity(k=2, m=2)", "mm", seed=0), data)
    >>> found.lost_items, found.top_deviation
    (0.0, 0.4)
    """
    integer("itemsets", "top", top, minimum=1)
    integer("itemsets", "draws", draws, minimum=1)
    known = release.original(original)
    drawn = _pooled([release.draw([seed, i]) for i in range(draws)], known.items)
    before, after = top_sets(known, top), top_sets(drawn, top)
    middling = _middling(known)
    ours, theirs = _pairs(drawn, middling) / draws, _pairs(known, middling)
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
    """The `top` most frequent sets of one to three items; of equally frequent ones the smaller, then by label.

    Examples
    --------
    >>> sorted(top_sets(Baskets.of([["a", "b"], ["a", "b"], ["a"], ["c"]]), 3))
    [(0,), (0, 1), (1,)]
    """
    supports = baskets.supports()
    chosen = np.sort(np.lexsort((np.arange(baskets.d), -supports))[:top])
    chosen = chosen[supports[chosen] > 0]
    place = places_of(chosen, baskets.d)
    pairs = pair_counts(*baskets.csr, place, len(chosen))
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
    """All a < b < c that are linked in pairs, in order."""
    found = [np.empty((0, 3), np.int64)]
    for a in range(len(linked)):
        near = np.flatnonzero(linked[a, a + 1 :]) + a + 1
        x, y = np.nonzero(np.triu(linked[np.ix_(near, near)], 1))
        found.append(np.stack([np.full(len(x), a), near[x], near[y]], axis=1))
    return np.concatenate(found)


def _middling(baskets: Baskets) -> Ints:
    """The items from the rank on that pairs are compared of."""
    ranked = np.lexsort((np.arange(baskets.d), -baskets.supports()))
    ranked = ranked[baskets.supports()[ranked] > 0]
    start = min(RANK - 1, max(len(ranked) - ITEMS, 0))
    return np.sort(ranked[start : start + ITEMS])


def _pairs(baskets: Baskets, items: Ints) -> Ints:
    """The supports of all pairs of some items."""
    count = pair_counts(*baskets.csr, places_of(items, baskets.d), len(items))
    return count[np.triu_indices(len(items), 1)]


def _pooled(drawn: list[Baskets], items: tuple[str, ...]) -> Baskets:
    """The rows of all draws, with the items of the original; labels that are no items of it are left out."""
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
