"""Files as one Arrow table: CSV, Parquet, workbooks, JSON Lines, databases."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from covey.counting import counted
from covey.errors import InputError, ParameterError
from covey.io.arrow import Rows, open_parquet
from covey.io.delimited import first_rows, rows_of_text, sniff
from covey.io.files import beginning, head, locate, whole_text
from covey.io.frames import table_of
from covey.io.rows.excel import read_excel
from covey.io.rows.sheets import read_duckdb, read_sqlite
from covey.progress import Progress, silent

#: What they are called.
CALLED = {"excel": "Excel", "jsonl": "JSON Lines", "sqlite": "SQLite", "duckdb": "DuckDB"}
#: Formats that no kind of data reads by itself.
OTHERS = tuple(CALLED)
_ADDRESSES = {"sqlite:": "sqlite", "duckdb:": "duckdb"}
_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst", ".ndjson.zst")


def other_format(source: str | os.PathLike[str], format: str | None = None) -> str | None:
    """The name of a format of `OTHERS` that a file is in, by its address, its first bytes or its name; or None."""
    name = os.fspath(source)
    if format is not None:
        return format if format in OTHERS else None
    for prefix, format in _ADDRESSES.items():
        if name.startswith(prefix):
            return format
    if name.lower().endswith(_LINES):
        return "jsonl"
    try:
        start = head(Path(name), name, 16) if Path(name).is_file() else b""
    except (OSError, ValueError):  # a name that no system accepts, which the reader will say
        return None
    if start.startswith(b"SQLite format 3"):
        return "sqlite"
    if start[8:12] == b"DUCK":
        return "duckdb"
    workbook = start.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0"))
    return "excel" if workbook and name.lower().endswith((".xlsx", ".xlsm", ".xltx")) else None


def load_rows(
    source: str,
    *,
    format: str | None = None,
    sheet: str | None = None,
    no_header: bool = False,
    separator: str | None = None,
    encoding: str = "utf-8",
    progress: Progress = silent,
) -> pa.Table:
    """All rows of a file.

    Parameters
    ----------
    source : str
        A path, or ``sqlite:PATH?table=NAME`` and its like.
    format : str or None
        One of `OTHERS`, ``parquet``, or anything else for text in cells.
    sheet : str or None
        Of a workbook, or the table of a database.
    no_header : bool
        Whether the first line is a row already; the columns are then called ``column 1`` and so on.
    separator, encoding : str
        Of text.
    """
    if format in OTHERS:
        if no_header and format != "excel":
            raise ParameterError("Only CSV files and workbooks can be without a header.")
        more = {"no_header": no_header} if format == "excel" else {}
        made = TABLES[str(format)](source, sheet, **more)
        progress("reading", 1.0)
        return made
    if sheet is not None:
        raise ParameterError(f"{source} has no sheets; --sheet is for workbooks and databases.")
    path = locate(source)
    if format == "parquet" or head(path, source, 4) == b"PAR1":
        with open_parquet(path, source) as file:
            return file.read()
    rows = text_rows(path, source, separator=separator, encoding=encoding, no_header=no_header)
    return rows.table(progress)


def text_rows(
    path: Path,
    name: str,
    *,
    columns: Sequence[str] | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    no_header: bool = False,
) -> Rows:
    """Return the rows of a file of cells; `columns` are the names of those in a file without a header."""
    text = beginning(path, name, encoding)
    delimiter = separator or sniff(text) or ","
    header = first_rows(text, delimiter, name)[0][0]
    names = list(columns or ([f"column {number}" for number in range(1, len(header) + 1)] if no_header else header))
    if len(header) != len(names):
        raise InputError(
            f"{counted(len(header), 'cell')} in the first line, but {counted(len(names), 'name')} are given",
            file=name,
            remedy="Name every column, or give what separates the cells with --separator.",
        )
    headed = columns is None and not no_header
    return rows_of_text(path, name, names, delimiter, header=headed, encoding=encoding)


def read_json_lines(source: str, sheet: str | None = None) -> pa.Table:
    """The rows of a file: a column ``items`` of lists, or a column for every name that objects have."""
    if sheet is not None:
        raise InputError("has no sheets", file=source, remedy="Leave --sheet out.")
    values: list[Any] = []
    numbers: list[int] = []
    for number, line in enumerate(whole_text(source).split("\n"), 1):
        if line.strip():
            values.append(_parsed(line, source, number))
            numbers.append(number)
    if not values:
        raise InputError("holds no rows", file=source, remedy="Write a list or an object on each line.")
    kind = type(values[0])
    for number, value in zip(numbers, values, strict=True):
        if not isinstance(value, list | dict) or type(value) is not kind:
            expected = "an object" if kind is dict else "a list"
            raise InputError(
                f"{json.dumps(value)[:60]} is not {expected} as on line {numbers[0]}"
                if isinstance(values[0], list | dict)
                else f"{json.dumps(value)[:60]} is neither a list nor an object",
                file=source,
                line=number,
                remedy='Write ["wine", "meat"], or {"order": 1, "item": "wine"}, on each line.',
            )
    if kind is list:
        return pa.table({"items": pa.array([_texts(v, source, n) for v, n in zip(values, numbers, strict=True)])})
    names = list(dict.fromkeys(name for value in values for name in value))
    nested = {name for value in values for name, cell in value.items() if isinstance(cell, dict)}
    if nested:
        raise InputError("an object inside an object", file=source, column=min(nested), remedy="Write flat objects.")
    return table_of([[value.get(name) for value in values] for name in names], names)


def _parsed(line: str, file: str, number: int) -> Any:
    try:
        value = json.loads(line, parse_constant=_no_number, object_pairs_hook=_object)
        if "\\u" in line:
            json.dumps(value, ensure_ascii=False).encode()  # half a letter has no bytes
        return value
    except (RecursionError, ValueError) as error:
        kinds = {RecursionError: "nested too deeply", UnicodeEncodeError: "half of a surrogate pair"}
        why = kinds.get(type(error)) or getattr(error, "msg", "") or str(error).split(";")[0]
        raise InputError(
            f"is not valid JSON ({why})", file=file, line=number, remedy="Each line must be JSON by itself."
        ) from None


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("an object has a name twice")
    return made


def _texts(items: list[Any], file: str, line: int) -> list[str]:
    for item in items:
        if item is None or item == "" or isinstance(item, list | dict):
            raise InputError(
                f"{json.dumps(item)[:60]} is not an item", file=file, line=line, remedy="Items are texts or numbers."
            )
    return [item if isinstance(item, str) else json.dumps(item) for item in items]


#: What makes a table of each of these formats.
TABLES: dict[str, Callable[..., pa.Table]] = {
    "excel": read_excel,
    "jsonl": read_json_lines,
    "sqlite": read_sqlite,
    "duckdb": read_duckdb,
}
