"""Rows with columns from a file or from memory, and the numbers of their labels: what all readers work on."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
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

    #: The label of each row, -1 where there is none: null, NaN, empty text, or text that means a missing value.
    codes: Ids
    texts: pa.Array

    @cached_property
    def labels(self) -> list[str]:
        """The labels as Python strings."""
        found: list[str] = self.texts.to_pylist()
        return found

    def array(self) -> pa.DictionaryArray:
        """Return the column for Arrow, null where there is no label."""
        return pa.DictionaryArray.from_arrays(pa.array(self.codes, mask=self.codes < 0), self.texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Rows whose columns are read when they are needed; those of a stream can be read once."""

    schema: pa.Schema
    #: Returns batches of the columns at some positions.
    read: Callable[[Sequence[int], Progress], Iterable[pa.RecordBatch]]
    file: str | None = None
    #: The first rows of a text file, with the header; empty for anything else.
    first: Sequence[Sequence[str]] = ()
    #: What separates the cells of a text file, and whether its first row is a header.
    delimiter: str | None = None
    header: bool = True
    #: Returns the line of a text file on which a row begins; rows of anything else are counted from 1.
    line: Callable[[int], int] | None = None
    #: The rows that were kept, by their original numbers, where some were left out.
    kept: Ints | None = None
    #: Texts that mean a missing value, in lower case.
    markers: Collection[str] = ()
    #: How many rows a query left out, by the reason.
    left_out: Mapping[str, int] = field(default_factory=dict)
    #: How many rows there are, where that is known and reading does not report its progress itself.
    total: int = 0

    @classmethod
    def of(cls, table: pa.Table | pa.RecordBatchReader, file: str | None = None) -> Rows:
        """Return the rows of a table or stream in memory."""

        def read(places: Sequence[int], _: Progress) -> Iterator[pa.RecordBatch]:
            try:
                for batch in table.to_batches() if isinstance(table, pa.Table) else table:
                    yield batch.select(list(places))
            except pa.ArrowException as error:
                raise InputError(f"Arrow cannot take over the table ({error})", remedy="Make it anew.") from error

        return cls(schema=table.schema, read=read, file=file)

    @classmethod
    def of_parquet(cls, path: Path, name: str) -> Rows:
        """Return the rows of a Parquet file."""

        def read(places: Sequence[int], _: Progress) -> Iterator[pa.RecordBatch]:
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

    def batches(self, columns: Iterable[str | int], progress: Progress = silent) -> Iterator[pa.RecordBatch]:
        """Yield batches of some columns, given by name or position; of equal names the first counts."""
        place = {name: at for at, name in reversed([*enumerate(self.names)])}
        done = 0
        for batch in self.read([place[one] if isinstance(one, str) else one for one in columns], progress):
            done += len(batch)
            if done > MOST_IDS:
                raise InputError(f"more than {MOST_IDS} rows", file=self.file, remedy="Split the data.")
            yield batch
            if self.total:
                progress("reading", min(done / self.total, 1.0))

    def columns(self, columns: Iterable[str | int], progress: Progress = silent) -> list[pa.ChunkedArray]:
        """Return some columns as a whole; texts are numbered at once, since codes need less memory."""
        wanted = list(columns)
        parts: list[list[pa.Array]] = [[] for _ in wanted]
        for batch in self.batches(wanted, progress):
            for part, column in zip(parts, batch.columns, strict=True):
                part.append(plain(column).dictionary_encode() if is_text(column.type) else column)
        return [pa.chunked_array(part, None if part else pa.null()) for part in parts]

    def coded(self, columns: Iterable[str], progress: Progress = silent) -> dict[str, Coded]:
        """Number the labels of some columns."""
        wanted = list(dict.fromkeys(columns))
        found = zip(wanted, self.columns(wanted, progress), strict=True)
        return {name: self.labels(name, column) for name, column in found}

    def table(self, progress: Progress = silent) -> pa.Table:
        """Return all rows, null where a value is missing."""
        columns = self.columns(range(len(self.schema)), progress)
        for place, (name, column) in enumerate(zip(self.names, columns, strict=True)):
            if pa.types.is_floating(column.type):
                columns[place] = pc.if_else(pc.is_nan(column), None, column)
            elif is_text(value_type(column)):
                columns[place] = self.labels(name, column).array()
        return pa.table(columns, self.names)

    def beginning(self, count: int) -> list[list[str]]:
        """Return the names of the columns and the first rows, each cell as text."""
        if self.first:
            return [list(row) for row in self.first[: count + 1]]
        batch = next(iter(self.batches(range(len(self.schema)))), None)
        columns = [] if batch is None else [column.to_pylist() for column in batch.slice(0, count)]
        return [self.names, *([_shown(cell) for cell in row] for row in zip(*columns, strict=True))]

    def labels(self, name: str, column: pa.ChunkedArray, row_of: Callable[[int], int] = int) -> Coded:
        """Number the labels of a column; equal text is the same label whatever the type.

        `row_of` returns the row of a value by its position; the same unless values are items of lists.
        """
        try:
            codes, values = encoded(column)
            if pa.types.is_floating(values.type):
                values = self._whole(name, codes, values, row_of)
            texts = pc.cast(values, pa.large_string())
            texts.validate(full=True)
        except pa.ArrowException as error:
            raise self._unlike_labels(name, column, row_of) from error
        return self._coded(codes, texts)

    def cells(self, name: str, column: pa.ChunkedArray) -> Coded:
        """Number the values of a column as the texts that stand for them in a table."""
        kind = value_type(column)
        if is_text(kind) or is_binary(kind):
            return self.labels(name, column)
        try:
            codes, values = encoded(column)
            if pa.types.is_time64(values.type):  # Python's times know no nanoseconds
                values = pc.utf8_rtrim(pc.utf8_rtrim(pc.cast(values, pa.string()), "0"), ".")
            texts = pa.array([_text(value) for value in values.to_pylist()], pa.large_string())
        except (pa.ArrowException, KeyError, OverflowError, ValueError) as error:  # KeyError: an unknown time zone
            raise InputError(
                f"values of type {column.type} cannot be cells of a table",
                file=self.file,
                column=name,
                remedy=f"Turn them into text or numbers, or leave the column out with --identifier '{name}'.",
            ) from error
        return self._coded(codes, texts)

    def _coded(self, codes: Ids, texts: pa.Array) -> Coded:
        if self.line is not None and _has_edges(texts):
            texts = pa.array([stripped(text) for text in texts.to_pylist()], pa.large_string())
        return numbered(codes, texts, self.markers)

    def _whole(self, name: str, codes: Ids, values: pa.Array, row_of: Callable[[int], int]) -> pa.Array:
        """Return whole numbers as integers and NaN as null."""
        numbers = pc.cast(values, pa.float64()).to_numpy(zero_copy_only=False)
        known = ~np.isnan(numbers)
        with np.errstate(invalid="ignore"):
            bad = np.flatnonzero(known & ~((np.floor(numbers) == numbers) & (np.abs(numbers) < 2**63)))
        if len(bad):
            row = row_of(int(np.argmax(codes == bad[0])))
            remedy = "Turn the column into text if these are labels."
            raise self.wrong(row, name, f"{numbers[bad[0]]} is not a whole number", remedy)
        return pa.array(np.where(known, numbers, 0).astype(np.int64), mask=~known)

    def _unlike_labels(self, name: str, column: pa.ChunkedArray, row_of: Callable[[int], int]) -> InputError:
        """Return the error for a column of a type that has no labels, or with bytes that are not UTF-8."""
        if is_binary(value_type(column)) or is_text(value_type(column)):
            codes, values = encoded(column)
            for number, raw in enumerate(pc.cast(values, pa.large_binary()).to_pylist()):
                if raw is not None and raw != raw.decode(errors="ignore").encode():
                    row = row_of(int(np.argmax(codes == number)))
                    remedy = "Write the column again as text in UTF-8."
                    return self.wrong(row, name, f"{raw[:40]!r} is not valid UTF-8", remedy)
        problem = f"values of type {column.type} cannot be read as labels"
        remedy = "Turn the column into text or integers first."
        return InputError(problem, file=self.file, column=name, remedy=remedy)

    def only(self, kept: Mask) -> Rows:
        """Return the same rows for messages about some of them; columns are not read again."""
        places = np.flatnonzero(kept)
        return replace(self, kept=places if self.kept is None else self.kept[places])

    def _original(self, row: int) -> int:
        return row if self.kept is None else int(self.kept[row])

    def place(self, row: int) -> str:
        """Return where a row stands, in words."""
        original = self._original(row)
        return f"row {original + 1}" if self.line is None else f"line {self.line(original)}"

    def wrong(self, row: int, column: str | None, problem: str, remedy: str) -> InputError:
        """Return the error for a value in a row, counted from 0."""
        if self.line is None:
            return InputError(f"{problem} in {self.place(row)}", file=self.file, column=column, remedy=remedy)
        line = self.line(self._original(row))
        return InputError(problem, file=self.file, line=line, column=column, remedy=remedy)

    def require_filled(self, columns: Iterable[tuple[str, Mask]]) -> None:
        """Raise for the first row that lacks a value, where the masks of columns say so."""
        lacking = [(int(np.argmax(empty)), name, int(empty.sum())) for name, empty in columns if empty.any()]
        if lacking:
            row, name, _ = min(lacking)
            counts = ", ".join(f"{count:,} in '{column}'" for _, column, count in sorted(lacking))
            remedy = f"Fill it in, or leave such rows out with --missing drop. Empty cells: {counts}."
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


def value_type(column: Any) -> pa.DataType:
    """Return the type of the values of a column, numbered or not."""
    return column.type.value_type if pa.types.is_dictionary(column.type) else column.type


def encoded(column: pa.ChunkedArray) -> tuple[Ids, pa.Array]:
    """Return the number of each value, -1 for null, and the values, of which some may be equal or not occur."""
    kind = column.type
    if not (pa.types.is_dictionary(kind) and kind.index_type == pa.int32() and str(kind.value_type) != "string_view"):
        column = pa.chunked_array([plain(chunk).dictionary_encode() for chunk in column.chunks] or [_NOTHING])
    # Unifying hashes the dictionary of every chunk, so it must not be done twice.
    parts = (column if column.num_chunks == 1 else column.unify_dictionaries()).chunks
    if not parts:
        return np.empty(0, np.int32), pa.array([], kind.value_type)
    return np.concatenate([_numbers(part.indices) for part in parts]), parts[0].dictionary


_NOTHING = pa.array([], pa.large_string()).dictionary_encode()


def numbered(codes: Ids, texts: pa.Array, markers: Collection[str] = ()) -> Coded:
    """Number labels anew in the order of first sight: equal ones once, and missing ones, also `markers`, not at all.

    Examples
    --------
    >>> found = numbered(np.array([3, 1, 0, 2], np.int32), pa.array(["b", "a", "", "a"]))
    >>> found.codes.tolist(), found.labels
    ([0, 0, 1, -1], ['a', 'b'])
    """
    missing = pc.equal(texts, "")
    if markers:
        meant = [text is not None and text.strip().casefold() in {"", *markers} for text in texts.to_pylist()]
        missing = pa.array(np.array(meant, np.bool_))
    distinct = pc.if_else(missing, None, texts).dictionary_encode()
    codes = np.append(_numbers(distinct.indices), np.int32(-1))[codes]  # the last one for -1
    known, rows = len(distinct.dictionary), len(codes)
    first = np.full(known + 1, rows, np.int64)
    first[codes[::-1]] = np.arange(rows)[::-1]
    order = np.argsort(first[:-1], kind="stable")[: int((first[:-1] < rows).sum())]
    place = np.full(known + 1, -1, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Coded(place[codes], distinct.dictionary.take(pa.array(order)))


def first_rows_of(codes: Ids) -> Ints:
    """Return the row in which each label stands first, for labels numbered in the order of first sight."""
    return np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1))


def _numbers(indices: pa.Array) -> Ids:
    """Return 32-bit integers as an array, -1 for null; `to_numpy` would import pandas."""
    return np.asarray(np.from_dlpack(indices.fill_null(-1) if indices.null_count else indices), np.int32)


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def _text(value: Any) -> str | None:
    """Return a value as a cell; null and NaN are missing, and whole numbers have no fraction."""
    if value is None or value != value:
        return None
    if isinstance(value, float) and abs(value) < 2**53 and value == int(value):
        return str(int(value))
    return str(value)


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
