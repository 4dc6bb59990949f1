"""Records by cluster, cut into chunks: what a method hands over to be published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from covey.arrays import Ids, Ints

#: How many clusters share a chunk, as a power of two.
Levels = NDArray[np.int8]
#: Entries, about, that are looked at together: numbers of 64 bits for every entry at once would be many times the data.
AT_ONCE = 1 << 20


@dataclass(slots=True, kw_only=True)
class Cut:
    """Records by cluster, each entry with the chunk it is published in.

    Attributes
    ----------
    row_ptr, item : arrays
        The items of each record.
    cluster : int64 array
        Of each record, ascending.
    level : int8 array
        For each entry: 0 in a record chunk, l in a chunk that 2^l clusters share, -1 in the term chunk.
    chunk : int32 array
        A number of the chunk among those of the same cluster or joint.
    """

    row_ptr: Ints
    item: Ids
    cluster: Ints
    level: Levels
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

    def let_go(self) -> None:
        """Hold nothing any more: whoever gave this away may keep its name, and the memory is needed."""
        self.row_ptr = self.cluster = np.zeros(1, np.int64)
        self.item = self.chunk = np.zeros(0, np.int32)
        self.level = np.zeros(0, np.int8)

    def some(self, records: slice, entries: slice) -> Cut:
        """Some of the records, their clusters numbered from 0; what is changed in it changes here."""
        return Cut(
            row_ptr=self.row_ptr[records.start : records.stop + 1] - entries.start,
            item=self.item[entries],
            cluster=self.cluster[records] - self.cluster[records.start],
            level=self.level[entries],
            chunk=self.chunk[entries],
        )
