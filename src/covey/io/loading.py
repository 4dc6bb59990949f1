"""Open any file or frame as rows: CSV, Parquet, workbooks, JSON Lines, and tables of SQLite and DuckDB databases."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from covey.counting import counted
from covey.errors import InputError, ParameterError
from covey.io.delimited import first_rows, rows_of_text, sniff
from covey.io.excel import chosen, read_excel
from covey.io.files import beginning, compression, head, locate, whole_text
from covey.io.frames import as_arrow, table_of
from covey.io.rows import Rows
from covey.progress import Progress, silent

#: What formats are called in sentences; any other is CSV.
CALLED = {
    "fimi": "FIMI",
    "parquet": "Parquet",
    "excel": "Excel",
    "jsonl": "JSON Lines",
    "sqlite": "SQLite",
    "duckdb": "DuckDB",
}
#: Formats that hold tables and are no delimited text.
TABLES = ("parquet", "excel", "jsonl", "sqlite", "duckdb")
_SUFFIXES = {
    (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst", ".ndjson.zst"): "jsonl",
    (".parquet", ".pq"): "parquet",
}
#: Returns the names of the columns of a text file without a header; None if its first row is the header.
Naming = Callable[[Sequence[str], str], Sequence[str] | None]
_ADDRESSES = ("sqlite:", "duckdb:")
_ADDRESS = "Give sqlite:PATH?table=NAME, or ?query=SELECT … (duckdb: likewise)."


def format_of(source: str | os.PathLike[str], format: str | None = None) -> str | None:
    """Return the format of `TABLES` that a file has, as stated or by its address, first bytes or name; else None."""
    name = os.fspath(source)
    if format is not None:
        return format if format in TABLES else None
    if name.startswith(_ADDRESSES):
        return name.partition(":")[0]
    try:
        start = head(Path(name), name) if Path(name).is_file() else b""
    except (OSError, ValueError):  # a name that no system accepts, which the reader will report
        return None
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"SQLite format 3"):
        return "sqlite"
    if start[8:12] == b"DUCK":
        return "duckdb"
    if start.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")) and name.lower().endswith((".xlsx", ".xlsm", ".xltx")):
        return "excel"
    return next((known for ends, known in _SUFFIXES.items() if name.lower().endswith(ends)), None)


def open_rows(
    source: Any,
    *,
    format: str | None = None,
    sheet: str | None = None,
    no_header: bool = False,
    names: Naming = lambda *_: None,
    separator: str | None = None,
    encoding: str = "utf-8",
    what: str = "a table",
    hint: str = "",
    progress: Progress = silent,
) -> Rows:
    """Return the rows of a file or a frame.

    `names` is for text files; `what` is to be read, and `hint` what else a text file may be, for messages.
    """
    if not isinstance(source, str | os.PathLike):
        if sheet is not None or no_header:
            raise ParameterError("The 'sheet' and 'no_header' options are for files.")
        table = table_of(source.values(), source) if isinstance(source, Mapping) else as_arrow(source)
        if table is None:
            remedy = "Give a path, a pandas, polars or Arrow table, or a mapping of columns."
            raise InputError(f"cannot read {what} from {type(source).__name__}", remedy=remedy)
        return Rows.of(table)
    name, known = os.fspath(source), format_of(source, format)
    if sheet is not None and known not in ("excel", "sqlite", "duckdb"):
        raise ParameterError(f"{name} has no sheets; --sheet is for workbooks and databases.")
    if no_header and known not in (None, "excel"):
        raise ParameterError("Only CSV files and workbooks can be without a header.")
    if known is None:
        return _open_text(locate(source), name, separator, encoding, names, hint, no_header=no_header)
    if known == "parquet":
        if (codec := compression(locate(source), name)) is not None:
            problem = f"a Parquet file that is compressed with {codec} as a whole cannot be read"
            raise InputError(problem, file=name, remedy="Decompress it first; Parquet compresses its own columns.")
        return Rows.of_parquet(Path(name), name)
    if known == "excel":
        table = read_excel(name, sheet, no_header=no_header)
    elif known == "jsonl":
        table = _read_json_lines(name)
    else:
        table = _read_sqlite(name, sheet) if known == "sqlite" else _read_duckdb(name, sheet)
    progress("reading", 1.0)
    return Rows.of(table, name)


def _open_text(
    path: Path,
    name: str,
    separator: str | None,
    encoding: str,
    names: Naming,
    hint: str,
    *,
    no_header: bool,
) -> Rows:
    text = beginning(path, name, encoding)
    delimiter = separator or sniff(text) or ","
    first, _ = first_rows(text, delimiter, name)
    width = len(first[0])
    columns = [f"column {number}" for number in range(1, width + 1)] if no_header else names(first[0], delimiter)
    if columns is not None and len(columns) != width:
        problem = f"{counted(width, 'cell')} in the first line, but {counted(len(columns), 'name')} are given"
        remedy = "Name every column, or give what separates the cells with --separator."
        raise InputError(problem, file=name, remedy=remedy)
    header, columns = columns is None, columns or first[0]
    return rows_of_text(path, name, columns, delimiter, first=first, header=header, encoding=encoding, hint=hint)


def _read_json_lines(source: str) -> pa.Table:
    """Return the rows of a file: a column ``items`` of lists, or a column for every name that objects have."""
    lines = [(number, line) for number, line in enumerate(whole_text(source).split("\n"), 1) if line.strip()]
    if not lines:
        raise InputError("holds no rows", file=source, remedy="Write a list or an object on each line.")
    values = [(number, _parsed(line, source, number)) for number, line in lines]
    first, kind = values[0][0], type(values[0][1])
    for number, value in values:
        if kind not in (list, dict) or type(value) is not kind:
            kinds = {"list": f"is not a list as on line {first}", "dict": f"is not an object as on line {first}"}
            problem = f"{json.dumps(value)[:60]} {kinds.get(kind.__name__, 'is neither a list nor an object')}"
            remedy = 'Write ["wine", "meat"], or {"order": 1, "item": "wine"}, on each line.'
            raise InputError(problem, file=source, line=number, remedy=remedy)
    if kind is list:
        return pa.table({"items": pa.array([_items(value, source, number) for number, value in values])})
    names = list(dict.fromkeys(name for _, value in values for name in value))
    nested = {name for _, value in values for name, cell in value.items() if isinstance(cell, dict)}
    if nested:
        raise InputError("an object inside an object", file=source, column=min(nested), remedy="Write flat objects.")
    return table_of([[value.get(name) for _, value in values] for name in names], names)


def _parsed(line: str, file: str, number: int) -> Any:
    try:
        value = json.loads(line, parse_constant=_refuse_constant, object_pairs_hook=_object)
        if "\\u" in line:
            json.dumps(value, ensure_ascii=False).encode()  # half a character has no bytes
        return value
    except (RecursionError, ValueError) as error:
        kinds = {RecursionError: "nested too deeply", UnicodeEncodeError: "half of a surrogate pair"}
        why = kinds.get(type(error)) or getattr(error, "msg", "") or str(error).split(";")[0]
        remedy = "Each line must be JSON by itself."
        raise InputError(f"is not valid JSON ({why})", file=file, line=number, remedy=remedy) from None


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("an object has a name twice")
    return made


def _items(items: list[Any], file: str, line: int) -> list[str]:
    for item in items:
        if item is None or item == "" or isinstance(item, list | dict):
            problem = f"{json.dumps(item)[:60]} is not an item"
            raise InputError(problem, file=file, line=line, remedy="Items are texts or numbers.")
    return [item if isinstance(item, str) else json.dumps(item) for item in items]


def _read_sqlite(source: str, sheet: str | None) -> pa.Table:
    """Return a table or view of an SQLite database, or the result of a query; it is opened for reading alone."""
    path, table, query = address(source)
    try:
        base = sqlite3.connect(f"{locate(path).resolve().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise InputError(f"is not a SQLite database ({error})", file=path) from error
    rows: list[tuple[object, ...]] = []
    try:
        base.execute("PRAGMA query_only = ON")
        listing = (
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        )
        known = [] if query else [name for (name,) in base.execute(listing)]
        found = base.execute(query or _select(table or sheet, known, path))
        if found.description is None:
            raise InputError("the query gives no rows", file=path, remedy="Write SELECT … FROM ….")
        names = [column[0] for column in found.description]
        rows.extend(found)  # one by one, so that those before a fault are counted
    except (sqlite3.Error, sqlite3.Warning) as error:
        text = str(error)
        if "UTF-8" in text:
            problem, remedy = f"row {len(rows) + 1} holds text that is not UTF-8", "Write it again as UTF-8."
        elif "malformed" in text or "not a database" in text or "disk" in text:
            problem, remedy = f"is damaged or cut off ({text})", "Copy or download it again."
        else:
            problem, remedy = f"SQLite cannot do that ({text})", _ADDRESS
        raise InputError(problem, file=path, remedy=remedy) from error
    finally:
        base.close()
    return table_of([[row[place] for row in rows] for place in range(len(names))], names)


def _read_duckdb(source: str, sheet: str | None) -> pa.Table:
    """Return a table or view of a DuckDB database, or the result of a query; nothing else can be read or written."""
    path, table, query = address(source)
    import duckdb

    try:
        with duckdb.connect(str(locate(path)), read_only=True) as base:
            base.execute("SET enable_external_access = false")
            listing = "SELECT table_name FROM information_schema.tables"
            known = [] if query else [name for (name,) in base.execute(listing).fetchall()]
            return base.sql(query or _select(table or sheet, known, path)).to_arrow_table()
    except duckdb.Error as error:
        raise InputError(f"DuckDB cannot do that ({str(error).splitlines()[0]})", file=path, remedy=_ADDRESS) from error


def address(source: str) -> tuple[str, str | None, str | None]:
    """Return path, table and query of an address; a plain path has neither."""
    if not source.startswith(_ADDRESSES):
        return source, None, None
    path, mark, rest = source.partition(":")[2].removeprefix("//").partition("?")
    key, _, value = rest.partition("=")
    if mark and (key not in ("table", "query") or not value.strip()):
        raise InputError(f"{rest!r} is neither table=NAME nor query=…", file=path, remedy=_ADDRESS)
    return path, value if key == "table" else None, value if key == "query" else None


def _select(wanted: str | None, known: Sequence[str], file: str) -> str:
    """Return the query for all of a table: the one that is named, or the only one."""
    name = chosen(wanted, known, known, "table", file).replace('"', '""')
    return f'SELECT * FROM "{name}"'
