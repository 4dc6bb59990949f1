"""The tables of a release on Spark: files are read on the executors, by the strict reader of the local engine.

Spark's own reader of Parquet believes the statistics in a file and skips rows that they say cannot matter, so that
forged ones would hide rows from whoever counts with Spark; and two readers may read two things from one file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from covey.release.manifest import file_digest
from covey.release.tables import Tables, read_parquet
from covey.spark.batches import as_batch, coded
from covey.spark.session import BATCH, on_worker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Tasks for the files of a table, at most.
TASKS = 4096

#: ``(table, number of the file, its pieces) -> batches``.
Work = Callable[[str, int, Iterator[Any]], Iterator[Any]]


def over_files(spark: SparkSession, tables: Tables, names: Iterable[str], work: Work, columns: str) -> DataFrame:
    """What `work` makes of the pieces of each file of some tables."""
    schemas = tables.schemas
    files = [(name, number, str(path)) for name in names for number, path in enumerate(tables.files[name])]

    def read(at: int) -> Iterator[Any]:
        name, number, path = files[at]
        return work(name, number, read_parquet(Path(path), schemas[name]))

    return _each(spark, len(files), read, columns)


def rows_of(spark: SparkSession, tables: Tables, name: str, items: Iterable[str]) -> DataFrame:
    """A table with a column of items, all of which are among `items`, by their numbers there.

    Returns
    -------
    DataFrame
        The columns of the table, ``items: array<int>``; before them ``file: int`` and ``at: long``, where the row
        stands in which file.
    """
    import pyarrow as pa

    known = pa.array(items, pa.string())
    others = [column for column in tables.schemas[name].columns or () if column != "items"]

    def number(table: str, file: int, pieces: Iterator[Any]) -> Iterator[Any]:
        at = 0
        for piece in pieces:
            for start in range(0, piece.num_rows, BATCH):
                batch = piece.slice(start, BATCH)
                yield as_batch(
                    {
                        "file": np.full(batch.num_rows, file, np.int32),
                        "at": np.arange(at, at + batch.num_rows),
                        **{column: batch.column(column) for column in others},
                        "items": coded(batch.column("items"), known),
                    }
                )
                at += batch.num_rows

    stated = ["file int", "at long", *(f"{column} long" for column in others), "items array<int>"]
    return over_files(spark, tables, [name], number, ", ".join(stated))


def digests(spark: SparkSession, directory: Path, names: Iterable[str]) -> dict[str, str]:
    """SHA-256 of each file of a release, computed by the executors; "" for one that cannot be read there."""
    listed = sorted(names)
    paths = [str(directory.absolute() / name) for name in listed]

    def digest(number: int) -> Iterator[Any]:
        import pyarrow as pa

        path = Path(paths[number])
        found = file_digest(path) if path.is_file() else ""
        yield pa.RecordBatch.from_pydict({"number": [number], "digest": [found]})

    if not listed:
        return {}
    found = _each(spark, len(listed), digest, "number long, digest string").toArrow()
    numbers = found.column("number").to_pylist()
    return {listed[number]: digest for number, digest in zip(numbers, found.column("digest").to_pylist(), strict=True)}


def _each(spark: SparkSession, count: int, work: Callable[[int], Iterator[Any]], columns: str) -> DataFrame:
    """What `work` makes of the numbers below `count`, a task for each unless there are very many."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column("id").to_pylist():
                yield from work(number)

    return spark.range(0, count, 1, min(count, TASKS)).mapInArrow(on_worker(run), columns)
