"""Releases in numbered parts: each part is a small local release, whose groups are numbered on from the part before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from covey.release.base import Release
from covey.release.tables import Tables
from covey.spark.session import on_worker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Tasks for the parts of a release, at most.
TASKS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Out:
    """Where a release goes: directories that all executors can write to."""

    release: Path
    #: Of rows that have ids; None where they have none.
    trace: Path | None


def name_of(table: str, part: int) -> str:
    """Return the name of the file that holds a part of a table."""
    return f"{table}/part-{part:05d}.parquet"


def shifted(batches: Iterable[pa.RecordBatch], by: int) -> Iterator[pa.RecordBatch]:
    """Add a number to all numbers of groups."""
    for batch in batches:
        place = batch.schema.get_field_index("group")
        yield batch if place < 0 or not by else batch.set_column(place, "group", pc.add(batch.column(place), by))


@dataclass(frozen=True)
class PartTables(Tables):
    """The tables of one part, with groups that are numbered from 0."""

    #: The number of its first group.
    first: int = 0

    def batches(self, table: str) -> Iterator[pa.RecordBatch]:
        """A table in pieces, each with exactly the declared columns."""
        return shifted(super().batches(table), -self.first)


def tables_of(release: Release, first: int) -> Mapping[str, Iterator[pa.RecordBatch]]:
    """Return the tables of the release of one part as they are written, without those that only a whole one has."""
    return {name: shifted(batches, first) for name, batches in release.tables().items() if name != "totals"}


def each(spark: SparkSession, count: int, work: Callable[[int], Iterator[Any]], columns: str) -> DataFrame:
    """Return what `work` makes of the numbers below `count`, a task for each unless there are very many."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column("id").to_pylist():
                yield from work(number)

    return spark.range(0, count, 1, min(count, TASKS)).mapInArrow(on_worker(run), columns)
