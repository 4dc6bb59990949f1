"""Writing a release of sets from which items were left out, from Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.engines.spark.batches import csr_of
from covey.engines.spark.make.parts import (
    hash_seed,
    labelled,
    numbered,
    part_of,
    parts_of,
    row_groups,
    stated,
    write_parts,
)
from covey.engines.spark.sets import Sets
from covey.release.base import Statement
from covey.release.manifest import Manifest
from covey.release.persons import BY_PERSON

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Equal rows that are kept together until they are written, so that a very common set is no task's burden alone.
COPIES = 10_000
#: Entries of the rows that are made of some sets at a time.
TOGETHER = 4_000_000


def write_suppressed(published: DataFrame, sets: Sets, stage: Path, *, made: Statement, seed: int | None) -> Manifest:
    """Write sets with how often each is published; the order of the rows follows from them and the seed alone.

    Parameters
    ----------
    published : DataFrame
        ``items: array<int>`` and ``weight: long``; equal sets may stand several times.
    sets : Sets
        The data that they are of: labels.
    stage : Path
        An empty directory.
    made : Statement
        For the manifest.
    seed : int or None
        For the order of rows; None: the system's entropy.
    """
    from pyspark.sql import functions as sf

    summed = published.groupBy("items").agg(sf.sum("weight").alias("weight")).persist()
    try:
        size, weight = sf.size("items"), sf.col("weight")
        totals = summed.agg(sf.sum(weight), sf.sum(weight * size), sf.sum(sf.when(size == 0, weight))).first()
        assert totals is not None
        n, entries, empty = (int(total or 0) for total in totals)
        parts = parts_of(max(entries, n))
        chunk = sf.explode(sf.sequence(sf.lit(0), sf.floor((weight - 1) / COPIES).cast("int"))).alias("chunk")
        copies = sf.least(weight - sf.col("chunk") * COPIES, sf.lit(COPIES))
        key = sf.xxhash64(sf.lit(hash_seed(seed)), "items", "chunk")
        placed = summed.select("items", "weight", chunk).select(
            "items", copies.alias("copies"), sf.shiftrightunsigned(key, 2).alias("key")
        )
        placed = placed.withColumn("part", part_of(sf.col("key"), parts))
        found = placed.groupBy("part").agg(sf.count("*").alias("rows")).toArrow()
        rows = np.zeros(parts, np.int64)
        rows[found.column("part").to_numpy()] = found.column("rows").to_numpy()
        files = write_parts(placed, stage, numbered(rows), ["key", "items", "copies"], _tabulation(sets.items))
        named = summed.select(sf.explode("items").alias("item")).distinct().count()
    finally:
        summed.unpersist()
    counted, unit = ("transactions", {}) if sets.owned is None else ("persons", BY_PERSON)
    counts = {counted: n, "items": named, "entries": entries, "empty": empty}
    return stated("sets", made, counts, files, facts={"recoding": "suppressed", "rest": "", **unit})


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
