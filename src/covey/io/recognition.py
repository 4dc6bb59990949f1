"""Recognise what a file of baskets is by its first bytes, its name and its first rows.

Four layouts are understood: lines (a transaction a line), long (a row per transaction and item), wide (a row per
transaction and a boolean or 0/1 column per item) and lists (a row per transaction with a list of items).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from covey.errors import InputError, ParameterError
from covey.io.columns import ITEM_NAMES, TRANSACTION_NAMES, both_named, find, long_columns, unclear, usual
from covey.io.delimited import first_rows, require_separator, sniff
from covey.io.files import beginning, compression, file_of, format_suffix, locate
from covey.io.loading import CALLED, TABLES, format_of, open_rows
from covey.io.persons import NOTHING_STATED, WhoIsWho
from covey.io.rows import Rows
from covey.parameters import did_you_mean

FORMATS = ("fimi", "csv-long", "csv-wide", *TABLES)
#: What delimiters are called.
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
#: What a cell of a 0/1 column may be.
FLAGS = {"1": 1, "true": 1, "0": 0, "false": 0, "": 0}
#: A text file of at least three columns is wide if so many of its cells are flags; the others are errors.
_MOST = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """What a file or table was understood to be."""

    #: One of `FORMATS`; empty for data in memory.
    format: str = ""
    #: "lines", "long", "wide" or "lists".
    layout: str
    #: "gzip", "zstd" or None, by the first bytes of the file.
    compression: str | None = None
    #: The names of the columns; ``column 1`` and so on when there is no header, empty for FIMI.
    columns: tuple[str, ...] = ()
    #: The columns that are used as such; None where the layout needs none.
    transaction: str | None = None
    item: str | None = None
    #: The column that was named as the person's, and that column or, when none was named, those that may name persons.
    person: str | None = None
    people: tuple[str, ...] = ()
    #: What stands between cells or items; None for blanks, and for what is no text.
    delimiter: str | None = None
    #: Whether the first row holds the names of the columns.
    header: bool = False

    def describe(self) -> str:
        """Return one sentence that says what was understood.

        Examples
        --------
        >>> Recognised(format="fimi", layout="lines", compression="gzip").describe()
        'FIMI, compressed with gzip: one transaction per line, items separated by spaces.'
        """
        called = CALLED.get(self.format, "CSV")
        packed = f", compressed with {self.compression}" if self.compression else ""
        between = DELIMITERS.get(self.delimiter, repr(self.delimiter)) if self.delimiter else "spaces"
        cells = f", cells separated by {between}" if self.delimiter and called == "CSV" else ""
        by = f" by '{self.transaction}'" if self.transaction else ""
        what = {
            "lines": f"one transaction per line, items separated by {between}",
            "long": f"one row per transaction ('{self.transaction}') and item ('{self.item}')",
            "wide": f"one row per transaction{by}, one 0/1 column per item",
            "lists": f"one list of items ('{self.item}') per transaction{by}",
        }[self.layout]
        whose = f", persons by '{self.person}'" if self.person else ""
        return f"{called}{packed}{cells}: {what}{whose}."


def recognise(
    source: str | os.PathLike[str],
    *,
    format: str | None = None,
    transaction: str | None = None,
    item: str | None = None,
    person: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    **others: Any,
) -> Recognised:
    """Return what a file of baskets is, without reading all of it.

    The options are those of `covey.read`; `others` that do not change what a file is have no effect.
    """
    stated, name = WhoIsWho(transaction=transaction, item=item, person=person), os.fspath(source)
    about: dict[str, Any] = {"sheet": others.get("sheet"), "no_header": bool(others.get("no_header"))}
    rows = opened(source, stated, format=format, separator=separator, encoding=encoding, **about)
    known = format_of(source, format)
    codec = None if known else compression(locate(source), name)
    if rows is None:
        delimiter = None if separator == " " else separator
        return Recognised(format="fimi", layout="lines", delimiter=delimiter, compression=codec)
    found = roles_of(rows, stated, name, format)
    written = known or f"csv-{'wide' if found.layout == 'wide' else 'long'}"
    return replace(found, format=written, compression=codec, delimiter=rows.delimiter, header=rows.header)


def opened(
    source: Any,
    stated: WhoIsWho = NOTHING_STATED,
    *,
    format: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    no_header: bool = False,
    is_table: bool = False,
    **about: Any,
) -> Rows | None:
    """Return the rows of a file or frame of baskets; None for a file with one transaction per line.

    `is_table` states that there are columns, as some options require; `about` are other options of `open_rows`.
    """
    if format is not None and format not in FORMATS:
        raise ParameterError(
            f"The format {format!r} is not known.{did_you_mean(format, FORMATS)} covey reads {', '.join(FORMATS)}."
        )
    text = file_of(source) is not None and format_of(source, format) is None
    if text and not (no_header or is_table) and _has_lines(source, stated, format, separator, encoding):
        if stated.person is not None:
            raise ParameterError(
                f"A file with one transaction per line has no columns, so '{stated.person}' cannot name the person. "
                "Give a table, or in Python Baskets.of(…, persons=[…])."
            )
        return None
    how: dict[str, Any] = {"separator": separator, "encoding": encoding, "no_header": no_header}
    hint = "If every line is one transaction, give --format fimi --separator {!r}."
    return open_rows(source, format=format, names=_without_header, what="baskets", hint=hint, **how, **about)


def _without_header(first: Sequence[str], _: str) -> Sequence[str] | None:
    """Return names for two columns of which the first begins with a number: they are transaction and item."""
    return ("column 1", "column 2") if len(first) == 2 and _is_integer(first[0]) else None


def _has_lines(source: Any, stated: WhoIsWho, format: str | None, separator: str | None, encoding: str) -> bool:
    """Return whether each line of a text file is a transaction; refuse one whose items seem not to be split so."""
    if format is not None:
        return format == "fimi"
    path, name = locate(source), os.fspath(source)
    suffix = format_suffix(path)
    named = (stated.transaction, stated.item, stated.person) != (None, None, None)
    if suffix == ".csv" or (named and suffix != ".dat"):
        return False
    if separator is not None:
        require_separator(separator)
    data = beginning(path, name, encoding)
    if suffix != ".dat" and _seems_table(data, separator or sniff(data), name):
        return False
    lines = [line for line in data.split(b"\n") if line.strip()]
    for mark in (",", ";") if separator is None else ():
        if 2 * sum(mark.encode() in line for line in lines) > len(lines):
            raise InputError(
                f"most lines hold '{mark}', so spaces may not be what separates the items",
                file=name,
                remedy=f"Give --separator '{mark}' if that does, --format fimi if spaces do, or --format "
                "csv-long or csv-wide for a table.",
            )
    return True


def _seems_table(data: bytes, delimiter: str | None, name: str) -> bool:
    """Return whether text in a file with an uninformative name is a table rather than lists of items."""
    if delimiter is None or delimiter == " ":
        return False
    try:
        rows, even = first_rows(data, delimiter, name)
    except InputError:
        return False
    if not even or all(map(_is_integer, rows[0])):
        return False
    flags = [is_flag(cell) for row in rows[1:] for cell in row[1:]]
    return both_named(rows[0], None, None) or (bool(flags) and all(flags))


def roles_of(
    source: Rows | pa.Schema, stated: WhoIsWho = NOTHING_STATED, file: str | None = None, format: str | None = None
) -> Recognised:
    """Return the layout and the columns of a table by their names, types and first cells.

    A list column, named or the first, is taken before anything else; then a transaction and an item column that are
    named or have usual names; then columns of flags, or at least two columns of numbers beside the transaction, as a
    0/1 table; then two columns of any name.
    """
    rows = source if isinstance(source, Rows) else Rows.of(source.empty_table(), file)
    names, text = rows.names, bool(rows.first)
    if not names:
        raise InputError("the table has no columns", file=file, remedy="Check how it was made.")
    tid, iid, person = (
        None if wanted is None else names[find(names, wanted, file)]
        for wanted in (stated.transaction, stated.item, stated.person)
    )
    lists = [name for name, kind in zip(names, rows.schema.types, strict=True) if _is_list(kind)]
    layout = "long"
    if iid in lists or (iid is None and lists):
        layout, iid = "lists", iid or lists[usual(lists, ITEM_NAMES) or 0]
        find(names, iid, file)
    elif format == "csv-wide" or (format != "csv-long" and iid is None and not both_named(names, tid, iid)):
        id_of_wide, flagged = _wide(rows, tid, person)
        if format == "csv-wide" or flagged:
            layout, tid = "wide", id_of_wide
            _require_items(names, tid, person, iid, file)
    if layout == "long":
        places = long_columns(names, tid, iid, file) if len(names) > 1 else None
        if places is None:
            raise _unclear(rows, names, file) if text else unclear(names, file)
        tid, iid = (names[place] for place in places)
    # Every column of a 0/1 table is an item unless it is stated to be something else.
    people = replace(stated, person=person).columns(() if layout == "wide" else names, (tid, iid))
    for name in people:
        find(names, name, file)
    return Recognised(
        layout=layout, columns=tuple(names), transaction=tid, item=iid, person=person, people=tuple(people)
    )


def _wide(rows: Rows, tid: str | None, person: str | None) -> tuple[str | None, bool]:
    """Return the transaction column of a table if it is wide, None for none, and whether it seems to be wide."""
    names, kinds, text = rows.names, rows.schema.types, bool(rows.first)
    if text:
        cells = zip(*rows.first[1:], strict=True) if len(rows.first) > 1 and rows.header else [[]] * len(names)
        shares = [sum(map(is_flag, column)) / max(len(column), 1) for column in cells]
    else:
        shares = [float(_is_number(kind)) for kind in kinds]
    items = [place for place, name in enumerate(names) if name not in (tid, person)]
    if tid is None and items:
        first = items[0]
        if names[first] == "" or usual([names[first]], TRANSACTION_NAMES) == 0 or shares[first] < 1:
            items, tid = items[1:], names[first]
    seems = bool(items) and sum(shares[place] for place in items) >= len(items) * (
        _MOST if text and len(names) > 2 else 1
    )
    # Two columns of numbers may as well be a transaction and an item.
    enough = text or (len(names) > 2 and len(items) > 1) or all(pa.types.is_boolean(kinds[place]) for place in items)
    return tid, seems and enough


def _require_items(
    names: Sequence[str], tid: str | None, person: str | None, item: str | None, file: str | None
) -> None:
    """Raise unless every column of a 0/1 table but those of transaction and person is another item."""
    if item is not None:
        raise ParameterError("In a wide file every column is an item, so none can be named with 'item'.")
    times = Counter(names)
    if len(times) < len(names):
        find(names, next(name for name in names if times[name] > 1), file)
    if "" in names and tid != "":
        problem = f"column {names.index('') + 1} has no name"
        raise InputError(problem, file=file, line=1, remedy="Name the item it stands for.")
    if len(names) == len({tid, person} - {None}):
        raise InputError("holds no column with items", file=file, remedy="Check the delimiter and the header.")


def _unclear(rows: Rows, names: Sequence[str], file: str | None) -> InputError:
    """Return the error for a text file whose columns tell nothing."""
    lines = "give --format fimi if each line is one transaction"
    if len(names) == 1:
        problem = "holds a single column, so it cannot tell transactions and items"
        return InputError(problem, file=file, remedy=f"Give what separates the cells with --separator, or {lines}.")
    if all(map(_is_integer, names)):
        problem = "the first line holds numbers where the names of the columns should be"
        return InputError(problem, file=file, line=1, remedy=f"Add a header line, or {lines}.")
    separated = f"--format fimi --separator {rows.delimiter!r} if each line is one transaction"
    return unclear(names, file, f", or give --format csv-wide if each column is an item, or {separated}")


def _is_list(kind: pa.DataType) -> bool:
    of = pa.types
    tests = (of.is_list, of.is_large_list, of.is_fixed_size_list, of.is_list_view, of.is_large_list_view)
    return any(test(kind) for test in tests)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def is_flag(text: str) -> bool:
    """Return whether a cell only says that something is there, or is not."""
    return text.lower() in FLAGS


def _is_integer(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdigit()
