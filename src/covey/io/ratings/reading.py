"""Reading survey ratings: long and wide CSV, the two MovieLens formats, Parquet and data frames."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from covey.data import Ratings, Scale
from covey.io.files import head, locate
from covey.io.ratings.csv import from_text
from covey.io.ratings.frames import from_frame, from_parquet
from covey.io.ratings.layout import FORMATS, long_places, recognise
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
    progress : callable
        Told how far reading has come.
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
        return from_text(path, name, layout, encoding, progress)
    return from_frame(source, names)


def mark(ratings: Ratings, spec: Spec, missing: str | None = None) -> Ratings:
    """The same ratings with exactly the issues named by `spec` sensitive; a bad name is told with its line."""
    return ratings.with_sensitive(named_among(spec, ratings.issues, "issue", missing))
