"""Reading survey ratings: long and wide CSV, the two MovieLens formats, Parquet and data frames."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from covey.arrays import Floats, Ids
from covey.data import Ratings, Scale
from covey.errors import InputError
from covey.io.arrow import Place, decoded, encode, open_parquet
from covey.io.delimited import Cells, empty_cell, no_rows, records
from covey.io.encodings import byte_encoding
from covey.io.files import head, locate, window
from covey.io.frames import as_arrow, taking_over
from covey.io.interning import Growing, Interner
from covey.io.ratings.layout import FORMATS, Layout, long_places, recognise, wide_user
from covey.io.ratings.triples import Triples, assemble
from covey.io.rows.cleaning import Used
from covey.io.rows.preparing import prepare
from covey.io.sensitive import Spec, named_among
from covey.parameters import choice
from covey.progress import Progress, silent


def read_ratings(
    source: Any,
    *,
    sensitive: Spec | None = None,
    sensitive_missing: str | None = None,
    scale: Scale | str | None = None,
    format: str | None = None,
    user: str | None = None,
    item: str | None = None,
    rating: str | None = None,
    null: str | Sequence[str] | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    progress: Progress = silent,
    **rows: Any,
) -> Ratings:
    """Read survey ratings from a file or from memory.

    Parameters
    ----------
    source : path, pandas, polars or Arrow table, or Ratings
        A file may be compressed with gzip or zstd.
    sensitive : path, comma list or collection of str, optional
        The sensitive issues; labels and patterns as for `covey.read`.
    sensitive_missing : {"error", "warn"}, optional
        What to do when the data lacks some of them.
    scale : Scale or str, optional
        ``low:high``, ``low:high:step`` or ``low:high:continuous``. When left out, whole numbers from 1 up to the
        largest that occurs.
    format : {"csv-long", "csv-wide", "movielens", "parquet"}, optional
        Recognised when left out. ``movielens`` is ``u.data`` or ``ratings.dat``, without a header.
    user, item, rating : str, optional
        Names of the columns, if they have no usual ones.
    null : str or sequence of str, optional
        What stands for "no rating" besides nothing, such as 99.
    separator, encoding : str, optional
        For text files.
    **rows
        How rows are prepared, as for `covey.read`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"user": ["ann", "bob"], "item": ["food", "food"], "rating": [5, 3]})
    >>> read_ratings(table, scale="1:6").record(1)
    {'food': 3.0}
    """
    if format is not None:
        choice("read_ratings", "format", format, FORMATS)
    wanted = None if scale is None else Scale.parse(scale)
    names = {"user": user, "item": item, "rating": rating}
    if isinstance(source, Ratings):
        return source if sensitive is None else mark(source, sensitive, sensitive_missing)
    file = {"format": format, "separator": separator, "encoding": encoding}
    ready = prepare(source, lambda table: _used(table, names), options=rows, progress=progress, **file)  # type: ignore[arg-type]
    source = ready.source
    with ready.named():
        ratings = assemble(_triples(source, names, format, separator, encoding, progress), wanted, null)
    return ratings if sensitive is None else mark(ratings, sensitive, sensitive_missing)


def _used(table: pa.Table, names: dict[str, str | None]) -> Used:
    """Which columns of a table will be used; in a wide one, nothing is no rating."""
    places = long_places(table.column_names, names, None)
    if places is None:
        return Used(needed=())
    return Used(needed=tuple(table.column_names[place] for place in places), labels=(table.column_names[places[1]],))


def _triples(
    source: Any,
    names: dict[str, str | None],
    format: str | None,
    separator: str | None,
    encoding: str,
    progress: Progress,
) -> Triples:
    if isinstance(source, str | os.PathLike):
        path, name = locate(source), os.fspath(source)
        if format == "parquet" or (format is None and head(path, name, 4) == b"PAR1"):
            return from_parquet(path, name, names, progress)
        layout = recognise(path, name, names, format, separator, encoding)
        return (_wide if layout.format == "csv-wide" else _long)(path, name, layout, encoding, progress)
    return from_frame(source, names)


def mark(ratings: Ratings, spec: Spec, missing: str | None = None) -> Ratings:
    """The same ratings with exactly the issues named by `spec` sensitive; a bad name is told with its line."""
    return ratings.with_sensitive(named_among(spec, ratings.issues, "issue", missing))


def _long(path: Path, name: str, layout: Layout, encoding: str, progress: Progress) -> Triples:
    users, items, texts = Interner("users"), Interner("items"), Interner("ratings")
    row, column, number, lines = Growing(np.int32), Growing(np.int32), Growing(np.int32), Growing(np.int64)
    cells = Cells(layout.delimiter, len(layout.columns), name, byte_encoding(encoding))
    with window(path, name, encoding=encoding, progress=progress) as view:
        for skip in records(view, cells, header=layout.header):
            here = cells.lines[skip:]
            spans = [cells.column(place, skip) for place in (layout.user, layout.item, layout.rating)]
            filled = [stops > starts for starts, stops in spans]
            cells.require_filled([layout.user], layout.columns, skip)
            # A user with neither item nor rating answered nothing, which is an answer.
            unnamed = ~filled[1] & filled[2]
            if unnamed.any():
                raise empty_cell(name, int(here[np.argmax(unnamed)]), layout.columns[layout.item])
            own = np.empty(len(here), np.int32)
            users.add(view.data, *spans[0], here, own)
            rated = np.flatnonzero(filled[2])
            row.room(len(rated))[:] = own[rated]
            lines.room(len(rated))[:] = here[rated]
            for interner, (starts, stops), out in ((items, spans[1], column), (texts, spans[2], number)):
                interner.add(view.data, starts[rated], stops[rated], here[rated], out.room(len(rated)))
    if not len(users):
        raise InputError("holds no ratings", file=name, remedy="Check that it was written completely.")
    text = byte_encoding(encoding)
    return _of_entries(
        (row, column, number, lines), texts, name, text, users=users.labels(name, text), labels=items.labels(name, text)
    )


def _wide(path: Path, name: str, layout: Layout, encoding: str, progress: Progress) -> Triples:
    width = len(layout.columns)
    users, texts = Interner("users"), Interner("ratings")
    row, column, number, lines = Growing(np.int32), Growing(np.int32), Growing(np.int32), Growing(np.int64)
    cells = Cells(layout.delimiter, width, name, byte_encoding(encoding))
    rows = 0
    with window(path, name, encoding=encoding, progress=progress) as view:
        for skip in records(view, cells, header=True):
            here = cells.lines[skip:]
            filled = (cells.stops > cells.starts)[skip * width :].reshape(-1, width)
            if layout.user >= 0:
                cells.require_filled([layout.user], layout.columns, skip)
                remedy = (
                    "Give every respondent one line; if a line is one rating, name its columns with --item, --rating."
                )
                cells.require_once(view.data, layout.user, users, skip, "user", remedy)
                filled = filled.copy()
                filled[:, layout.user] = False
            place, issue = np.nonzero(filled)
            row.room(len(place))[:] = place + rows
            column.room(len(place))[:] = issue
            lines.room(len(place))[:] = here[place]
            at = (place + skip) * width + issue
            texts.add(view.data, cells.starts[at], cells.stops[at], here[place], number.room(len(place)))
            rows += len(here)
    if not rows:
        raise no_rows(name)
    labels = [label for place, label in enumerate(layout.columns) if place != layout.user]
    text, named = byte_encoding(encoding), layout.user >= 0
    if named:
        columns = column.finish()
        columns -= columns > layout.user
    people = users.labels(name, text) if named else [str(i + 1) for i in range(rows)]
    return _of_entries((row, column, number, lines), texts, name, text, users=people, labels=labels, nameless=not named)


def _of_entries(entries: tuple[Growing, ...], texts: Interner, name: str, encoding: str, **others: Any) -> Triples:
    """What was read: of each rating its row, column, number of its text and line, and the different `texts`."""
    row, column, number, lines = (one.finish() for one in entries)
    read, seen = texts.labels(name, encoding), [texts.line(known) for known in range(len(texts))]
    return Triples(row=row, column=column, text=number, lines=lines, texts=read, seen=seen, file=name, **others)


def from_parquet(path: Path, name: str, names: dict[str, str | None], progress: Progress) -> Triples:
    """Read a Parquet file with the columns user, item and rating, or with one column per issue."""
    progress("reading", 0.0)
    with open_parquet(path, name) as file:
        columns = list(file.schema_arrow.names)
        places = long_places(columns, names, name)
        wanted = None if places is None else [columns[place] for place in places]
        return _from_arrow(file.read(columns=wanted), names, name)


def from_frame(frame: Any, names: dict[str, str | None]) -> Triples:
    """Take the ratings of a pandas or polars frame, or of anything that Arrow can take over."""
    table = as_arrow(frame)
    if table is None:
        raise InputError(
            f"cannot read ratings from {type(frame).__name__}",
            remedy="Give a path, a pandas or polars frame, an Arrow table, or use Ratings.of for lists.",
        )
    with taking_over():
        return _from_arrow(table if isinstance(table, pa.Table) else table.read_all(), names, None)


def _from_arrow(table: pa.Table, names: dict[str, str | None], file: str | None) -> Triples:
    columns = list(table.column_names)
    if not table.num_rows:
        raise InputError("the table has no rows", file=file, remedy="Check how it was made.")
    places = long_places(columns, names, file)
    if places is None:
        return _wide_columns(table, columns, wide_user(columns, names, file), file)
    user, item, rating = places
    users, row = _coded(table.column(user), Place(file, column=columns[user]))
    labels, column = _coded(table.column(item), Place(file, column=columns[item]))
    values = _numbers(table.column(rating), columns[rating], file, nulls=False)
    return _built(row, column, values, np.arange(1, len(values) + 1), users, labels, file)


def _wide_columns(table: pa.Table, columns: list[str], user: int, file: str | None) -> Triples:
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
