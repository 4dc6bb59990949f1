"""The cells of CSV files, whatever they mean, and the delimiter between them.

Cells are quoted as in RFC 4180; blanks around an unquoted cell do not belong to it, and empty lines are
skipped. Line numbers in messages count the lines of the file, also when quoted cells hold line feeds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from covey.arrays import Bytes, Ints
from covey.counting import counted
from covey.errors import InputError, ParameterError
from covey.io.encodings import undecodable
from covey.io.files import LONGEST_LINE, Window, empty_file
from covey.io.interning import Interner
from covey.io.tokens import AFTER_QUOTE, DONE, OPEN_QUOTE, RAGGED, split_cells, undouble

DOUBLE_COLON = "::"

_DELIMITERS = ",;\t|"
_SAMPLE_CELLS = 10_000
_MOST_COLUMNS = 1 << 22


def one_byte(separator: str) -> int:
    """The byte of a separator, which must be one ASCII character that is no line end or quote."""
    if len(separator) != 1 or not separator.isascii() or separator in '\n\r\0"':
        raise ParameterError(
            f"The separator must be one ASCII character such as ',', ';' or a tab. Got {separator!r} instead."
        )
    return ord(separator)


def sniff(text: bytes) -> str | None:
    """The delimiter that occurs most often in the first line outside quotes, or None.

    Examples
    --------
    >>> sniff(b'order;"milk, fresh, cold"')
    ';'
    """
    line = text.lstrip(b"\r\n").split(b"\n", 1)[0]
    outside = Counter(unquoted(line))
    best = max(_DELIMITERS, key=lambda mark: outside[ord(mark)])
    return best if outside[ord(best)] else None


def unquoted(line: bytes) -> bytes:
    """What stands outside quotes.

    Examples
    --------
    >>> unquoted(b'1,"2,""3",4')
    b'1,,4'
    """
    return b"".join(line.split(b'"')[::2])


class Cells:
    """The cells of the complete records at the start of a window.

    Parameters
    ----------
    delimiter : str
        One ASCII character, or ``::``, which is read as ``:`` with a column of nothing between any two.
    columns : int
        How many cells each record must have.
    name, encoding : str
        Of the file, for messages and labels.
    hint : str
        What else the file may be, if a record has another number of cells.

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

    def __init__(self, delimiter: str, columns: int, name: str, encoding: str, hint: str = "") -> None:
        self._delimiter, self._name, self._encoding, self._hint = delimiter, name, encoding, hint
        self._double = delimiter == DOUBLE_COLON
        self._mark = one_byte(":" if self._double else delimiter)
        self.expect(columns)
        self._spans = np.empty((3, 0), np.int64)
        self._doubled = np.empty(0, np.bool_)
        self.records, self.line, self.consumed, self.found = 0, 1, 0, 0

    def expect(self, columns: int) -> None:
        """Let records have another number of cells from now on."""
        self.columns = columns
        self._width = 2 * columns - 1 if self._double else columns

    def split(self, data: Bytes, stop: int) -> int:
        """Find the cells in ``data[:stop]``, which starts on line `self.line`; returns how that ended."""
        # the last cell of a record too long is overwritten, so a record needs as many places as it has cells
        if stop + self._width > self._spans.shape[1]:
            size = max(len(data), stop) + self._width
            self._spans, self._doubled = np.empty((3, size), np.int64), np.empty(size, np.bool_)
        tally = np.array([self.line, 0, 0, 0], np.int64)
        starts, stops, lines = self._spans
        outcome = split_cells(data, stop, self._mark, self._width, starts, stops, self._doubled, lines, tally)
        self.line, self.consumed, self.records, self.found = tally.tolist()
        size = self.records * self._width
        self.starts, self.stops, self.lines = starts[:size], stops[:size], lines[: self.records]
        if self._doubled[:size].any():
            undouble(data, self.starts, self.stops, self._doubled)
        if self._double:
            self._drop_between(outcome)
        return outcome

    def _drop_between(self, outcome: int) -> None:
        """Forget the columns between the two colons of ``::``, which must hold nothing."""
        if outcome == RAGGED and self.found % 2 == 0:
            raise self._lone_colon(self.line)
        self.found = (self.found + 1) // 2
        starts, stops = (spans.reshape(-1, self._width) for spans in (self.starts, self.stops))
        filled = (starts[:, 1::2] < stops[:, 1::2]).any(axis=1)
        if filled.any():
            raise self._lone_colon(int(self.lines[np.argmax(filled)]))
        self.starts, self.stops = starts[:, ::2].ravel(), stops[:, ::2].ravel()

    def _lone_colon(self, line: int) -> InputError:
        return InputError(
            "a single ':' is in a cell, but '::' separates the cells",
            file=self._name,
            line=line,
            remedy="Separate the cells by something else that does not occur in them, such as tabs.",
        )

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

    def require_filled(self, numbers: Iterable[int], columns: Sequence[str], first: int) -> None:
        """Raise for the first record, from `first` on, with an empty cell in one of the columns `numbers`."""
        missing = []
        for number in numbers:
            starts, stops = self.column(number, first)
            empty = np.flatnonzero(starts == stops)
            if len(empty):
                missing.append((int(self.lines[first + empty[0]]), columns[number]))
        if missing:
            raise empty_cell(self._name, *min(missing))

    def require_once(self, data: Bytes, number: int, ids: Interner, first: int, what: str, remedy: str) -> None:
        """Number the cells of a column; raise for the first that was seen before, since new ones leave no gap."""
        again = ids.first_again(data, *self.column(number, first), self.lines[first:])
        if again is not None:
            at, known = again
            shown = ids.token(known).decode(self._encoding, "replace")
            raise InputError(
                f"the {what} '{shown}' is already on line {ids.line(known)}",
                file=self._name,
                line=int(self.lines[first + at]),
                remedy=remedy,
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
            cells = counted(self.found, "cell")
            problem = f"{cells} instead of {self.columns}, in {shown}"
            quoting = f"Put double quotes around a cell that holds {self._delimiter!r}."
            filling = "Fill in the missing cells or delete the line."
            remedy = f"{quoting if self.found > self.columns else filling} {self._hint}".strip()
        return InputError(problem, file=self._name, line=self.line, remedy=remedy)


def records(
    view: Window, cells: Cells, *, header: bool = False, take: Callable[[Bytes, int], tuple[int, int]] | None = None
) -> Iterator[int]:
    """Let `cells` pass over the whole window; stops at each portion, and raises at a record that is wrong.

    At each portion it tells how many records come before the first that counts: 1 for the header, then 0. If there is a
    quicker way, which may `take` records of one line each from the beginning of some bytes and says where it ended and
    how many there were, it is tried first.
    """
    ahead = int(header)
    while view.fill(cells.line):
        if take is not None and not ahead:
            stop, taken = take(view.data, view.last_line())
            view.drop(stop)
            cells.line += taken
            if stop and not view.last_line():
                continue
        outcome = cells.split(view.data, view.last_line())
        skip = min(ahead, cells.records)
        ahead -= skip
        yield skip
        too_long = view.ended or view.held - cells.consumed > LONGEST_LINE
        if outcome in (RAGGED, AFTER_QUOTE) or (outcome == OPEN_QUOTE and too_long):
            raise cells.complain(outcome, view.data)
        view.drop(cells.consumed)


def first_rows(
    data: Bytes, stop: int, delimiter: str, name: str, encoding: str, hint: str = ""
) -> tuple[list[list[str]], bool]:
    """The first rows of a table with any number of columns, and whether all have as many as the first."""
    lines = data[:stop].tobytes()
    if lines.count(b"\n") == 1 and b"\r" in unquoted(lines.rstrip(b"\r\n")):
        raise InputError(
            "the lines end in carriage returns without line feeds",
            file=name,
            remedy="Convert the line ends, for example with mac2unix.",
        )
    columns = 2
    for _ in range(2):
        copied = data[:stop].copy()
        cells = Cells(delimiter, columns, name, encoding, hint)
        outcome = cells.split(copied, stop)
        if cells.records or outcome != RAGGED:
            break
        columns = cells.found
        if columns > _MOST_COLUMNS:
            raise InputError(
                f"the first line has {columns:,} cells, and covey reads at most {_MOST_COLUMNS:,} columns",
                file=name,
                remedy="Write the data with a row per entry instead.",
            )
    if not cells.records:
        if outcome == DONE:
            raise empty_file(name)
        raise cells.complain(outcome, copied)
    count = min(cells.records, 2 + _SAMPLE_CELLS // columns)
    spans = zip(cells.starts[: count * columns].tolist(), cells.stops[: count * columns].tolist(), strict=True)
    raw = copied[: cells.stops[count * columns - 1]].tobytes()
    if raw.isascii():
        text = raw.decode("ascii")
        texts = [text[start:end] for start, end in spans]
    else:
        texts = [cells.text(copied, cell, "strict" if cell < columns else "replace") for cell in range(count * columns)]
    return [texts[i : i + columns] for i in range(0, len(texts), columns)], outcome != RAGGED


def empty_cell(name: str, line: int, column: str) -> InputError:
    """The error for a cell that must hold something."""
    remedy = "Fill it in or delete the line, or leave all such rows out with --missing drop."
    return InputError("the cell is empty", file=name, line=line, column=column, remedy=remedy)


def no_rows(name: str) -> InputError:
    """The error for a file with a header and nothing else."""
    return InputError("holds a header but no rows", file=name, remedy="Check that it was written completely.")
