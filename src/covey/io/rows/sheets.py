"""Read one sheet of a workbook, or one table or query of a SQLite or DuckDB database."""

from __future__ import annotations

import sqlite3
import zipfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from covey.errors import InputError, MissingDependency
from covey.io.files import head, locate
from covey.io.frames import table_of
from covey.parameters import did_you_mean


def chosen(wanted: str | None, known: Sequence[str], filled: Sequence[str], what: str, file: str) -> str:
    """The one that is named, or the only one that holds anything."""
    shown = ", ".join(repr(name) for name in known[:12])
    if wanted is not None:
        if wanted in known:
            return wanted
        near = did_you_mean(wanted, known).strip()
        raise InputError(f"there is no {what} {wanted!r}", file=file, remedy=near or f"There are {shown}.")
    if len(filled) != 1:
        raise InputError(
            f"{len(filled)} {what}s hold rows, and none is named" if filled else f"no {what} holds any row",
            file=file,
            remedy=f"Name one with --sheet: {shown}." if filled else "Check that it was saved completely.",
        )
    return filled[0]


_OLD = b"\xd0\xcf\x11\xe0"


def read_excel(source: str, sheet: str | None, *, no_header: bool = False) -> pa.Table:
    """The rows of a sheet: the one that is named, or the only one that holds anything."""
    path = locate(source)
    if head(path, source, 4) == _OLD:
        encrypted = "EncryptedPackage".encode("utf-16-le") in path.read_bytes()
        raise InputError(
            "is protected by a password" if encrypted else "is an Excel workbook from 2003 or older",
            file=source,
            remedy="Open it in Excel and save it without a password." if encrypted else "Save it as .xlsx.",
        )
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise MissingDependency("openpyxl is not installed. Install it with: pip install 'covey[excel]'") from error
    try:
        book = load_workbook(path, read_only=True, data_only=True)
    except (zipfile.BadZipFile, KeyError, ValueError, OSError, EOFError) as error:
        raise InputError(
            f"is not an Excel workbook ({error})", file=source, remedy="Save it again as .xlsx."
        ) from error
    try:
        rows = {name: book[name] for name in book.sheetnames if hasattr(book[name], "iter_rows")}
        filled = [name for name, found in rows.items() if next(_filled(found), None) is not None]
        return _table(_filled(rows[chosen(sheet, list(rows), filled, "sheet", source)]), source, no_header)
    finally:
        book.close()


def _filled(sheet: Any) -> Iterator[tuple[Any, ...]]:
    """The rows of a sheet that hold anything, with texts stripped of blanks."""
    sheet.reset_dimensions()  # some programs write them wrongly
    for row in sheet.iter_rows(values_only=True):
        cells = tuple(cell.strip() or None if isinstance(cell, str) else cell for cell in row)
        if any(cell is not None for cell in cells):
            yield cells


def _table(rows: Iterator[tuple[Any, ...]], file: str, no_header: bool) -> pa.Table:
    body = list(rows)
    width = max((len(row) for row in body), default=0)
    body = [row + (None,) * (width - len(row)) for row in body]
    while width and all(row[width - 1] is None for row in body):
        width -= 1
    names = [f"column {number}" for number in range(1, width + 1)] if no_header else _names(body[0][:width], file)
    cells = body if no_header else body[1:]
    if not cells:
        raise InputError("holds a header but no rows", file=file, remedy="Check that it was saved completely.")
    return table_of([[row[place] for row in cells] for place in range(width)], names)


def _names(header: tuple[Any, ...], file: str) -> list[str]:
    """The names of the columns; none may be missing, as it is below merged cells."""
    for place, cell in enumerate(header, 1):
        if cell is None:
            raise InputError(
                f"column {place} has no name in the first row",
                file=file,
                line=1,
                remedy="Header cells may be merged: give every column its own name, or use --no-header.",
            )
    return [str(cell) for cell in header]


def read_sqlite(source: str, sheet: str | None = None) -> pa.Table:
    """A table or view of an SQLite database, or what a query gives; the database is opened for reading alone."""
    path, table, query = address(source)
    try:
        base = sqlite3.connect(f"{locate(path).resolve().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise InputError(f"is not a SQLite database ({error})", file=path) from error
    try:
        base.execute("PRAGMA query_only = ON")
        listing = (
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        )
        asked = query or _whole(table or sheet, lambda: [name for (name,) in base.execute(listing)], path)
        found = base.execute(asked)
        if found.description is None:
            raise InputError("the query gives no rows", file=path, remedy="Write SELECT … FROM ….")
        names, rows = [column[0] for column in found.description], found.fetchall()
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise InputError(f"SQLite cannot do that ({error})", file=path, remedy=_REMEDY) from error
    finally:
        base.close()
    return table_of([[row[place] for row in rows] for place in range(len(names))], names)


def read_duckdb(source: str, sheet: str | None = None) -> pa.Table:
    """A table or view of a DuckDB database, or what a query gives; nothing else can be read or written."""
    path, table, query = address(source)
    try:
        import duckdb
    except ImportError as error:
        raise MissingDependency("duckdb is not installed. Install it with: pip install 'covey[duckdb]'") from error
    try:
        with duckdb.connect(str(locate(path)), read_only=True) as base:
            base.execute("SET enable_external_access = false")
            listing = "SELECT table_name FROM information_schema.tables"
            asked = query or _whole(table or sheet, lambda: [n for (n,) in base.execute(listing).fetchall()], path)
            return base.sql(asked).to_arrow_table()
    except duckdb.Error as error:
        raise InputError(f"DuckDB cannot do that ({str(error).splitlines()[0]})", file=path, remedy=_REMEDY) from error


_REMEDY = "Give sqlite:PATH?table=NAME, or ?query=SELECT … (duckdb: likewise)."


def address(source: str) -> tuple[str, str | None, str | None]:
    """Path, table and query of an address; a plain path has neither.

    Examples
    --------
    >>> address("sqlite:shop.db?query=SELECT a FROM b WHERE c > 1"), address("shop.db")
    (('shop.db', None, 'SELECT a FROM b WHERE c > 1'), ('shop.db', None, None))
    """
    if not source.startswith(("sqlite:", "duckdb:")):
        return source, None, None
    path, mark, rest = source.partition(":")[2].removeprefix("//").partition("?")
    key, _, value = rest.partition("=")
    if mark and (key not in ("table", "query") or not value.strip()):
        raise InputError(f"{rest!r} is neither table=NAME nor query=…", file=path, remedy=_REMEDY)
    return path, value if key == "table" else None, value if key == "query" else None


def _whole(wanted: str | None, names: Callable[[], list[str]], file: str) -> str:
    """The query for all of a table: the one that is named, or the only one."""
    known = names()
    name = chosen(wanted, known, known, "table", file).replace('"', '""')
    return f'SELECT * FROM "{name}"'
