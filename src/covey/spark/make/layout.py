"""Where rows lie on one line on which neighbours are alike, found from a sample and the same on every machine.

The band order of a sample of the rows (reverse Cuthill-McKee, as in the local method) gives every item a place: the
mean of the places of the sampled rows that hold it. Any row lies at the mean of its items' places, whatever the cores
and partitions. The line is cut into parts of about equal size, by quantiles of the same sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from covey.arrays import Ids, Ints, Mask, offsets_of
from covey.data.csr import keep_items, take_rows
from covey.methods.ordering import band_of_rows
from covey.spark.batches import by_number, csr_of, lengths_of, mapped, mixed

#: The sample that the driver orders, at most.
SAMPLE_ROWS, SAMPLE_ENTRIES = 100_000, 1_000_000
#: What one part holds, about: enough for similar rows to meet, little enough for one Python worker.
PART_ROWS, PART_ENTRIES = 100_000, 2_000_000

#: A key is a place on the line in the high bits and a hash of the row in the low ones, so that a long run of rows at
#: one place can be cut anywhere.
PLACE_BITS, HASH_BITS = 38, 24


def parts_for(rows: int, entries: int) -> int:
    """How many parts data of this size is cut into; it does not depend on the cluster.

    Examples
    --------
    >>> parts_for(1_000, 10_000), parts_for(10_000_000, 100_000_000)
    (1, 100)
    """
    return max(1, -(-rows // PART_ROWS), -(-entries // PART_ENTRIES))


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The line: a place for every item, and where it is cut."""

    #: For each item its place, below ``2 ** PLACE_BITS``, or -1 for one that gives none: sensitive, or not sampled.
    place: Ints
    #: Which items are sensitive.
    sensitive: Mask
    #: Keys at which a new part begins, ascending.
    cuts: Ints
    #: For the hash of the rows.
    salt: int

    def keys(self, rows: Ints, indptr: Ints, indices: Ids) -> Ints:
        """The key of each row, from its number and its items. O(entries)."""
        place = self.place[indices]
        known = place >= 0
        total = offsets_of(np.where(known, place, 0))
        count = lengths_of(indptr, known)
        mean = (total[indptr[1:]] - total[indptr[:-1]]) // np.maximum(count, 1)
        # Rows whose items were not sampled: those that share their first item lie together. Empty rows come last.
        mean[count == 0] = (1 << PLACE_BITS) - 1
        strange = np.flatnonzero((count == 0) & (lengths_of(indptr, ~self.sensitive[indices]) > 0))
        public = np.flatnonzero(~self.sensitive[indices])
        first = indices[public[np.searchsorted(public, indptr[strange])]]
        mean[strange] = (mixed(first, self.salt) >> np.uint64(64 - PLACE_BITS)).astype(np.int64)
        low = (mixed(rows, self.salt) >> np.uint64(64 - HASH_BITS)).astype(np.int64)
        keys: Ints = (mean << HASH_BITS) | low
        return keys

    def part(self, keys: Ints) -> Ints:
        """The part in which each key lies."""
        return np.searchsorted(self.cuts, keys, side="right")


def lay_out(rows: DataFrame, sensitive: Mask, *, n: int, entries: int, parts: int, salt: int) -> Layout:
    """Find the line for rows of this size and cut it into `parts`, or fewer when the data is tiny.

    Sensitive items have no say in what is alike.
    """
    nowhere = np.full(len(sensitive), -1, np.int64)
    layout = Layout(place=nowhere, sensitive=sensitive, cuts=np.empty(0, np.int64), salt=salt)
    if parts == 1:  # which needs no line, and thereby no sample
        return layout
    share = min(1.0, SAMPLE_ROWS / max(n, 1), SAMPLE_ENTRIES / max(entries, 1))
    number, indptr, indices = _sample(rows, share, salt)
    layout = replace(layout, place=_places(indptr, indices, sensitive))
    keys = np.sort(layout.keys(number, indptr, indices))
    ends = (np.arange(1, parts) * len(keys)) // parts
    return replace(layout, cuts=np.unique(keys[ends])) if len(keys) else layout


def _sample(rows: DataFrame, share: float, salt: int) -> tuple[Ints, Ints, Ids]:
    """About this share of the rows, chosen by the hash of their number, in the order of their numbers."""
    limit = np.uint64(min(int(share * 2**64), 2**64 - 1))

    def choose(batch: pa.RecordBatch) -> dict[str, Any]:
        # Another salt than that of the keys, whose low bits would else be alike in all sampled rows.
        return {"drawn": mixed(batch.column("row").to_numpy(), ~salt) <= limit}

    table = mapped(rows, choose, "drawn boolean", keep=["row", "items"]).where("drawn").drop("drawn").toArrow()
    number, lists = table.column("row").to_numpy(), csr_of(table.column("items"))
    order = by_number(number, *lists)
    return number[order], *take_rows(*lists, order)


def _places(indptr: Ints, indices: Ids, sensitive: Mask) -> Ints:
    """The mean place of each item's rows in the band order of the sample; -1 for items without one."""
    d = len(sensitive)
    rename = np.where(sensitive, -1, np.arange(d)).astype(np.int32)
    public_ptr, public = keep_items(indptr, indices, rename)
    order = band_of_rows(public_ptr, public, d)
    position = np.empty(len(order), np.float64)
    position[order] = np.arange(len(order))
    support = np.bincount(public, minlength=d)
    total = np.bincount(public, weights=np.repeat(position, np.diff(public_ptr)), minlength=d)
    scale = ((1 << PLACE_BITS) - 1) / max(len(order), 1)
    places = (total / np.maximum(support, 1) * scale).astype(np.int64)
    return np.where(support > 0, places, -1)
