"""Reading survey ratings: long and wide CSV, the two MovieLens formats, Parquet and data frames."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from covey.data import Ratings, Scale
from covey.errors import InputError
from covey.io.arrow import Coder, Rows, decoded, is_text, rows_of_parquet, rows_of_table
from covey.io.delimited import rows_of_text
from covey.io.files import head, locate
from covey.io.frames import as_arrow
from covey.io.ratings.layout import FORMATS, long_places, recognise, wide_user
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
            return _of_rows(rows_of_parquet(path, name), names, progress)
        layout = recognise(path, name, names, format, separator, encoding)
        rows = rows_of_text(path, name, layout.columns, layout.delimiter, header=layout.header, encoding=encoding)
        if layout.format == "csv-wide":
            return _wide(rows, layout.user, progress)
        return _long(rows, (layout.user, layout.item, layout.rating), progress)
    table = as_arrow(source)
    if table is None:
        raise InputError(
            f"cannot read ratings from {type(source).__name__}",
            remedy="Give a path, a pandas or polars frame, an Arrow table, or use Ratings.of for lists.",
        )
    return _of_rows(rows_of_table(table), names, progress)


def mark(ratings: Ratings, spec: Spec, missing: str | None = None) -> Ratings:
    """The same ratings with exactly the issues named by `spec` sensitive; a bad name is told with its line."""
    return ratings.with_sensitive(named_among(spec, ratings.issues, "issue", missing))


def _of_rows(rows: Rows, names: dict[str, str | None], progress: Progress) -> Triples:
    """The ratings of rows whose columns have types: user, item and rating, or one column per issue."""
    places = long_places(rows.names, names, rows.file)
    if places is None:
        return _wide(rows, wide_user(rows.names, names, rows.file), progress)
    return _long(rows, places, progress)


def _long(rows: Rows, places: tuple[int, int, int], progress: Progress) -> Triples:
    user, item, rating = (rows.names[place] for place in places)
    kind = rows.schema.field(places[2]).type
    coders = (Coder(rows, user), Coder(rows, item), _coder(rows, rating, kind))
    for batch in rows.batches([user, item, rating], progress):
        for coder, values in zip(coders, batch.columns, strict=True):
            coder.add(values)
    users, items, texts = (coder.finish() for coder in coders)
    if not len(users.codes):
        raise rows.none()
    rated = texts.codes >= 0
    # A user with neither item nor rating answered nothing, which is an answer.
    rows.require_filled([(user, users.codes < 0), (item, (items.codes < 0) & rated)])
    held = np.flatnonzero(rated)
    return Triples(
        row=users.codes[held],
        column=items.codes[held],
        text=texts.codes[held],
        lines=held,
        users=users.labels,
        labels=items.labels,
        texts=texts.labels,
        rows=rows,
    )


def _wide(rows: Rows, user: int, progress: Progress) -> Triples:
    """The ratings of a table with a row per user and a column per issue."""
    name = rows.names[user] if user >= 0 else None
    issues = [column for place, column in enumerate(rows.names) if place != user]
    whose = [] if name is None else [name]
    ids = Coder(rows, str(name))
    row, column = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    texts: dict[str, int] = {}
    text = [np.empty(0, np.int32)]
    done = 0
    for batch in rows.batches([*whose, *issues], progress):
        if whose:
            ids.add(batch.column(0))
        for issue, values in enumerate(batch.columns[len(whose) :]):
            coder = _coder(rows, issues[issue], values.type, done)
            coder.add(values)
            coded = coder.finish()
            given = np.flatnonzero(coded.codes >= 0)
            rename = np.array([texts.setdefault(label, len(texts)) for label in coded.labels], np.int32)
            row.append(given + done)
            column.append(np.full(len(given), issue, np.int32))
            text.append(rename[coded.codes[given]])
        done += len(batch)
    if not done:
        raise rows.none()
    users = [str(number + 1) for number in range(done)]
    if name is not None:
        coded = ids.finish()
        remedy = "Give every respondent one line; if a line is one rating, name its columns with --item, --rating."
        rows.require_once(coded, name, "user", remedy)
        users = coded.labels
    lines = np.concatenate(row)
    return Triples(
        row=lines,
        column=np.concatenate(column),
        text=np.concatenate(text),
        lines=lines,
        users=users,
        labels=issues,
        texts=list(texts),
        rows=rows,
        nameless=name is None,
    )


def _coder(rows: Rows, column: str, kind: pa.DataType, before: int = 0) -> Coder:
    """What numbers the ratings of a column, text or numbers, from some row on."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    known = Coder if is_text(kind) else _Numbers
    return known(rows, column, lambda position: before + position)


class _Numbers(Coder):
    """Numbers the distinct numbers of a column, written as short as they are known."""

    def add(self, array: pa.Array) -> None:
        """Take the numbers of the next batch; null is no rating."""
        try:
            values = decoded(array).cast(pa.float64())
        except (pa.ArrowInvalid, pa.ArrowIndexError, pa.ArrowNotImplementedError):
            raise InputError(
                f"the column holds values of type {array.type}, not ratings",
                file=self.rows.file,
                column=self.column,
                remedy="Turn it into numbers, or name the columns with user=, item= and rating=.",
            ) from None
        coded = values.dictionary_encode()
        texts = pa.array([f"{value:.12g}" for value in coded.dictionary.to_pylist()], pa.large_string())
        super().add(pa.DictionaryArray.from_arrays(coded.indices, texts))
