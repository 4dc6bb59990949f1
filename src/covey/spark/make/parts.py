"""Writing the tables of a release from Spark, in numbered parts.

Every part is written by pyarrow in the task that has its rows, as the local engine writes its files, under a name of
its own first and then renamed: a task that is tried again, run twice or killed leaves nothing behind or the same file
once more. Which rows a part holds and in which order follows from keys that are hashes of the seed and of what is
published, so the same data and seed give the same bytes on any number of cores.
"""

from __future__ import annotations

import errno
import hashlib
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from covey.arrays import Ids, Ints
from covey.errors import OutputError
from covey.release.item_columns import PIECE
from covey.release.manifest import file_digest
from covey.release.tables import write_table
from covey.spark.batches import as_array
from covey.spark.session import on_worker
from covey.staging import meant, writing

#: Entries of a part: some megabytes on disk, and well below what one task can hold. There are five digits for parts.
PART, MOST_PARTS = 4_000_000, 100_000
#: Entries of a row group; rows of usual length fill it with `PIECE` rows long before.
ENTRIES = 1 << 24
#: Beside the release that is made: where parts are written before they get their names.
ASIDE = "parts"

_WRITTEN = pa.schema([("name", pa.string()), ("digest", pa.string()), ("errno", pa.int32()), ("reason", pa.string())])

#: ``(part, its rows in order) -> the tables of the part``, each made when those before it have been written.
Tabulate = Callable[[int, Iterator[Any]], Mapping[str, Iterator[Any]]]


def parts_of(entries: int) -> int:
    """Into how many parts a release is cut: by its size, never by the number of cores.

    Examples
    --------
    >>> parts_of(0), parts_of(9_000_000)
    (1, 3)
    """
    return min(max(1, -(-entries // PART)), MOST_PARTS)


def hash_seed(seed: int | None) -> int:
    """A number for Spark's hash functions from a seed, or from the system's entropy when there is none."""
    if seed is None:
        return secrets.randbits(63)
    return int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:8], "big") >> 1


def part_of(key: Column, parts: int) -> Column:
    """The part to which a key of 62 random bits belongs: parts are equal ranges of keys."""
    return sf.shiftright(sf.shiftright(key, 31) * parts, 31).cast("int")


def write_parts(rows: DataFrame, stage: Path, numbers: Ints, order: list[str], work: Tabulate) -> dict[str, str]:
    """Write the tables that `work` makes of each part, and return the digest of each file.

    Parameters
    ----------
    rows : DataFrame
        With the column ``part: int``.
    stage : Path
        Where the release is made; all executors must be able to write there.
    numbers : int64 array
        The number that each part gets in the names of its files, -1 for one without rows.
    order : list of str
        The columns by which the rows of a part are ordered.
    work : callable
        Makes the tables of a part.
    """
    filled = max(int((numbers >= 0).sum()), 1)
    ordered = rows.repartition(filled, "part").sortWithinPartitions("part", *order)
    folder = str(stage.absolute())

    def write(batches: Iterator[Any]) -> Iterator[Any]:
        for part, pieces in groupby(_by_part(batches), key=lambda piece: piece[0]):
            tables = work(part, (piece for _, piece in pieces))
            for table, made in tables.items():
                name = f"{table}/part-{numbers[part]:05d}.parquet"
                yield pa.RecordBatch.from_pylist([_written(Path(folder), name, made)], schema=_WRITTEN)

    with writing(stage):
        aside = stage.with_name(ASIDE)
        aside.mkdir()
        try:
            found = ordered.mapInArrow(on_worker(write), "name string, digest string, errno int, reason string")
            reports = found.toArrow().to_pylist()
        finally:
            # Renamed first: a task that still runs, for another was faster, cannot write into it any more.
            shutil.rmtree(aside.rename(stage.with_name(f"{ASIDE}-gone")), ignore_errors=True)
        for report in reports:
            if report["reason"] is not None and report["errno"] != errno.ENOENT:
                raise OSError(report["errno"], report["reason"])
    if not all((stage / report["name"]).is_file() for report in reports):
        raise OutputError(
            f"{meant(stage)} cannot be written: the executors do not share this directory. Nothing was left behind. "
            "Choose a place that is mounted on the driver and on all executors."
        )
    return {report["name"]: report["digest"] for report in reports}


def _by_part(batches: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """The batches cut where another part begins, each with its part."""
    for batch in batches:
        parts = batch.column("part").to_numpy()
        ends = np.flatnonzero(np.diff(parts)) + 1
        for start, stop in pairwise([0, *ends.tolist(), len(parts)]):
            if stop > start:
                yield int(parts[start]), batch.slice(start, stop - start)


def _written(stage: Path, name: str, batches: Iterator[Any]) -> dict[str, Any]:
    """Write one file and say what became of it; for a worker."""
    own = stage.with_name(ASIDE) / f"{secrets.token_hex(16)}.parquet"
    try:
        with own.open("xb") as sink:
            write_table(batches, sink, csv=False)
        digest = file_digest(own)
        (stage / name).parent.mkdir(exist_ok=True)
        own.replace(stage / name)
    except OSError as error:
        own.unlink(missing_ok=True)
        return {"name": name, "errno": error.errno or 0, "reason": error.strerror or str(error)}
    return {"name": name, "digest": digest}


def row_groups(batches: Iterable[Any], column: str) -> Iterator[Any]:
    """The rows in tables of `PIECE` rows, or fewer long ones, however they came in batches.

    Parameters
    ----------
    batches : iterable of RecordBatch
        The rows of a part.
    column : str
        The column of lists whose lengths count.
    """
    held: list[Any] = []
    rows = entries = 0
    for batch in batches:
        ends = np.cumsum(pc.list_value_length(batch.column(column)).to_numpy(zero_copy_only=False), dtype=np.int64)
        start = before = 0
        while start < batch.num_rows:
            fitting = int(np.searchsorted(ends, before + ENTRIES - entries, side="right")) - start
            taken = min(fitting, PIECE - rows, batch.num_rows - start)
            if taken <= 0 and not rows:
                taken = 1  # a row that is longer than a row group may be
            if taken <= 0:
                yield pa.Table.from_batches(held)
                held, rows, entries = [], 0, 0
                continue
            held.append(batch.slice(start, taken))
            start, rows, entries = (
                start + taken,
                rows + taken,
                entries + int(ends[start + taken - 1]) - before,
            )
            before = int(ends[start - 1])
    if held:
        yield pa.Table.from_batches(held)


def labelled(indptr: Ints, codes: Ids, labels: Any) -> Any:
    """A column of lists of labels, from numbers of labels; it knows of no label that no row has."""
    used = np.zeros(len(labels), np.bool_)
    used[codes] = True
    number = (np.cumsum(used) - 1).astype(np.int32)
    values = pa.DictionaryArray.from_arrays(pa.array(number[codes]), labels.filter(pa.array(used)))
    return pa.ListArray.from_arrays(pa.array(indptr, pa.int32()), values)


def in_parts(placed: DataFrame, parts: int, count: Column) -> Ints:
    """What is counted in each part, such as its rows."""
    return as_array(placed.groupBy("part").agg(count), parts)


def numbered(filled: Ints) -> Ints:
    """The numbers of the parts in the names of files: 0, 1, 2, … over those that hold something, -1 for the others.

    Examples
    --------
    >>> numbered(np.array([3, 0, 5])).tolist()
    [0, -1, 1]
    """
    return np.where(filled > 0, np.cumsum(filled > 0) - 1, -1)
