"""CSV files: long (a row per transaction and item) and wide (a row per transaction, a 0/1 column per item).

Cells are quoted as in RFC 4180; blanks around an unquoted cell do not belong to it, and empty lines are
skipped. Line numbers in messages count the lines of the file, also when quoted cells hold line feeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from covey.data import Baskets
from covey.errors import InputError
from covey.io.files import CHUNK, Window, byte_encoding, undecodable, window
from covey.io.interning import Growing, Interner
from covey.kernels.shared.csr import rows_from_pairs
from covey.kernels.shared.tokens import (
    AFTER_QUOTE,
    DONE,
    OPEN_QUOTE,
    RAGGED,
    gather_flags,
    split_cells,
    undouble,
)
from covey.progress import Progress, silent

if TYPE_CHECKING:
    from covey.arrays import Bytes, Ints
    from covey.io.baskets.recognition import Recognised

_LONGEST_RECORD = 1 << 26
_SAMPLE_CELLS = 10_000


class Cells:
    """The cells of the complete records at the start of a window.

    Attributes
    ----------
    records : int
        How many records were found.
    starts, stops : int64 arrays
        Where each cell of each record lies, row by row.
    lines : int64 array
        The line each record starts on.
    line, consumed : int
        Line and position of the first record not taken.
    """

    def __init__(self, delimiter: str, columns: int, name: str, encoding: str) -> None:
        self._delimiter, self.columns, self._name, self._encoding = delimiter, columns, name, encoding
        self._spans = np.empty((3, 0), np.int64)
        self._doubled = np.empty(0, np.bool_)
        self.records, self.line, self.consumed, self.found = 0, 1, 0, 0

    def split(self, data: Bytes, stop: int) -> int:
        """Find the cells in ``data[:stop]``, which starts on line `self.line`; returns how that ended."""
        if stop > self._spans.shape[1]:
            # the last cell of a record too long is overwritten, so a record needs `columns` places
            size = max(len(data), stop) + self.columns
            self._spans, self._doubled = np.empty((3, size), np.int64), np.empty(size, np.bool_)
        tally = np.array([self.line, 0, 0, 0], np.int64)
        starts, stops, lines = self._spans
        outcome = split_cells(
            data, stop, ord(self._delimiter), self.columns, starts, stops, self._doubled, lines, tally
        )
        self.line, self.consumed, self.records, self.found = tally.tolist()
        size = self.records * self.columns
        self.starts, self.stops, self.lines = starts[:size], stops[:size], lines[: self.records]
        if self._doubled[:size].any():
            undouble(data, self.starts, self.stops, self._doubled)
        return outcome

    def text(self, data: Bytes, cell: int, errors: str = "strict") -> str:
        """The text of one cell."""
        raw = data[self.starts[cell] : self.stops[cell]].tobytes()
        try:
            return raw.decode(self._encoding, errors)
        except UnicodeDecodeError as error:
            line = int(self.lines[cell // self.columns])
            raise undecodable(raw, self._encoding, self._name, line) from error

    def column(self, number: int, first: int) -> tuple[Ints, Ints]:
        """Where the cells of one column lie, from record `first` on."""
        from_cell = first * self.columns + number
        # contiguous, so that the kernels are compiled for one memory layout only
        return (
            np.ascontiguousarray(self.starts[from_cell :: self.columns]),
            np.ascontiguousarray(self.stops[from_cell :: self.columns]),
        )

    def complain(self, outcome: int, data: Bytes) -> InputError:
        """The error for the record that `split` stopped at."""
        rest = data[self.consumed : self.consumed + 200].tobytes().split(b"\n")[0]
        shown = rest.decode(self._encoding, "replace").strip()
        shown = repr(shown if len(shown) <= 60 else shown[:59] + "…")
        if outcome == OPEN_QUOTE:
            problem = f"a quote is opened and never closed, in {shown}"
            remedy = 'Close it, or double it ("") if it belongs to the text.'
        elif outcome == AFTER_QUOTE:
            problem = f"text follows a closing quote, in {shown}"
            remedy = 'Double a quote ("") that belongs to the text of a quoted cell.'
        else:
            cells = "1 cell" if self.found == 1 else f"{self.found} cells"
            problem = f"{cells} instead of {self.columns}, in {shown}"
            quoting = f"Put double quotes around a cell that holds {self._delimiter!r}."
            filling = "Fill in the missing cells or delete the line."
            remedy = quoting if self.found > self.columns else filling
            remedy += (
                f" If every line is one transaction, give --format fimi --separator {self._delimiter!r}."
            )
        return InputError(problem, file=self._name, line=self.line, remedy=remedy)


def records(view: Window, cells: Cells) -> Iterator[None]:
    """Let `cells` pass over the whole window; stops at each portion, and raises at a record that is wrong."""
    while view.fill(cells.line):
        outcome = cells.split(view.data, view.last_line())
        yield
        too_long = view.ended or view.held - cells.consumed > _LONGEST_RECORD
        if outcome in (RAGGED, AFTER_QUOTE) or (outcome == OPEN_QUOTE and too_long):
            raise cells.complain(outcome, view.data)
        view.drop(cells.consumed)


def first_rows(
    data: Bytes, stop: int, delimiter: str, name: str, encoding: str
) -> tuple[list[list[str]], bool]:
    """The first rows of a table with any number of columns, and whether all have as many as the first."""
    columns = 2
    for _ in range(2):
        copied = data[:stop].copy()
        cells = Cells(delimiter, columns, name, encoding)
        outcome = cells.split(copied, stop)
        if cells.records or outcome != RAGGED:
            break
        columns = cells.found
    if not cells.records:
        if outcome == DONE:
            raise InputError("the file is empty", file=name, remedy="Check that it was written completely.")
        raise cells.complain(outcome, copied)
    count = min(cells.records, 2 + _SAMPLE_CELLS // columns)
    texts = [
        cells.text(copied, cell, "strict" if cell < columns else "replace") for cell in range(count * columns)
    ]
    return [texts[i : i + columns] for i in range(0, len(texts), columns)], outcome != RAGGED


def read_long(
    path: Path,
    name: str,
    known: Recognised,
    *,
    encoding: str = "utf-8",
    progress: Progress = silent,
    chunk: int = CHUNK,
) -> Baskets:
    """Read a long CSV file: transactions in the order of first sight, other columns ignored."""
    assert known.transaction is not None
    assert known.item is not None
    assert known.delimiter is not None
    tids, items, row_of, item_of = Interner("transactions"), Interner(), Growing(np.int32), Growing(np.int32)
    numbers = [known.columns.index(known.transaction), known.columns.index(known.item)]
    cells = Cells(known.delimiter, len(known.columns), name, byte_encoding(encoding))
    first = int(known.header)
    with window(path, name, encoding=encoding, chunk=chunk, progress=progress) as view:
        for _ in records(view, cells):
            skip = min(first, cells.records)
            first -= skip
            _refuse_missing(cells, numbers, known.columns, name, skip)
            for number, interner, out in zip(numbers, (tids, items), (row_of, item_of), strict=True):
                starts, stops = cells.column(number, skip)
                interner.add(view.data, starts, stops, cells.lines[skip:], out.room(len(starts)))
    count = len(tids)
    if not count:
        raise no_rows(name)
    labels = items.labels(name, byte_encoding(encoding))
    del tids, interner  # the names of transactions may take as much memory as the entries
    indptr, indices = rows_from_pairs(row_of.finish(), item_of.finish(), count)
    del row_of, item_of, out
    return Baskets.build(indptr, indices, labels)


def read_wide(
    path: Path,
    name: str,
    known: Recognised,
    *,
    encoding: str = "utf-8",
    progress: Progress = silent,
    chunk: int = CHUNK,
) -> Baskets:
    """Read a wide CSV file of 0, 1, true, false and empty cells; all columns but the id are items."""
    assert known.delimiter is not None
    columns = known.columns
    skip = columns.index(known.transaction) if known.transaction is not None else -1
    labels = [column for number, column in enumerate(columns) if number != skip]
    cells = Cells(known.delimiter, len(columns), name, byte_encoding(encoding))
    ids, entries, ends = Interner("transactions"), Growing(np.int32), Growing(np.int64)
    ends.room(1)[:] = 0
    tally = np.zeros(2, np.int64)
    first = 1
    with window(path, name, encoding=encoding, chunk=chunk, progress=progress) as view:
        for _ in records(view, cells):
            header = min(first, cells.records)
            first -= header
            starts, stops = cells.starts[header * len(columns) :], cells.stops[header * len(columns) :]
            bad = gather_flags(
                view.data, starts, stops, len(columns), skip,
                entries.reserve(len(starts)), ends.reserve(cells.records)[1:], tally,
            )  # fmt: skip
            if bad >= 0:
                raise _no_flag(cells, view.data, bad + header * len(columns), columns, name)
            entries.used, ends.used = int(tally[0]), int(tally[1]) + 1
            if skip >= 0:
                _refuse_missing(cells, [skip], columns, name, header)
                _refuse_twice(cells, view.data, skip, ids, name, header)
    if tally[1] == 0:
        raise no_rows(name)
    return Baskets.build(ends.finish(), entries.finish(), labels)


def no_rows(name: str) -> InputError:
    """The error for a file with a header and nothing else."""
    return InputError("holds a header but no rows", file=name, remedy="Check that it was written completely.")


def _refuse_missing(
    cells: Cells, numbers: list[int], columns: tuple[str, ...], name: str, first: int
) -> None:
    """Raise for the first record, from `first` on, with an empty cell in one of these columns."""
    missing = []
    for number in numbers:
        starts, stops = cells.column(number, first)
        empty = np.flatnonzero(starts == stops)
        if len(empty):
            missing.append((int(cells.lines[first + empty[0]]), columns[number]))
    if missing:
        line, column = min(missing)
        raise InputError(
            "the cell is empty", file=name, line=line, column=column, remedy="Fill it in or delete the line."
        )


def _refuse_twice(cells: Cells, data: Bytes, number: int, ids: Interner, name: str, first: int) -> None:
    """Raise for the first record whose id was seen before; new ids are handed out without a gap."""
    before = len(ids)
    starts, stops = cells.column(number, first)
    got = np.empty(len(starts), np.int32)
    ids.add(data, starts, stops, cells.lines[first:], got)
    again = np.flatnonzero(got != np.arange(before, before + len(got)))
    if len(again):
        record = int(again[0])
        line = int(cells.lines[first + record])
        shown = ids.token(int(got[record])).decode("utf-8", "replace")
        raise InputError(
            f"the id '{shown}' stands on line {ids.line(int(got[record]))} already",
            file=name,
            line=line,
            remedy="Each transaction must be one row; merge the rows or give them different ids.",
        )


def _no_flag(cells: Cells, data: Bytes, cell: int, columns: tuple[str, ...], name: str) -> InputError:
    column = columns[cell % len(columns)]
    return InputError(
        f"'{cells.text(data, cell, 'replace')}' is not 0, 1, true, false or empty",
        file=name,
        line=int(cells.lines[cell // len(columns)]),
        column=column,
        remedy=f"If '{column}' names the transaction, give --transaction '{column}'. If the file has a row "
        "per transaction and item, name both columns with --transaction and --item.",
    )
