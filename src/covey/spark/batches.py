"""Batches of rows between Spark and Python: arrays in, arrays out; gather, count, hash and order them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from covey.arrays import Ids, Ints, Mask, Words
from covey.spark.session import on_worker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Entries gathered from small batches before a kernel that needs an index of them is run.
GATHER = 4_000_000

_WORD = np.uint64(0xFFFFFFFFFFFFFFFF)


def as_batch(columns: dict[str, Any]) -> Any:
    """An Arrow batch from arrays, and from (offsets, values) for columns of lists."""
    arrays = []
    for column in columns.values():
        if isinstance(column, tuple):
            offsets, values = column
            arrays.append(pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(values[: offsets[-1]])))
        else:
            arrays.append(pa.array(column))
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


def numbers_in(labels: Any, known: Any) -> Ids:
    """The number of each label in the Arrow array `known`, -1 for one that is not in it."""
    if pa.types.is_dictionary(labels.type):
        numbers: Ids = numbers_in(labels.dictionary, known)[labels.indices.to_numpy(zero_copy_only=False)]
        return numbers
    found = pc.fill_null(pc.index_in(pc.cast(labels, known.type), known), -1)
    return np.array(found.to_numpy(zero_copy_only=False), np.int32)


def coded(lists: Any, known: Any) -> tuple[Ints, Ids]:
    """A column of lists of labels as compressed sparse rows, by the numbers of the labels in `known`."""
    lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]), numbers_in(lists.flatten(), known)


def csr_of(column: Any) -> tuple[Ints, Ids]:
    """The offsets and values of an Arrow column of lists of numbers, as compressed sparse rows."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False)
    indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return indptr, np.array(column.flatten().to_numpy(zero_copy_only=False), np.int32)


def places_of(chosen: Mask) -> Ids:
    """The number of each item among the chosen ones, -1 for the others."""
    return np.where(chosen, np.cumsum(chosen) - 1, -1).astype(np.int32)


def lengths_of(indptr: Ints, chosen: Mask) -> Ints:
    """How many of the entries marked in `chosen` each row has."""
    total = np.concatenate([[0], np.cumsum(chosen, dtype=np.int64)])
    lengths: Ints = total[indptr[1:]] - total[indptr[:-1]]
    return lengths


def gathered(batches: Iterable[Any], entries: int = GATHER) -> Iterator[Any]:
    """Put the batches of one task together into tables of about `entries` items."""
    waiting: list[Any] = []
    held = 0
    for batch in batches:
        waiting.append(batch)
        held += len(batch.column("items").flatten())
        if held >= entries:
            yield pa.Table.from_batches(waiting)
            waiting, held = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def mixed(numbers: NDArray[Any], salt: int) -> Words:
    """Well spread 64-bit numbers, one for each given one; the same numbers and salt, the same outcome.

    The finalizer of splitmix64: a bijection, so that different numbers stay different. What is random on Spark is
    drawn with it, by the row's own number, so that it depends neither on the task nor on the attempt.

    Examples
    --------
    >>> len(set(mixed(np.arange(1000), 7).tolist()))
    1000
    """
    x = numbers.astype(np.uint64) + np.uint64(salt & int(_WORD))
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def salts(seed: int | None, count: int) -> list[int]:
    """Independent salts for `mixed`, from a seed or from the system's entropy."""
    return [int(word) for word in np.random.SeedSequence(seed).generate_state(count, np.uint64)]


def by_number(rows: Ints, indptr: Ints, indices: Ids) -> Ints:
    """An order of the rows that does not depend on how they arrived: by number, and by items where two are equal.

    Examples
    --------
    >>> by_number(np.array([5, 3, 3]), np.array([0, 1, 2, 3]), np.array([9, 8, 7], np.int32)).tolist()
    [2, 1, 0]
    """
    order = np.argsort(rows, kind="stable")
    same = np.flatnonzero(rows[order[1:]] == rows[order[:-1]])
    if len(same):  # numbers are hashes of 64 bits, so hardly ever
        twice = np.isin(rows, rows[order[same]])
        rank = np.zeros(len(rows), np.int64)
        where = np.flatnonzero(twice)
        lists = [indices[indptr[row] : indptr[row + 1]].tolist() for row in where]
        rank[where[sorted(range(len(where)), key=lists.__getitem__)]] = np.arange(len(where))
        order = np.lexsort((rank, rows))
    return order


def added_up(
    frame: DataFrame, work: Callable[[Iterator[Any]], NDArray[Any]], size: int, kind: str = "long"
) -> NDArray[Any]:
    """What `work` makes of the batches of each task, an array of `size` numbers, added up over all tasks."""
    from pyspark.sql import functions as sf

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        total = work(batches)
        at = np.flatnonzero(total)
        yield as_batch({"at": at, "total": total[at]})

    found = frame.mapInArrow(on_worker(run), f"at long, total {kind}")
    return as_array(found.groupBy("at").agg(sf.sum("total")), size)


def as_array(frame: DataFrame, size: int, otherwise: int = 0) -> NDArray[Any]:
    """A frame of places below `size` and their numbers as an array; places that it does not name have `otherwise`."""
    places, numbers = (column.to_numpy() for column in frame.toArrow().columns)
    found = np.full(size, otherwise, numbers.dtype)
    found[places] = numbers
    return found
