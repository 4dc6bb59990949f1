"""Whether a file looks like ratings, and how it then begins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from covey.io.delimited import DOUBLE_COLON
from covey.io.preview import ROWS, Head, Preview
from covey.io.ratings.layout import as_number, long_places, rated, recognise, wide_user


def likeness(start: Head) -> int:
    """Double colons, columns for user, item and rating, or at least nothing but small numbers below a header."""
    if "".join(start.first).count(DOUBLE_COLON) >= 2:
        return 6
    if rated(start.first) is not None:
        return 4
    return 2 if _all_small_numbers(start.first, start.rows) else 0


def _all_small_numbers(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a header is followed by cells that are ratings from 0 to 10, or nothing."""
    if len(columns) < 3 or not all(math.isnan(as_number(name)) for name in columns[1:]):
        return False
    cells = [as_number(cell) if cell.strip() else 0.0 for row in rows for cell in row[1:]]
    return bool(cells) and all(0 <= value <= 10 for value in cells)


def preview(start: Head) -> Preview:
    """Which column is what, and the first rows."""
    options = start.options
    names = {role: options.get(role) for role in ("user", "item", "rating")}
    columns, rows = list(start.first), start.rows
    if start.delimiter == "" or options.get("format") == "parquet":
        text = start.called
        places = long_places(columns, names, start.name)
        user = wide_user(columns, names, start.name) if places is None else -1
    else:
        encoding = options.get("encoding") or "utf-8"
        given = names, options.get("format"), options.get("separator"), encoding
        layout = recognise(Path(start.path), start.path, *given)
        text, user, columns = "CSV", layout.user, list(layout.columns)
        places = None if layout.format == "csv-wide" else (layout.user, layout.item, layout.rating)
        if layout.delimiter == DOUBLE_COLON:  # which the head has not parted
            rows = [" ".join(row).split(DOUBLE_COLON) for row in start.lines[:ROWS]]
        elif not layout.header:
            rows = start.lines[:ROWS]
    if places is None:
        who = f" ('{columns[user]}')" if user >= 0 else ""
        said = f"{text}: one row per respondent{who}, one column per issue."
    else:
        who, what, how = (columns[place] for place in places)
        said = f"{text}: one row per respondent ('{who}'), issue ('{what}') and rating ('{how}')."
    return Preview(recognised=said, columns=columns, rows=rows)
