"""Ratings from Arrow: Parquet files and the frames of pandas and polars, long or wide."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from covey.arrays import Floats, Ints
from covey.errors import InputError
from covey.io.ratings.layout import long_places, wide_user
from covey.io.ratings.triples import Triples
from covey.progress import Progress


def from_parquet(path: Path, name: str, names: dict[str, str | None], progress: Progress) -> Triples:
    """Read a Parquet file with the columns user, item and rating, or with one column per issue."""
    import pyarrow.parquet as pq

    progress("reading", 0.0)
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(
            f"cannot be read as Parquet ({str(error).splitlines()[0]})", file=name, remedy="Write it again."
        ) from None
    return _triples(table, names, name)


def from_frame(frame: Any, names: dict[str, str | None]) -> Triples:
    """Take the ratings of a pandas or polars frame, or of an Arrow table."""
    if isinstance(frame, pa.Table):
        return _triples(frame, names, None)
    if hasattr(frame, "to_arrow"):
        return _triples(frame.to_arrow(), names, None)
    if type(frame).__module__.split(".")[0] == "pandas":
        return _triples(pa.Table.from_pandas(frame, preserve_index=False), names, None)
    raise InputError(
        f"cannot read ratings from {type(frame).__name__}",
        remedy="Give a path, a pandas or polars frame, an Arrow table, or use Ratings.of for lists.",
    )


def _triples(table: pa.Table, names: dict[str, str | None], file: str | None) -> Triples:
    columns = [str(name) for name in table.column_names]
    table = table.rename_columns(columns)
    if not table.num_rows:
        raise InputError("the table has no rows", file=file, remedy="Check how it was made.")
    places = long_places(columns, names, file)
    if places is None:
        return _wide(table, columns, wide_user(columns, names, file), file)
    user, item, rating = places
    users, row = _coded(table.column(user), columns[user], file)
    labels, column = _coded(table.column(item), columns[item], file)
    values = _numbers(table.column(rating), columns[rating], file, nulls=False)
    return _built(row, column, values, np.arange(1, len(values) + 1), users, labels, file)


def _wide(table: pa.Table, columns: list[str], user: int, file: str | None) -> Triples:
    rows, issues, values = [], [], []
    labels = [column for place, column in enumerate(columns) if place != user]
    for place, label in enumerate(labels):
        found = _numbers(table.column(label), label, file, nulls=True)
        rated = np.flatnonzero(~np.isnan(found))
        rows.append(rated)
        issues.append(np.full(len(rated), place))
        values.append(found[rated])
    if user >= 0:
        users, own = _coded(table.column(user), columns[user], file)
        if len(users) < table.num_rows:
            again = int(np.flatnonzero(np.diff(np.maximum.accumulate(own), prepend=-1) == 0)[0])
            raise InputError(
                f"the user {users[own[again]]!r} stands again in row {again + 1}",
                file=file,
                remedy="Give every respondent one row.",
            )
    else:
        users = [str(i + 1) for i in range(table.num_rows)]
    row = np.concatenate(rows)
    return _built(row, np.concatenate(issues), np.concatenate(values), row + 1, users, labels, file)


def _built(
    row: NDArray[Any], column: NDArray[Any], values: Floats, lines: NDArray[Any],
    users: list[str], labels: list[str], file: str | None,
) -> Triples:  # fmt: skip
    different, first, kind = np.unique(values, return_index=True, return_inverse=True)
    return Triples(
        row=row,
        column=column,
        kind=kind,
        lines=lines.astype(np.int64),
        users=users,
        labels=labels,
        texts=[f"{value:.12g}" for value in different],
        seen=[int(lines[i]) for i in first],
        file=file,
    )


def _coded(column: pa.ChunkedArray, name: str, file: str | None) -> tuple[list[str], Ints]:
    """The different labels of a column as text in order of first sight, and which one each row has."""
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy()))
        raise InputError(f"missing value in row {row + 1}", file=file, column=name, remedy="Fill it in.")
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    coded = pc.dictionary_encode(column).combine_chunks()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.chunk(0)
    labels = [
        str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
        for value in coded.dictionary.to_pylist()
    ]
    return labels, coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)


def _numbers(column: pa.ChunkedArray, name: str, file: str | None, *, nulls: bool) -> Floats:
    """A column as numbers; NaN stands for a null where that is allowed, and is refused otherwise."""
    try:
        values = column.cast(pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(
            f"the column holds values of type {column.type}, not ratings",
            file=file,
            column=name,
            remedy="Turn it into numbers, or name the columns with user=, item= and rating=.",
        ) from None
    missing = values.is_null().to_numpy()
    numbers: Floats = values.to_numpy()
    bad = ~np.isfinite(numbers) & ~missing if nulls else ~np.isfinite(numbers)
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            f"row {row + 1} holds {'no rating' if missing[row] else numbers[row]}",
            file=file,
            column=name,
            remedy="Drop the row, or correct it.",
        )
    return numbers
