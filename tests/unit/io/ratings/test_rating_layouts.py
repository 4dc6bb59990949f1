"""Layouts of rating files that are easily taken for others: very wide ones, and those separated by ``::``."""

import pyarrow.csv as pacsv
import pytest

import covey
from covey.errors import InputError

pytestmark = pytest.mark.kernel


@pytest.fixture
def file(tmp_path):
    def make(text, name="r.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return make


@pytest.mark.parametrize("wide", [1000, 30_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_headers_of_any_length(file, wide):
    issues = [f"question {i}" for i in range(wide)]
    lines = [",".join(["user", *issues]), ",".join(["x", *["3"] * wide]), ",".join(["y", "5", *[""] * (wide - 1)])]
    ratings = covey.read_ratings(file("\n".join(lines) + "\n"))
    assert (ratings.n, ratings.d, ratings.entries) == (2, wide, wide + 1)
    assert ratings.record(1) == {"question 0": 5.0}


def test_two_colons(file):
    path = file("1::1193::5::978300760\r\n2 :: 661::3::978302109\r\n", "ratings.dat")
    ratings = covey.read_ratings(path)
    assert ratings.issues == ("1193", "661")
    assert ratings.record(1) == {"661": 3.0}
    assert covey.read_ratings(path, separator="::") == ratings
    assert covey.read_ratings(path, format="movielens") == ratings


def test_two_colons_with_a_header(file):
    text = "user::item::rating\nx::a::3\n"
    assert covey.read_ratings(file(text), format="csv-long").record(0) == {"a": 3.0}
    with pytest.raises(InputError, match="line 1: 'rating' is not a rating"):
        covey.read_ratings(file(text))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("1::2::3::4\n1:x:2::3::4\n", 2),  # as many colons as in the first line, but one where nothing may stand
        ("1::2::3\n1::a:b::3\n", 2),
        ("1::a:b::3\n1::2::3\n", 1),
        ("1::2::3\n1::2::3\n1:::2::3\n", 3),
    ],
)
def test_single_colons_among_two(file, text, line):
    with pytest.raises(InputError, match=rf"r\.csv, line {line}: a single ':' is in a cell"):
        covey.read_ratings(file(text))


@pytest.mark.parametrize("text", ["1_000", "٣", "inf", "-inf", "1e400", "nan", "0x1"])
def test_what_is_no_rating(file, text):
    with pytest.raises(InputError, match=r"r\.csv, line 2: .* is not a rating"):
        covey.read_ratings(file(f"user,item,rating\nx,a,{text}\n"), scale="1:5")


@pytest.mark.parametrize("read", [lambda path: path, pacsv.read_csv], ids=["file", "frame"])
@pytest.mark.parametrize(
    "numbers",
    [list(range(1, 9)), list(range(1000, 1009)), [7 * i % 61 for i in range(60)]],
    ids=["few", "large", "any order"],
)
def test_numbers_of_respondents_are_no_issue(tmp_path, numbers, read):
    path = tmp_path / "r.csv"
    path.write_text("nr,a,b\n" + "".join(f"{n},{n % 5 + 1},{n % 3 + 1}\n" for n in numbers))
    source = read(path)
    with pytest.raises(InputError, match=r"'nr' has another number on every line.*--user 'nr'"):
        covey.read_ratings(source)
    named = covey.read_ratings(source, user="nr")
    assert (named.issues, named.n) == (("a", "b"), len(numbers))


def test_ratings_that_happen_to_differ_are_ratings(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("a,b\n" + "".join(f"{(7 * n) % 31},{n % 3}\n" for n in range(30)))
    assert covey.read_ratings(path, scale="0:100").d == 2
    path.write_text("a,b\n" + "".join(f"{n + 0.5},{n % 3}\n" for n in range(30)))
    assert covey.read_ratings(path, scale="0:100:0.5").d == 2
    path.write_text("name,a\nann,3\nbob,4\n")
    with pytest.raises(InputError, match=r"'ann' is not a rating.*--user 'name'"):
        covey.read_ratings(path)
