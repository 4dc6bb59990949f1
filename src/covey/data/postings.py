"""The rows that hold each item of some baskets, ready to be intersected; made once and shared by all that measure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from covey.arrays import Ids, Ints, Words
from covey.data.baskets import Baskets
from covey.kernels.measure.postings import bitmaps, count_containing, list_holding
from covey.kernels.shared.csr import transpose
from covey.threads import parallel

#: An item that more than 1 in this many rows hold has a bitmap: all bitmaps together then take at most as much memory
#: as the lists of rows, and words are compared faster than lists are walked.
FREQUENT = 32
#: Sets that are looked up by one thread before it takes the next ones.
PIECE = 500


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Postings:
    """For each item the ascending rows that hold it, and for frequent items a bit per row besides."""

    #: Item j is held by ``rows[ptr[j] : ptr[j + 1]]``.
    ptr: Ints
    rows: Ids
    #: Where each item has its bitmap in `bits`, or -1.
    place: Ids
    #: A row of words for each frequent item.
    bits: Words

    @classmethod
    def of_rows(cls, indptr: Ints, indices: Ids, d: int) -> Postings:
        """Those of compressed sparse rows over `d` items."""
        n = len(indptr) - 1
        ptr, rows = transpose(indptr, indices, d)
        frequent = np.flatnonzero(np.diff(ptr) * FREQUENT > n)
        place = np.full(d, -1, np.int32)
        place[frequent] = np.arange(len(frequent))
        return cls(ptr=ptr, rows=rows, place=place, bits=bitmaps(ptr, rows, frequent, n))

    @property
    def arrays(self) -> tuple[Ints, Ids, Ids, Words]:
        """All of them, in the order in which kernels take them."""
        return self.ptr, self.rows, self.place, self.bits

    def containing(self, sets: Ids) -> Ints:
        """For each row of `sets`, all of one size, how many rows hold all its items; equal sets are looked up once.

        Sets of no items are refused: kernels read the first one of each.

        Examples
        --------
        >>> baskets = Baskets.of([["a", "b"], ["a"], ["a", "b"]])
        >>> postings(baskets).containing(np.array([[0, 1], [1, 0], [0, 0]], np.int32)).tolist()
        [2, 2, 3]
        """
        if not sets.shape[1]:
            raise ValueError("a set to look up has no items")
        by_rows = np.argsort(-np.diff(self.ptr), kind="stable").astype(np.int32)
        rank = np.argsort(by_rows).astype(np.int32)
        distinct, at = distinct_sets(rank[sets], len(rank))
        pieces = np.array_split(by_rows[distinct], max(len(distinct) // PIECE, 1))
        return np.concatenate(parallel(lambda piece: count_containing(*self.arrays, piece), pieces))[at]

    def holding(self, items: Ids) -> Ids:
        """The ascending rows that hold all of some items, at least one."""
        room = np.empty(int(np.diff(self.ptr)[items].min()), np.int32)
        return room[: list_holding(*self.arrays, items, room)]


@lru_cache(maxsize=4)
def postings(baskets: Baskets) -> Postings:
    """The rows that hold each item of `baskets`."""
    return Postings.of_rows(*baskets.csr, baskets.d)


def distinct_sets(sets: Ids, d: int) -> tuple[Ids, Ints]:
    """The different ones among sets of one size, each ascending, in order; and which of them each set is.

    Examples
    --------
    >>> distinct, at = distinct_sets(np.array([[2, 1], [0, 1], [1, 2]], np.int32), 3)
    >>> distinct.tolist(), at.tolist()
    ([[0, 1], [1, 2]], [1, 0, 1])
    """
    ordered = np.sort(sets, axis=1)
    if sets.shape[1] * np.log2(max(d, 2)) >= 63:  # too long to be written as one number
        distinct, at = np.unique(ordered, axis=0, return_inverse=True)
        return distinct, at.reshape(-1)
    keys = np.zeros(len(sets), np.int64)
    for column in ordered.T:
        keys = keys * d + column
    _, first, at = np.unique(keys, return_index=True, return_inverse=True)
    return ordered[first], at
