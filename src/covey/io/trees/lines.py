"""The lines of a tree in a text file, split into cells; unlike those of a table they may differ in length."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from covey.errors import InputError
from covey.io.delimited import Cells, unquoted
from covey.kernels.shared.tokens import DONE, RAGGED

_SEPARATORS = ";\t,"


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a file that hold anything: their numbers, and their cells without blanks around them."""

    numbers: list[int]
    cells: list[list[str]]

    def body(self) -> Lines:
        """All but the first line, which is a header."""
        return Lines(self.numbers[1:], self.cells[1:])


def split_lines(text: str, source: str | os.PathLike[str], separator: str | None = None) -> Lines:
    """Split text that ends in a line feed into lines and cells, quoted as in `covey.io.delimited`."""
    raw = text.encode()
    mark = separator or separator_of(raw)
    data = np.frombuffer(bytearray(raw), np.uint8)
    cells = Cells(mark, 2, os.fspath(source), "utf-8")
    found = Lines([], [])
    at, outcome = 0, RAGGED
    while outcome == RAGGED:
        outcome = cells.split(data[at:], len(data) - at)
        here = data[at:].tobytes() if cells.records else b""
        texts = [
            here[start:stop].decode().strip()
            for start, stop in zip(cells.starts.tolist(), cells.stops.tolist(), strict=True)
        ]
        for record, number in enumerate(cells.lines.tolist()):
            row = texts[record * cells.columns : (record + 1) * cells.columns]
            if any(row):
                found.numbers.append(number)
                found.cells.append(row)
        at += cells.consumed
        if outcome == RAGGED:
            cells.expect(cells.found)
        elif outcome != DONE:
            raise cells.complain(outcome, data[at - cells.consumed :])
    return found


def separator_of(raw: bytes) -> str:
    """What separates the cells: the mark on most lines outside quotes, of equals the first of ``; tab ,``.

    A path may hold commas on every line (``25;[20,30[;*``), so that counting marks would not do.

    Examples
    --------
    >>> separator_of(b"25;[20,30[;[0,50[;*"), separator_of(b"child,parent")
    (';', ',')
    """
    lines = [unquoted(line) for line in raw.split(b"\n")]
    return max(_SEPARATORS, key=lambda mark: sum(mark.encode() in line for line in lines))


def nothing(source: str | os.PathLike[str], what: str, remedy: str) -> InputError:
    """The error for a file without a single cell."""
    return InputError(f"the file holds no {what}", file=os.fspath(source), remedy=remedy)
