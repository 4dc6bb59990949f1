"""Batches of rows between Spark and Python: arrays in, arrays out; count, hash and order them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from covey.arrays import Ids, Ints, Mask, Words, offsets_of
from covey.spark.session import on_worker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: The new columns of a batch.
Work = Callable[[pa.RecordBatch], dict[str, Any]]
#: What `with_reports` takes: a report as JSON, or a label that it saw.
REPORT = "report string, label string, secret boolean"


def as_batch(columns: dict[str, Any]) -> pa.RecordBatch:
    """Return an Arrow batch of arrays, and of (offsets, values) for columns of lists."""
    arrays = []
    for column in columns.values():
        if isinstance(column, tuple):
            offsets, values = column
            arrays.append(pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(values[: offsets[-1]])))
        else:
            arrays.append(pa.array(column))
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


def mapped(
    frame: DataFrame,
    work: Callable[[pa.RecordBatch], dict[str, Any]],
    columns: str,
    keep: Collection[str] | None = None,
) -> DataFrame:
    """Return a frame with the `columns` that `work` makes of each batch, beside those to `keep` (None: all others)."""
    made = [column.split(" ")[0] for column in columns.split(", ")]
    kept = [name for name in (frame.columns if keep is None else keep) if name not in made]

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            yield as_batch({**{name: batch.column(name) for name in kept}, **work(batch)})

    return frame.mapInArrow(on_worker(run), ", ".join([*declared(frame, kept), columns]))


def declared(frame: DataFrame, names: Collection[str]) -> list[str]:
    """Return columns of a frame as they are declared for Arrow functions."""
    return [f"{name} {frame.schema[name].dataType.simpleString()}" for name in names]


def in_groups(frame: DataFrame, column: str, work: Callable[[pa.Table], pa.Table], columns: str) -> DataFrame:
    """Return what `work` makes of all rows that have one number in a column."""
    prepared = on_worker(work)
    return frame.groupBy(column).applyInArrow(lambda table: prepared(table), columns)


def coded(lists: Any, known: Any) -> tuple[Ints, Ids]:
    """Return a column of lists of labels as compressed sparse rows, by the labels' numbers in `known`, -1 for none."""
    lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
    labels = lists.flatten()
    if not pa.types.is_dictionary(labels.type):
        labels = labels.dictionary_encode()
    number = pc.fill_null(pc.index_in(pc.cast(labels.dictionary, known.type), known), -1).to_numpy(zero_copy_only=False)
    codes = labels.indices.fill_null(len(number)).to_numpy(zero_copy_only=False)
    return offsets_of(lengths), np.append(number, -1).astype(np.int32)[codes]


def csr_of(column: Any) -> tuple[Ints, Ids]:
    """Return an Arrow column of lists of numbers as compressed sparse rows."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False)
    return offsets_of(lengths), np.array(column.flatten().to_numpy(zero_copy_only=False), np.int32)


def lengths_of(indptr: Ints, chosen: Mask) -> Ints:
    """Return how many of the entries marked in `chosen` each row has."""
    total = offsets_of(chosen)
    lengths: Ints = total[indptr[1:]] - total[indptr[:-1]]
    return lengths


def mixed(numbers: NDArray[Any], salt: int) -> Words:
    """Return well spread 64-bit numbers, one for each given one; the same numbers and salt, the same outcome.

    The finalizer of splitmix64: a bijection, so that different numbers stay different. What is random on Spark is
    drawn with it, by the row's own number, so that it depends neither on the task nor on the attempt.

    Examples
    --------
    >>> len(set(mixed(np.arange(1000), 7).tolist()))
    1000
    """
    x = numbers.astype(np.uint64) + np.uint64(salt & 0xFFFFFFFFFFFFFFFF)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def salts(seed: int | None, count: int) -> list[int]:
    """Return independent salts for `mixed`, from a seed or from the system's entropy."""
    return [int(word) for word in np.random.SeedSequence(seed).generate_state(count, np.uint64)]


def row_hashes(indptr: Ints, indices: Ids) -> Words:
    """Return a 64-bit hash of each row's items."""
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed(indices, 0), dtype=np.uint64)])
    return mixed(sums[indptr[1:]] - sums[indptr[:-1]], 0)


def by_number(rows: Ints, indptr: Ints, indices: Ids) -> Ints:
    """Return an order of the rows that does not depend on how they arrived: by number, then by items.

    Examples
    --------
    >>> by_number(np.array([5, 3]), np.array([0, 1, 2]), np.array([9, 8], np.int32)).tolist()
    [1, 0]
    """
    return np.lexsort((row_hashes(indptr, indices), rows))


def added_up(frame: DataFrame, work: Callable[[Iterator[Any]], Ints], size: int) -> Ints:
    """Return what `work` makes of the batches of each task, an array of `size` numbers, added up over all tasks."""
    from pyspark.sql import functions as sf

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        total = work(batches)
        at = np.flatnonzero(total)
        yield as_batch({"at": at, "total": total[at]})

    found = frame.mapInArrow(on_worker(run), "at long, total long")
    return as_array(found.groupBy("at").agg(sf.sum("total")), size)


def as_array(frame: DataFrame, size: int, otherwise: int = 0) -> Ints:
    """Return a frame of places below `size` and their numbers as an array; places not named have `otherwise`."""
    places, numbers = (column.to_numpy() for column in frame.toArrow().columns)
    found = np.full(size, otherwise, np.int64)
    found[places] = numbers
    return found


def reported(report: dict[str, Any], public: Iterable[str] = (), secret: Iterable[str] = ()) -> pa.Table:
    """Return the lines of a task that has a report and saw labels, for `with_reports`."""
    lines: list[tuple[str | None, str | None, bool | None]] = [(json.dumps(report), None, None)]
    lines += [(None, label, hidden) for labels, hidden in ((public, False), (secret, True)) for label in labels]
    names = ("report", "label", "secret")
    types = (pa.string(), pa.string(), pa.bool_())
    return pa.Table.from_arrays([pa.array(c, t) for c, t in zip(zip(*lines, strict=True), types, strict=True)], names)


def with_reports(frame: DataFrame) -> tuple[list[dict[str, Any]], tuple[str, ...], tuple[str, ...]]:
    """Return the reports of all tasks by their part, and the public and secret labels, each once, in label order."""
    from pyspark.sql import functions as sf

    found = frame.groupBy("label", "secret").agg(sf.collect_list("report").alias("reports")).toArrow().to_pylist()
    reports = sorted((json.loads(text) for line in found for text in line["reports"]), key=lambda one: one["part"])
    public, secret = (
        tuple(sorted(line["label"] for line in found if line["label"] is not None and line["secret"] == hidden))
        for hidden in (False, True)
    )
    return reports, public, secret
