"""Publishing chunks without leaking: clusters are renumbered at random as far as shared chunks allow it.

A method hands over its records by cluster, cut into chunks (`Cut`). Sub-records of a chunk have no order but that of
their items, so theirs tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from covey.arrays import Ids, Ints
from covey.data import Baskets
from covey.data.baskets import unmarked
from covey.data.jit import kernel
from covey.release.base import Statement
from covey.release.chunks import ChunksRelease, assembled
from covey.release.trace import Trace, remember

#: How many clusters share a chunk, as a power of two.
Levels = NDArray[np.int8]
#: Entries, about, that are looked at together: numbers of 64 bits for every entry at once would be many times the data.
AT_ONCE = 1 << 20


@dataclass(slots=True, kw_only=True)
class Cut:
    """Records by cluster, each entry with the chunk it is published in."""

    #: The items of each record.
    row_ptr: Ints
    item: Ids
    #: Of each record, ascending.
    cluster: Ints
    #: For each entry: 0 in a record chunk, l in a chunk that 2^l clusters share, -1 in the term chunk.
    level: Levels
    #: A number of the chunk among those of the same cluster or joint.
    chunk: Ids

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return int(self.cluster[-1]) + 1 if len(self.cluster) else 0

    def row_of(self, entries: Ints) -> Ints:
        """The record of some entries."""
        return np.searchsorted(self.row_ptr, entries, side="right") - 1

    def pieces(self, joined: int = 0) -> Iterator[tuple[slice, slice]]:
        """Records and their entries, about `AT_ONCE`; no piece ends within a joint of 2^`joined` clusters."""
        starts = np.flatnonzero(np.diff(self.cluster >> joined, prepend=-1))
        starts = starts[np.flatnonzero(np.diff(self.row_ptr[starts] // AT_ONCE, prepend=-1))]
        for first, stop in pairwise([*starts.tolist(), len(self.cluster)]):
            yield slice(first, stop), slice(int(self.row_ptr[first]), int(self.row_ptr[stop]))

    def some(self, records: slice, entries: slice) -> Cut:
        """Some of the records, their clusters numbered from 0; what is changed in it changes here."""
        return Cut(
            row_ptr=self.row_ptr[records.start : records.stop + 1] - entries.start,
            item=self.item[entries],
            cluster=self.cluster[records] - self.cluster[records.start],
            level=self.level[entries],
            chunk=self.chunk[entries],
        )


#: More levels of joints than there can be.
LEVELS = 48


def chunks(
    cut: Cut, people: Baskets, rows: Ints, *, made: Statement, by_person: bool, rng: np.random.Generator
) -> ChunksRelease:
    """Make a release from records that were cut into chunks.

    `cut` has the records that hold anything, which are the `rows` of `people`, and is changed; the others become a
    cluster of their own, the last.
    """
    first, last = _numbered(cut, people.d)
    part_ptr, indptr, item = sub_records(cut.row_ptr, cut.item, cut.chunk, len(first))
    new = shuffled(cut.clusters, first, last, rng)

    occurring = np.flatnonzero(people.supports())
    rename = np.full(people.d, -1, np.int32)
    rename[occurring] = np.arange(len(occurring), dtype=np.int32)
    items = [people.items[i] for i in occurring]
    empty = people.n - len(cut.cluster)
    records = np.bincount(new[cut.cluster], minlength=cut.clusters)
    records = np.append(records, [empty] if empty else []).astype(np.int64)
    outside = np.flatnonzero(cut.level < 0)
    home, term = new[cut.cluster[cut.row_of(outside)]], rename[cut.item[outside]]
    by_home = np.argsort(home, kind="stable")
    terms = Baskets.build(np.searchsorted(home[by_home], np.arange(len(records) + 1)), term[by_home], items)
    cluster = np.full(people.n, len(records) - 1, np.int64)
    cluster[rows] = new[cut.cluster]
    low, high = _moved(first, last, new)
    # Items of a record ascend, and so do those of its parts.
    parts = unmarked(indptr, np.take(rename, item, out=item), tuple(items))
    release = assembled(
        records=records,
        first=low,
        last=high,
        part_ptr=part_ptr,
        parts=parts,
        terms=terms,
        by_person=by_person,
        made=made,
    )
    remember(release, Trace(rows=cluster))
    return release


def _numbered(cut: Cut, d: int) -> tuple[Ints, Ints]:
    """The clusters that each chunk covers, from the first to the last; entries get the number of their chunk in `cut`.

    Chunks are numbered by both, then by their number in the cut.
    """
    widths, number, inside = 1 << np.arange(LEVELS), 2 * d, cut.level >= 0
    cluster, level = np.repeat(cut.cluster, np.diff(cut.row_ptr))[inside], cut.level[inside].astype(np.int64)
    first = cluster >> level << level
    # At the end, joints of several levels may cover the same clusters.
    level = np.searchsorted(widths, np.minimum(1 << level, cut.clusters - first))
    chunks, chunk = np.unique((first * LEVELS + level) * number + cut.chunk[inside], return_inverse=True)
    cut.chunk[:] = -1
    cut.chunk[inside] = chunk.reshape(-1)
    first, level = chunks // number // LEVELS, chunks // number % LEVELS
    return first, np.minimum(first + (1 << level), cut.clusters) - 1


def shuffled(clusters: int, first: Ints, last: Ints, rng: np.random.Generator) -> Ints:
    """A new number for each cluster, drawn at random so that clusters that share a chunk stay side by side.

    Precondition: two ranges ``first[i]`` to ``last[i]`` are apart, or one is within the other. O(clusters x depth).
    """
    ranges = np.unique(np.stack([first, -last]), axis=1)
    depth = np.zeros(clusters, np.int64)
    keys = [rng.random(clusters)]
    for low, high in zip(ranges[0].tolist(), (-ranges[1]).tolist(), strict=True):
        if low == high:
            continue
        at = int(depth[low])
        if at + 1 == len(keys):
            keys.append(rng.random(clusters))
        keys[at][low : high + 1] = rng.random()
        depth[low : high + 1] = at + 1
    new = np.empty(clusters, np.int64)
    new[np.lexsort(keys[::-1])] = np.arange(clusters)
    return new


def _moved(first: Ints, last: Ints, new: Ints) -> tuple[Ints, Ints]:
    """The ranges of clusters under their new numbers."""
    _, at, number = np.unique(first * len(new) + last, return_index=True, return_inverse=True)
    low = np.array([new[a : b + 1].min() for a, b in zip(first[at].tolist(), last[at].tolist(), strict=True)], np.int64)
    return low[number], (low + last[at] - first[at])[number]


@kernel
def sub_records(row_ptr: Ints, items: Ids, chunk_of: Ids, chunks: int) -> tuple[Ints, Ints, Ids]:
    """Return (where the sub-records of each chunk begin, where the items of each begin, their items).

    ``chunk_of[e]`` is the chunk that entry e is in, or -1. Sub-records of a chunk stand in the order of their records.
    O(entries + chunks).
    """
    part_ptr, start = np.zeros(chunks + 1, np.int64), np.zeros(chunks + 1, np.int64)
    latest = np.full(chunks, -1, np.int64)
    for row in range(len(row_ptr) - 1):
        for e in range(row_ptr[row], row_ptr[row + 1]):
            c = chunk_of[e]
            if c >= 0:
                part_ptr[c + 1] += latest[c] != row
                start[c + 1] += 1
                latest[c] = row
    for c in range(chunks):
        part_ptr[c + 1] += part_ptr[c]
        start[c + 1] += start[c]
    indptr, out = np.full(part_ptr[chunks] + 1, start[chunks]), np.empty(start[chunks], np.int32)
    part = part_ptr[:-1].copy()
    latest[:] = -1
    for row in range(len(row_ptr) - 1):
        for e in range(row_ptr[row], row_ptr[row + 1]):
            c = chunk_of[e]
            if c >= 0:
                if latest[c] != row:
                    indptr[part[c]] = start[c]
                    part[c] += 1
                    latest[c] = row
                out[start[c]] = items[e]
                start[c] += 1
    return part_ptr, indptr, out
