"""Telling long from wide CSV, and tables from lists of items, by the first rows of a file."""

from __future__ import annotations

from dataclasses import dataclass

from covey.errors import InputError, ParameterError
from covey.io.baskets.columns import TRANSACTION_NAMES, both_named, find, long_columns, unclear, usual
from covey.io.baskets.recognition import Recognised
from covey.io.delimited import first_rows, require_separator, sniff


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The first complete lines of a text file, and what the caller said about it."""

    data: bytes
    name: str
    separator: str | None
    transaction: str | None
    item: str | None
    person: str | None = None

    def delimiter(self) -> str | None:
        """What was given as the separator, or seems to be the delimiter."""
        if self.separator is not None:
            require_separator(self.separator)
        return self.separator or sniff(self.data)

    def rows(self, delimiter: str) -> tuple[list[list[str]], bool]:
        """The first rows, and whether all have the same number of cells."""
        return first_rows(self.data, delimiter, self.name)


def recognise_table(sample: Sample, format: str | None) -> Recognised:
    """Tell the delimiter, the layout and the columns of a CSV file from its first rows.

    A header is required, unless two columns begin with a number: they are transaction and item. A table is long
    when a transaction and an item column are named or have usual names; otherwise wide when cells are 0, 1,
    true, false or empty but for the first column (most cells will do, so that the others can be pointed at);
    otherwise long if it has two columns.
    """
    transaction, item, name = sample.transaction, sample.item, sample.name
    delimiter = sample.delimiter() or ","
    rows, _ = sample.rows(delimiter)
    columns = tuple(rows[0])
    person = None if sample.person is None else columns[find(columns, sample.person, name)]
    if format == "csv-wide" or (format is None and _looks_wide(_without(rows, person), transaction, item, 0.5)):
        return _wide(sample, columns, rows[1:], delimiter, person)
    if len(columns) == 1:
        raise InputError(
            "holds a single column, so it cannot tell transactions and items",
            file=name,
            remedy="Give what separates the cells with --separator, or --format fimi if each line is one transaction.",
        )
    header = not (len(columns) == 2 and _is_integer(columns[0]))
    if not header:
        columns = ("column 1", "column 2")
    places = long_columns(columns, transaction, item, name)
    if places is None and all(_is_integer(cell) for cell in columns):
        raise InputError(
            "the first line holds numbers where the names of the columns should be",
            file=name,
            line=1,
            remedy="Add a header line, or give --format fimi if each line is one transaction.",
        )
    if places is None:
        lines = f"--format fimi --separator {delimiter!r} if each line is one transaction"
        raise unclear(columns, name, f", or give --format csv-wide if each column is an item, or {lines}")
    return Recognised(
        format="csv-long",
        layout="long",
        columns=columns,
        transaction=columns[places[0]],
        item=columns[places[1]],
        person=person,
        delimiter=delimiter,
        header=header,
    )


def _without(rows: list[list[str]], column: str | None) -> list[list[str]]:
    """The same rows without a column."""
    if column is None:
        return rows
    place = rows[0].index(column)
    return [row[:place] + row[place + 1 :] for row in rows]


def seems_table(sample: Sample) -> bool:
    """Whether a file whose name tells nothing is a table rather than lists of items."""
    if sample.transaction is not None or sample.item is not None or sample.person is not None:
        return True
    delimiter = sample.delimiter()
    if delimiter is None or delimiter == " ":
        return False
    try:
        rows, even = sample.rows(delimiter)
    except InputError:
        return False
    numbers = all(_is_integer(cell) for cell in rows[0])
    return even and not numbers and (both_named(rows[0], None, None) or _looks_wide(rows, None, None))


def refuse_separated(sample: Sample) -> None:
    """Refuse to split at blanks, unless asked to, what seems to be separated by something else."""
    marks = [mark for mark in (b",", b";") if mark in sample.data]
    lines = [line for line in sample.data.split(b"\n") if line.strip()] if marks else []
    for mark in marks:
        if 2 * sum(mark in line for line in lines) > len(lines):
            shown = mark.decode()
            raise InputError(
                f"most lines hold '{shown}', so spaces may not be what separates the items",
                file=sample.name,
                remedy=f"Give --separator '{shown}' if that does, --format fimi if spaces do, or --format "
                "csv-long or csv-wide for a table.",
            )


def _looks_wide(rows: list[list[str]], transaction: str | None, item: str | None, least: float = 1.0) -> bool:
    """Whether the share `least` of cells are 0 or 1, but for one column, and the header does not name items.

    Two columns must hold flags only, since they may as well be a transaction and an item.
    """
    columns = rows[0]
    if item is not None or len(rows) < 2 or len(columns) < 2 or both_named(columns, transaction, item):
        return False
    if len(columns) == 2 and all(_is_integer(cell) for cell in columns):
        return False
    skip = columns.index(transaction) if transaction in columns else 0
    flags = [is_flag(cell) for row in rows[1:] for place, cell in enumerate(row) if place != skip]
    return sum(flags) >= (least if len(columns) > 2 else 1.0) * len(flags)


def _wide(
    sample: Sample, columns: tuple[str, ...], body: list[list[str]], delimiter: str, person: str | None
) -> Recognised:
    name, transaction = sample.name, sample.transaction
    if sample.item is not None:
        raise ParameterError("In a wide file every column is an item, so none can be named with 'item'.")
    if transaction is not None:
        place = find(columns, transaction, name)
    else:
        first = int(columns[0] == person)  # an id stands before everything else, but for the person
        numbered = any(not is_flag(row[first]) for row in body if first < len(row))
        usually = columns[first : first + 1] == ("",) or usual(columns[first : first + 1], TRANSACTION_NAMES) == 0
        place = first if usually or numbered else -1
    seen: dict[str, int] = {}
    for number, column in enumerate(columns):
        if column in seen:
            raise InputError(
                f"columns {seen[column] + 1} and {number + 1} have the same name '{column}'",
                file=name,
                line=1,
                remedy="Give each item one column; the first line must hold the names of the items.",
            )
        if column == "" and number != place:
            raise InputError(
                f"column {number + 1} has no name", file=name, line=1, remedy="Name the item it stands for."
            )
        seen[column] = number
    if len(columns) == (place >= 0) + (person is not None and place != columns.index(person)):
        raise InputError("holds no column with items", file=name, remedy="Check the delimiter and the header.")
    return Recognised(
        format="csv-wide",
        layout="wide",
        columns=columns,
        transaction=columns[place] if place >= 0 else None,
        person=person,
        delimiter=delimiter,
        header=True,
    )


def is_flag(text: str) -> bool:
    """Whether a cell only says that something is there, or is not."""
    return text.lower() in ("", "0", "1", "true", "false")


def _is_integer(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdigit()
