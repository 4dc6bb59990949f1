"""How a file begins, before it is read as a whole: its first cells, and what kind of data it probably holds."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covey.data.kinds import data_kind, data_kinds
from covey.errors import InputError
from covey.io.delimited import sniff
from covey.io.encodings import byte_encoding
from covey.io.files import beginning, head, locate
from covey.io.parquet import open_parquet
from covey.io.rows.loading import CALLED, load_rows, other_format
from covey.lazy import load

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
    """The beginning of a file, its cells as text.

    Attributes
    ----------
    path, name : str
        Where it is, and what it is called in messages.
    options : mapping
        How it is to be read.
    first : sequence of str
        The first row, which may be a header.
    rows : sequence of sequence of str
        Those after it.
    delimiter : str
        What was taken to stand between cells; "" for Parquet and other files that are no text.
    """

    path: str
    name: str
    options: Mapping[str, Any]
    first: Sequence[str]
    rows: Sequence[Sequence[str]]
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
    likeness = {kind.name: load(kind.likeness)(start) for kind in data_kinds() if kind.likeness is not None}
    return max(likeness, key=likeness.__getitem__)


def described(start: Head, kind: str) -> Preview:
    """What a file of a kind was understood to be."""
    how = data_kind(kind).preview
    if how is None:
        return Preview(recognised="", columns=[], rows=start.lines[:ROWS])
    found: Preview = load(how)(start)
    return found


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
    data, stop = beginning(Path(path), path, encoding)
    raw = data[:stop].tobytes()
    mark = options.get("separator") or sniff(raw) or " "
    mark = mark if len(mark) == 1 else ":" if mark == "::" else ","
    text = raw.decode(byte_encoding(encoding), "replace")
    lines = [line for line in text.splitlines() if line.strip()][: ROWS + 1]
    cells = [row for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=mark) if row]
    if not cells:
        raise InputError("holds no text", file=path, remedy="Check that it was written completely.")
    return cells[0], [row[:CELLS] for row in cells[1:]], mark


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value[:CELLS])) + (" …" if len(value) > CELLS else "")
    return "" if value is None else str(value)
