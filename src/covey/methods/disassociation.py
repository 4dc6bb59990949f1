"""Disassociation: what was bought together is cut where it is rare (Terrovitis et al. 2012, sections 4.1 and 4.2).

Data flow: records → clusters of similar ones, or one of all → in each cluster chunks of items in which no small set is
rare, and the items that are rare in the cluster → chunks shared by neighbouring clusters for those of them that are
frequent enough there → publication. No item is generalized, and none is left out. Linear in the records but for
sorting. Oracle: `tests/oracles/chunks.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints, Mask, offsets_of
from covey.data import Baskets
from covey.data.csr import take_rows, transpose_some
from covey.data.jit import kernel, larger, sort_ids, stable_order
from covey.guarantees.km_anonymity import KmAnonymity
from covey.methods.base import Method
from covey.parameters import parameter
from covey.progress import Progress, silent
from covey.release.base import Release
from covey.release.chunking import Cut, chunks
from covey.release.chunks import ChunksRelease

#: Entries read to find out whether one item fits into one chunk.
WORK = 2_000_000

#: Records of a small cluster (the paper's), those on which sizes are tried, and items whose pairs are compared then.
CLUSTER, SAMPLE, FREQUENT = 50, 100_000, 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Disassociation(Method):
    """Records cut into chunks, within clusters and across neighbouring ones.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> data = Baskets.of([["ale", "tea"], ["ale", "tea"], ["ale", "rum"], ["ale"]])
    >>> release = Disassociation(seed=0).anonymize(data, guarantee("km-anonymity(k=2, m=2)"))
    >>> release
    ChunksRelease(km-anonymity(k=2, m=2) by disassociation: 4 transactions, 1 cluster, 1 chunk, 3 items)
    """

    name = "disassociation"

    cluster: int | None = parameter(
        None,
        at_least=2,
        says="About how many records a cluster has; at least k. By default 50 or all, whichever keeps the counts of "
        "pairs of frequent items better.",
    )
    work: int = parameter(
        WORK,
        at_least=1,
        expert=True,
        label="Work for the search",
        says="Entries read to find out whether an item fits into a chunk (for m above 2), before another is tried.",
        cut_short="Some items were put into chunks of their own before it was clear that they had to be; more work may "
        "keep more items together.",
    )

    def release(self, data: Baskets, promise: KmAnonymity, progress: Progress) -> Release:
        """Publish the chunks."""
        people = data.by_person()
        progress("clustering", 0.0)
        size = self.cluster if self.cluster is not None else self._better_size(people, promise)
        return self._chunks(people, promise, size, data.unit == "persons", progress)

    def _better_size(self, people: Baskets, promise: KmAnonymity) -> int:
        """Small clusters, or one of all records: what keeps pairs better, tried on a part of large data."""
        if people.n <= CLUSTER:
            return CLUSTER
        rows = np.random.default_rng(self.seed).permutation(people.n)[:SAMPLE]
        tried = people if people.n <= SAMPLE else people.take(rows)
        small, whole = (
            _pair_loss(self._chunks(tried, promise, size, False, silent), tried) for size in (CLUSTER, tried.n + 1)
        )
        return CLUSTER if small <= whole else people.n + 1

    def _chunks(
        self, people: Baskets, promise: KmAnonymity, cluster: int, by_person: bool, progress: Progress
    ) -> ChunksRelease:
        """The release with clusters of this size."""
        rng = np.random.default_rng(self.seed)
        k, m = promise.k, int(min(promise.m, max(int(people.lengths().max(initial=0)), 1)))
        rows, size = rng.permutation(np.flatnonzero(people.lengths())), max(cluster, k)
        begins = split_rows(*people.csr, rows, people.d, max(k, size // 2), size, k)
        row_ptr, items = take_rows(*people.csr, rows)
        level, chunk = np.full(len(items), -1, np.int8), np.full(len(items), -1, np.int32)
        cut = Cut(row_ptr=row_ptr, item=items, cluster=np.cumsum(begins) - 1, level=level, chunk=chunk)
        del begins, row_ptr, items, level, chunk
        progress("cutting", 0.5)
        complete = cut_clusters(cut, k, m, self.work)
        pinned = pin_terms(cut, people.supports(), k, m)
        progress("sharing", 0.7)
        complete &= refine(cut, pinned, people.d, k, m, self.work)
        progress("publishing", 0.9)
        made = self.statement(promise, () if complete else ("work",))
        return chunks(cut, people, rows, made=made, by_person=by_person, rng=rng)


def _pair_loss(release: ChunksRelease, people: Baskets) -> float:
    """By how many records the supports of pairs of frequent items differ from those of baskets drawn, all in all."""
    supports = people.supports()
    frequent = np.zeros(people.d, np.bool_)
    frequent[np.argsort(-supports, kind="stable")[:FREQUENT]] = True
    frequent &= supports > 0
    drawn = release.draw(0).pair_supports(frequent[supports > 0])
    return float(np.abs(people.pair_supports(frequent) - drawn).sum())


def cut_clusters(cut: Cut, k: int, m: int, work: int) -> bool:
    """Put items that k records of their cluster hold into record chunks; whether the search was complete."""
    block_ptr = np.searchsorted(cut.cluster, np.arange(cut.clusters + 1))
    d = int(cut.item.max(initial=-1)) + 1
    dealt, complete = deal_items(block_ptr, cut.row_ptr, cut.item, d, k, m, work)
    cut.chunk[:], cut.level[:] = dealt, np.where(dealt >= 0, np.int8(0), np.int8(-1))
    return bool(complete)


def pin_terms(cut: Cut, supports: Ints, k: int, m: int) -> Mask:
    """Which entries must stay in term chunks, so that no record of a cluster need be empty (the paper's Lemma 2).

    A cluster needs one item of which nobody knows how many records hold it, unless its record chunks have enough
    sub-records to fill all records while k of them take one of each of m chunks. It is the one whose count is missed
    least; a cluster that has none gives up its rarest.
    """
    pinned = np.zeros(len(cut.item), np.bool_)
    for records, entries in cut.pieces():
        pinned[entries] = _pin(cut.some(records, entries), supports, k, m)
    return pinned


def _pin(cut: Cut, supports: Ints, k: int, m: int) -> Mask:
    """As `pin_terms`, for all of a few clusters at once."""
    row = np.repeat(np.arange(len(cut.cluster)), np.diff(cut.row_ptr))
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


def refine(cut: Cut, pinned: Mask, d: int, k: int, m: int, work: int) -> bool:
    """Move items too rare for the chunks of single clusters to chunks that neighbouring clusters share, in `cut`.

    Clusters are joined in pairs, pairs of pairs and so on. In the first joint in which at least k records hold an item
    that its clusters would only name, the item goes into a shared chunk (Terrovitis et al. 2012, section 4.3). One that
    is in no narrower chunk of the joint shares a chunk with others of its kind; one that is stands alone, so that
    nobody can tell its occurrences apart by what they come with. `pinned` entries stay where they are. Return whether
    the search was complete.
    """
    waiting, complete = (cut.level < 0) & ~pinned, True
    claimed = np.concatenate([_claimed(cut, *piece, waiting, d) for piece in cut.pieces()] or [np.zeros(0, np.int64)])
    for level in range(1, max(cut.clusters - 1, 0).bit_length() + 1):
        if not waiting.any():
            break
        renewed = []
        for records, entries in cut.pieces(level):
            joints = cut.cluster[records] >> level
            within = np.searchsorted(claimed, 2 * d * np.array([joints[0], joints[-1] + 1]))
            before = claimed[within[0] : within[1]]
            before = np.unique((before // d >> 1) * d + before % d)
            left = entries.start + np.flatnonzero(waiting[entries])
            row = cut.row_of(left)
            joint = cut.cluster[row] >> level
            distinct, number, often = np.unique(joint * d + cut.item[left], return_inverse=True, return_counts=True)
            frequent = often >= k
            repeated = np.isin(distinct, before, assume_unique=True)
            alone = left[(frequent & repeated)[number]]
            cut.level[alone], cut.chunk[alone] = level, d + cut.item[alone]
            shared = (frequent & ~repeated)[number]
            complete &= _share(cut, left[shared], row[shared], joint[shared], d, k, m, work)
            cut.level[left[shared]] = level
            renewed.append(np.union1d(before, distinct[frequent]))
            waiting[left[frequent[number]]] = False
        claimed = np.concatenate(renewed)
    return complete


def _claimed(cut: Cut, records: slice, entries: slice, waiting: Mask, d: int) -> Ints:
    """The items of each cluster that are no longer waiting, as ascending cluster · d + item."""
    fixed = entries.start + np.flatnonzero(~waiting[entries])
    return np.unique(cut.cluster[cut.row_of(fixed)] * d + cut.item[fixed])


def _share(cut: Cut, chosen: Ints, row: Ints, joint: Ints, d: int, k: int, m: int, work: int) -> bool:
    """Deal the items of `chosen` entries, which stand by joint and record, into chunks of their joints."""
    rows, lengths = np.unique(row, return_counts=True)
    row_ptr = offsets_of(lengths)
    joint_of_row = joint[row_ptr[:-1]]
    block_ptr = np.append(np.flatnonzero(np.diff(joint_of_row, prepend=-1)), len(rows))
    cut.chunk[chosen], complete = deal_items(block_ptr, row_ptr, cut.item[chosen], d, k, m, work)
    return bool(complete)


@kernel
def holders_of(
    indptr: Ints, indices: Ids, rows: Ints, least: int, count: Ints, start: Ints
) -> tuple[Ints, Ints, Ints]:  # fmt: skip
    """Return items in at least `least` of `rows`, by ascending count; all that occur; holders as `transpose_some`."""
    touched, holders = transpose_some(indptr, indices, rows, count, start)
    sort_ids(touched)
    kept = touched[count[touched] >= least]
    return kept[stable_order(count[kept])], touched, holders


@kernel
def split_rows(
    indptr: Ints, indices: Ids, order: Ints, d: int, least: int, cluster: int, k: int
) -> Mask:  # fmt: skip
    """Reorder the rows in `order` so that rows that go together are neighbours, and say where clusters begin.

    A part of `cluster` rows or more is split by one item after another, the most frequent ones first, that at least
    `least` of its remaining rows hold: the holders become a part of their own. What holds no such item is cut into
    even parts, after those who share a frequent item were put side by side. Precondition: k <= least, k <= cluster.
    Every cluster has at least k rows if there are so many. O(entries x depth of the splits).
    """
    n = len(order)
    begins = np.zeros(n, np.bool_)
    low, high = np.zeros(1, np.int64), np.full(1, n, np.int64)
    pending = np.int64(1 if n else 0)
    count, start = np.zeros(d, np.int64), np.zeros(d, np.int64)
    while pending > 0:
        pending -= 1
        first, stop = low[pending], high[pending]
        size = stop - first
        begins[first] = True
        if size < cluster:
            continue
        rows = order[first:stop].copy()
        items, touched, holders = holders_of(indptr, indices, rows, np.int64(1), count, start)
        lengths = count[touched]
        taken = np.zeros(size, np.bool_)
        left, write = size, first
        for i in range(len(items)):
            item = items[len(items) - 1 - i]
            many = lengths[np.searchsorted(touched, item)]
            # An item of all rows splits nothing, and others may have lost their holders to items before them.
            rest = left - count[item]
            if many == size or count[item] < least or left < cluster or 0 < rest < k:
                continue
            begin = write
            for h in range(start[item], start[item] + many):
                place = holders[h]
                if taken[place]:
                    continue
                taken[place] = True
                order[write] = rows[place]
                write += 1
                for e in range(indptr[rows[place]], indptr[rows[place] + 1]):
                    count[indices[e]] -= 1
            left = rest
            low, high = larger(low, pending + 1), larger(high, pending + 1)
            low[pending], high[pending] = begin, write
            pending += 1
        begin = write
        # What is left is cut where it may, but those who share an item stand side by side.
        for i in range(len(items) - 1, -1, -1):
            many = lengths[np.searchsorted(touched, items[i])]
            for h in range(start[items[i]], start[items[i]] + (many if many < size else 0)):
                if not taken[holders[h]]:
                    taken[holders[h]] = True
                    order[write] = rows[holders[h]]
                    write += 1
        for place in range(size):
            if not taken[place]:
                order[write] = rows[place]
                write += 1
        parts = min(left // max(cluster - 1, 1) + 1, left // k)
        for part in range(parts):
            begins[begin + part * left // parts] = True
        for item in touched:
            count[item] = 0
    return begins


@kernel
def rare_beside(
    rows: Ints, row_ptr: Ints, items: Ids, chunk_of: Ints, chunk: int, k: int, size: int, work: int
) -> int:  # fmt: skip
    """Return 1 when fewer than k of `rows`, but some, hold a set of at most `size` items of a chunk, else 0.

    2 means that finding out would read more than `work` entries. Precondition: the items of a row ascend. Cost: the
    rows of every set of fewer than `size` items that occurs, times the items that these hold.
    """
    lists, places = rows.copy(), row_ptr[rows] - 1
    low, high, depth = np.zeros(1, np.int64), np.full(1, len(rows), np.int64), np.zeros(1, np.int64)
    pending = np.int64(1)
    while pending > 0:
        pending -= 1
        first, stop, length = low[pending], high[pending], depth[pending]
        # The pending sets lie behind one another, and this one is the last of them.
        top, smallest = stop, np.int64(-1)
        while True:
            # The next item, by number, that any of the rows holds further on.
            item = np.int64(-1)
            for i in range(first, stop):
                for e in range(places[i] + 1, row_ptr[lists[i] + 1]):
                    work -= 1
                    if items[e] > smallest and chunk_of[items[e]] == chunk:
                        if item < 0 or items[e] < item:
                            item = np.int64(items[e])
                        break
            if work < 0:
                return 2
            if item < 0:
                break
            smallest, end = item, top
            for i in range(first, stop):
                for e in range(places[i] + 1, row_ptr[lists[i] + 1]):
                    if items[e] >= item:
                        if items[e] == item:
                            lists, places = larger(lists, end + 1), larger(places, end + 1)
                            lists[end], places[end] = lists[i], e
                            end += 1
                        break
            if end - top < k:
                return 1
            if length + 1 < size and end - top < stop - first:
                low, high, depth = larger(low, pending + 1), larger(high, pending + 1), larger(depth, pending + 1)
                low[pending], high[pending], depth[pending] = top, end, length + 1
                pending += 1
                top = end
    return 0


@kernel
def deal_items(
    block_ptr: Ints, row_ptr: Ints, items: Ids, d: int, k: int, m: int, work: int
) -> tuple[Ids, bool]:  # fmt: skip
    """Return the chunk of each entry within its block, -1 for an item in fewer than k rows of it; and whether all was
    looked at.

    Rows ``block_ptr[b]`` to ``block_ptr[b + 1]`` are block b. By falling support, each item goes into the chunk that
    most of its rows have items of, among those in which every set of at most m items that occurs still occurs k times.
    O(sum of squared lengths of rows) for m = 2; `work` bounds the entries read for one item and chunk beyond pairs.
    """
    chunk_of_entry = np.full(len(items), -1, np.int32)
    count, start, chunk_of = np.zeros(d, np.int64), np.zeros(d, np.int64), np.full(d, -1, np.int64)
    beside, met = np.zeros(d, np.int64), np.empty(d, np.int64)
    complete = True
    for b in range(len(block_ptr) - 1):
        rows = np.arange(block_ptr[b], block_ptr[b + 1])
        chosen, touched, holders = holders_of(row_ptr, items, rows, k, count, start)
        chunks = np.int64(0)
        drawn, clash = np.zeros(len(chosen), np.int64), np.zeros(len(chosen), np.bool_)
        for i in range(len(chosen) - 1, -1, -1):
            item = chosen[i]
            mine = rows[holders[start[item] : start[item] + count[item]]]
            seen = np.int64(0)
            for row in mine:
                for e in range(row_ptr[row], row_ptr[row + 1]):
                    other = items[e]
                    if chunk_of[other] >= 0:
                        if beside[other] == 0:
                            met[seen] = other
                            seen += 1
                        beside[other] += 1
            for s in range(seen):
                c = chunk_of[met[s]]
                drawn[c] += beside[met[s]]
                clash[c] = clash[c] or (m > 1 and beside[met[s]] < k)
            while True:
                best = np.int64(-1)
                for c in range(chunks):
                    if not clash[c] and (best < 0 or drawn[c] > drawn[best]):
                        best = c
                if best < 0 or m < 3 or drawn[best] == 0:
                    break
                rare = rare_beside(mine, row_ptr, items, chunk_of, best, k, m - 1, work)
                if rare == 0:
                    break
                complete = complete and rare == 1
                clash[best] = True
            if best < 0:
                best = chunks
                chunks += 1
            chunk_of[item] = best
            for s in range(seen):
                beside[met[s]] = 0
            drawn[:chunks] = 0
            clash[:chunks] = False
        for e in range(row_ptr[block_ptr[b]], row_ptr[block_ptr[b + 1]]):
            chunk_of_entry[e] = chunk_of[items[e]]
        for item in touched:
            count[item] = 0
            chunk_of[item] = -1
    return chunk_of_entry, complete
