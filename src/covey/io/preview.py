"""How a file begins, before it is read as a whole: its first cells, and what kind of data it probably holds."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covey.counting import counted
from covey.errors import CoveyError, InputError
from covey.io.arrow import open_parquet
from covey.io.baskets.columns import QUANTITY_NAMES, usual
from covey.io.baskets.layout import is_flag
from covey.io.baskets.recognition import DELIMITERS, format_suffix
from covey.io.baskets.recognition import recognise as recognise_baskets
from covey.io.delimited import DOUBLE_COLON, sniff
from covey.io.files import beginning, head, locate
from covey.io.ratings.layout import as_number, long_places, rated, wide_user
from covey.io.ratings.layout import recognise as recognise_ratings
from covey.io.rows.loading import CALLED, load_rows, other_format

#: Rows and cells of a row that a preview shows.
ROWS, CELLS = 12, 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a file was understood to be, in one sentence, and its first rows; no columns for lists of items."""

    recognised: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The beginning of a file, its cells as text."""

    #: Where it is, and what it is called in messages.
    path: str
    name: str
    #: How it is to be read.
    options: Mapping[str, Any]
    #: The first row, which may be a header.
    first: Sequence[str]
    #: Those after it.
    rows: Sequence[Sequence[str]]
    #: What was taken to stand between cells; "" for Parquet and other files that are no text.
    delimiter: str

    @property
    def called(self) -> str:
        """What its format is called."""
        if self.delimiter:
            return "CSV"
        return CALLED.get(other_format(self.path, self.options.get("format")) or "", "Parquet")

    @property
    def lines(self) -> Sequence[Sequence[str]]:
        """All rows, for files without a header."""
        return [self.first, *self.rows]


def read_head(path: str, name: str, options: Mapping[str, Any]) -> Head:
    """Read the beginning of a file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("order;item\\n1;beer\\n")
    ...     file.flush()
    ...     found = read_head(file.name, "sales.csv", {})
    >>> found.first, found.rows, found.delimiter
    (['order', 'item'], [['1', 'beer']], ';')
    """
    first, rows, delimiter = _cells_of(path, options)
    return Head(path=path, name=name, options=options, first=first, rows=rows, delimiter=delimiter)


def likeliest_kind(start: Head) -> str:
    """The kind of data that a file looks most like; users can say otherwise."""
    found = {kind: likeness(start) for kind, likeness in LIKENESS.items()}
    return max(found, key=found.__getitem__)


def described(start: Head, kind: str) -> Preview:
    """What a file of a kind was understood to be."""
    return PREVIEWS[kind](start) if kind in PREVIEWS else Preview(recognised="", columns=[], rows=start.lines[:ROWS])


def _cells_of(path: str, options: Mapping[str, Any]) -> tuple[list[str], list[list[str]], str]:
    other = other_format(path, options.get("format"))
    if other is not None:
        table = load_rows(path, format=other, sheet=options.get("sheet"), no_header=bool(options.get("no_header")))
        names = list(table.column_names)
        return names, [[_cell(row[name]) for name in names[:CELLS]] for row in table.slice(0, ROWS).to_pylist()], ""
    if head(locate(path), path, 4) == b"PAR1":
        with open_parquet(Path(path), path) as file:
            names = list(file.schema_arrow.names)
            batch = next(file.iter_batches(batch_size=ROWS), None)
        records = batch.to_pylist() if batch is not None else []
        return names, [[_cell(record[name]) for name in names[:CELLS]] for record in records], ""
    encoding = options.get("encoding") or "utf-8"
    raw = beginning(Path(path), path, encoding)
    mark = options.get("separator") or sniff(raw) or " "
    mark = mark if len(mark) == 1 else ":" if mark == "::" else ","
    text = raw.decode()
    lines = [line for line in text.splitlines() if line.strip()][: ROWS + 1]
    cells = [row for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=mark) if row]
    if not cells:
        raise InputError("holds no text", file=path, remedy="Check that it was written completely.")
    return cells[0], [row[:CELLS] for row in cells[1:]], mark


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value[:CELLS])) + (" …" if len(value) > CELLS else "")
    return "" if value is None else str(value)


#: More columns than a file of single items usually has.
MANY = 5


def basket_likeness(start: Head) -> int:
    """What is recognized as baskets and neither is wide with other cells than flags, nor seems to be about people."""
    if format_suffix(Path(start.path)) == ".dat":
        return 5
    shared = ("format", "separator", "encoding")
    try:
        known = recognise_baskets(start.path, **{key: start.options[key] for key in shared if key in start.options})
    except CoveyError:
        return 0
    if known.layout == "wide" and not all(is_flag(cell.strip()) for row in start.rows for cell in row[1:]):
        return 0
    if known.layout == "long" and len(start.first) > MANY and known.format != "parquet":
        # Many columns of which two happen to have usual names describe people more often than single items, of which
        # there are so many.
        if usual(start.first, QUANTITY_NAMES) is not None:
            return 3
        place = list(start.first).index(known.transaction or start.first[0])
        named = [row[place] for row in start.rows if place < len(row)]
        return 3 if len(set(named)) < len(named) else 0
    return 3


def basket_preview(start: Head) -> Preview:
    """What the file was recognised as, and its first rows: items, or cells."""
    known = recognise_baskets(start.path, **start.options)
    rows, columns = (start.rows if known.header else start.lines[:ROWS]), list(known.columns)
    if known.format == "fimi":
        mark = start.options.get("separator") or " "
        lines = [start.delimiter.join(row) for row in rows]
        rows = [[part for part in line.split(None if mark == " " else mark) if part] for line in lines]
        columns = []
    return Preview(recognised=known.describe(), columns=columns, rows=rows)


def rating_likeness(start: Head) -> int:
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


def rating_preview(start: Head) -> Preview:
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
        layout = recognise_ratings(Path(start.path), start.path, *given)
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


def table_likeness(start: Head) -> int:
    """Anything may be a table, if it looks like nothing else."""
    return 1


def table_preview(start: Head) -> Preview:
    """What stands between cells, and the first rows."""
    mark = start.delimiter
    how = f"CSV, cells separated by {DELIMITERS.get(mark, repr(mark))}" if mark else start.called
    said = f"{how}: rows of persons, {counted(len(start.first), 'column')}."
    return Preview(recognised=said, columns=start.first, rows=start.rows)


#: Kind of data → a number: the higher, the more a file looks like this kind.
LIKENESS: dict[str, Callable[[Head], int]] = {
    "baskets": basket_likeness,
    "ratings": rating_likeness,
    "table": table_likeness,
}
#: Kind of data → what a file was understood to be, and its first rows.
PREVIEWS: dict[str, Callable[[Head], Preview]] = {
    "baskets": basket_preview,
    "ratings": rating_preview,
    "table": table_preview,
    "records": table_preview,
}
