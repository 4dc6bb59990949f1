"""The quick way through text of short tokens reads what the slow one reads, and leaves what is special to it."""

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from covey.data import Baskets
from covey.errors import InputError
from covey.io import read
from covey.io.baskets.csv import read_long
from covey.io.baskets.recognition import Recognised

COLUMNS = ("other", "row", "item")
KNOWN = Recognised(
    format="csv-long", layout="long", compression=None, columns=COLUMNS, transaction="row", item="item", person=None,
    delimiter=";", header=False,
)  # fmt: skip
LINES = "".join(f"{row} {row + 1}\n" for row in range(200))

short = st.text("ab1é", min_size=1, max_size=4)
cells = st.one_of(short, st.sampled_from(["1234567", "12345678", "123456789", " x ", "a b", 'say "a"', "a;b"]))


@given(
    st.lists(st.tuples(st.one_of(st.just(""), cells), cells, cells), min_size=1, max_size=12),
    st.sampled_from(["\n", "\r\n"]), st.integers(1, 60),
)  # fmt: skip
@example([("", "1", "12345678"), ("x", "1", "1234567")], "\r\n", 60)
def test_columns_of_any_cells(tmp_path_factory, rows, end, chunk):
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator=end).writerows(rows)
    path = tmp_path_factory.mktemp("cells") / "data.csv"
    path.write_bytes(text.getvalue().encode())
    bought = {}
    for _, row, item in rows:
        bought.setdefault(row.strip(), []).append(item.strip())
    assert read_long(path, "data.csv", KNOWN, chunk=chunk) == Baskets.of(list(bought.values()))


@pytest.mark.parametrize(
    ("name", "text", "line", "problem"),
    [
        ("data.dat", LINES + "3 4\r5\n", 201, "carriage return"),
        ("data.dat", LINES + "3 \xff\n" + LINES, 201, "not valid utf-8"),
        ("data.csv", "row,item\n" + LINES.replace(" ", ",") + "3,4,\n", 202, "3 cells"),
        ("data.csv", "row,item\n" + LINES.replace(" ", ",") + "3,\n" + LINES.replace(" ", ","), 202, "empty"),
        ("data.csv", "row,item\n" + LINES.replace(" ", ",") + "3,\xff\n", 202, "not valid utf-8"),
        ("data.csv", "row,item\n" + LINES.replace(" ", ",") + '3,"4"5\n', 202, "quote"),
    ],
)
def test_what_is_wrong_behind_short_tokens_has_its_line(tmp_path, name, text, line, problem):
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=problem) as wrong:
        read(path)
    assert wrong.value.line == line
