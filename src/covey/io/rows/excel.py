"""Workbooks of Excel: one sheet as a table."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from covey.errors import InputError, MissingDependency
from covey.io.files import head, locate
from covey.io.frames import table_of
from covey.io.rows.sheets import chosen

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
