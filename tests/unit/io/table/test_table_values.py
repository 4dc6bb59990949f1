"""Values of every type in a table: the right text or number from every source, or an error that names the column."""

import datetime as dt
import decimal
import math
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import covey
from covey.errors import InputError, ParameterError


def from_parquet(folder, column):
    pq.write_table(pa.table({"x": column}), folder / "t.parquet")
    return covey.read_table(folder / "t.parquet")


def from_csv(folder, column):
    (folder / "t.csv").write_text("x,y\n" + "".join(f"{'' if v is None else v},0\n" for v in column))
    return covey.read_table(folder / "t.csv")


SOURCES = {
    "csv": from_csv,
    "parquet": from_parquet,
    "dict": lambda folder, column: covey.read_table({"x": column}),
    "pandas": lambda folder, column: covey.read_table(pd.DataFrame({"x": column})),
    "objects": lambda folder, column: covey.read_table(pd.DataFrame({"x": pd.Series(column, dtype=object)})),
    "polars": lambda folder, column: covey.read_table(pl.DataFrame({"x": column})),
    "arrow": lambda folder, column: covey.read_table(pa.table({"x": column})),
    "reader": lambda folder, column: covey.read_table(pa.table({"x": column}).to_reader()),
}


@pytest.fixture(params=SOURCES)
def read(request, tmp_path):
    return lambda column: SOURCES[request.param](tmp_path, column)


@pytest.mark.parametrize("column", [[1.5, math.inf], [-math.inf, 2.0, 3.0], [math.inf, math.inf], [math.inf, None]])
def test_infinite_numbers_are_refused(read, column):
    with pytest.raises(InputError, match=r"column 'x': the infinite number '-?inf' cannot be part of a range"):
        read(column)


def test_small_and_missing_numbers_are_kept(read):
    column = read([5e-324, 2.5, None, 1e-300]).column("x")
    assert column.values == ("5e-324", "1e-300", "2.5", "")
    assert column.codes.tolist() == [0, 2, 3, 1]


@pytest.mark.parametrize("column", [[1e300, 1.0], [float(2**60), 1.5]])
def test_numbers_too_large_for_ranges_are_refused(read, column):
    with pytest.raises(InputError, match="column 'x': numbers beyond 2\\^53 cannot be ranged exactly"):
        read(column)


@pytest.mark.parametrize("text", ["1e400", "-1e400", "9" * 400, "9007199254740995"])
def test_numbers_beyond_all_floats_in_text(tmp_path, text):
    with pytest.raises(InputError, match=r"t\.csv, column 'x': numbers beyond 2\^53"):
        from_csv(tmp_path, [text, "1"])
    assert covey.read_table(tmp_path / "t.csv", categorical="x").column("x").values == tuple(sorted((text, "1")))


MOMENT = dt.datetime(2020, 1, 2, 3, 4, 5, 600)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ([decimal.Decimal("1.10"), decimal.Decimal("-2.00"), None], ("-2", "1.1", "")),
        ([True, False, None], ("False", "True", "")),
        ([dt.date(2020, 1, 2), None], ("2020-01-02", "")),
        ([MOMENT, None], ("2020-01-02 03:04:05.000600", "")),
        ([dt.time(1, 2), None], ("01:02:00", "")),
        ([dt.timedelta(days=1), None], ("1 day, 0:00:00", "")),
        ([b"a", b"b ", None], ("a", "b", "")),
    ],
)
@pytest.mark.parametrize("source", [name for name in SOURCES if name != "csv"])
def test_scalars(tmp_path, source, column, values):
    if source == "pandas" and isinstance(column[0], dt.datetime | dt.timedelta):
        column = [*column[:-1], pd.NaT]
    read = SOURCES["objects" if source == "pandas" else source]
    assert read(tmp_path, column).column("x").values == values


def test_values_of_several_types_become_text():
    mixed = [1, "a", True, 2.5, None, uuid.UUID(int=7)]
    expected = ("00000000-0000-0000-0000-000000000007", "1", "2.5", "True", "a", "")
    assert covey.read_table({"x": mixed}).column("x").values == expected
    assert covey.read_table(pd.DataFrame({"x": mixed})).column("x").values == expected


@pytest.mark.parametrize("source", [name for name in SOURCES if name not in ("csv", "objects")])
@pytest.mark.parametrize("column", [[[1], [2, 3]], [{"a": 1}, {"a": 2}], [[[1]], [[2]]]])
def test_nested_values_are_refused_and_can_be_left_out(tmp_path, source, column):
    with pytest.raises(InputError) as caught:
        SOURCES[source](tmp_path, column)
    assert "column 'x': values of type" in str(caught.value)
    assert "leave the column out with --identifier 'x'" in str(caught.value)
    frame = pa.table({"x": column, "y": [1, 2]})
    assert repr(covey.read_table(frame, identifier="x")) == "Table(2 rows, quasi: y)"


@pytest.mark.parametrize(
    ("array", "values"),
    [
        (pa.array(["b", None, "a", "b"]).dictionary_encode(), ("a", "b", "")),
        (pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2]), pa.array(["a", None, "a"])), ("a", "")),
        (pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([2.0, 1.5])), ("1.5", "2")),
        (pa.array(["a", None], pa.string_view()), ("a", "")),
        (pa.array([b"a"], pa.binary_view()), ("a",)),
        (pa.array([b"abc"], pa.binary(3)), ("abc",)),
        (pa.array([decimal.Decimal("1.25")], pa.decimal256(50, 2)), ("1.25",)),
        (pa.array([decimal.Decimal("1.25")], pa.decimal128(5, 2)), ("1.25",)),
        (pa.array([np.float16(1.5)], pa.float16()), ("1.5",)),
        (pa.array([1, 1_500_000_000], pa.time64("ns")), ("00:00:00.000000001", "00:00:01.5")),
        (pa.array([None, None]), ("",)),
        (pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"]), ("a", "b")),
    ],
    ids=lambda value: str(value.type) if hasattr(value, "type") else "",
)
def test_types_of_arrow(array, values):
    assert covey.read_table(pa.table({"x": array})).column("x").values == values


@pytest.mark.parametrize(
    "array",
    [
        pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())),
        pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
        pa.array([2**55], pa.timestamp("s")),
        pa.array([1], pa.timestamp("ns", "Mars/Olympus")),
        pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([[1]])),
        pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]),
    ],
    ids=lambda array: str(array.type),
)
def test_types_of_arrow_that_are_no_cells(array):
    with pytest.raises(InputError, match=r"column 'x': values of type .* cannot be cells of a table"):
        covey.read_table(pa.table({"x": array}))


def test_frames_with_types_of_their_own():
    periods = pd.DataFrame({"x": pd.period_range("2020-01", periods=2, freq="M")})
    assert covey.read_table(periods).column("x").values == ("2020-01", "2020-02")
    ranges = pd.DataFrame({"x": pd.interval_range(0, 2)})
    assert covey.read_table(ranges).column("x").values == ("(0, 1]", "(1, 2]")
    cut = pd.DataFrame({"x": pd.cut(pd.Series([1, 2, 3]), [0, 1, 3])})
    assert covey.read_table(cut).column("x").values == ("(0, 1]", "(1, 3]")
    sparse = pd.DataFrame({"x": pd.arrays.SparseArray([0, 0, 3])})
    assert covey.read_table(sparse).column("x").values == ("0", "3")
    assert covey.read_table(pl.LazyFrame({"x": [2, 1]})).column("x").values == ("1", "2")
    objects = pl.DataFrame({"x": pl.Series([uuid.UUID(int=1)], dtype=pl.Object)})
    assert covey.read_table(objects).column("x").values == (str(uuid.UUID(int=1)),)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": [object()]}, "column 'x': row 1 holds a value of type object that cannot be turned into text"),
        ({"x": [1, {2}]}, "column 'x': row 2 holds a value of type set"),
        ({"x": [10**5000]}, "column 'x': row 1 holds a value of type int"),
        ({"x": [b"\xff", 1]}, "column 'x': row 1 holds a value of type bytes"),
        ({"x": 1}, "column 'x': int is not a column"),
        ({"x": "abc"}, "column 'x': str is not a column"),
        ({"x": [1], "y": [1, 2]}, "column 'y': 2 values, but 1 in column 'x'"),
        ({}, "no column is left as a quasi-identifier"),
        ({"x": []}, "the table has no rows"),
    ],
)
def test_what_is_no_column(columns, message):
    with pytest.raises(InputError, match=message):
        covey.read_table(columns)


def test_formats_that_are_none(tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\n")
    with pytest.raises(ParameterError, match="csv or parquet"):
        covey.read_table(tmp_path / "t.csv", format="fimi")
    with pytest.raises(ParameterError, match="one ASCII character"):
        covey.read_table(tmp_path / "t.csv", separator="ab")


def test_infinite_numbers_as_names(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\nInf,0\n7,0\n")
    assert covey.read_table(tmp_path / "t.csv", categorical="x").column("x").values == ("7", "Inf")
    assert covey.read_table(tmp_path / "t.csv", sensitive="x").column("x").values == ("7", "Inf")
    tree = {"x": {"Inf": "*", "7": "*"}}
    assert covey.read_table(tmp_path / "t.csv", hierarchies=tree).column("x").values == ("Inf", "7")
