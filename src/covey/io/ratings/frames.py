"""Ratings from Arrow: Parquet files and the frames of pandas and polars, long or wide."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from covey.arrays import Floats, Ids
from covey.errors import InputError
from covey.io.arrow import Place, decoded, encode
from covey.io.frames import as_arrow, taking_over
from covey.io.interning import Interner
from covey.io.parquet import open_parquet
from covey.io.ratings.layout import long_places, wide_user
from covey.io.ratings.triples import Triples
from covey.progress import Progress


def from_parquet(path: Path, name: str, names: dict[str, str | None], progress: Progress) -> Triples:
    """Read a Parquet file with the columns user, item and rating, or with one column per issue."""
    progress("reading", 0.0)
    with open_parquet(path, name) as file:
        columns = list(file.schema_arrow.names)
        places = long_places(columns, names, name)
        wanted = None if places is None else [columns[place] for place in places]
        return _triples(file.read(columns=wanted), names, name)


def from_frame(frame: Any, names: dict[str, str | None]) -> Triples:
    """Take the ratings of a pandas or polars frame, or of anything that Arrow can take over."""
    table = as_arrow(frame)
    if table is None:
        raise InputError(
            f"cannot read ratings from {type(frame).__name__}",
            remedy="Give a path, a pandas or polars frame, an Arrow table, or use Ratings.of for lists.",
        )
    with taking_over():
        return _triples(table if isinstance(table, pa.Table) else table.read_all(), names, None)


def _triples(table: pa.Table, names: dict[str, str | None], file: str | None) -> Triples:
    columns = list(table.column_names)
    if not table.num_rows:
        raise InputError("the table has no rows", file=file, remedy="Check how it was made.")
    places = long_places(columns, names, file)
    if places is None:
        return _wide(table, columns, wide_user(columns, names, file), file)
    user, item, rating = places
    users, row = _coded(table.column(user), Place(file, column=columns[user]))
    labels, column = _coded(table.column(item), Place(file, column=columns[item]))
    values = _numbers(table.column(rating), columns[rating], file, nulls=False)
    return _built(row, column, values, np.arange(1, len(values) + 1), users, labels, file)


def _wide(table: pa.Table, columns: list[str], user: int, file: str | None) -> Triples:
    rows, issues, values = [], [], []
    labels = [column for place, column in enumerate(columns) if place != user]
    given = [column for place, column in enumerate(table.columns) if place != user]
    for place, label in enumerate(labels):
        found = _numbers(given[place], label, file, nulls=True)
        rated = np.flatnonzero(~np.isnan(found))
        rows.append(rated)
        issues.append(np.full(len(rated), place))
        values.append(found[rated])
    if user >= 0:
        users, own = _coded(table.column(user), Place(file, column=columns[user]))
        if len(users) < table.num_rows:
            again = int(np.flatnonzero(np.diff(np.maximum.accumulate(own), prepend=-1) == 0)[0])
            raise InputError(
                f"the user {users[own[again]]!r} occurs again in row {again + 1}",
                file=file,
                remedy="Give every respondent one row.",
            )
    else:
        users = [str(i + 1) for i in range(table.num_rows)]
    row = np.concatenate(rows)
    built = _built(row, np.concatenate(issues), np.concatenate(values), row + 1, users, labels, file)
    built.nameless = user < 0
    return built


def _built(
    row: NDArray[Any], column: NDArray[Any], values: Floats, lines: NDArray[Any],
    users: list[str], labels: list[str], file: str | None,
) -> Triples:  # fmt: skip
    different, first, text = np.unique(values, return_index=True, return_inverse=True)
    return Triples(
        row=row,
        column=column,
        text=text,
        lines=lines.astype(np.int64),
        users=users,
        labels=labels,
        texts=[f"{value:.12g}" for value in different],
        seen=[int(lines[i]) for i in first],
        file=file,
    )


def _coded(column: pa.ChunkedArray, place: Place) -> tuple[list[str], Ids]:
    """The different labels of a column as text in order of first sight, and which one each row has."""
    interner, ids = Interner(), np.empty(len(column), np.int32)
    done = 0
    for chunk in column.chunks:
        encode(chunk, interner, replace(place, before=done), ids[done : done + len(chunk)])
        done += len(chunk)
    return interner.labels(place.file), ids


def _numbers(column: pa.ChunkedArray, name: str, file: str | None, *, nulls: bool) -> Floats:
    """A column as numbers; NaN stands for a null where that is allowed, and is refused otherwise."""
    try:
        chunks = [decoded(chunk).cast(pa.float64()) for chunk in column.chunks]
    except (pa.ArrowInvalid, pa.ArrowIndexError, pa.ArrowNotImplementedError):
        raise InputError(
            f"the column holds values of type {column.type}, not ratings",
            file=file,
            column=name,
            remedy="Turn it into numbers, or name the columns with user=, item= and rating=.",
        ) from None
    values = pa.chunked_array(chunks, pa.float64())
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
