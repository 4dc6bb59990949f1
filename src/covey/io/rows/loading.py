"""Files as one Arrow table: CSV, Parquet, workbooks, JSON Lines, databases."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from covey.errors import ParameterError
from covey.io.files import compression, head, locate
from covey.io.parquet import open_parquet
from covey.io.table.csv import CsvTable
from covey.lazy import load
from covey.progress import Progress, silent

#: What they are called.
CALLED = {"excel": "Excel", "jsonl": "JSON Lines", "sqlite": "SQLite", "duckdb": "DuckDB"}
#: Formats that no kind of data reads by itself, and what makes a table of them.
OTHERS = {
    "excel": "covey.io.rows.excel:read_excel",
    "jsonl": "covey.io.rows.json_lines:read_json_lines",
    "sqlite": "covey.io.rows.databases:read_sqlite",
    "duckdb": "covey.io.rows.databases:read_duckdb",
}
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
    progress : callable
        Told how far it has come.
    """
    if format in OTHERS:
        if no_header and format != "excel":
            raise ParameterError("Only CSV files and workbooks can be without a header.")
        more = {"no_header": no_header} if format == "excel" else {}
        made: pa.Table = load(OTHERS[str(format)])(source, sheet, **more)
        progress("reading", 1.0)
        return made
    if sheet is not None:
        raise ParameterError(f"{source} has no sheets; --sheet is for workbooks and databases.")
    path = locate(source)
    if format == "parquet" or head(path, source, 4) == b"PAR1":
        with open_parquet(path, source) as file:
            return file.read()
    compression(path, source)  # refuses archives and binary files
    return _of_text(path, source, no_header, separator, encoding, progress)


def _of_text(
    path: Path, name: str, no_header: bool, separator: str | None, encoding: str, progress: Progress
) -> pa.Table:
    table = CsvTable(path, name, None, separator, encoding)
    if no_header:
        names = [f"column {number}" for number in range(1, len(table.names) + 1)]
        table = CsvTable(path, name, names, separator, encoding)
    texts = table.texts(table.names, progress)
    columns: dict[str, Any] = {
        column: pa.DictionaryArray.from_arrays(
            pa.array(codes, pa.int32(), mask=np.array([not label for label in labels] or [True])[codes]),
            pa.array(labels, pa.large_string()),
        )
        for column, (codes, labels) in texts.items()
    }
    return pa.table(columns)
