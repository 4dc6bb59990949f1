"""Parquet files, frames and columns in memory as columns of texts, a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Ids, Ints
from covey.data.hierarchy import MISSING
from covey.errors import InputError
from covey.io.arrow import Place, as_text, decoded, is_binary, is_text
from covey.io.frames import taking_over
from covey.io.interning import Growing
from covey.io.parquet import open_parquet
from covey.progress import Progress

_ROWS = 1 << 16


class ParquetTable:
    """A Parquet file whose columns are known by name."""

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        with open_parquet(path, name) as file:
            self.names = list(file.schema_arrow.names)

    def texts(self, kept: Collection[str], progress: Progress) -> dict[str, tuple[Ids, list[str]]]:
        """For each column that is kept, the code of every row and the distinct texts, without blanks around them."""
        with open_parquet(self._path, self._name) as file:
            batches = file.iter_batches(batch_size=_ROWS, columns=list(kept))
            return _collected(batches, kept, self._name, file.metadata.num_rows, progress)


class ArrowTable:
    """A table or a reader of Arrow."""

    def __init__(self, table: pa.Table | pa.RecordBatchReader) -> None:
        self._table, self.names = table, list(table.schema.names)

    def texts(self, kept: Collection[str], progress: Progress) -> dict[str, tuple[Ids, list[str]]]:
        """For each column that is kept, the code of every row and the distinct texts, without blanks around them."""
        whole = isinstance(self._table, pa.Table)
        batches = self._table.to_batches(max_chunksize=_ROWS) if whole else self._table
        rows = self._table.num_rows if whole else 0
        with taking_over():
            return _collected(batches, kept, None, rows, progress)


def _collected(
    batches: Iterable[pa.RecordBatch], kept: Collection[str], file: str | None, rows: int, progress: Progress
) -> dict[str, tuple[Ids, list[str]]]:
    codes = {column: Growing(np.int32) for column in kept}
    known: dict[str, dict[str, int]] = {column: {} for column in kept}
    done = 0
    for batch in batches:
        for column in kept:
            place = Place(file, done, column=column)
            numbers, values = _distinct(batch.column(column), place)
            texts = known[column]
            rename = np.array([texts.setdefault(_text(value), len(texts)) for value in values], np.int32)
            codes[column].room(len(batch))[:] = rename[numbers]
        done += len(batch)
        progress("reading", min(done / rows, 1.0) if rows else 1.0)
    return {column: (codes[column].finish(), list(known[column])) for column in kept}


def _distinct(array: pa.Array, place: Place) -> tuple[Ints, list[Any]]:
    """Which of its distinct values stands in each row of a column, and these; null is one of them."""
    try:
        coded = decoded(array).dictionary_encode(null_encoding="encode")
        numbers, values = coded.indices.to_numpy(zero_copy_only=False), coded.dictionary
        if is_binary(values.type) or is_text(values.type):
            values = as_text(values, place, numbers)
        elif pa.types.is_time64(values.type):  # Python's times know no nanoseconds
            values = pc.utf8_rtrim(pc.utf8_rtrim(pc.cast(values, pa.string()), "0"), ".")
        return numbers, values.to_pylist()
    except (pa.ArrowException, KeyError, OverflowError, ValueError) as error:  # KeyError: a time zone nobody knows
        raise InputError(
            f"values of type {array.type} cannot be cells of a table",
            file=place.file,
            column=place.column,
            remedy=f"Turn them into text or numbers, or leave the column out with --identifier '{place.column}'.",
        ) from error


def _text(value: Any) -> str:
    """A value as a cell; null, NaN and blanks all are the missing value, and whole numbers have no fraction."""
    if value is None or value != value:
        return MISSING
    if isinstance(value, float) and abs(value) < 2**53 and value == int(value):
        return str(int(value))
    return str(value).strip()
