"""Writing a release of sets from which items were left out, from Spark.

What is published goes from task to task as a frame with ``items: array<int>``, ``weight: long``, how often the set is
published, and ``cut_short: boolean``, equal everywhere, whether the search for it was; no set stands twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from covey.arrays import Ints
from covey.data.csr import canonicalize, take_rows
from covey.methods.pattern_ka.groups import distinct_rows
from covey.release.base import Statement
from covey.release.manifest import Manifest
from covey.release.persons import BY_PERSON
from covey.spark.batches import as_batch, csr_of
from covey.spark.make.parts import (
    hash_seed,
    in_parts,
    labelled,
    numbered,
    part_of,
    parts_of,
    row_groups,
    write_parts,
)
from covey.spark.sets import Sets

#: Equal rows that are kept together until they are written, so that a very common set is no task's burden alone.
COPIES = 10_000
#: Entries of the rows that are made of some sets at a time.
TOGETHER = 4_000_000


#: The columns of what is published.
COLUMNS = "items array<int>, weight long, cut_short boolean"


def publication(ptr: Ints, codes: Ints, sizes: Ints, empty: int, *, cut_short: bool) -> Any:
    """What is published, as a batch: centers with their sizes, and so many empty sets.

    Parameters
    ----------
    ptr, codes : arrays
        Center c is ``codes[ptr[c]:ptr[c + 1]]``, numbers of items in any order; two centers may be equal.
    sizes : int64 array
        How often each center is published; one that is not is left out.
    empty : int
        How many transactions are published empty.
    cut_short : bool
        Whether the search for the centers was.
    """
    often = np.append(sizes, empty)
    used = np.flatnonzero(often)
    ptr, items = take_rows(np.append(ptr, ptr[-1]), codes.astype(np.int32), used)
    top = int(items.max(initial=0)) + 1
    canonicalize(ptr, items, np.arange(top, dtype=np.int32))
    number, example = distinct_rows(ptr, items, np.random.default_rng(0).integers(0, 2**64, top, np.uint64))
    weight = np.bincount(number, often[used], len(example)).astype(np.int64)
    return as_batch(
        {"items": take_rows(ptr, items, example), "weight": weight, "cut_short": np.full(len(weight), cut_short)}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What is published, all sets together."""

    #: Transactions or persons, items in their sets, those without any, and different items.
    rows: int
    entries: int
    empty: int
    items: int
    #: Whether the search was.
    cut_short: bool


def totals_of(published: DataFrame) -> Totals:
    """Count what is published; a number for each item reaches the driver."""
    # Each set counts once, with its first item or, if it has none, with the item null.
    first = sf.when(sf.coalesce("at", sf.lit(0)) == 0, sf.col("weight"))
    found = (
        published.select("weight", "cut_short", sf.posexplode_outer("items").alias("at", "item"))
        .groupBy("item")
        .agg(sf.sum("weight").alias("held"), sf.sum(first).alias("rows"), sf.max("cut_short").alias("cut_short"))
        .toArrow()
        .to_pylist()
    )
    named = [line for line in found if line["item"] is not None]
    return Totals(
        rows=sum(line["rows"] or 0 for line in found),
        entries=sum(line["held"] for line in named),
        empty=sum(line["held"] for line in found if line["item"] is None),
        items=len(named),
        cut_short=any(line["cut_short"] for line in found),
    )


def write_suppressed(
    published: DataFrame, totals: Totals, sets: Sets, stage: Path, *, made: Statement, seed: int | None
) -> Manifest:
    """Write sets as often as each is published; the order of the rows follows from them and the seed alone.

    Parameters
    ----------
    published : DataFrame
        What is published.
    totals : Totals
        Of it.
    sets : Sets
        The data that they are of: labels.
    stage : Path
        An empty directory.
    made : Statement
        For the manifest.
    seed : int or None
        For the order of rows; None: the system's entropy.
    """
    weight, parts = sf.col("weight"), parts_of(max(totals.entries, totals.rows))
    chunk = sf.explode(sf.sequence(sf.lit(0), sf.floor((weight - 1) / COPIES).cast("int"))).alias("chunk")
    copies = sf.least(weight - sf.col("chunk") * COPIES, sf.lit(COPIES))
    key = sf.xxhash64(sf.lit(hash_seed(seed)), "items", "chunk")
    placed = published.select("items", "weight", chunk).select(
        "items", copies.alias("copies"), sf.shiftrightunsigned(key, 2).alias("key")
    )
    placed = placed.withColumn("part", part_of(sf.col("key"), parts))
    rows = np.ones(1, np.int64) if parts == 1 else in_parts(placed, parts, sf.count("*"))
    files = write_parts(placed, stage, numbered(rows), ["key", "items", "copies"], _tabulation(sets.items))
    counted, unit = ("transactions", {}) if sets.owned is None else ("persons", BY_PERSON)
    counts = {counted: totals.rows, "items": totals.items, "entries": totals.entries, "empty": totals.empty}
    facts = {"recoding": "suppressed", "rest": "", **unit}
    return Manifest.of("sets", made, counts=counts, files=files, facts=facts)


def _tabulation(items: tuple[str, ...]) -> Any:
    """For `write_parts`: labels for item numbers, each set as often as it is published."""

    def tabulate(part: int, batches: Iterator[Any]) -> Mapping[str, Iterator[Any]]:
        labels = pa.array(items, pa.string())

        def rows() -> Iterator[Any]:
            for table in row_groups(_repeated(batches), "items"):
                column = labelled(*csr_of(table.column("items")), labels)
                yield pa.RecordBatch.from_arrays([column], names=["items"])

        return {"sets": rows()}

    return tabulate


def _repeated(batches: Iterable[Any]) -> Iterator[Any]:
    """Each set as often as it is published, some sets at a time, since each may become many rows."""
    for batch in batches:
        copies = batch.column("copies").to_numpy()
        lengths = pc.list_value_length(batch.column("items")).to_numpy(zero_copy_only=False)
        made = np.cumsum(copies * np.maximum(lengths, 1)) // TOGETHER
        for some in np.split(np.arange(batch.num_rows), np.flatnonzero(np.diff(made)) + 1):
            yield batch.select(["items"]).take(pa.array(np.repeat(some, copies[some])))
