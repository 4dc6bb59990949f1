"""Read one sheet of an Excel workbook with calamine.

Calamine holds a sheet as a rectangle from its first to its last cell, so a small file can ask for more memory than
there is. The parts of a workbook are therefore unpacked under a limit first, and the rectangle is bounded, before
calamine reads the unpacked parts.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
import zlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, SheetTypeEnum

from covey.errors import InputError
from covey.io.files import LONGEST_LINE, head, locate, refuse_flood
from covey.io.frames import array_of
from covey.parameters import VARIABLE, did_you_mean, most_decompressed

_OLD = b"\xd0\xcf\x11\xe0"
_BLOCK = 1 << 20
#: Bytes that calamine needs for a cell, be it empty.
_CELL = 32
_LAST_ROW = 1 << 20
#: A tag may be cut by the end of a block; no more than so many bytes of it.
_OVERLAP = 64
_REFERENCE = re.compile(rb""" r="([A-Za-z]{0,9}\d{1,12})""")
_UNUSUAL_REFERENCE = re.compile(rb"""\br\s*=\s*["']([A-Za-z]{0,9}\d{1,12})""")
#: A cell whose first attribute is not its reference, so that it may have none.
_BARE = re.compile(rb"""<c(?! r="|[a-z]).{5}|:c[\s/>]""", re.DOTALL)
#: A value that does not begin as numbers do, and one in a cell of numbers, by its type, maybe with a formula.
_LETTER = re.compile(rb"<v>[^\d.+\-<]")
_WORD = re.compile(rb"""<c (?![^>]*\bt\s*=\s*["'](?:str|e|d))[^>]*>(?:<f[^>]*>[^<]*(?:</f>)?)?<v>[^\d.+\-<]""")
_DIGITS, _LETTERS = b"0123456789", bytes(range(65, 91)) + bytes(range(97, 123))


def read_excel(source: str, sheet: str | None, *, no_header: bool = False) -> pa.Table:
    """Return the rows of a sheet: the one that is named, or the only one that holds anything."""
    status = locate(source).stat()
    return _read(source, sheet, no_header, (status.st_ino, status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=1)  # a workbook is recognised before it is read, and takes seconds
def _read(source: str, sheet: str | None, no_header: bool, state: tuple[int, ...]) -> pa.Table:
    """Read a sheet of a file; `state` differs once the file was changed."""
    path = Path(source)
    if head(path, source, 4) == _OLD:
        encrypted = "EncryptedPackage".encode("utf-16-le") in path.read_bytes()
        raise InputError(
            "is protected by a password" if encrypted else "is an Excel workbook from 2003 or older",
            file=source,
            remedy="Open it in Excel and save it without a password." if encrypted else "Save it as .xlsx.",
        )
    try:
        with tempfile.TemporaryDirectory() as folder:
            unpacked = Path(folder) / "book.xlsx"
            _unpack(path, unpacked, source)
            with CalamineWorkbook.from_path(unpacked) as book:
                return _table(_cells(book, sheet, source), source, no_header)
    except (zipfile.BadZipFile, zlib.error, CalamineError, NotImplementedError, EOFError, OSError, ValueError) as error:
        remedy = "Save it again as .xlsx, or copy or download it again."
        raise InputError(f"is no Excel workbook, or is damaged ({error})", file=source, remedy=remedy) from error


def _unpack(path: Path, target: Path, name: str) -> None:
    """Copy the parts of a workbook into an archive without compression, if they keep the limits."""
    size, unpacked = path.stat().st_size, 0
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w") as copy:
        for part in {part.filename: part for part in source.infolist()}.values():
            if part.flag_bits & 1:
                raise InputError("is protected by a password", file=name, remedy="Save it without a password.")
            if not part.filename.endswith((".xml", ".rels")):
                continue  # pictures, macros and printer settings
            extent = _Extent(name, size)
            with source.open(part) as packed, copy.open(part.filename, "w", force_zip64=True) as out:
                while block := packed.read(_BLOCK):
                    unpacked += len(block)
                    refuse_flood(unpacked, size, name)
                    extent.add(block)
                    out.write(block)


class _Extent:
    """Bounds the rectangle of cells that a part of a workbook spans, by the references in its XML."""

    def __init__(self, name: str, size: int) -> None:
        self._name, self._limit = name, most_decompressed(size)
        self._cut, self._text, self._tags = b"", 0, 0
        self._column = self._row = self._rows = self._bare = 0

    def add(self, block: bytes) -> None:
        """Take the next bytes of the part; raise when a cell or the rectangle is too large."""
        self._text = self._text + len(block) if b"<" not in block else 0
        if self._text > LONGEST_LINE:
            raise InputError(
                f"a cell is longer than {LONGEST_LINE >> 20} MiB",
                file=self._name,
                remedy="Shorten it; Excel itself allows 32,767 characters.",
            )
        fresh, block = block, self._cut + block
        self._cut = block[-_OVERLAP:]
        plain = block.count(b"<c") == block.count(b'<c r="') and b":c" not in block  # quicker than the expression
        self._bound_bare(fresh, bool(self._bare or (not plain and _BARE.search(block))))
        unusual = any(one in block for one in (b"'", b"\n", b"\t", b"\r", b" =", b"= "))
        pattern = _UNUSUAL_REFERENCE if unusual else _REFERENCE
        found = b" ".join(pattern.findall(block))
        self._column = max(self._column, *map(_number, {*found.translate(None, _DIGITS).split()}), 0)
        self._row = max(self._row, *map(int, {*found.translate(None, _LETTERS).split()}), 0)
        if _LETTER.search(block) and _WORD.search(block):
            problem = "is damaged (a number is no number)"
            raise InputError(problem, file=self._name, remedy="Save it again as .xlsx.")
        rows = self._row + (self._rows if self._bare else 0)
        cells = (self._column + self._bare) * rows
        if self._row > _LAST_ROW or cells * _CELL > self._limit:
            raise InputError(
                f"has a cell in row {self._row:,}, beyond the last row of Excel"
                if self._row > _LAST_ROW
                else f"spans up to {cells:,} cells, from its first to its last one",
                file=self._name,
                remedy="Delete what stands apart from the table and save it again. If it is meant so and you trust its "
                f"source, allow more with the environment variable {VARIABLE}, such as {VARIABLE}=100GiB.",
            )

    def _bound_bare(self, block: bytes, bare: bool) -> None:
        """Count what cells without a reference may span: they follow the one before, so no more than a row has tags."""
        self._rows += block.count(b"row")
        if not bare:
            last = block.rfind(b"row")
            self._tags = self._tags * (last < 0) + block.count(b"<", max(last, 0))
            return
        first, *others = (piece.count(b"<") for piece in block.split(b"row"))
        self._bare = max(self._bare, self._tags + first, *others)
        self._tags = others[-1] if others else self._tags + first


def _number(letters: bytes) -> int:
    """The number of a column, such as 28 for AB."""
    number = 0
    for letter in letters.upper()[:4]:
        number = 26 * number + letter - 64
    return number


def chosen(wanted: str | None, known: Sequence[str], filled: Sequence[str], what: str, file: str) -> str:
    """Return the sheet or table that is named, or the only one that holds anything."""
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


def _cells(book: CalamineWorkbook, wanted: str | None, file: str) -> list[Sequence[object]]:
    """The rows of the sheet that is named, or of the only one that holds any; an empty cell is ""."""
    known = [sheet.name for sheet in book.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
    if wanted is not None:
        return _rows(book.get_sheet_by_name(chosen(wanted, known, known, "sheet", file)))
    filled = {name: rows for name in known if (rows := _rows(book.get_sheet_by_name(name)))}
    return filled[chosen(None, known, list(filled), "sheet", file)]


def _rows(sheet: CalamineSheet) -> list[Sequence[object]]:
    return [row for row in sheet.to_python(skip_empty_area=False) if row.count("") < len(row)]


def _table(rows: list[Sequence[object]], file: str, no_header: bool) -> pa.Table:
    """Return the rows as a table, without columns and rows in which nothing stands but blanks."""
    header = [] if no_header else [_title(cell) for cell in rows.pop(0)]
    columns = [_column(cells, place) for place, cells in enumerate(zip(*rows, strict=True), 1)]
    while columns and columns[-1].null_count == len(rows) and not (header and header[len(columns) - 1]):
        columns.pop()
    if not columns:
        raise InputError("holds a header but no rows", file=file, remedy="Check that it was saved completely.")
    names = header[: len(columns)] or [f"column {place}" for place in range(1, len(columns) + 1)]
    if "" in names:
        raise InputError(
            f"column {names.index('') + 1} has no name in the first row",
            file=file,
            line=1,
            remedy="Header cells may be merged: give every column its own name, or use --no-header.",
        )
    filled = np.logical_or.reduce([column.is_valid().to_numpy(zero_copy_only=False) for column in columns])
    return pa.table(columns, names).filter(pa.array(filled))


def _title(cell: object) -> str:
    return f"{cell:g}" if isinstance(cell, float) else str(cell).strip()


def _column(cells: Sequence[object], place: int) -> pa.Array:
    """Return the cells of a column, whole numbers as such; blanks around texts do not count."""
    kinds = {*map(type, cells)}
    if bool in kinds and len(kinds) > 1:  # True is equal to 1
        cells = [str(cell) if isinstance(cell, bool) else cell for cell in cells]
    numbers: dict[Any, int] = {cell: number for number, cell in enumerate(dict.fromkeys(cells))}
    values: list[Any] = [cell.strip() or None if isinstance(cell, str) else cell for cell in numbers]
    floats = [value for value in values if isinstance(value, float)]
    mixed = any(not isinstance(value, float | None) for value in values)
    if mixed or all(value.is_integer() and abs(value) < 2**53 for value in floats):
        values = [int(value) if isinstance(value, float) and value.is_integer() else value for value in values]
    codes = np.fromiter(map(numbers.__getitem__, cells), np.int32, len(cells))
    return array_of(values, f"column {place}").take(pa.array(codes))
