"""CSV files as columns of texts: each column numbers its distinct cells, so that no Python object per cell exists."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from covey.arrays import Bytes, Ids, Ints, Mask
from covey.counting import counted
from covey.errors import InputError
from covey.io.delimited import Cells, first_rows, records, sniff
from covey.io.encodings import byte_encoding
from covey.io.files import CHUNK, beginning, window
from covey.io.interning import Growing, Interner
from covey.io.tokens import QUOTE
from covey.progress import Progress

_LARGEST_CHUNK = 1 << 24
_ROWS_AT_ONCE = 64


class CsvTable:
    """A CSV file whose header has been read.

    Parameters
    ----------
    path, name : Path, str
        The file, and what messages call it.
    columns : sequence of str, optional
        Names for a file without a header line.
    separator : str, optional
        Between the cells; recognised if not given.
    encoding : str
        Of the text.

    Attributes
    ----------
    names : list of str
        The columns in their order.
    """

    def __init__(
        self, path: Path, name: str, columns: Sequence[str] | None, separator: str | None, encoding: str
    ) -> None:
        data, stop = beginning(path, name, encoding)
        text = data[:stop].tobytes()
        self._path, self._name, self._encoding = path, name, encoding
        self._delimiter = separator or sniff(text) or ","
        rows, _ = first_rows(data, stop, self._delimiter, name, byte_encoding(encoding))
        header = next((row for row in rows if any(row)), rows[0])
        self.names = [cell.strip() for cell in header] if columns is None else list(columns)
        self._header = columns is None
        if len(header) != len(self.names):
            raise InputError(
                f"{counted(len(header), 'cell')} in the first line, but {counted(len(self.names), 'name')} are given",
                file=name,
                remedy="Name every column, or give what separates the cells with --separator.",
            )
        # Every column costs something for each portion, so there should be many rows in one.
        wanted = _ROWS_AT_ONCE * (text.find(b"\n") + 1)
        self._chunk = min(max(CHUNK, wanted), _LARGEST_CHUNK)

    def texts(self, kept: Collection[str], progress: Progress) -> dict[str, tuple[Ids, list[str]]]:
        """For each column that is kept, the code of every row and the distinct texts, without blanks around them."""
        places = {column: place for place, column in enumerate(self.names) if column in kept}
        found = {column: (Interner("values", 64), Growing(np.int32)) for column in places}
        encoding = byte_encoding(self._encoding)
        cells = Cells(self._delimiter, len(self.names), self._name, encoding)
        first = int(self._header)
        with window(self._path, self._name, encoding=self._encoding, chunk=self._chunk, progress=progress) as view:
            for _ in records(view, cells):
                rows = _filled(cells, view.data)
                skip = min(first, len(rows))
                first -= skip
                lines = cells.lines[rows[skip:]]
                for column, place in places.items():
                    interner, codes = found[column]
                    starts, stops = cells.column(place, skip)
                    if len(rows) < cells.records:
                        starts, stops = cells.starts[rows[skip:]], cells.stops[rows[skip:]]
                    interner.add(view.data, starts, stops, lines, codes.room(len(starts)))
        return {
            column: _stripped(codes.finish(), interner.labels(self._name, encoding))
            for column, (interner, codes) in found.items()
        }


def _filled(cells: Cells, data: Bytes) -> Ints:
    """The records that count: in a single column an empty line is none, but an empty cell in quotes is one."""
    rows = np.arange(cells.records)
    if cells.columns > 1:
        return rows
    quoted = (cells.starts > 0) & (data[cells.starts - 1] == QUOTE)
    counts: Mask = (cells.starts < cells.stops) | quoted
    return rows[counts]


def _stripped(codes: Ids, labels: list[str]) -> tuple[Ids, list[str]]:
    known: dict[str, int] = {}
    rename = np.array([known.setdefault(label.strip(), len(known)) for label in labels], np.int32)
    return (codes if len(known) == len(labels) else rename[codes]), list(known)
