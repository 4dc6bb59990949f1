"""Rows with columns from a file or from memory, and the numbers of their labels: what all readers work on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from covey.arrays import Ids, Ints, Mask
from covey.errors import InputError
from covey.io.files import refuse_flood
from covey.progress import Progress, silent

#: So many rows are read at a time, which changes no result.
ROWS = 1 << 16
MOST_IDS = 2**31 - 1
#: Blanks and control characters, which are no part of a cell that ends in them.
AT_ENDS = "".join(chr(code) for code in range(1, 33) if code not in (10, 13))


@dataclass(frozen=True)
class Coded:
    """A column whose distinct labels are numbered in the order of first sight."""

    #: The label of each row, -1 where there is none: null, NaN or empty text.
    codes: Ids
    texts: pa.Array

    @cached_property
    def labels(self) -> list[str]:
        """The labels as texts of Python."""
        found: list[str] = self.texts.to_pylist()
        return found

    def array(self) -> pa.DictionaryArray:
        """Return the column for Arrow, null where there is no label."""
        return pa.DictionaryArray.from_arrays(pa.array(self.codes, mask=self.codes < 0), self.texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Rows that are read when they are needed, maybe several times."""

    schema: pa.Schema
    #: Returns batches of the columns at some positions.
    read: Callable[[Sequence[int], Progress], Iterable[pa.RecordBatch]]
    file: str | None = None
    #: Returns the line of a text file on which a row begins; rows of anything else are counted from 1.
    line: Callable[[int], int] | None = None
    #: Whether they were the cells of a text file.
    text: bool = False
    #: The rows themselves if they are in memory.
    held: pa.Table | None = None
    #: How many there are, where that is known and reading does not report its progress itself.
    total: int = 0

    @classmethod
    def of(cls, table: pa.Table | pa.RecordBatchReader, file: str | None = None, *, text: bool = False) -> Rows:
        """Return the rows of a table in memory; those of a stream can be read once."""

        def read(places: Sequence[int], progress: Progress) -> Iterator[pa.RecordBatch]:
            try:
                for batch in table.to_batches(max_chunksize=ROWS) if held is not None else table:
                    yield batch.select(list(places))
            except pa.ArrowException as error:
                raise InputError(f"Arrow cannot take over the table ({error})", remedy="Make it anew.") from error

        held = table if isinstance(table, pa.Table) else None
        total = 0 if held is None else held.num_rows
        return cls(schema=table.schema, read=read, file=file, text=text, held=held, total=total)

    @classmethod
    def of_parquet(cls, path: Path, name: str) -> Rows:
        """Return the rows of a Parquet file."""

        def read(places: Sequence[int], progress: Progress) -> Iterator[pa.RecordBatch]:
            with open_parquet(path, name) as file:
                names = file.schema_arrow.names
                for batch in file.iter_batches(batch_size=ROWS, columns=[names[place] for place in places]):
                    yield batch.select([batch.schema.names.index(names[place]) for place in places])

        with open_parquet(path, name) as file:
            return cls(schema=file.schema_arrow, read=read, file=name, total=file.metadata.num_rows)

    @property
    def names(self) -> list[str]:
        """The columns in their order."""
        return list(self.schema.names)

    def _places(self, columns: Iterable[str]) -> list[int]:
        place = {name: at for at, name in reversed([*enumerate(self.schema.names)])}
        return [place[name] for name in columns]

    def batches(self, columns: Iterable[str], progress: Progress = silent) -> Iterator[pa.RecordBatch]:
        """Yield batches of some columns, which have one name each."""
        return self._batches(self._places(columns), progress)

    def _batches(self, places: Sequence[int], progress: Progress) -> Iterator[pa.RecordBatch]:
        rows = 0
        for batch in self.read(places, progress):
            rows += len(batch)
            if rows > MOST_IDS:
                raise InputError(f"more than {MOST_IDS} rows", file=self.file, remedy="Split the data.")
            yield batch
            if self.total:
                progress("reading", min(rows / self.total, 1.0))

    def columns(self, names: Iterable[str], progress: Progress = silent) -> list[pa.ChunkedArray]:
        """Return some columns as a whole; texts are numbered."""
        return self._columns(self._places(names), progress)

    def _columns(self, places: Sequence[int], progress: Progress) -> list[pa.ChunkedArray]:
        if self.held is not None:
            found = [self.held.column(place) for place in places]
            return [_in_numbers(one) if is_text(one.type) else one for one in found]
        parts: list[list[pa.Array]] = [[] for _ in places]
        for batch in self._batches(places, progress):  # numbered at once, since codes need less memory than texts
            for part, column in zip(parts, batch.columns, strict=True):
                part.append(plain(column).dictionary_encode() if is_text(column.type) else column)
        return [pa.chunked_array(part, None if part else pa.null()) for part in parts]

    def table(self, progress: Progress = silent) -> pa.Table:
        """Return all rows; cells of a text file are null where they are empty, and have no blanks around them."""
        columns = self._columns(range(len(self.schema)), progress)
        if self.line is not None:
            columns = [self.labels(name, one).array() for name, one in zip(self.names, columns, strict=True)]
        return pa.table(columns, self.names)

    def labels(self, name: str, column: pa.ChunkedArray, row_of: Callable[[int], int] = int) -> Coded:
        """Number the labels of a column; equal text is the same label whatever the type.

        `row_of` returns the row of a value by its position; the same unless values are items of lists.
        """
        try:
            codes, values = encoded(column)
            if pa.types.is_floating(values.type):
                values, bad = _whole(values)
                if bad is not None:
                    remedy = "Turn the column into text if these are labels."
                    row = row_of(int(np.argmax(codes == bad[0])))
                    raise self.wrong(row, name, f"{bad[1]} is not a whole number", remedy)
            texts = pc.cast(values, pa.large_string())
            texts.validate(full=True)
        except pa.ArrowException as error:
            if not (is_binary(column_kind(column)) or is_text(column_kind(column))):
                raise self.unlike_labels(name, column) from error
            raise self._no_text(name, column, row_of) from error
        if self.line is not None and _has_edges(texts):
            texts = pa.array([stripped(text) for text in texts.to_pylist()], pa.large_string())
        return numbered(codes, texts)

    def unlike_labels(self, name: str, column: pa.ChunkedArray) -> InputError:
        """Return the error for a column of a type that has no labels."""
        problem = f"values of type {column.type} cannot be read as labels"
        remedy = "Turn the column into text or integers first."
        return InputError(problem, file=self.file, column=name, remedy=remedy)

    def _no_text(self, name: str, column: pa.ChunkedArray, row_of: Callable[[int], int]) -> InputError:
        """Return the error for the first bytes that are not UTF-8, which Parquet and Arrow let through."""
        codes, values = encoded(column)
        for number, raw in enumerate(pc.cast(values, pa.large_binary()).to_pylist()):
            try:
                (raw or b"").decode()
            except UnicodeDecodeError:
                row = row_of(int(np.argmax(codes == number)))
                remedy = "Write the column again as text in UTF-8."
                return self.wrong(row, name, f"{raw[:40]!r} is not valid UTF-8", remedy)
        return self.unlike_labels(name, column)

    def wrong(self, row: int, column: str | None, problem: str, remedy: str) -> InputError:
        """Return the error for a value in a row, counted from 0."""
        if self.line is not None:
            return InputError(problem, file=self.file, line=self.line(row), column=column, remedy=remedy)
        return InputError(f"{problem} in row {row + 1}", file=self.file, column=column, remedy=remedy)

    def place(self, row: int) -> str:
        """Return where a row stands, in words."""
        return f"row {row + 1}" if self.line is None else f"line {self.line(row)}"

    def require_filled(self, columns: Iterable[tuple[str, Mask]]) -> None:
        """Raise for the first row that lacks a value, where the masks of columns say so."""
        lacking = [(int(np.argmax(empty)), name) for name, empty in columns if empty.any()]
        if lacking:
            row, name = min(lacking)
            remedy = "Fill it in or delete the line, or leave all such rows out with --missing drop."
            raise self.wrong(row, name, "the cell is empty", remedy)

    def require_once(self, ids: Coded, column: str, what: str, remedy: str) -> None:
        """Raise for the first row whose id is missing, or was seen before."""
        self.require_filled([(column, ids.codes < 0)])
        again = np.flatnonzero(np.diff(np.maximum.accumulate(ids.codes), prepend=-1) == 0)
        if len(again):
            code = ids.codes[again[0]]
            first = int(np.argmax(ids.codes == code))
            problem = f"the {what} '{ids.labels[code]}' of {self.place(first)} occurs again"
            raise self.wrong(int(again[0]), column, problem, remedy)

    def none(self) -> InputError:
        """Return the error for what has no rows."""
        problem = "the table has no rows" if self.line is None else "holds a header but no rows"
        return InputError(problem, file=self.file, remedy="Check that it was written completely.")


def column_kind(column: Any) -> pa.DataType:
    """Return the type of the values of a column, numbered or not."""
    return column.type.value_type if pa.types.is_dictionary(column.type) else column.type


def encoded(column: pa.ChunkedArray) -> tuple[Ids, pa.Array]:
    """Return the number of each value, -1 for null, and the values, of which some may be equal or not occur."""
    kind = column.type
    if not (pa.types.is_dictionary(kind) and kind.index_type == pa.int32() and str(kind.value_type) != "string_view"):
        column = _in_numbers(column)
    # Unifying hashes the dictionary of every chunk, so it must not be done twice.
    parts = (column if column.num_chunks == 1 else column.unify_dictionaries()).chunks
    if not parts:
        return np.empty(0, np.int32), pa.array([], kind.value_type)
    return np.concatenate([_numbers(part.indices) for part in parts]), parts[0].dictionary


def _in_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pa.chunked_array([plain(chunk).dictionary_encode() for chunk in column.chunks] or [_NOTHING])


_NOTHING = pa.array([], pa.large_string()).dictionary_encode()


def numbered(codes: Ids, texts: pa.Array) -> Coded:
    """Number labels anew in the order of first sight: equal ones once, empty and null ones not at all.

    Examples
    --------
    >>> found = numbered(np.array([3, 1, 0, 2], np.int32), pa.array(["b", "a", "", "a"]))
    >>> found.codes.tolist(), found.labels
    ([0, 0, 1, -1], ['a', 'b'])
    """
    distinct = texts.dictionary_encode()
    rename = _numbers(distinct.indices)
    known = distinct.dictionary
    if len(known) < len(texts):
        codes = np.where(codes < 0, np.int32(-1), rename[codes]) if len(rename) else codes
    empty = pc.index(known, pa.scalar("", known.type)).as_py()
    if empty >= 0:
        codes = np.where(codes == empty, np.int32(-1), codes)
    seen = np.maximum.accumulate(codes) if len(codes) else codes
    if len(codes) and int(seen[-1]) == len(known) - 1 and bool((np.diff(seen, prepend=-1) <= 1).all()):
        return Coded(codes, known)
    first = np.full(len(known) + 1, len(codes), np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    order = np.argsort(first[:-1], kind="stable")[: int((first[:-1] < len(codes)).sum())]
    place = np.full(len(known) + 1, -1, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Coded(place[codes], known.take(pa.array(order)))


def first_rows_of(codes: Ids) -> Ints:
    """Return the row in which each label stands first, for labels numbered in the order of first sight."""
    return np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1))


def _whole(values: pa.Array) -> tuple[pa.Array, tuple[int, float] | None]:
    """Return whole numbers as integers and NaN as null, and the place and value of the first that is not whole."""
    numbers = pc.cast(values, pa.float64()).to_numpy(zero_copy_only=False)
    known = ~np.isnan(numbers)
    with np.errstate(invalid="ignore"):
        bad = np.flatnonzero(known & ~((np.floor(numbers) == numbers) & (np.abs(numbers) < 2**63)))
    if len(bad):
        return values, (int(bad[0]), float(numbers[bad[0]]))
    return pa.array(np.where(known, numbers, 0).astype(np.int64), mask=~known), None


def _numbers(indices: pa.Array) -> Ids:
    """Return 32-bit integers as an array, -1 for null; Arrow's own way would import pandas."""
    start = indices.offset
    found = np.frombuffer(indices.buffers()[1] or b"", np.int32)[start : start + len(indices)]
    if not indices.null_count:
        return found
    return np.where(indices.is_valid().to_numpy(zero_copy_only=False), found, np.int32(-1))


def _has_edges(texts: pa.Array) -> bool:
    """Return whether there may be something to strip from a text."""
    trimmed = pc.ascii_rtrim(pc.ascii_ltrim(texts, " \t"), AT_ENDS)
    return not trimmed.equals(texts) or bool(pc.any(pc.match_substring(texts, "\0")).as_py())


def stripped(label: str) -> str:
    """Return the text of a cell without blanks around it; a zero byte keeps those that stood in quotes.

    Examples
    --------
    >>> stripped(" ale "), stripped("\\0 ale ")
    ('ale', ' ale')
    """
    return label.lstrip(" \t").rstrip(AT_ENDS).replace("\0", "")


def plain(array: pa.Array) -> pa.Array:
    """Return the values themselves, in a type that Arrow can number, of an array that may store them in another way."""
    if pa.types.is_run_end_encoded(array.type):
        array = pc.run_end_decode(array)
    if pa.types.is_dictionary(array.type):
        array = plain(array.dictionary).take(array.indices)
    kind = array.type
    if str(kind) == "string_view":  # what polars exports; Arrow cannot pick from it by index
        return pc.cast(array, pa.large_string())
    if isinstance(kind, pa.BaseExtensionType) and is_text(kind.storage_type):
        return array.storage
    if pa.types.is_decimal(kind) and kind.bit_width < 128:
        return array.cast(pa.decimal128(kind.precision, kind.scale))
    if pa.types.is_float16(kind):  # which older Arrow cannot number
        return array.cast(pa.float32())
    if pa.types.is_interval(kind):
        raise pa.ArrowNotImplementedError(f"{kind} has no text")
    return array


def is_text(kind: pa.DataType) -> bool:
    """Return whether values are declared to be text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view")


def is_binary(kind: pa.DataType) -> bool:
    """Return whether values are bytes, of which older writers of Parquet made text without saying so."""
    tests = ("is_binary", "is_large_binary", "is_fixed_size_binary", "is_binary_view")
    return any(getattr(pa.types, test)(kind) for test in tests)


@contextmanager
def open_parquet(path: Path, name: str) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file; what Arrow cannot read of it inside the block is an error that names it."""
    try:
        with pa.OSFile(os.fsencode(path), "rb") as raw, pq.ParquetFile(raw) as file:
            about = file.metadata
            groups = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
            # A value counts as one byte at least, however well it is packed.
            refuse_flood(int(max(groups, about.num_rows * about.num_columns)), raw.size(), name)
            file.schema_arrow.names  # noqa: B018 - names are decoded when they are asked for
            yield file
    except UnicodeDecodeError as error:
        problem = f"the column name {error.object[:40]!r} is not valid UTF-8"
        raise InputError(problem, file=name, remedy="Rename the column.") from error
    except (OSError, pa.ArrowException) as error:
        text = str(error).split("\n")[0].rstrip(".")
        raise InputError(
            f"is not a Parquet file or is damaged ({text})",
            file=name,
            remedy="Write or download it again; if it is another format, say which with --format.",
        ) from error
