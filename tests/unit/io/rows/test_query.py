"""SQL over files as they are read: what it sees, what it gives, and what it must not do."""

import datetime

import pyarrow as pa
import pytest

import covey
from covey.errors import CleanedRows, ParameterError
from covey.io.preparing import run_query

SALES = (
    "order,who,item,Quantity,when\n"
    "9,007,wine,2,2011-12-09\n9,007,tea,-1,2011-12-09\n10,7,wine,12,2011-12-10\n10,7,NULL,1,2011-12-10\n"
)


@pytest.fixture
def sales(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text(SALES)
    return path


def test_filters_rows_and_keeps_leading_zeros(sales):
    with pytest.warns(CleanedRows, match="3 of 4 rows were left out: 3 not in the result of SELECT"):
        kept = covey.read(sales, query="SELECT * FROM data WHERE Quantity > 0 AND who = '007'", missing="keep")
    assert [kept.basket(0), kept.n] == [["wine"], 1]


@pytest.mark.filterwarnings("ignore::covey.errors.CoveyWarning")
def test_keeps_persons_apart_whose_numbers_are_equal(sales):
    query = "SELECT * FROM data WHERE item IS NOT NULL"
    assert covey.read(sales, query=query, person="who").persons == 2


def test_computes_classes_of_quantities(sales):
    query = "SELECT \"order\", CASE WHEN Quantity > 9 THEN item || ' (many)' ELSE item END AS item FROM data"
    made = covey.read(sales, query=query, missing="keep", row_is_person=True)
    assert made.items == ("(missing)", "tea", "wine", "wine (many)")


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1", "-20", "0"], [1, -20, 0]),
        (["1.50", "2"], [1.5, 2.0]),
        (["1.5", "1.50"], ["1.5", "1.50"]),
        (["007", "7"], ["007", "7"]),
        (["+7"], ["+7"]),
        (["1e999"], ["1e999"]),
        (["9" * 18, "9" * 19], [int("9" * 18) * 1.0, int("9" * 19) * 1.0]),
        (["2011-12-09"], [datetime.date(2011, 12, 9)]),
        (["2011-02-30"], ["2011-02-30"]),
        (["2011-12-09 08:30"], [datetime.datetime(2011, 12, 9, 8, 30)]),
        (["12/9/2011"], ["12/9/2011"]),
    ],
)
def test_types_text_only_where_no_two_texts_are_one_value(texts, values):
    kind = run_query("SELECT typeof(a) AS kind FROM data LIMIT 1", {"data": pa.table({"a": texts})})["kind"][0].as_py()
    named = {int: "BIGINT", float: "DOUBLE", str: "VARCHAR", datetime.date: "DATE", datetime.datetime: "TIMESTAMP"}
    assert kind == named[type(values[0])]


def test_gives_values_of_the_file_as_they_were_written():
    table = pa.table({"price": ["1.50", "3.00"], "when": ["2011-12-09", "2011-12-10"]})
    found = run_query('SELECT price, "when", price * 2 AS twice FROM data', {"data": table}).to_pydict()
    assert found == {"price": ["1.50", "3.00"], "when": ["2011-12-09", "2011-12-10"], "twice": [3.0, 6.0]}


def test_sorts_the_result_of_a_join():
    left = pa.table({"a": ["3", "1", "2"]})
    right = pa.table({"a": ["2", "3", "1"], "b": ["x", "y", "z"]})
    found = run_query("SELECT a, b FROM data JOIN more USING (a)", {"data": left, "more": right})
    assert found.to_pydict() == {"a": [1, 2, 3], "b": ["z", "x", "y"]}


def test_plain_makes_spellings_one():
    table = pa.table({"item": ["Wine ", "WINE", "wi\u200bne", None]})
    found = run_query("SELECT DISTINCT plain(item) AS item FROM data", {"data": table})
    assert found["item"].to_pylist() == ["wine", None]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT * FROM 'secret.csv'", "file system operations are disabled"),
        ("SELECT * FROM read_csv('secret.csv')", "file system operations are disabled"),
        ("SELECT * FROM read_text('secret.csv')", "file system operations are disabled"),
        ("SELECT * FROM read_parquet('https://example.org/x')", "disabled"),
        ("COPY data TO 'secret.csv'", "must be one SELECT"),
        ("ATTACH 'secret.db'", "must be one SELECT"),
        ("INSTALL httpfs", "must be one SELECT"),
        ("SET enable_external_access = true", "must be one SELECT"),
        ("SELECT 1; SELECT 2", "must be one SELECT"),
        ("", "must be one SELECT"),
        ("SELECT Menge FROM data", "'SELECT Menge FROM data' failed: Binder Error.*Menge"),
        ("SELECT FROM", "failed: Parser Error"),
        ("SELECT * FROM tabel", "Tables of the query: 'sales', 'data'"),
    ],
)
def test_refuses_what_is_no_query_of_the_data(query, told, sales, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.csv").write_text("a\n1\n")
    with pytest.raises(ParameterError, match=told):
        covey.read(sales, query=query)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sales.csv", "secret.csv"]
    assert (tmp_path / "secret.csv").read_text() == "a\n1\n"
