"""CSV files, long and wide, in any chunks, with quotes and line feeds anywhere."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from covey import Baskets
from covey.errors import InputError
from covey.io.baskets import read
from oracles.reading import read_long as slow_long
from oracles.reading import read_wide as slow_wide
from oracles.reading import write_cell

pytestmark = pytest.mark.kernel

LABELS = st.text(alphabet='ab",; \n\té', min_size=1, max_size=6)


def with_file(content, function):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return function(path)


@given(
    st.lists(st.tuples(st.sampled_from(["1", "b\n1", '"']), LABELS, st.booleans()), min_size=1, max_size=12),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(1, 20),
)
def test_long_in_any_chunks(rows, delimiter, end, chunk):
    lines = [delimiter.join(["x", "transaction", "item"])]
    for tid, label, quote in rows:
        cells = [write_cell(cell, delimiter, quote) for cell in ("?", tid, label)]
        lines.append(delimiter.join(cells))
    text = end.join(lines) + (end if chunk % 2 else "")
    expected = Baskets.of(slow_long(text, delimiter, "transaction", "item"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("covey.io.files.BLOCK", chunk)
        assert with_file(text, lambda path: read(path, separator=delimiter)) == expected
        patch.setattr("covey.io.delimited._DUCKDB_COLUMNS", 0)
        assert with_file(text, lambda path: read(path, separator=delimiter)) == expected


@given(
    st.lists(LABELS.map(str.strip), min_size=2, max_size=4, unique=True),
    st.lists(st.lists(st.sampled_from(["0", "1", "", "true", "False"]), min_size=4, max_size=4), min_size=1),
    st.booleans(),
    st.integers(1, 20),
)
def test_wide_in_any_chunks(labels, cells, numbered, chunk):
    assume("" not in labels)
    rows = [row[: len(labels)] for row in cells]
    lines = [[write_cell(label, ",", False) for label in labels], *rows]
    if numbered:
        lines = [["tid", *lines[0]], *([f"n{i}", *row] for i, row in enumerate(rows))]
    text = "\n".join(",".join(line) for line in lines)
    items, expected = slow_wide(text, ",", "tid" if numbered else None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("covey.io.files.BLOCK", chunk)
        how = {"format": "csv-wide", "transaction": "tid" if numbered else None, "separator": ","}
        got = with_file(text, lambda path: read(path, **how))
    assert got.items == tuple(sorted(items))
    assert [got.basket(i) for i in range(got.n)] == [sorted(row) for row in expected]


def fails(content, **options):
    def attempt(path):
        with pytest.raises(InputError) as caught:
            read(path, **options)
        return caught.value

    return with_file(content, attempt)


def test_rows_of_one_transaction_need_not_follow_each_other():
    text = "order,product\n2,a\n1,b\n2,c\n2,a\n"
    baskets = with_file(text, read)
    assert [baskets.basket(i) for i in range(baskets.n)] == [["a", "c"], ["b"]]


def test_too_many_cells_may_mean_a_basket_a_line():
    error = fails("tid,item\n1,milk, fresh\n")
    assert "3 cells instead of 2, in '1,milk,fresh'" in str(error)
    assert "--format fimi --separator ','" in str(error)


def test_a_basket_a_line_in_a_csv_file():
    error = fails("citrus fruit,margarine,soup\ntropical fruit\nwhole milk,soup\n")
    assert "--format fimi --separator ','" in error.remedy
    text = "citrus fruit,margarine\nsoup\n"
    assert with_file(text, lambda path: read(path, format="fimi", separator=",")).lengths().tolist() == [2, 1]


@pytest.mark.parametrize(
    ("rows", "place", "words"),
    [
        ("7,1,0\n8,0,2\n", (3, "beer"), "'2' is not 0, 1, true, false or empty"),
        ("x,1,0\ny,0,0\nx,0,1\n", (4, "tid"), "the id 'x' of line 2 occurs again"),
        ("x,1,0\n,0,0\n", (3, "tid"), "the cell is empty"),
        ("", (None, None), "holds a header but no rows"),
    ],
)
def test_rejects_a_wide_file(rows, place, words):
    error = fails(f"tid,milk,beer\n{rows}", format="csv-wide")
    assert ((error.line, error.column), words in str(error)) == (place, True)


def test_wide_keeps_empty_transactions_and_items_never_bought():
    baskets = with_file(",milk,beer,wine\n0,1,,0\n1,0,0,0\n", read)
    assert baskets.items == ("beer", "milk", "wine")
    assert baskets.lengths().tolist() == [1, 0]


def test_header_only():
    for text in ("tid,item\n", "tid,item", "tid,milk,beer\n"):
        error = fails(text, transaction="tid", item="item" if "item" in text else "beer")
        assert "holds a header but no rows" in str(error)


def test_wide_with_a_column_twice_or_without_name():
    assert "2 columns are called 'milk'" in str(fails("tid,milk,milk\n1,0,1\n"))
    assert "column 3 has no name" in str(fails("tid,milk,\n1,0,1\n"))
