"""Make the files of the corpus: workbooks, Parquet files, databases and archives, as bytes."""

from __future__ import annotations

import datetime
import decimal
import gzip
import io
import re
import sqlite3
import tempfile
import zipfile
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

DAY = datetime.date(2024, 2, 29)
PRICE = decimal.Decimal("2.50")
DICTIONARY = pa.array(["ale", "tea", "ale"]).dictionary_encode()
#: The part of a workbook that holds its first sheet.
SHEET = "xl/worksheets/sheet1.xml"


def workbook(sheets, change=None):
    """An Excel workbook; `change` gets the sheets before they are saved."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    if change is not None:
        change(book)
    held = io.BytesIO()
    book.save(held)
    return held.getvalue()


def changed_part(archive, part, change):
    """The same ZIP archive with the text of one of its parts changed, or without it if `change` is None."""
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as source, zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            if name != part:
                target.writestr(name, source.read(name))
            elif change is not None:
                target.writestr(name, change(source.read(name).decode()))
    return held.getvalue()


def with_rows(book, *rows):
    """The same workbook with other rows, each as XML, in its sheet."""
    found = f"<sheetData>{''.join(rows)}</sheetData>"
    return changed_part(book, SHEET, lambda text: re.sub(r"<sheetData>.*</sheetData>", found, text, flags=re.DOTALL))


def row(number, *columns):
    """The XML of a row with a 1 in each of the columns."""
    cells = "".join(f'<c r="{column}{number}"><v>1</v></c>' for column in columns)
    return f'<row r="{number}">{cells}</row>'


def archive(name, content):
    """A ZIP archive with one file."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as target:
        target.writestr(name, content)
    return held.getvalue()


def parquet(columns, types=None, names=None):
    """A Parquet file of columns, with the types and under the names that are given."""
    arrays = [pa.array(values, (types or {}).get(name)) for name, values in columns.items()]
    held = io.BytesIO()
    pq.write_table(pa.table(arrays, names or list(columns)), held)
    return held.getvalue()


def database(*statements):
    """An SQLite database after the statements."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shop.db"
        connection = sqlite3.connect(path)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()
        return path.read_bytes()


def packed(content):
    """The content behind gzip, the same bytes every time."""
    return gzip.compress(content, mtime=0)


def wide(columns, header=b"order", row=b""):
    """A CSV file with two rows and many columns of 0 and 1."""
    names = b",".join(b"item %d" % place for place in range(columns))
    rows = [b"%d%s%s" % (number, row, flags * (columns // 2)) for number, flags in ((1, b",1,0"), (2, b",0,1"))]
    return b"%s,%s\n%s\n" % (header, names, b"\n".join(rows))


def damaged(archive, part):
    """A ZIP archive with a flipped byte in the compressed bytes of a part."""
    with zipfile.ZipFile(io.BytesIO(archive)) as source:
        entry = source.getinfo(part)
    place = entry.header_offset + 30 + len(part) + entry.compress_size // 2
    return archive[:place] + bytes([archive[place] ^ 255]) + archive[place + 1 :]
