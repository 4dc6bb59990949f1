"""CSV files of tables: the same cells as a slow reader finds, in portions of any size, with lines in errors."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.errors import InputError
from covey.io.loading import open_rows
from covey.io.table import with_missing
from oracles.reading import read_records, write_cell

pytestmark = pytest.mark.kernel

CELLS = st.text(alphabet='ab",; \r\n\té1', max_size=5)


def columns_of(table):
    return {c.name: [c.values[code] for code in c.codes] for c in table.columns}


@pytest.fixture
def file(tmp_path):
    def make(content):
        path = tmp_path / "t.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8),
    st.sampled_from(",;\t|"),
    st.integers(1, 30),
    st.booleans(),
)
def test_cells_in_portions_of_any_size(rows, delimiter, chunk, quote):
    lines = [delimiter.join(["x", "y", "z"])]
    for row in rows:
        lines.append(delimiter.join(write_cell(cell, delimiter, quote or cell.strip() == "") for cell in row))
    text = "\n".join(lines)
    expected = [cells for _, cells in read_records(text, delimiter)[1:]]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(text.encode())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("covey.io.files.BLOCK", chunk)
            rows = open_rows(path, separator=delimiter)
            found = {name: with_missing(rows.cells(name, rows.columns([name])[0])) for name in ("x", "z")}
    for place, name in ((0, "x"), (2, "z")):
        codes, labels = found[name]
        assert [labels[code] for code in codes] == [cells[place].strip() for cells in expected]


def test_a_single_column(file):
    table = covey.read_table(file('\nage\n1\n\n""\n3\n\n'))
    assert columns_of(table) == {"age": ["1", "", "3"]}


def test_byte_order_mark_line_ends_and_encodings(file):
    expected = {"a": ["1"], "b": ["é"]}
    assert columns_of(covey.read_table(file(b"\xef\xbb\xbfa,b\r\n1,\xc3\xa9\r\n"))) == expected
    for encoding in ("latin-1", "utf-16", "utf-16-le", "cp037"):
        path = file("a,b\r\n1,é\r\n".encode(encoding))
        assert columns_of(covey.read_table(path, encoding=encoding)) == expected


def test_names_given_for_a_file_without_a_header(file):
    path = file("1,2\n3,4\n")
    assert columns_of(covey.read_table(path, columns=["a", "b"])) == {"a": ["1", "3"], "b": ["2", "4"]}
    with pytest.raises(InputError, match="2 cells in the first line, but 3 names are given"):
        covey.read_table(path, columns=["a", "b", "c"])
