"""Reading survey ratings: long and wide CSV, the two MovieLens formats, Parquet and data frames.

Ratings are interned like labels: a file holds few different ones, so each is understood once, and a bad one is
reported with the line it first stands on.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from covey.arrays import Floats, Ints, Mask
from covey.data import Ratings, Scale
from covey.errors import InputError, ParameterError
from covey.io.files import head, locate
from covey.io.ratings.layout import FORMATS, Layout, recognise
from covey.io.sensitive import Spec, parse
from covey.parameters import choice, did_you_mean
from covey.progress import Progress, silent


@dataclass(slots=True, kw_only=True)
class Triples:
    """Ratings as read, before they are checked: a row, an issue and a kind of rating each.

    Attributes
    ----------
    row, column, kind : int arrays
        Positions in `users`, `labels` and `texts`.
    lines : int64 array
        Where each stands: the line of a file or the row of a table.
    texts : list of str
        The different ratings as they are written, and in `seen` where each first stands.
    """

    row: NDArray[Any]
    column: NDArray[Any]
    kind: NDArray[Any]
    lines: Ints
    users: list[str]
    labels: list[str]
    texts: list[str]
    seen: list[int]
    file: str | None


def read_ratings(
    source: Any,
    *,
    sensitive: Spec | None = None,
    scale: Scale | str | None = None,
    format: str | None = None,
    user: str | None = None,
    item: str | None = None,
    rating: str | None = None,
    null: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    progress: Progress = silent,
) -> Ratings:
    """Read survey ratings from a file or from memory.

    Parameters
    ----------
    source : path, pandas, polars or Arrow table, or Ratings
        A file may be compressed with gzip or zstd.
    sensitive : path, comma list or collection of str, optional
        The sensitive issues.
    scale : Scale or str, optional
        ``low:high`` or ``low:high:step``. When left out, whole numbers from 1 up to the largest that occurs.
    format : {"csv-long", "csv-wide", "movielens", "parquet"}, optional
        Recognised when left out. ``movielens`` is ``u.data`` or ``ratings.dat``, without a header.
    user, item, rating : str, optional
        Names of the columns, if they have no usual ones.
    null : str, optional
        What stands for "no rating" besides nothing, such as 99.
    separator, encoding : str, optional
        For text files.
    progress : callable
        Told how far reading has come.

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
        return source if sensitive is None else mark(source, sensitive)
    if isinstance(source, str | os.PathLike):
        path, name = locate(source), os.fspath(source)
        if format == "parquet" or (format is None and head(path, name, 4) == b"PAR1"):
            from covey.io.ratings.frames import from_parquet

            triples = from_parquet(path, name, names, progress)
        else:
            triples = _from_text(path, name, names, format, separator, encoding, progress)
    else:
        from covey.io.ratings.frames import from_frame

        triples = from_frame(source, names)
    ratings = assemble(triples, wanted, null)
    return ratings if sensitive is None else mark(ratings, sensitive)


def mark(ratings: Ratings, spec: Spec) -> Ratings:
    """The same ratings with exactly the issues named by `spec` sensitive; a bad name is told with its line."""
    named = parse(spec)
    known = set(ratings.issues)
    for place, label in enumerate(named.labels):
        if label not in known:
            if named.missing is not None:
                locate(named.missing)
            raise InputError(
                f"the sensitive issue {label!r} does not occur in the data",
                file=named.file,
                line=named.lines[place] if named.lines else None,
                remedy=did_you_mean(label, ratings.issues).strip() or "Check the spelling.",
            )
    return ratings.with_sensitive(named.labels)


def assemble(triples: Triples, scale: Scale | None, null: str | None) -> Ratings:
    """Understand the ratings, refuse contradictions, and build the matrix."""
    values, known = _numbers(triples, null)
    scale = scale or _inferred(values[known], triples)
    codes, bad = scale.encode(np.where(known, values, scale.low))
    if len(bad):
        worst = int(bad[np.argmin(np.array(triples.seen)[bad])])
        raise InputError(
            f"the rating {triples.texts[worst]} is not on the scale {scale.text}",
            file=triples.file,
            line=triples.seen[worst],
            remedy="Correct it, or declare the scale with --scale low:high:step; "
            "--null names what stands for no rating.",
        )
    rated = known[triples.kind]
    row, column, lines = triples.row[rated], triples.column[rated], triples.lines[rated]
    code = codes[triples.kind[rated]]
    keys = row.astype(np.int64) * max(len(triples.labels), 1) + column
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(keys[order][1:] == keys[order][:-1]) + 1
    if len(again):
        differing = again[code[order[again]] != code[order[again - 1]]]
        if len(differing):
            second = differing[np.argmin(lines[order[differing]])]
            here, there = order[second], order[second - 1]
            raise InputError(
                f"{triples.users[row[here]]!r} rates {triples.labels[column[here]]!r} "
                f"{scale.decode(code[[here]])[0]:g}, but {scale.decode(code[[there]])[0]:g} on line {lines[there]}",
                file=triples.file,
                line=int(lines[here]),
                remedy="Keep one of the two ratings.",
            )
        order = np.delete(order, again)
    return Ratings.build(
        row[order], column[order], code[order], users=triples.users, labels=triples.labels, scale=scale
    )


def _numbers(triples: Triples, null: str | None) -> tuple[Floats, Mask]:
    """The different ratings as numbers, and which of them are ratings at all rather than the null."""
    values, known = np.zeros(len(triples.texts)), np.ones(len(triples.texts), np.bool_)
    for kind, text in enumerate(triples.texts):
        if null is not None and text == null:
            known[kind] = False
            continue
        try:
            values[kind] = float(text)
        except ValueError:
            values[kind] = np.nan
        if not np.isfinite(values[kind]):
            raise InputError(
                f"{text!r} is not a rating",
                file=triples.file,
                line=triples.seen[kind],
                remedy="Leave the cell empty where there is no rating, or name what stands for it with --null.",
            )
    return values, known


def _inferred(values: Floats, triples: Triples) -> Scale:
    """The scale 1 .. r of whole numbers; anything else has to be declared."""
    if not len(values):
        raise InputError("there is no rating", file=triples.file, remedy="Check the columns and the null.")
    if bool((values == np.rint(values)).all()) and values.min() >= 1 and values.max() <= 100:
        return Scale(1.0, float(values.max()))
    raise ParameterError(
        f"The ratings run from {values.min():g} to {values.max():g} and are not whole numbers from 1 to at most "
        "100, so their scale must be declared: --scale low:high:step, such as 0.5:5:0.5 or -10:10:0.01."
    )


def _from_text(
    path: Path,
    name: str,
    names: dict[str, str | None],
    format: str | None,
    separator: str | None,
    encoding: str,
    progress: Progress,
) -> Triples:
    layout = recognise(path, name, names, format, separator, encoding)
    return (_wide if layout.format == "csv-wide" else _long)(path, name, layout, encoding, progress)


def _long(path: Path, name: str, layout: Layout, encoding: str, progress: Progress) -> Triples:
    from covey.io.delimited import Cells, records
    from covey.io.files import byte_encoding, window
    from covey.io.interning import Growing, Interner

    users, items, kinds = Interner("users"), Interner("items"), Interner("ratings")
    row, column, kind, lines = Growing(np.int32), Growing(np.int32), Growing(np.int32), Growing(np.int64)
    cells = Cells(layout.delimiter, len(layout.columns), name, byte_encoding(encoding))
    first = int(layout.header)
    with window(path, name, encoding=encoding, progress=progress) as view:
        for _ in records(view, cells):
            skip = min(first, cells.records)
            first -= skip
            here = cells.lines[skip:]
            spans = [cells.column(place, skip) for place in (layout.user, layout.item, layout.rating)]
            filled = [stops > starts for starts, stops in spans]
            # A user with neither item nor rating answered nothing, which is an answer.
            for place, wrong in ((layout.user, ~filled[0]), (layout.item, ~filled[1] & filled[2])):
                if wrong.any():
                    raise InputError(
                        "the cell is empty",
                        file=name,
                        line=int(here[np.argmax(wrong)]),
                        column=layout.columns[place],
                        remedy="Fill it in or delete the line.",
                    )
            own = np.empty(len(here), np.int32)
            users.add(view.data, *spans[0], here, own)
            rated = np.flatnonzero(filled[2])
            row.room(len(rated))[:] = own[rated]
            lines.room(len(rated))[:] = here[rated]
            for interner, (starts, stops), out in ((items, spans[1], column), (kinds, spans[2], kind)):
                interner.add(view.data, starts[rated], stops[rated], here[rated], out.room(len(rated)))
    if not len(users):
        raise InputError("holds no ratings", file=name, remedy="Check that it was written completely.")
    text = byte_encoding(encoding)
    return Triples(
        row=row.finish(),
        column=column.finish(),
        kind=kind.finish(),
        lines=lines.finish(),
        users=users.labels(name, text),
        labels=items.labels(name, text),
        texts=kinds.labels(name, text),
        seen=[kinds.line(k) for k in range(len(kinds))],
        file=name,
    )


def _wide(path: Path, name: str, layout: Layout, encoding: str, progress: Progress) -> Triples:
    from covey.io.delimited import Cells, records
    from covey.io.files import byte_encoding, window
    from covey.io.interning import Growing, Interner

    width = len(layout.columns)
    users, kinds = Interner("users"), Interner("ratings")
    row, column, kind, lines = Growing(np.int32), Growing(np.int32), Growing(np.int32), Growing(np.int64)
    cells = Cells(layout.delimiter, width, name, byte_encoding(encoding))
    first, rows = 1, 0
    with window(path, name, encoding=encoding, progress=progress) as view:
        for _ in records(view, cells):
            skip = min(first, cells.records)
            first -= skip
            here = cells.lines[skip:]
            filled = (cells.stops > cells.starts)[skip * width :].reshape(-1, width)
            if layout.user >= 0:
                _add_users(users, view.data, cells, layout, skip, rows, name)
                filled = filled.copy()
                filled[:, layout.user] = False
            place, issue = np.nonzero(filled)
            row.room(len(place))[:] = place + rows
            column.room(len(place))[:] = issue
            lines.room(len(place))[:] = here[place]
            at = (place + skip) * width + issue
            kinds.add(view.data, cells.starts[at], cells.stops[at], here[place], kind.room(len(place)))
            rows += len(here)
    if not rows:
        raise InputError(
            "holds a header but no rows", file=name, remedy="Check that it was written completely."
        )
    labels = [label for place, label in enumerate(layout.columns) if place != layout.user]
    columns = column.finish()
    if layout.user >= 0:
        columns -= columns > layout.user
    text = byte_encoding(encoding)
    return Triples(
        row=row.finish(),
        column=columns,
        kind=kind.finish(),
        lines=lines.finish(),
        users=users.labels(name, text) if layout.user >= 0 else [str(i + 1) for i in range(rows)],
        labels=labels,
        texts=kinds.labels(name, text),
        seen=[kinds.line(k) for k in range(len(kinds))],
        file=name,
    )


def _add_users(users: Any, data: Any, cells: Any, layout: Layout, skip: int, rows: int, name: str) -> None:
    """Number the users of a wide file, who must have a name each and one line only."""
    starts, stops = cells.column(layout.user, skip)
    here = cells.lines[skip:]
    if bool((starts == stops).any()):
        line = int(here[np.argmax(starts == stops)])
        raise InputError(
            "the cell is empty",
            file=name,
            line=line,
            column=layout.columns[layout.user],
            remedy="Fill it in.",
        )
    own = np.empty(len(starts), np.int32)
    users.add(data, starts, stops, here, own)
    again = np.flatnonzero(own != np.arange(rows, rows + len(own)))
    if len(again):
        known = int(own[again[0]])
        raise InputError(
            f"the user '{users.token(known).decode('utf-8', 'replace')}' stands on line {users.line(known)} already",
            file=name,
            line=int(here[again[0]]),
            remedy="Give every respondent one line.",
        )
