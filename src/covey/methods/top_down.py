"""top-down: rows are split by single items as long as both parts keep k rows (PatternKa 2020, section 5.2).

A rival of pattern-ka. Data flow: frequent items → all rows as one group → split by the item that leaves the least loss,
with against without it, again and again, O(entries) for each level of splits and item tried → every group as the items
that all its rows hold → publication. Oracle: `tests/oracles/pattern_ka.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints, offsets_of
from covey.data import Baskets
from covey.data.csr import count_items, take_rows, transpose_rows
from covey.data.jit import kernel
from covey.guarantees.k_anonymity import KAnonymity
from covey.methods.base import Recoded, RecodesSets
from covey.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class TopDown(RecodesSets):
    """k-anonymity of sets by splitting on single items.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of([["beer", "chips", "wine"], ["beer", "chips"], ["soap"], ["soap", "rice"]])
    >>> release = TopDown(seed=0).anonymize(baskets, guarantee("k-anonymity(k=2)"))
    >>> sorted(release.transactions.basket(row) for row in range(4))
    [['beer', 'chips'], ['beer', 'chips'], ['soap'], ['soap']]
    """

    name = "top-down"
    recoded = "suppressed"

    def recode(self, data: Baskets, promise: KAnonymity, progress: Progress) -> Recoded:
        """Every basket as what all of its group hold."""
        # What fewer than k rows hold is in no group's center, and only makes rows longer.
        frequent = data.only(data.supports() >= promise.k)
        group, ptr, centers = split_rows(frequent, promise.k, progress)
        indptr, indices = take_rows(ptr, centers, group)
        return Recoded(Baskets.build(indptr, indices, frequent.items))


def split_rows(data: Baskets, k: int, progress: Progress) -> tuple[Ints, Ints, Ids]:
    """The group of each row, and the items that all rows of a group hold, as (offsets, items)."""
    group = np.zeros(data.n, np.int64)
    centers: list[Ids] = []
    waiting, settled = [np.arange(data.n)] if data.n else [], 0
    while waiting:
        progress("grouping", settled / data.n)
        rows = waiting.pop()
        indptr, indices = take_rows(*data.csr, rows)
        item = best_split(indptr, indices, data.d, k)
        if item < 0:
            group[rows] = len(centers)
            centers.append(np.flatnonzero(count_items(indices, data.d) == len(rows)).astype(np.int32))
            settled += len(rows)
            continue
        holds = np.zeros(len(rows), np.bool_)
        holds[np.searchsorted(indptr, np.flatnonzero(indices == item), side="right") - 1] = True
        waiting += [rows[~holds], rows[holds]]
    ptr = offsets_of([len(center) for center in centers])
    return group, ptr, np.concatenate([np.empty(0, np.int32), *centers])


@kernel
def best_split(indptr: Ints, indices: Ids, d: int, k: int) -> int:
    """The item to split rows by so that the two parts keep most items, or -1 if the whole keeps as many.

    Both parts, the rows with the item and those without, have at least k rows and keep the items that all of theirs
    hold. Every possible item is tried, as in the paper; of equally good ones it is the first.
    O(sum over the rows of the square of their length).
    """
    n = len(indptr) - 1
    by_ptr, by_row = transpose_rows(indptr, indices, d)
    held = np.diff(by_ptr)
    holding = np.zeros(n + 1, np.int64)  # how many items so many rows hold
    for j in range(d):
        holding[held[j]] += 1
    best, most = np.int64(-1), n * holding[n] if n else np.int64(0)
    together = np.zeros(d, np.int64)
    for i in range(d):
        inside, outside = held[i], n - held[i]
        if inside < k or outside < k:
            continue
        for e in range(by_ptr[i], by_ptr[i + 1]):
            for f in range(indptr[by_row[e]], indptr[by_row[e] + 1]):
                together[indices[f]] += 1
        with_it, without = np.int64(0), holding[outside]
        for e in range(by_ptr[i], by_ptr[i + 1]):
            for f in range(indptr[by_row[e]], indptr[by_row[e] + 1]):
                j = indices[f]
                if together[j]:
                    with_it += together[j] == inside
                    # It was counted as one that no row with item i holds.
                    without += np.int64(held[j] - together[j] == outside) - np.int64(held[j] == outside)
                    together[j] = 0
        kept = inside * with_it + outside * without
        if kept > most:
            best, most = np.int64(i), kept
    return best
