"""Text files of ratings: long (a line per rating) and wide (a line per respondent, a column per issue)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from covey.errors import InputError
from covey.io.delimited import Cells, empty_cell, no_rows, records
from covey.io.encodings import byte_encoding
from covey.io.files import window
from covey.io.interning import Growing, Interner
from covey.io.ratings.layout import Layout
from covey.io.ratings.triples import Triples
from covey.progress import Progress


def from_text(path: Path, name: str, layout: Layout, encoding: str, progress: Progress) -> Triples:
    """Read a text file that was understood as `layout`."""
    return (_wide if layout.format == "csv-wide" else _long)(path, name, layout, encoding, progress)


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
    return _triples(
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
    return _triples((row, column, number, lines), texts, name, text, users=people, labels=labels, nameless=not named)


def _triples(entries: tuple[Growing, ...], texts: Interner, name: str, encoding: str, **others: Any) -> Triples:
    """What was read: of each rating its row, column, number of its text and line, and the different `texts`."""
    row, column, number, lines = (one.finish() for one in entries)
    read, seen = texts.labels(name, encoding), [texts.line(known) for known in range(len(texts))]
    return Triples(row=row, column=column, text=number, lines=lines, texts=read, seen=seen, file=name, **others)
