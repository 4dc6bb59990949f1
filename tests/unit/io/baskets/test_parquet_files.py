"""Parquet files in every layout and type."""

import decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey import Baskets
from covey.errors import InputError
from covey.io import read

EXPECTED = Baskets.of([["1", "2"], ["3"]])


def in_portions(rows, source, **options):
    """Read so many rows at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("covey.io.rows.ROWS", rows)
        return read(source, **options)


@pytest.fixture
def stored(tmp_path):
    def make(columns, **options):
        pq.write_table(pa.table(columns), tmp_path / "a.parquet", **options)
        return tmp_path / "a.parquet"

    return make


@pytest.mark.parametrize(
    "items",
    [
        pa.array(["1", "2", "3"]),
        pa.array(["1", "2", "3"], pa.large_string()),
        pa.array(["1", "2", "3"]).dictionary_encode(),
        pa.array([b"1", b"2", b"3"]),
        pa.array([1, 2, 3], pa.uint8()),
        pa.array([1.0, 2.0, 3.0]),
        pa.array([1.0, 2.0, 3.0], pa.float32()),
        pa.array([decimal.Decimal(n) for n in (1, 2, 3)]),
    ],
)
def test_long_of_any_type(stored, items):
    path = stored({"when": [0, 0, 0], "tid": [7, 7, 5], "item": items})
    assert read(path) == EXPECTED
    assert in_portions(1, path) == EXPECTED


@pytest.mark.parametrize("kind", [pa.list_, pa.large_list, lambda t: pa.list_(t, 2), pa.list_view])
def test_lists_of_any_type(stored, kind):
    table = {"n": [5, 5], "items": pa.array([[1, 2], [3, 3]], kind(pa.int64()))}
    try:
        path = stored(table)
    except pa.ArrowNotImplementedError:
        schema = pa.schema([("n", pa.int64()), ("items", kind(pa.int64()))])
        batch = pa.record_batch(table, schema=schema)
        assert read(batch) == EXPECTED
        return
    assert read(path) == EXPECTED
    assert in_portions(1, path) == EXPECTED


def test_lists_by_a_transaction_that_is_asked_for_are_merged(stored):
    path = stored({"user": ["x", "y", "x", "z"], "bought": [["a"], ["b"], ["c", "a"], []]})
    assert read(path).n == 4
    assert read(path, transaction="user") == Baskets.of([["a", "c"], ["b"], []])


def test_one_of_several_list_columns(stored):
    path = stored({"other": [["x"], ["y"]], "items": [["a"], ["b"]]})
    assert read(path).items == ("a", "b")
    assert read(path, item="other").items == ("x", "y")


def test_wide(stored):
    path = stored({"id": [1, 2, 3], "a": [True, False, False], "b": [True, True, False]})
    assert read(path) == Baskets.of([["a", "b"], ["b"], []])
    path = stored({"a": [0, 1], "b": [1, 1], "c": [0.0, 1.0]})
    assert read(path) == Baskets.of([["b"], ["a", "b", "c"]])
    with pytest.raises(InputError, match=r"column 'b': '2' is not 0, 1, true, false or empty in row 2"):
        read(stored({"a": [0, 1], "b": [1, 2], "c": [0, 1]}))
    with pytest.raises(InputError, match=r"the id '7' of row 1 occurs again in row 3"):
        in_portions(2, stored({"id": [7, 8, 7], "a": [True] * 3, "b": [True] * 3}))


def fails(path, **options):
    with pytest.raises(InputError) as caught:
        read(path, **options)
    assert caught.value.file == str(path)
    return caught.value


def test_missing_values_tell_the_row(stored):
    assert "in row 3" in str(fails(stored({"tid": [1, 2, None], "item": ["a", "c", "b"]})))
    assert "an item is missing or empty in row 3" in str(fails(stored({"items": [["a", "b"], [], ["a", None]]})))
    assert "the cell is empty in row 2" in str(fails(stored({"tid": [1, 2], "item": ["a", ""]})))
    path = stored({"tid": range(200), "item": ["a"] * 150 + [None] * 50})
    with pytest.raises(InputError, match="in row 151"):
        in_portions(64, path)


def test_no_rows_no_columns_no_clue(stored):
    assert "the table has no rows" in str(fails(stored({"tid": pa.array([], pa.int64()), "item": [""][:0]})))
    error = fails(stored({"a": ["x"], "b": ["y"], "c": ["z"]}))
    assert "The columns are 'a', 'b', 'c'" in str(error)
    error = fails(stored({"order": ["x"], "prodct": ["y"]}), item="product")
    assert "Did you mean 'prodct'?" in str(error)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.text(alphabet="abé", min_size=1, max_size=2)), min_size=1),
    st.integers(1, 7),
)
def test_any_portions(pairs, size):
    table = pa.table({"tid": [t for t, _ in pairs], "item": [i for _, i in pairs]})
    rows = {}
    for tid, item in pairs:
        rows.setdefault(tid, []).append(item)
    assert in_portions(size, table) == Baskets.of(rows.values())


def test_progress(stored):
    seen = []
    path = stored({"tid": range(100), "item": ["a"] * 100})
    in_portions(10, path, progress=lambda stage, done: seen.append(done))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
