"""Read one table or query of an SQLite or DuckDB database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

import pyarrow as pa

from covey.errors import InputError
from covey.io.files import locate
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
        names, rows = [column[0] for column in found.description], list[tuple[object, ...]]()
        rows.extend(found)  # one by one, so that those before a fault are counted
    except sqlite3.OperationalError as error:
        if "UTF-8" not in str(error):
            raise _refused(error, path) from error
        raise InputError(
            f"row {len(rows) + 1} holds text that is not UTF-8", file=path, remedy="Write it again as UTF-8."
        ) from error
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise _refused(error, path) from error
    finally:
        base.close()
    return table_of([[row[place] for row in rows] for place in range(len(names))], names)


def _refused(error: Exception, path: str) -> InputError:
    """The error for what SQLite refuses: a query, or a file that is damaged."""
    if "malformed" in str(error) or "not a database" in str(error) or "disk" in str(error):
        return InputError(f"is damaged or cut off ({error})", file=path, remedy="Copy or download it again.")
    return InputError(f"SQLite cannot do that ({error})", file=path, remedy=_REMEDY)


def read_duckdb(source: str, sheet: str | None = None) -> pa.Table:
    """A table or view of a DuckDB database, or what a query gives; nothing else can be read or written."""
    path, table, query = address(source)
    import duckdb

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
