"""Workbooks that ask for more memory than there is are refused by what they declare; odd but honest ones are read."""

import datetime

import pytest

import covey
from corpus.cases import BOOK
from corpus.making import row, with_rows, workbook
from corpus.reading import Read, Refused, outcome
from covey.errors import InputError
from covey.io.excel import read_excel
from covey.io.files import VARIABLE

HEADER = '<row r="1"><c r="A1" t="str"><v>order</v></c><c r="B1" t="str"><v>item</v></c></row>'
CELL = "<c><v>1</v></c>"


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([row(999_999_999, "A", "B")], "row 999,999,999, beyond the last row"),
        ([row(number, "A", "B", "XFD") for number in range(2, 20_002)], "spans up to"),
        ([f"<row>{CELL * 16_384}</row>", f"<row>{CELL}</row>" * 20_000], "spans up to"),
        ([row(2, "A", "B"), "<row r='1000000'><c r = 'AAA1000000'><v>1</v></c></row>"], "spans up to"),
        ([row(2, "A"), f'<row r="3"><c r="A3" t="str"><v>{"x" * (70 << 20)}</v></c></row>'], "longer than 64 MiB"),
        (["<row/>" * 14_000_000], "header but no rows"),
    ],
    ids=["row", "column XFD", "cells without references", "unusual references", "cell", "empty rows"],
)
def test_refuses_before_memory_grows(rows, words, tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(with_rows(BOOK, HEADER, *rows))
    found = outcome(path)  # which may allocate 300 MB
    assert isinstance(found, Refused), found
    assert words in found.message


def test_limit_on_cells_can_be_raised(tmp_path, monkeypatch):
    path = tmp_path / "a.xlsx"
    path.write_bytes(with_rows(BOOK, HEADER, row(2, "A", "B"), row(200_000, "A", "CC")))
    with pytest.raises(InputError, match=VARIABLE):
        read_excel(str(path), None)
    monkeypatch.setenv(VARIABLE, "1000")
    with pytest.raises(InputError, match="unpacks to more than 1,000 bytes"):
        read_excel(str(path), None)
    monkeypatch.setenv(VARIABLE, "1GB")
    assert read_excel(str(path), None, no_header=True).num_rows == 3


def test_reads_values_as_they_are_shown(tmp_path):
    path, when = tmp_path / "a.xlsx", datetime.datetime(2024, 2, 29, 8, 30)
    rows = [["n", "price", "text", "mixed", "day", "time", "flag"]]
    rows += [[1, 2.5, " a ", 7, when.date(), when, True], [], [2, 3, None, "x", None, None, False]]
    path.write_bytes(workbook({"sales": [*rows, [" "]]}))
    assert read_excel(str(path), None).to_pylist() == [
        {"n": 1, "price": 2.5, "text": "a", "mixed": "7", "day": when.date(), "time": when, "flag": True},
        {"n": 2, "price": 3.0, "text": None, "mixed": "x", "day": None, "time": None, "flag": False},
    ]


def test_reads_cells_without_references(tmp_path):
    path = tmp_path / "a.xlsx"
    text = '<c t="str"><v>{}</v></c>'
    rows = [f"<row>{text.format(one)}{text.format(other)}</row>" for one, other in (("order", "item"), ("1", "ale"))]
    path.write_bytes(with_rows(BOOK, *rows))
    assert outcome(path) == Read("{ale}")
    assert covey.read(path).n == 1
