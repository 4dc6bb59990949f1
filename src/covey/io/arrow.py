"""Labels from Arrow arrays: the common way of Parquet files and data frames of every kind of data."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from covey.arrays import Bytes, Ids, Ints
from covey.errors import InputError
from covey.io.decompression import refuse_flood
from covey.io.interning import Interner


@dataclass(frozen=True, slots=True)
class Place:
    """Where the values of a batch come from, for messages that name the row counted from 1.

    With `sizes`, so many values each belong to one row.
    """

    file: str | None
    before: int = 0
    sizes: Ints | None = None
    column: str | None = None

    def of(self, column: str) -> Place:
        """The same rows in a column."""
        return replace(self, column=column)

    def row(self, position: int) -> int:
        """The row of the value at a position of the batch."""
        if self.sizes is not None:
            position = int(np.searchsorted(np.cumsum(self.sizes), position, side="right"))
        return self.before + 1 + position

    def wrong(self, position: int, problem: str, remedy: str) -> InputError:
        """The error for one value."""
        return InputError(f"{problem} in row {self.row(position)}", file=self.file, column=self.column, remedy=remedy)

    def no_labels(self, kind: pa.DataType) -> InputError:
        """The error for a column of a type that is no text."""
        return InputError(
            f"values of type {kind} cannot be read as labels",
            file=self.file,
            column=self.column,
            remedy="Turn the column into text or integers first.",
        )


def encode(array: pa.Array, interner: Interner, place: Place, out: Ids) -> None:
    """Write the id of each value to `out`; equal text is the same value whatever the type.

    Only the distinct values of a batch are turned into text, so integers cost no more than strings.
    """
    values = plain(array, place)
    try:
        coded = values.dictionary_encode()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise place.no_labels(array.type) from error
    codes = coded.indices.to_numpy(zero_copy_only=False)
    buffer, starts, stops = spans(as_text(coded.dictionary, place, codes))
    ids = np.empty(len(starts), np.int32)
    interner.add(buffer, starts, stops, np.zeros(len(starts), np.int64), ids)
    empty = np.flatnonzero(starts == stops)
    if len(empty):
        position = int(np.flatnonzero(codes == empty[0])[0])
        raise place.wrong(position, "empty text", "Fill it in or drop the row.")
    np.take(ids, codes, out=out)


def encode_some(array: pa.Array, interner: Interner, place: Place) -> Ids:
    """The id of each value, -1 where there is none: null, NaN or empty text."""
    codes = np.full(len(array), -1, np.int32)
    array = _decoded(array, place)
    given = pc.is_valid(array)
    if pa.types.is_floating(array.type):
        given = pc.is_valid(pc.if_else(pc.is_nan(array), None, array))
    elif is_text(array.type):
        given = pc.and_(given, pc.fill_null(pc.not_equal(pc.cast(array, pa.large_string()), ""), False))
    filled = np.flatnonzero(given.to_numpy(zero_copy_only=False))
    found = np.empty(len(filled), np.int32)
    encode(array.take(pa.array(filled)), interner, place, found)
    codes[filled] = found
    return codes


def decoded(array: pa.Array) -> pa.Array:
    """The values themselves, in a type that Arrow can number, of an array that may store them in another way."""
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


def _decoded(array: pa.Array, place: Place) -> pa.Array:
    try:
        return decoded(array)
    except (pa.ArrowInvalid, pa.ArrowIndexError, pa.ArrowNotImplementedError) as error:
        raise place.no_labels(array.type) from error


def plain(array: pa.Array, place: Place) -> pa.Array:
    """The values without dictionary and without gaps; whole numbers stored as floats become integers."""
    array = _decoded(array, place)
    if array.null_count:
        position = int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])
        raise place.wrong(position, "missing value (null)", "Fill it in or drop the row.")
    if pa.types.is_floating(array.type):
        values = array.to_numpy(zero_copy_only=False).astype(np.float64)  # 2**63 does not fit half a float
        bad = np.flatnonzero(~(np.isfinite(values) & (np.floor(values) == values) & (np.abs(values) < 2**63)))
        if len(bad) and np.isnan(values[bad[0]]):
            raise place.wrong(int(bad[0]), "missing value (NaN)", "Fill it in or drop the row.")
        if len(bad):
            problem = f"{values[bad[0]]} is not a whole number"
            raise place.wrong(int(bad[0]), problem, "Turn the column into text if these are labels.")
        array = pc.cast(array, pa.int64())
    return array


def as_text(array: pa.Array, place: Place, codes: Ints) -> pa.Array:
    """An array without gaps as text; `codes` tells which of its values stands at each position of the batch.

    Values that are not UTF-8, which Parquet and Arrow let through, are an error.
    """
    try:
        text = pc.cast(array, pa.large_string())
        text.validate(full=True)
        return text
    except pa.ArrowNotImplementedError as error:
        raise place.no_labels(array.type) from error
    except pa.ArrowInvalid as error:
        if not (is_binary(array.type) or is_text(array.type)):
            raise place.no_labels(array.type) from error
    for number, raw in enumerate(pc.cast(array, pa.large_binary()).to_pylist()):
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            position = int(np.flatnonzero(codes == number)[0])
            remedy = "Write the column again as text in UTF-8."
            raise place.wrong(position, f"{raw[:40]!r} is not valid UTF-8", remedy) from error
    raise place.no_labels(array.type)


def spans(text: pa.Array) -> tuple[Bytes, Ints, Ints]:
    """Text without gaps as one buffer of bytes with the start and stop of each value."""
    _, edges, raw = text.buffers()
    offsets = np.frombuffer(edges, np.int64)[text.offset : text.offset + len(text) + 1].copy()
    data = np.frombuffer(raw, np.uint8).copy() if raw is not None else np.empty(0, np.uint8)
    return data, offsets[:-1], offsets[1:]


def is_text(kind: pa.DataType) -> bool:
    """Whether values are declared to be text."""
    tests = ("is_string", "is_large_string", "is_string_view")
    return any(getattr(pa.types, test)(kind) for test in tests)


def is_binary(kind: pa.DataType) -> bool:
    """Whether values are bytes, of which older writers of Parquet made text without saying so."""
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
