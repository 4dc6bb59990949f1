"""Rows with columns, from a file or from memory, and the numbers of their labels: what every reader goes on with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from covey.arrays import Ids, Ints, Mask
from covey.errors import InputError
from covey.io.decompression import refuse_flood
from covey.io.frames import taking_over
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
    texts: pa.Array | list[str]

    @cached_property
    def labels(self) -> list[str]:
        """The labels as texts of Python, which not everybody needs."""
        texts: list[str] = self.texts if isinstance(self.texts, list) else self.texts.to_pylist()
        return texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Rows that are read when they are needed, maybe several times."""

    schema: pa.Schema
    #: Returns batches of the columns at some positions.
    read: Callable[[Sequence[int], Progress], Iterable[pa.RecordBatch]]
    file: str | None = None
    #: Returns the line of a text file on which a row begins; rows of anything else are counted from 1.
    line: Callable[[int], int] | None = None

    @property
    def names(self) -> list[str]:
        """The columns in their order."""
        return list(self.schema.names)

    def batches(self, columns: Sequence[str], progress: Progress = silent) -> Iterator[pa.RecordBatch]:
        """Yield batches of some columns, which have one name each."""
        place = {name: at for at, name in reversed([*enumerate(self.schema.names)])}
        rows = 0
        for batch in self.read([place[name] for name in columns], progress):
            rows += len(batch)
            if rows > MOST_IDS:
                raise InputError(f"more than {MOST_IDS} rows", file=self.file, remedy="Split the data.")
            yield batch

    def coded(self, columns: Sequence[str], progress: Progress = silent) -> list[Coded]:
        """Number the labels of some columns."""
        coders = [Coder(self, name) for name in columns]
        for batch in self.batches(columns, progress):
            for coder, values in zip(coders, batch.columns, strict=True):
                coder.add(values)
        return [coder.finish() for coder in coders]

    def table(self, progress: Progress = silent) -> pa.Table:
        """Return all rows; texts of a text file are numbered, and null where they are empty."""
        if self.line is None:
            places = range(len(self.schema))
            return pa.Table.from_batches(self.read(places, progress), self.schema)
        names = [f"{place}" for place in range(len(self.schema))]
        anonymous = Rows(schema=pa.schema([(name, pa.string()) for name in names]), read=self.read, file=self.file)
        columns = [
            pa.DictionaryArray.from_arrays(
                pa.array(one.codes, mask=one.codes < 0), pa.array(one.labels or [""], pa.large_string())
            )
            for one in anonymous.coded(names, progress)
        ]
        return pa.table(columns, self.names)

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


class Coder:
    """Numbers the labels of a column batch by batch; equal text is the same label whatever the type.

    Parameters
    ----------
    rows : Rows
        Where the values come from, for messages.
    column : str
        Its name.
    row_of : callable, optional
        Returns the row of a value by its position; the same unless values are items of lists.
    """

    def __init__(self, rows: Rows, column: str, row_of: Callable[[int], int] = int) -> None:
        self.rows, self.column, self._row_of = rows, column, row_of
        self._parts: list[pa.DictionaryArray] = []
        self._count = 0

    def add(self, array: pa.Array) -> None:
        """Take the values of the next batch; only the distinct ones are turned into text."""
        try:
            values = self._whole(decoded(array))
            coded = values.dictionary_encode()
            if coded.null_count == len(coded):
                texts = pa.array([], pa.large_string())
            else:
                texts = self._texts(coded)
        except (pa.ArrowInvalid, pa.ArrowIndexError, pa.ArrowNotImplementedError) as error:
            raise self._no_labels(array.type) from error
        self._parts.append(pa.DictionaryArray.from_arrays(coded.indices, texts))
        self._count += len(array)

    def finish(self) -> Coded:
        """Return the numbers of all values, and the labels without blanks around those of a text file."""
        if not self._parts:
            return Coded(np.empty(0, np.int32), [])
        parts = pa.chunked_array(self._parts).unify_dictionaries().chunks
        self._parts = []
        texts = parts[0].dictionary
        codes: Ids = np.concatenate([_numbers(part.indices) for part in parts])
        written = self.rows.line is not None
        lengths = np.from_dlpack(pc.binary_length(texts))
        if (lengths > 0).all() and not (written and _has_edges(texts)):
            return Coded(codes, texts)
        plain = [stripped(label) if written else label for label in texts.to_pylist()]
        numbers: dict[str, int] = {}
        rename = np.array([numbers.setdefault(label, len(numbers)) if label else -1 for label in plain], np.int32)
        return Coded(np.where(codes < 0, np.int32(-1), rename[codes]), list(numbers))

    def _whole(self, array: pa.Array) -> pa.Array:
        """The values with integers in place of whole numbers stored as floats, and null in place of NaN."""
        if not pa.types.is_floating(array.type):
            return array
        values = pc.cast(array, pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
        known = ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            bad = np.flatnonzero(known & ~((np.floor(values) == values) & (np.abs(values) < 2**63)))
        if len(bad):
            remedy = "Turn the column into text if these are labels."
            raise self._wrong(int(bad[0]), f"{values[bad[0]]} is not a whole number", remedy)
        return pa.array(np.where(known, values, 0).astype(np.int64), mask=~known)

    def _texts(self, coded: pa.DictionaryArray) -> pa.Array:
        """The distinct values as text; bytes that are not UTF-8, which Parquet and Arrow let through, are an error."""
        values = coded.dictionary
        try:
            text = pc.cast(values, pa.large_string())
            text.validate(full=True)
            return text
        except pa.ArrowInvalid:
            if not (is_binary(values.type) or is_text(values.type)):
                raise
        for number, raw in enumerate(pc.cast(values, pa.large_binary()).to_pylist()):
            try:
                raw.decode()
            except UnicodeDecodeError as error:
                position = int(pc.index(coded.indices, number).as_py())
                remedy = "Write the column again as text in UTF-8."
                raise self._wrong(position, f"{raw[:40]!r} is not valid UTF-8", remedy) from error
        raise self._no_labels(values.type)

    def _wrong(self, position: int, problem: str, remedy: str) -> InputError:
        return self.rows.wrong(self._row_of(self._count + position), self.column, problem, remedy)

    def _no_labels(self, kind: pa.DataType) -> InputError:
        return InputError(
            f"values of type {kind} cannot be read as labels",
            file=self.rows.file,
            column=self.column,
            remedy="Turn the column into text or integers first.",
        )


def _numbers(indices: pa.Array) -> Ids:
    """The values of an array of 32-bit integers, -1 for null; Arrow's own way would import pandas."""
    start = indices.offset
    found = np.frombuffer(indices.buffers()[1] or b"", np.int32)[start : start + len(indices)]
    return (
        np.where(indices.is_valid().to_numpy(zero_copy_only=False), found, np.int32(-1))
        if indices.null_count
        else found
    )


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


def first_rows_of(codes: Ids) -> Ints:
    """Return the row in which each label stands first, for labels numbered in the order of first sight."""
    return np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1))


def decoded(array: pa.Array) -> pa.Array:
    """Return the values themselves, in a type that Arrow can number, of an array that may store them in another way."""
    if pa.types.is_run_end_encoded(array.type):
        array = pc.run_end_decode(array)
    if pa.types.is_dictionary(array.type):
        values = array.dictionary
        if str(values.type) == "string_view":  # what polars exports; Arrow cannot pick from it by index
            values = pc.cast(values, pa.large_string())
        array = values.take(array.indices)
    kind = array.type
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
    tests = ("is_string", "is_large_string", "is_string_view")
    return any(getattr(pa.types, test)(kind) for test in tests)


def is_binary(kind: pa.DataType) -> bool:
    """Return whether values are bytes, of which older writers of Parquet made text without saying so."""
    tests = ("is_binary", "is_large_binary", "is_fixed_size_binary", "is_binary_view")
    return any(getattr(pa.types, test)(kind) for test in tests)


def rows_of_table(table: pa.Table | pa.RecordBatchReader) -> Rows:
    """Return the rows of a table in memory; those of a stream can be read once."""

    def read(places: Sequence[int], progress: Progress) -> Iterator[pa.RecordBatch]:
        whole = isinstance(table, pa.Table)
        done, total = 0, table.num_rows if whole else 0
        with taking_over():
            for batch in table.to_batches(max_chunksize=ROWS) if whole else table:
                yield batch.select(list(places))
                done += len(batch)
                progress("reading", min(done / total, 1.0) if total else 1.0)

    return Rows(schema=table.schema, read=read)


def rows_of_parquet(path: Path, name: str) -> Rows:
    """Return the rows of a Parquet file."""

    def read(places: Sequence[int], progress: Progress) -> Iterator[pa.RecordBatch]:
        with open_parquet(path, name) as file:
            names, done = file.schema_arrow.names, 0
            for batch in file.iter_batches(batch_size=ROWS, columns=[names[place] for place in places]):
                order = [batch.schema.names.index(names[place]) for place in places]
                yield batch.select(order)
                done += len(batch)
                progress("reading", min(done / max(file.metadata.num_rows, 1), 1.0))

    with open_parquet(path, name) as file:
        return Rows(schema=file.schema_arrow, read=read, file=name)


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
        raise InputError(
            f"the column name {error.object[:40]!r} is not valid UTF-8",
            file=name,
            remedy="Rename the column.",
        ) from error
    except (OSError, pa.ArrowException) as error:
        text = str(error).split("\n")[0].rstrip(".")
        raise InputError(
            f"is not a Parquet file or is damaged ({text})",
            file=name,
            remedy="Write or download it again; if it is another format, say which with --format.",
        ) from error
