"""An ordered list of centers: all that the groups of pattern-ka on Spark are.

A row's group is the first center in the list that the row holds and may take. So which row is in which group is a
function of the row's items and of a list that every task is given: nothing has to be remembered per row, and a task
that is run again, or twice, decides the same. The list is at most as long as there are rows, divided by k.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.csr import take_rows
from covey.methods.pattern_ka.groups import row_keys
from covey.spark.batches import csr_of
from covey.spark.make.shard_kernels import first_held

#: Rows that help to fill a group are taken lot by lot, so that few more than needed leave their own.
LOTS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Centers:
    """Centers in the order in which rows try them."""

    #: Center c is ``items[ptr[c]:ptr[c + 1]]``, ascending.
    ptr: Ints
    items: Ids
    #: Rows with centers as long as c or longer take c only when their loss and lot come below this (see
    #: `covey.spark.make.shard_kernels.first_held`).
    fill: Ints

    @property
    def count(self) -> int:
        """Number of centers."""
        return len(self.fill)

    @classmethod
    def none(cls) -> Centers:
        """An empty list."""
        return cls(ptr=np.zeros(1, np.int64), items=np.empty(0, np.int32), fill=np.empty(0, np.int64))

    @classmethod
    def of(cls, patterns: Ids, fill: Ints) -> Centers:
        """Centers of one length, the rows of `patterns`."""
        length = patterns.shape[1]
        return cls(
            ptr=np.arange(len(patterns) + 1, dtype=np.int64) * length,
            items=np.ascontiguousarray(patterns, np.int32).ravel(),
            fill=fill.astype(np.int64),
        )

    def lengths(self) -> Ints:
        """Number of items of each center."""
        return np.diff(self.ptr)

    def followed_by(self, more: Centers) -> Centers:
        """The same list with more centers at its end."""
        return Centers(
            ptr=np.concatenate([self.ptr, self.ptr[-1] + more.ptr[1:]]),
            items=np.concatenate([self.items, more.items]),
            fill=np.concatenate([self.fill, more.fill]),
        )

    def taken_by(self, indptr: Ints, indices: Ids, d: int, now: Ints | None = None) -> Ints:
        """The center that each row takes, or -1; `now` is the length of each row's present center (0: none)."""
        rows = len(indptr) - 1
        if not self.count:
            return np.full(rows, -1, np.int64)
        first = self.items[self.ptr[:-1]]
        order = np.argsort(first, kind="stable").astype(np.int32)
        under_ptr = np.searchsorted(first[order], np.arange(d + 1)).astype(np.int64)
        now = np.zeros(rows, np.int64) if now is None else now
        lot = lots_of(indptr, indices, d)
        return first_held(indptr, indices, now, lot, LOTS, self.ptr, self.items, self.fill, under_ptr, order)

    def rows_left(self, batch: Any, d: int) -> tuple[Ints, Ids, Ints, Ints]:
        """The rows of a batch that take no center: offsets and items, weight, length of the center they have."""
        indptr, indices = csr_of(batch.column("items"))
        weight = batch.column("weight").to_numpy()
        has_center = "now" in batch.schema.names
        now = batch.column("now").to_numpy() if has_center else np.zeros(len(weight), np.int64)
        left = np.flatnonzero(self.taken_by(indptr, indices, d, now) < 0)
        return *take_rows(indptr, indices, left), weight[left], now[left]


def lots_of(indptr: Ints, indices: Ids, d: int) -> Ints:
    """A number below `LOTS` for each row, by its items alone."""
    words = np.random.default_rng(7).integers(0, 2**64, d + 1, np.uint64)
    return (row_keys(indptr, indices, words) >> np.uint64(58)).astype(np.int64)
