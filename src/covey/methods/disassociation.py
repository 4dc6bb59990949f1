"""Disassociation: who bought what is kept, what was bought together is cut where it is rare (Terrovitis et al. 2012).

Data flow: records → clusters of similar ones → in each cluster chunks of items in which no small set is rare, and the
items that are rare in the cluster → chunks shared by neighbouring clusters for those of them that are frequent enough
there → publication. No item is generalized, and none is left out. Linear in the records but for sorting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from covey.arrays import Ints, Mask
from covey.data import Baskets
from covey.guarantees.km_anonymity import KmAnonymity
from covey.kernels.methods.disassociation import deal_items, split_rows
from covey.kernels.shared.csr import take_rows
from covey.methods.base import Method
from covey.methods.shared_chunks import refine
from covey.parameters import parameter
from covey.progress import Progress
from covey.release.base import Release
from covey.release.chunks.cut import Cut

#: Entries read to find out whether one item fits into one chunk.
WORK = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Disassociation(Method):
    """Records cut into chunks, within clusters and across neighbouring ones.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> data = Baskets.of([["ale", "tea"], ["ale", "tea"], ["ale", "rum"], ["ale"]])
    >>> release = Disassociation(seed=0).anonymize(data, guarantee("km-anonymity(k=2, m=2)"))
    >>> release
    ChunksRelease(km-anonymity(k=2, m=2) by disassociation: 4 transactions, 1 clusters, 1 chunks, 3 items)
    """

    name: ClassVar[str] = "disassociation"

    cluster: int = parameter(
        50, at_least=2, says="Records of a cluster, about; at least k. Smaller ones say more of what goes together."
    )
    work: int = parameter(
        WORK,
        at_least=1,
        expert=True,
        says="Entries read to find out whether an item fits into a chunk, for m above 2, before it gets another one.",
        cut_short="Some items were put into chunks of their own before it was clear that they had to; more work may "
        "keep more of what goes together.",
    )

    def release(self, data: Baskets, promise: KmAnonymity, progress: Progress) -> Release:
        """Publish the chunks."""
        from covey.release.chunks.publish import chunks

        people = data.by_person()
        rng = np.random.default_rng(self.seed)
        k, m = promise.k, int(min(promise.m, max(int(people.lengths().max(initial=0)), 1)))
        progress("clustering", 0.0)
        cut = self._clusters(people, rng.permutation(np.flatnonzero(people.lengths())), k)
        progress("cutting", 0.3)
        complete = cut_clusters(cut, k, m, self.work)
        pinned = pin_terms(cut, people.supports(), k, m)
        progress("sharing", 0.5)
        complete &= refine(cut, pinned, people.d, k, m, self.work)
        progress("publishing", 0.8)
        return chunks(
            cut,
            people,
            made=self.statement(promise, () if complete else ("work",)),
            by_person=data.person is not None,
            rng=rng,
        )

    def _clusters(self, people: Baskets, rows: Ints, k: int) -> Cut:
        """Put similar records together; `rows` are those that hold anything, in random order."""
        size = max(self.cluster, k)
        begins = split_rows(people.indptr, people.indices, rows, people.d, max(k, size // 2), size, k)
        row_ptr, items = take_rows(people.indptr, people.indices, rows)
        nothing = np.full(len(items), -1, np.int64)
        return Cut(row_ptr=row_ptr, item=items, cluster=np.cumsum(begins) - 1, level=nothing, chunk=nothing.copy())


def cut_clusters(cut: Cut, k: int, m: int, work: int) -> bool:
    """Put items that k records of their cluster hold into record chunks; whether the search was complete."""
    block_ptr = np.searchsorted(cut.cluster, np.arange(cut.clusters + 1))
    d = int(cut.item.max(initial=-1)) + 1
    dealt, complete = deal_items(block_ptr, cut.row_ptr, cut.item, d, k, m, work)
    cut.chunk[:], cut.level[:] = dealt, np.where(dealt >= 0, 0, -1)
    return bool(complete)


def pin_terms(cut: Cut, supports: Ints, k: int, m: int) -> Mask:
    """Which entries must stay in term chunks, so that no record of a cluster need be empty (the paper's Lemma 2).

    A cluster needs one item of which nobody knows how many records hold it, unless its record chunks have enough
    sub-records to fill all records while k of them take one of each of m chunks. It is the one whose count is missed
    least; a cluster that has none gives up its rarest.
    """
    row = cut.row
    cluster, n = cut.cluster[row], cut.clusters
    inside = cut.level == 0
    width = int(cut.chunk.max(initial=0)) + 1
    parts = np.unique(row[inside] * width + cut.chunk[inside])
    many = np.bincount(cut.cluster[parts // width], minlength=n)
    chunks = np.bincount(np.unique(cluster[inside] * width + cut.chunk[inside]) // width, minlength=n)
    needed = np.bincount(cut.cluster, minlength=n) + k * np.maximum(np.minimum(m, chunks) - 1, 0)
    short = many < needed
    pairs, number, often = np.unique(cluster * len(supports) + cut.item, return_inverse=True, return_counts=True)
    home, item = pairs // len(supports), pairs % len(supports)
    # Terms before others; of terms those that nowhere reach k, then those of which the smallest share is missed.
    best = np.lexsort((pairs, often / supports[item], supports[item] >= k, often >= k, home))
    first = best[np.searchsorted(home, np.arange(n))]
    kept = np.zeros(len(pairs), np.bool_)
    kept[first[short]] = True
    pinned: Mask = kept[number.reshape(-1)]
    cut.level[pinned], cut.chunk[pinned] = -1, -1
    return pinned
