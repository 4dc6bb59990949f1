"""Recognise what a file of baskets is by its first bytes, its name and its first rows.

Four layouts are understood: lines (a transaction a line), long (a row per transaction and item), wide (a row per
transaction and a boolean or 0/1 column per item) and lists (a row per transaction with a list of items).
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from covey.errors import InputError, ParameterError
from covey.io.columns import ITEM_NAMES, TRANSACTION_NAMES, both_named, find, long_columns, unclear, usual
from covey.io.delimited import first_rows, require_separator, sniff
from covey.io.files import beginning, compression, format_suffix, locate
from covey.io.loading import CALLED, OTHERS, is_parquet, open_rows, other_format
from covey.io.persons import NOTHING_SAID, WhoIsWho
from covey.io.rows import encoded
from covey.parameters import did_you_mean

FORMATS = ("fimi", "csv-long", "csv-wide", "parquet", *OTHERS)

#: What delimiters are called.
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Which columns play which part.

    `people` is the column that names persons or, when nobody has said which, those that may.
    """

    layout: str
    transaction: str | None = None
    item: str | None = None
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """What a file was understood to be."""

    #: "fimi", "csv-long", "csv-wide", "parquet", or one of `covey.io.loading.OTHERS`.
    format: str
    #: "lines", "long", "wide" or "lists".
    layout: str
    #: "gzip", "zstd" or None, by the first bytes of the file.
    compression: str | None = None
    #: The names of the columns; ``column 1`` and so on when there is no header, empty for FIMI.
    columns: tuple[str, ...] = ()
    #: The columns that are used as such; None where the layout needs none.
    transaction: str | None = None
    item: str | None = None
    #: The column that was named as the person's.
    person: str | None = None
    #: What stands between cells or items; None for blanks, and for Parquet.
    delimiter: str | None = None
    #: Whether the first row holds the names of the columns.
    header: bool = False

    def describe(self) -> str:
        """Return one sentence that tells a person what was understood.

        Examples
        --------
        >>> Recognised(format="fimi", layout="lines", compression="gzip").describe()
        'FIMI, compressed with gzip: one transaction per line, items separated by spaces.'
        """
        called = {"fimi": "FIMI", "parquet": "Parquet", **CALLED}.get(self.format, "CSV")
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

    The options are those of `covey.read`; `others` that do not change what a file is are left alone.
    """
    if format is not None and format not in FORMATS:
        raise ParameterError(
            f"The format {format!r} is not known.{did_you_mean(format, FORMATS)} covey reads {', '.join(FORMATS)}."
        )
    name, wanted = os.fspath(source), (transaction, item, person)
    other, headless = other_format(name, format), bool(others.get("no_header"))
    if other is not None or headless:
        about: dict[str, Any] = {"format": other, "sheet": others.get("sheet"), "no_header": headless}
        table = open_rows(source, **about, separator=separator, encoding=encoding).table()
        return _of_table(table, name, other or "csv-long", wanted, header=not headless)
    path = locate(source)
    codec, suffix = compression(path, name), format_suffix(path)
    if is_parquet(path, name, format) or (format is None and suffix == ".parquet"):
        if codec is not None:
            problem = f"a Parquet file that is compressed with {codec} as a whole cannot be read"
            raise InputError(problem, file=name, remedy="Decompress it first; Parquet compresses its own columns.")
        return _of_table(open_rows(source, format="parquet").schema.empty_table(), name, "parquet", wanted)
    if separator is not None:
        require_separator(separator)
    data = beginning(path, name, encoding)
    mark = separator or sniff(data)
    is_table = format != "fimi" if format else suffix == ".csv"
    if format is None and suffix not in (".csv", ".dat"):
        is_table = wanted != (None, None, None) or _seems_table(data, mark, name)
    if is_table:
        rows, _ = first_rows(data, mark or ",", name)
        return replace(_of_text(rows, format, mark or ",", wanted, name), compression=codec)
    if person is not None:
        raise ParameterError(
            f"A file with one transaction per line has no columns, so '{person}' cannot name the person. Give a "
            "table, or in Python Baskets.of(…, persons=[…])."
        )
    if format is None and separator is None:
        _refuse_separated(data, name)
    delimiter = None if separator == " " else separator
    return Recognised(format="fimi", layout="lines", delimiter=delimiter, compression=codec)


#: The columns that are named as the transaction, the item and the person.
Wanted = tuple[str | None, str | None, str | None]


def _of_table(table: pa.Table, name: str, format: str, wanted: Wanted, *, header: bool = True) -> Recognised:
    transaction, item, person = wanted
    roles = roles_of(table, WhoIsWho(transaction=transaction, item=item, person=person), name)
    return Recognised(
        format=format,
        layout=roles.layout,
        columns=tuple(table.column_names),
        transaction=roles.transaction,
        item=roles.item,
        person=roles.people[0] if person is not None else None,
        header=header,
    )


def roles_of(table: pa.Table | pa.Schema, said: WhoIsWho = NOTHING_SAID, file: str | None = None) -> Roles:
    """Return the layout and the columns of a table by their names and types, and which ones name persons.

    A list column, named or the first, is taken before anything else; then a transaction and an item column
    that are named or have usual names; then boolean columns, or at least two columns of numbers beside the
    transaction, as a 0/1 table; then two columns of any name.
    """
    table = table.empty_table() if isinstance(table, pa.Schema) else table
    names = table.column_names
    said = replace(said, person=None if said.person is None else names[find(names, said.person, file)])
    roles = _layout_of(table, said, file)
    # Every column of a 0/1 table is an item unless it is said to be something else.
    known = () if roles.layout == "wide" else names
    people = said.columns(known, (roles.transaction, roles.item))
    for name in people:
        find(names, name, file)
    return replace(roles, people=tuple(people))


def _layout_of(table: pa.Table, said: WhoIsWho, file: str | None) -> Roles:
    names = table.column_names
    if not names:
        raise InputError("the table has no columns", file=file, remedy="Check how it was made.")
    lists = [name for name, kind in zip(names, table.schema.types, strict=True) if _is_list(kind)]
    tid = None if said.transaction is None else names[find(names, said.transaction, file)]
    iid = None if said.item is None else names[find(names, said.item, file)]
    if iid in lists or (iid is None and lists):
        iid = lists[usual(lists, ITEM_NAMES) or 0] if iid is None else iid
        find(names, iid, file)
        return Roles(layout="lists", transaction=tid, item=iid)
    if iid is None and not both_named(names, tid, iid):
        able = [(name, column) for name, column in zip(names, table.columns, strict=True) if name != said.person]
        if tid is None and able:
            usually = usual([able[0][0]], TRANSACTION_NAMES) == 0
            tid = able[0][0] if usually or not _is_number(able[0][1]) else None
        columns = [column for name, column in able if name != tid]
        numbers = len(names) > 2 and len(columns) > 1 and all(map(_is_number, columns))
        if numbers or (columns and all(pa.types.is_boolean(column.type) for column in columns)):
            twice = [name for name, times in Counter(names).items() if times > 1]
            find(names, (twice or names)[0], file)  # every item must have one column
            return Roles(layout="wide", transaction=tid)
    places = long_columns(names, said.transaction, said.item, file)
    if places is None:
        raise unclear(names, file)
    return Roles(layout="long", transaction=names[places[0]], item=names[places[1]])


def _is_list(kind: pa.DataType) -> bool:
    of = pa.types
    tests = (of.is_list, of.is_large_list, of.is_fixed_size_list, of.is_list_view, of.is_large_list_view)
    return any(test(kind) for test in tests)


def _is_number(column: pa.ChunkedArray) -> bool:
    """Return whether a column holds numbers, or texts that are all 0, 1, true or false."""
    kind = column.type
    if pa.types.is_dictionary(kind) and len(column):
        texts = encoded(column)[1]
        return all(is_flag(str(text)) for text in texts.to_pylist())
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


#: What a cell of a 0/1 column may be.
FLAGS = {"1": 1, "true": 1, "0": 0, "false": 0, "": 0}


def is_flag(text: str) -> bool:
    """Return whether a cell only says that something is there, or is not."""
    return text.lower() in FLAGS


def _is_integer(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdigit()


def _seems_table(data: bytes, delimiter: str | None, name: str) -> bool:
    """Return whether text in a file whose name tells nothing is a table rather than lists of items."""
    if delimiter is None or delimiter == " ":
        return False
    try:
        rows, even = first_rows(data, delimiter, name)
    except InputError:
        return False
    named = both_named(rows[0], None, None) or _looks_wide(rows, None, None)
    return even and named and not all(map(_is_integer, rows[0]))


def _refuse_separated(data: bytes, name: str) -> None:
    """Refuse to split at blanks, unless asked to, what seems to be separated by something else."""
    lines = [line for line in data.split(b"\n") if line.strip()]
    for mark in (",", ";"):
        if 2 * sum(mark.encode() in line for line in lines) > len(lines):
            raise InputError(
                f"most lines hold '{mark}', so spaces may not be what separates the items",
                file=name,
                remedy=f"Give --separator '{mark}' if that does, --format fimi if spaces do, or --format "
                "csv-long or csv-wide for a table.",
            )


def _of_text(rows: list[list[str]], format: str | None, delimiter: str, wanted: Wanted, name: str) -> Recognised:
    """Return the layout and the columns of a CSV file by its first rows.

    A header is required, unless two columns begin with a number: they are transaction and item. A table is long
    when a transaction and an item column are named or have usual names; otherwise wide when cells are 0, 1,
    true, false or empty but for the first column (most cells will do, so that the others can be pointed at);
    otherwise long if it has two columns.
    """
    transaction, item, person = wanted
    columns, header = tuple(rows[0]), True
    place = None if person is None else find(columns, person, name)
    person = None if place is None else columns[place]
    others = rows if place is None else [row[:place] + row[place + 1 :] for row in rows]
    if format == "csv-wide" or (format is None and _looks_wide(others, transaction, item, 0.5)):
        if item is not None:
            raise ParameterError("In a wide file every column is an item, so none can be named with 'item'.")
        transaction, item, layout = _wide_id(rows, transaction, person, name), None, "wide"
    elif len(columns) == 1:
        raise InputError(
            "holds a single column, so it cannot tell transactions and items",
            file=name,
            remedy="Give what separates the cells with --separator, or --format fimi if each line is one transaction.",
        )
    else:
        header, layout = not (len(columns) == 2 and _is_integer(columns[0])), "long"
        columns = columns if header else ("column 1", "column 2")
        places = long_columns(columns, transaction, item, name)
        if places is None and all(map(_is_integer, columns)):
            raise InputError(
                "the first line holds numbers where the names of the columns should be",
                file=name,
                line=1,
                remedy="Add a header line, or give --format fimi if each line is one transaction.",
            )
        if places is None:
            lines = f"--format fimi --separator {delimiter!r} if each line is one transaction"
            raise unclear(columns, name, f", or give --format csv-wide if each column is an item, or {lines}")
        transaction, item = (columns[place] for place in places)
    return Recognised(
        format=f"csv-{layout}",
        layout=layout,
        columns=columns,
        transaction=transaction,
        item=item,
        person=person,
        delimiter=delimiter,
        header=header,
    )


def _wide_id(rows: list[list[str]], wanted: str | None, person: str | None, name: str) -> str | None:
    """Return the column with the transaction of a wide file, if any; every other one must be an item with a name."""
    columns = rows[0]
    first = int(columns[0] == person)  # an id stands before everything else, but for the person
    marked = any(not is_flag(row[first]) for row in rows[1:] if first < len(row))
    usually = columns[first : first + 1] == [""] or usual(columns[first : first + 1], TRANSACTION_NAMES) == 0
    place = first if usually or marked else -1
    if wanted is not None:
        place = find(columns, wanted, name)
    seen: dict[str, int] = {}
    for number, column in enumerate(columns):
        if seen.setdefault(column, number) != number:
            problem = f"columns {seen[column] + 1} and {number + 1} have the same name '{column}'"
            remedy = "Give each item one column; the first line must hold the names of the items."
            raise InputError(problem, file=name, line=1, remedy=remedy)
        if column == "" and number != place:
            raise InputError(
                f"column {number + 1} has no name", file=name, line=1, remedy="Name the item it stands for."
            )
    if len(columns) == len({columns[place] if place >= 0 else None, person} - {None}):
        raise InputError("holds no column with items", file=name, remedy="Check the delimiter and the header.")
    return columns[place] if place >= 0 else None


def _looks_wide(rows: list[list[str]], transaction: str | None, item: str | None, least: float = 1.0) -> bool:
    """Return whether the share `least` of cells are 0 or 1, but for one column, and the header does not name items.

    Two columns must hold flags only, since they may as well be a transaction and an item.
    """
    columns = rows[0]
    if item is not None or len(rows) < 2 or len(columns) < 2 or both_named(columns, transaction, item):
        return False
    if len(columns) == 2 and all(map(_is_integer, columns)):
        return False
    skip = columns.index(transaction) if transaction in columns else 0
    flags = [is_flag(cell) for row in rows[1:] for place, cell in enumerate(row) if place != skip]
    return sum(flags) >= (least if len(columns) > 2 else 1.0) * len(flags)
