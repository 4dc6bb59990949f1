import gzip

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import covey
from covey.errors import InputError, ParameterError
from covey.io.ratings import read_ratings

EXPECTED = [{"a": 1, "c": 3}, {}, {"a": 2, "b": 2, "c": 5}]
LONG = "user,item,rating\nx,a,1\nx,c,3\ny,,\nz,a,2\nz,b,2\nz,c,5\n"
WIDE = "user,a,b,c\nx,1,,3\ny,,,\nz,2,2,5\n"


def records(data):
    return [data.record(row) for row in range(data.n)]


@pytest.fixture
def file(tmp_path):
    def write(text, name="ratings.csv"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return write


@pytest.mark.parametrize("text", [LONG, WIDE, LONG.replace(",", ";"), WIDE.replace(",", "\t")])
def test_long_and_wide_csv(file, text):
    data = read_ratings(file(text, "r.csv.gz"), sensitive="c")
    assert records(data) == EXPECTED
    assert data.users == ("x", "y", "z")
    assert data.scale.text == "1:5"
    assert data.sensitive_issues() == ["c"]


def test_wide_without_users(file):
    data = read_ratings(file("a,b\n1,\n,2\n"), scale="1:5")
    assert data.users == ("1", "2")
    assert records(data) == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize("between", ["\t", "::"])
def test_movielens(file, between):
    lines = [["196", "242", "3", "88"], ["186", "302", "3", "89"], ["196", "302", "5", "90"]]
    data = read_ratings(file("".join(between.join(line) + "\n" for line in lines), "u.data"))
    assert data.users == ("196", "186")
    assert records(data) == [{"242": 3, "302": 5}, {"302": 3}]


def test_frames_and_parquet_agree(file, tmp_path):
    wide = read_ratings(file(WIDE))
    frame = pd.read_csv(file(WIDE))
    assert read_ratings(frame) == wide
    assert read_ratings(pl.read_csv(file(WIDE))) == wide
    assert read_ratings(pa.Table.from_pandas(frame)) == wide
    long = frame.melt("user", var_name="item", value_name="rating").dropna()
    pq.write_table(pa.Table.from_pandas(long, preserve_index=False), tmp_path / "long.parquet")
    data = read_ratings(tmp_path / "long.parquet")
    assert {user: data.record(i) for i, user in enumerate(data.users)} == {"x": EXPECTED[0], "z": EXPECTED[2]}
    assert covey.read_ratings(wide, sensitive=["a"]).sensitive_issues() == ["a"]


def test_declared_scales_and_nulls(file):
    half = file("user,item,rating\nx,a,0.5\ny,a,4.5\n")
    with pytest.raises(ParameterError, match="must be declared"):
        read_ratings(half)
    assert records(read_ratings(half, scale="0.5:5:0.5")) == [{"a": 0.5}, {"a": 4.5}]
    jester = file("user,j1,j2\nx,-7.82,99\ny,8.79,-9.66\n", "jester.csv")
    assert records(read_ratings(jester, scale="-10:10:0.01", null="99")) == [{"j1": -7.82}, {"j1": 8.79, "j2": -9.66}]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("user,item,rating\nx,a,3\nx,b,nan\n", {}, r"line 3: 'nan' is not a rating"),
        ("user,item,rating\nx,a,good\n", {}, r"line 2: 'good' is not a rating"),
        ("user,item,rating\nx,a,3\ny,a,3\nx,a,4\n", {}, r"line 4: 'x' rates 'a' 4, but 3 in line 2"),
        ("user,item,rating\nx,,3\n", {}, r"line 2, column 'item': the cell is empty"),
        ("user,item,rating\n", {}, "header but no rows"),
        ("user,item,rating\nx,a,\n", {}, "there is no rating"),
        ("user,a\nx,1\ny,2\nx,3\n", {}, r"line 4, column 'user': the user 'x' of line 2 occurs again"),
        ("user,a\n,1\n", {}, r"line 2, column 'user': the cell is empty"),
        ("user,a\n", {}, "header but no rows"),
        ("user,a,a\nx,1,2\n", {}, r"two columns are called 'a'"),
        ("1,2,3,4,5\n1,2,3,4,5\n", {}, "cannot tell which columns"),
        ("user,item,rating\nx,a,3\n", {"sensitive": "b"}, "sensitive issue 'b' does not occur"),
        ("user,item,rating\nx,a,3\n", {"user": "who"}, "no column 'who'"),
        ("1::2\n", {"separator": "::"}, "cannot tell which columns"),
    ],
)
def test_bad_files_are_told_with_their_line(file, text, options, message):
    with pytest.raises(InputError, match=message):
        read_ratings(file(text), **options)


@pytest.mark.parametrize(
    ("ratings", "proposed"),
    [
        ([0.5, 3.5, 5], "Give --scale 0.5:5:0.5, or with the ends"),
        ([0, 3, 4], "Give --scale 0:4:1, or with the ends"),
        ([-9.85, 3.14, 9.97, 0.013], "with 4 different values.* Give --scale -10:10:continuous, or"),
    ],
)
def test_a_scale_that_has_to_be_declared_is_proposed(file, ratings, proposed):
    text = "user,item,rating\n" + "".join(f"{i},a,{rating}\n" for i, rating in enumerate(ratings))
    with pytest.raises(ParameterError, match=proposed):
        read_ratings(file(text))
    scale = proposed.split("--scale ")[1].split()[0].rstrip(",")
    assert len(read_ratings(file(text), scale=scale)) == len(ratings)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"user": ["x"], "item": ["a"], "rating": [None]}, "there is no rating"),
        ({"user": ["x"], "item": ["a"], "rating": [float("nan")]}, "'nan' is not a rating in row 1"),
        ({"user": ["x", None], "item": ["a", "b"], "rating": [1, 2]}, "column .user.: the cell is empty in row 2"),
        ({"user": ["x"], "item": ["a"], "rating": ["good"]}, "'good' is not a rating in row 1"),
        ({"user": ["x", "x"], "a": [1, 2]}, "of row 1 occurs again in row 2"),
        ({"user": [], "item": [], "rating": []}, "no rows"),
    ],
)
def test_bad_tables(frame, message):
    with pytest.raises(InputError, match=message):
        read_ratings(pa.table(frame))


def test_what_cannot_be_read():
    with pytest.raises(InputError, match="from int"):
        read_ratings(3)
    with pytest.raises(ParameterError, match="format"):
        read_ratings("x.csv", format="fimi")
    with pytest.raises(InputError, match="no such file"):
        read_ratings("/nowhere/x.csv")


def test_columns_can_be_named(file):
    text = "who,when,what,how much\nx,1,a,3\n"
    data = read_ratings(file(text), user="who", item="what", rating="how much")
    assert records(data) == [{"a": 3}]
