"""How a file begins, before it is read as a whole: its first cells, what it probably holds, and how it may be read."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.counting import counted
from covey.data.kinds import MISSING_MARKERS
from covey.errors import CoveyError, InputError
from covey.io import ratings
from covey.io.columns import QUANTITY_NAMES, both_named, means_persons, suspects, usual
from covey.io.delimited import DOUBLE_COLON, sniff
from covey.io.files import beginning, format_suffix, locate
from covey.io.loading import CALLED, format_of, open_rows
from covey.io.persons import SLIPS
from covey.io.ratings import as_number, rated
from covey.io.recognition import DELIMITERS, Recognised, is_flag, recognise, roles_of
from covey.io.rows import encoded, plain

#: Rows and cells of a row that a preview shows.
ROWS, CELLS = 12, 40
#: More columns than a file of single items usually has.
MANY = 5
#: What columns with the names of items are called.
NAME_NAMES = ("description", "product_description", "item_description", "product_name", "item_name", "name", "title")
#: Encodings of text that is not UTF-8; the first that fits is proposed.
_ENCODINGS = ("cp1252", "latin-1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a file was understood to be, in one sentence, and its first rows; no columns for lists of items."""

    recognised: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The beginning of a file, its cells as text."""

    path: str
    #: How it is to be read.
    options: Mapping[str, Any]
    #: The first row, which may be a header, and those after it.
    first: Sequence[str]
    rows: Sequence[Sequence[str]]
    #: What was taken to stand between cells; "" for Parquet and other files that are no text.
    delimiter: str

    def recognise(self, *names: str) -> Recognised:
        """Return what the file is if it holds baskets, by the options of these names; all if none are given."""
        wanted = names or tuple(self.options)
        return recognise(self.path, **{name: value for name, value in self.options.items() if name in wanted})


def read_head(path: str, options: Mapping[str, Any]) -> Head:
    """Read the beginning of a file."""
    if format_of(path, options.get("format")) is not None:
        about: dict[str, Any] = {name: options[name] for name in ("format", "sheet", "no_header") if name in options}
        first, *rows = open_rows(path, **about).beginning(ROWS)
        mark = ""
    else:
        raw = beginning(locate(path), path, options.get("encoding") or "utf-8")
        mark = options.get("separator") or sniff(raw) or " "
        lines = [line for line in raw.decode().splitlines() if line.strip()][: ROWS + 1]
        cells = [line.split(mark) for line in lines]
        if len(mark) == 1:
            cells = [row for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=mark) if row]
        if not cells:
            raise InputError("holds no text", file=path, remedy="Check that it was written completely.")
        first, *rows = cells
    return Head(path=path, options=options, first=first, rows=[row[:CELLS] for row in rows], delimiter=mark)


def likeliest_kind(start: Head) -> str:
    """Return the kind of data that a file looks most like; users can state another."""
    found = {"baskets": _basket_likeness(start), "ratings": _rating_likeness(start), "table": 1}
    return max(found, key=found.__getitem__)


def described(start: Head, kind: str) -> Preview:
    """Return what a file of a kind was understood to be, and its first rows."""
    if kind == "baskets":
        return _basket_preview(start)
    if kind == "ratings":
        return _rating_preview(start)
    mark = start.delimiter
    called = CALLED.get(format_of(start.path, start.options.get("format")) or "", "CSV")
    how = f"{called}, cells separated by {DELIMITERS.get(mark, repr(mark))}" if mark else called
    sentence = f"{how}: rows of persons, {counted(len(start.first), 'column')}."
    return Preview(recognised=sentence, columns=start.first, rows=start.rows)


def _basket_likeness(start: Head) -> int:
    """Return how much it looks like baskets: recognized, not wide with other cells than flags, nor about people."""
    if format_suffix(Path(start.path)) == ".dat":
        return 5
    try:
        known = start.recognise("format", "separator", "encoding")
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


def _basket_preview(start: Head) -> Preview:
    known = start.recognise()
    rows = start.rows if known.header else [start.first, *start.rows][:ROWS]
    if known.format == "fimi":
        mark = start.options.get("separator") or " "
        lines = [start.delimiter.join(row) for row in rows]
        rows = [[part for part in line.split(None if mark == " " else mark) if part] for line in lines]
    return Preview(recognised=known.describe(), columns=known.columns, rows=rows)


def _rating_likeness(start: Head) -> int:
    """Return how much it looks like ratings: double colons, usual names, or small numbers alone below a header."""
    if start.delimiter == DOUBLE_COLON:
        return 6
    if rated(start.first) is not None:
        return 4
    if len(start.first) < 3 or not all(math.isnan(as_number(name)) for name in start.first[1:]):
        return 0
    cells = [as_number(cell) if cell.strip() else 0.0 for row in start.rows for cell in row[1:]]
    return 2 if cells and all(0 <= value <= 10 for value in cells) else 0


def _rating_preview(start: Head) -> Preview:
    options, roles = start.options, ("user", "item", "rating")
    file = {name: options[name] for name in ("separator", "encoding") if name in options}
    about = {name: options[name] for name in ("sheet", "no_header") if name in options}
    names = {role: options.get(role) for role in roles}
    rows, places = ratings.opened(start.path, names, about, format=options.get("format"), **file)
    text = CALLED.get(format_of(start.path, options.get("format")) or "", "CSV")
    if places is None:
        user = ratings.wide_user(rows.names, names, rows.file)
        who = f" ('{rows.names[user]}')" if user >= 0 else ""
        sentence = f"{text}: one row per respondent{who}, one column per issue."
    else:
        who, what, how = (rows.names[place] for place in places)
        sentence = f"{text}: one row per respondent ('{who}'), issue ('{what}') and rating ('{how}')."
    shown = rows.beginning(ROWS)[int(rows.header) :]
    return Preview(recognised=sentence, columns=rows.names, rows=[row[:CELLS] for row in shown[:ROWS]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Options for reading a file, and why."""

    options: Mapping[str, str]
    reasons: tuple[str, ...]
    #: Columns that all seem to name persons; one must be chosen by someone who knows the data.
    persons: tuple[str, ...] = ()
    #: The rows, so that they are read once.
    rows: pa.Table = field(repr=False)


def propose(path: str | os.PathLike[str], options: Mapping[str, Any]) -> Proposal | None:
    """Return how a file with a row per transaction and item may be read; None where nothing has to be decided.

    `options` say what is known of the file: format, sheet, separator and encoding.
    """
    name = os.fspath(path)
    loaded = _loaded(name, options)
    if loaded is None:
        return None
    table, encoding = loaded
    try:
        roles = roles_of(table.schema, file=name)
    except InputError:
        return None
    if roles.layout != "long":
        return None
    tid, item = str(roles.transaction), str(roles.item)
    found: dict[str, str] = {"transaction": tid, "item": item}
    reasons = [f"transaction {tid}, item {item}: by their names"]
    free = [column for column in table.column_names if column not in (tid, item)]
    names = usual(free, NAME_NAMES)
    if names is not None and _are_codes(table.column(item)):
        found["name"] = free[names]
        reasons.append(f"name {free[names]}: the items are codes, and it holds text beside them")
    able = _persons(table, tid, item)
    if len(able) == 1:
        column, persons, visits = able[0]
        found["person"] = column
        reasons.append(f"person {column}: {persons:,} values in {visits:,} transactions")
    lacking = {column: table.column(column).null_count for column in (tid, item, found.get("person")) if column}
    if any(lacking.values()):
        found["missing"] = "drop"
        counts = ", ".join(f"{count:,} without {column}" for column, count in lacking.items() if count)
        reasons.append(f"missing drop: of {table.num_rows:,} rows, {counts}")
    quantity = usual(free, QUANTITY_NAMES)
    if quantity is not None and (returned := _below_one(table.column(free[quantity]))):
        column = free[quantity] if re.fullmatch(r"[A-Za-z_]+", free[quantity]) else f'"{free[quantity]}"'
        found["query"] = f"SELECT * FROM data WHERE {column} > 0"
        reasons.append(f"query: {returned:,} of {table.num_rows:,} rows have a {free[quantity]} below 1, as returns do")
    if len(found) == 2 and not able and encoding is None:
        return None
    if encoding is not None:
        found["encoding"] = encoding
        reasons.append(f"encoding {encoding}: the text is not UTF-8")
    ambiguous = tuple(column for column, *_ in able) if len(able) > 1 else ()
    return Proposal(options=found, reasons=tuple(reasons), persons=ambiguous, rows=table)


def _loaded(name: str, options: Mapping[str, Any]) -> tuple[pa.Table, str | None] | None:
    """Return all rows of what may be a raw export, and its encoding if nobody has stated it and it is not UTF-8."""
    known = options.get("encoding")
    about: dict[str, Any] = {key: options.get(key) for key in ("format", "sheet", "separator")}
    markers = frozenset(marker.casefold() for marker in MISSING_MARKERS)
    for encoding in (known,) if known else ("utf-8", *_ENCODINGS):
        try:
            start = read_head(name, {**options, "encoding": encoding})
            two = len(start.first) == 2 and start.delimiter != " "
            if not (both_named(start.first, None, None) or two) or likeliest_kind(start) != "baskets":
                return None
            table = replace(open_rows(name, encoding=encoding, **about), markers=markers).table()
            return table, None if encoding in (known, "utf-8") else encoding
        except InputError as error:
            if f"not valid {encoding}" not in str(error) or encoding in (known, _ENCODINGS[-1]):
                raise
    return None


def _persons(table: pa.Table, tid: str, item: str) -> list[tuple[str, int, int]]:
    """Return columns that seem to name persons, with the number of persons and of transactions."""
    visit, _ = encoded(table.column(tid))
    visits = len(np.unique(visit[visit >= 0]))
    found = []
    for column in suspects(table.column_names, (tid, item)):
        if pa.types.is_nested(table.column(column).type):
            continue
        who, _ = encoded(table.column(column))
        persons = len(np.unique(who[who >= 0]))
        pairs = np.unique(np.column_stack([visit, who])[(visit >= 0) & (who >= 0)], axis=0)
        named = len(np.unique(pairs[:, 0]))
        if len(pairs) - named <= SLIPS * visits and means_persons(column, persons, named):
            found.append((column, persons, visits))
    return found


def _are_codes(column: pa.ChunkedArray) -> bool:
    """Return whether most items are written with digits."""
    texts = pc.cast(pc.drop_null(pc.unique(column)), pa.large_string())
    return len(texts) > 0 and bool(pc.mean(pc.match_substring_regex(texts, r"[0-9]")).as_py() > 0.5)


def _below_one(column: pa.ChunkedArray) -> int:
    """Return how many values of a column of numbers are below 1; 0 for a column of anything else."""
    try:
        values = pc.cast(plain(column.combine_chunks()), pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return 0
    return int(pc.sum(pc.less(values, 1)).as_py() or 0)
