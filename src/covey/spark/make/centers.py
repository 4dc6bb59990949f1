"""An ordered list of centers, all that the groups of pattern-ka on Spark are, and how rows choose among new ones.

A row's group is the first center in the list that the row holds and may take. So which row is in which group is a
function of the row's items and of a list that every task is given: nothing has to be remembered per row, and a task
that is run again, or twice, decides the same. The list is at most as long as there are rows, divided by k.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from covey.arrays import Ids, Ints, Mask, offsets_of
from covey.data.csr import take_rows
from covey.spark.batches import Work, csr_of, mapped, row_hashes
from covey.spark.make.kernels import first_held

#: Rows that help to fill a group are taken lot by lot, so that few more than needed leave their own.
LOTS = 64
CHOICE = "center long, class long, weight long, gain long"
#: How often rows choose among the centers that one mining job proposes.
ROUNDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Centers:
    """Centers in the order in which rows try them."""

    #: Center c is ``items[ptr[c]:ptr[c + 1]]``, ascending.
    ptr: Ints
    items: Ids
    #: Rows with centers as long as c or longer take c only when their loss and lot come below this (see
    #: `covey.spark.make.kernels.first_held`).
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
        lot = lots_of(indptr, indices)
        return first_held(indptr, indices, now, lot, LOTS, self.ptr, self.items, self.fill, under_ptr, order)

    def rows_left(self, batch: Any, d: int) -> tuple[Ints, Ids, Ints, Ints]:
        """The rows of a batch that take no center: offsets and items, weight, length of the center they have."""
        indptr, indices = csr_of(batch.column("items"))
        weight = batch.column("weight").to_numpy()
        has_center = "now" in batch.schema.names
        now = batch.column("now").to_numpy() if has_center else np.zeros(len(weight), np.int64)
        left = np.flatnonzero(self.taken_by(indptr, indices, d, now) < 0)
        return *take_rows(indptr, indices, left), weight[left], now[left]


def lots_of(indptr: Ints, indices: Ids) -> Ints:
    """Return a number below `LOTS` for each row, by its items alone."""
    return (row_hashes(indptr, indices) >> np.uint64(58)).astype(np.int64)


def choose(
    rows: DataFrame, taken: Centers, patterns: Ids, d: int, k: int, *, slack: int = 0, raising: bool = False
) -> Centers:
    """Let the rows that take none of the centers `taken` choose among `patterns`; return those with k rows.

    Each row chooses the first that it holds. Centers with fewer than k rows are dropped and their rows choose again,
    among centers that no row could choose before; a row may so come to hold a kept center too and takes it then.
    """
    length, width = patterns.shape[1], (slack + 1) * LOTS * raising
    long_enough = rows.where(sf.size("items") >= length)
    kept = Centers.none()
    for _ in range(ROUNDS):
        if not len(patterns):
            break
        proposed = Centers.of(patterns, np.full(len(patterns), width))
        chosen = mapped(long_enough, _choosing(taken.followed_by(kept), proposed, d), CHOICE, keep=())
        sums = chosen.groupBy("center", "class").agg(sf.sum("weight"), sf.sum("gain")).toArrow()
        center, group, weight, gain = (column.to_numpy() for column in sums.columns)
        fill, good = _filled(center, group, weight, gain, len(patterns), k)
        if not good.any():
            break
        kept = kept.followed_by(Centers.of(patterns[good], fill[good]))
        patterns = patterns[~good]
    return kept


def _choosing(taken: Centers, proposed: Centers, d: int) -> Work:
    """For `mapped`: weight and gain of the rows that choose each center.

    Class 0 are rows that gain; the others come in the order in which they are asked to fill a group up.
    """
    lengths = proposed.lengths()
    width = int(proposed.fill.max(initial=0)) + 1

    def count(batch: pa.RecordBatch) -> dict[str, Any]:
        indptr, indices, weight, now = taken.rows_left(batch, d)
        choice = proposed.taken_by(indptr, indices, d, now)
        rows = np.flatnonzero(choice >= 0)
        ahead = lengths[choice[rows]] - now[rows]
        lot = lots_of(indptr, indices)[rows]
        cell = choice[rows] * width + np.where(ahead > 0, 0, 1 - ahead * LOTS + lot)
        cells, at = np.unique(cell, return_inverse=True)
        weights, gains = np.zeros((2, len(cells)), np.int64)
        np.add.at(weights, at, weight[rows])
        np.add.at(gains, at, weight[rows] * ahead)
        return {"center": cells // width, "class": cells % width, "weight": weights, "gain": gains}

    return count


def _filled(center: Ids, group: Ids, weight: Ints, gain: Ints, count: int, k: int) -> tuple[Ints, Mask]:
    """How many classes of rows each center needs to reach k, and whether it then gains anything at all."""
    order = np.lexsort((group, center))
    center, group, weight, gain = center[order], group[order], weight[order], gain[order]
    begin = np.searchsorted(center, np.arange(count))
    end = np.searchsorted(center, np.arange(count), side="right")
    sums, gains = offsets_of(weight), offsets_of(gain)
    # The first place in each center's run at which its rows weigh k; the rows of class 0 all come in.
    need = np.searchsorted(sums, sums[begin] + k)
    gainers = begin + ((begin < end) & (np.append(group, 1)[np.minimum(begin, len(group))] == 0))
    last = np.maximum(need, gainers)
    fits = need <= end
    last = np.where(fits, last, begin)
    total = gains[last] - gains[begin]
    fill = np.where(last > gainers, np.append(group, 0)[np.maximum(last - 1, 0)], 0)
    return fill.astype(np.int64), fits & (total > 0)
