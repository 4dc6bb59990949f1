"""Text with cells, such as CSV: what stands between the cells, the first rows, and all rows by DuckDB's strict reader.

Cells are quoted as in RFC 4180; blanks around an unquoted cell do not belong to it, and empty lines are skipped.
Python's reader takes over where DuckDB refuses a file: it names the line, and reads mixed line ends and very long
lines. It also reads files of very many columns, for which DuckDB needs much memory.
"""

from __future__ import annotations

import csv
import io
import os
import re
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.counting import counted
from covey.errors import InputError, ParameterError
from covey.io.files import LONGEST_LINE, codec_of, compression, empty_file, text_blocks
from covey.io.rows import ROWS, Rows, stripped
from covey.progress import Progress, silent
from covey.threads import threads

DOUBLE_COLON = "::"

_DELIMITERS = ",;\t|"
_SAMPLE_CELLS = 10_000
_MOST_COLUMNS = 1 << 22
#: Of files with more columns DuckDB would hold so many vectors that they fill the memory.
_DUCKDB_COLUMNS = 1000
#: Python's reader makes batches of so many cells.
_CELLS = 1 << 23
#: Text that stands for null, which no file holds.
_NULL = "\1\2\1"


def require_separator(separator: str) -> None:
    """Raise unless a separator is one ASCII character that is no line end or quote."""
    if len(separator) != 1 or not separator.isascii() or separator in '\n\r\0"':
        raise ParameterError(
            f"The separator must be one ASCII character such as ',', ';' or a tab. Got {separator!r} instead."
        )


def sniff(text: bytes) -> str | None:
    """Return the delimiter that occurs most often in the first line outside quotes, or None."""
    line = unquoted(text.lstrip(b"\r\n").split(b"\n", 1)[0])
    best = max(_DELIMITERS, key=lambda mark: line.count(mark.encode()))
    if best.encode() in line:
        return best
    return DOUBLE_COLON if line.count(DOUBLE_COLON.encode()) > 1 else None


def unquoted(line: bytes) -> bytes:
    """Return what stands outside quotes."""
    return b"".join(line.split(b'"')[::2])


def records(blocks: Iterable[bytes], delimiter: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each record that is no empty line, with the line that it begins on, by Python's strict reader.

    Cells still have to be `covey.io.rows.stripped`.
    """
    held: list[str] = []

    def lines() -> Iterator[str]:
        rest = line = ""
        for block in blocks if delimiter == DOUBLE_COLON else _marked(blocks, delimiter):
            for line in io.StringIO(rest + block.decode(), newline=""):
                if line.endswith(("\n", "\r")):
                    held.append(line)
                    yield line
            rest = "" if line.endswith(("\n", "\r")) else line

    if delimiter == DOUBLE_COLON:
        for number, line in enumerate(lines(), 1):
            row = line.rstrip("\r\n").split(DOUBLE_COLON)
            if any(":" in cell for cell in row):
                raise InputError(
                    "a single ':' is in a cell, but '::' separates the cells",
                    file=name,
                    line=number,
                    remedy="Separate the cells by something else that does not occur in them, such as tabs.",
                )
            if row != [""]:
                yield number, row
        return
    csv.field_size_limit(LONGEST_LINE)
    reader, begins = csv.reader(lines(), delimiter=delimiter, strict=True, skipinitialspace=True), 1
    try:
        for row in reader:
            if row:
                yield begins, row
            begins = reader.line_num + 1
            held.clear()
    except csv.Error as error:
        raise _misquoted(str(error), held[0], name, begins) from None


def _marked(blocks: Iterable[bytes], delimiter: str) -> Iterator[bytes]:
    """Yield text in which a zero byte stands at both ends of quoted cells, so that blanks there are kept."""
    start = rb"((?:\A|(?<=[\r\n%s]))[\t ]*)" % re.escape(delimiter.encode())
    quoted = re.compile(start + rb'"([^"]*+(?:""[^"]*+)*+)("|\Z)')
    rest = b""
    for block in blocks:
        block, rest = rest + block, b""
        if b'"' not in block:
            yield block
            continue
        for last in deque(quoted.finditer(block), maxlen=1):
            if not last[3] and len(block) - last.start() < LONGEST_LINE:  # it ends in another block
                block, rest = block[: last.start()], block[last.start() :]
        yield quoted.sub(rb'\1"\0\2\0\3', block)
    yield rest


def _has_padding(block: bytes) -> bool:
    """Return whether a blank or control character stands beside a quote."""
    data = np.frombuffer(block, np.uint8)
    quotes = np.flatnonzero(data == 34)
    beside = data[np.concatenate([quotes[quotes > 0] - 1, quotes[quotes < len(data) - 1] + 1])]
    return bool(((beside <= 32) & (beside != 10) & (beside != 13)).any())


def _misquoted(problem: str, line: str, name: str, number: int) -> InputError:
    """Return the error for a record that Python's reader refuses."""
    if "expected after" in problem:
        told, remedy = "text follows a closing quote", 'Double a quote ("") that belongs to the text of a quoted cell.'
    elif "end of data" in problem:
        told = "a quote is opened and never closed"
        remedy = 'Close it, or double it ("") if it belongs to the text.'
    else:
        told, remedy = f"a cell is longer than {LONGEST_LINE >> 20} MiB", "Check that every quote is closed."
    return InputError(f"{told}, in {_shown(line)}", file=name, line=number, remedy=remedy)


def _shown(line: str) -> str:
    text = line.strip().replace("\0", "")
    return repr(text if len(text) <= 60 else text[:59] + "…")


def first_rows(data: bytes, delimiter: str, name: str) -> tuple[list[list[str]], bool]:
    """Return the first rows of a table with any number of columns, and whether all have as many as the first."""
    if delimiter != DOUBLE_COLON:
        require_separator(delimiter)
    if data.count(b"\n") == 1 and b"\r" in unquoted(data.rstrip(b"\r\n")):
        raise InputError(
            "the lines end in carriage returns without line feeds",
            file=name,
            remedy="Convert the line ends, for example with mac2unix.",
        )
    rows: list[list[str]] = []
    try:
        for _, row in records([data], delimiter, name):
            if rows and len(row) != len(rows[0]):
                return rows, False
            rows.append([stripped(cell) for cell in row])
            if len(rows) >= 2 + _SAMPLE_CELLS // len(rows[0]):
                break
    except InputError:  # a fault further down is found when the file is read
        if not rows:
            raise
    if not rows:
        raise empty_file(name)
    if len(rows[0]) > _MOST_COLUMNS:
        problem = f"the first line has {len(rows[0]):,} cells, and covey reads at most {_MOST_COLUMNS:,} columns"
        raise InputError(problem, file=name, remedy="Write the data with a row per entry instead.")
    return rows, True


def rows_of_text(
    path: Path,
    name: str,
    columns: Sequence[str],
    delimiter: str,
    *,
    first: Sequence[Sequence[str]],
    header: bool,
    encoding: str,
    hint: str,
) -> Rows:
    """Return the rows of a file of cells, all of them text; `hint` is what else the file may be."""
    width = len(columns)

    def numbered() -> Iterator[tuple[int, list[str]]]:
        """Yield each record below the header with the line that it begins on; all have the same number of cells."""
        with closing(text_blocks(path, name, encoding)) as blocks:
            for line, row in islice(records(blocks, delimiter, name), int(header), None):
                if len(row) != width:
                    raise _ragged(row, width, delimiter, name, line, hint)
                yield line, row

    def batches(places: Sequence[int], progress: Progress = silent) -> Iterator[pa.RecordBatch]:
        import duckdb

        done = 0
        if width <= _DUCKDB_COLUMNS:
            with suppress(duckdb.Error, pa.ArrowException, OSError):  # a fault becomes any of them
                with _settled(path, name, delimiter, encoding, progress) as settled:
                    for batch in _by_duckdb(settled, places, width, delimiter, header):
                        yield batch
                        done += len(batch)
                return
        found, names = islice(numbered(), done, None), [f"c{place}" for place in places]
        while rows := [row for _, row in islice(found, max(_CELLS // width, 1))]:
            cells = list(zip(*rows, strict=True))
            yield pa.record_batch([pa.array(cells[place], pa.string()) for place in places], names)

    return Rows(
        schema=pa.schema([(column, pa.string()) for column in columns]),
        read=batches,
        file=name,
        first=first,
        delimiter=delimiter,
        header=header,
        line=lambda row: next(islice(numbered(), row, None))[0],
    )


def _ragged(row: list[str], width: int, delimiter: str, name: str, line: int, hint: str) -> InputError:
    quoting = f"Put double quotes around a cell that holds {delimiter!r}."
    filling = "Fill in the missing cells or delete the line."
    return InputError(
        f"{counted(len(row), 'cell')} instead of {width}, in {_shown(delimiter.join(row))}",
        file=name,
        line=line,
        remedy=f"{quoting if len(row) > width else filling} {hint.format(delimiter)}".strip(),
    )


def _by_duckdb(path: Path, places: Sequence[int], width: int, delimiter: str, header: bool) -> Iterator[pa.RecordBatch]:
    import duckdb

    columns = {f"c{place}": "VARCHAR" for place in range(width)}
    config = {"threads": threads(), "autoload_known_extensions": False, "temp_directory": ""}
    with duckdb.connect(config=config) as base:  # type: ignore[arg-type]
        found = base.sql(
            f"SELECT {', '.join(f'c{place}' for place in places)} FROM read_csv($path, columns = {columns}, "
            "delim = $delimiter, quote = $quote, escape = $quote, header = false, auto_detect = false, "
            "strict_mode = true, null_padding = false, nullstr = $null, compression = 'none')",
            params={
                "path": os.fspath(path),
                "delimiter": delimiter,
                "quote": "" if delimiter == DOUBLE_COLON else '"',
                "null": _NULL,
            },
        )
        for number, batch in enumerate(found.to_arrow_reader(ROWS)):
            if delimiter == DOUBLE_COLON and any(pc.any(pc.match_substring(c, ":")).as_py() for c in batch):
                raise pa.ArrowInvalid("a cell with a colon")
            yield batch.slice(int(header and number == 0))


@contextmanager
def _settled(path: Path, name: str, delimiter: str, encoding: str, progress: Progress) -> Iterator[Path]:
    """Check all text; yield the file itself if DuckDB can read it as it is, else a copy in a private directory.

    DuckDB keeps blanks around cells and cannot tell which of them stood in quotes, so these are marked by a zero byte
    in the copy, for `covey.io.rows.stripped`.
    """
    as_it_is = (
        codec_of(encoding).name == "utf-8"
        and compression(path, name) is None
        and not {*"*?[]{}\\"} & {*os.fspath(path.absolute())}
        and os.fspath(path).isprintable()
    )
    marked = False
    for block in text_blocks(path, name, encoding, progress=progress) if as_it_is else ():
        marked = marked or _has_padding(block)  # of all blocks, for the faults that are found
    if as_it_is and not marked:
        yield path.absolute()
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "rows.csv"
        with copy.open("wb") as file:
            blocks = text_blocks(path, name, encoding, progress=progress)
            file.writelines(blocks if delimiter == DOUBLE_COLON else _marked(blocks, delimiter))
        yield copy
