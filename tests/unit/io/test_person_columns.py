"""The column that names the person, from every format, and what may be wrong with it."""

import numpy as np
import pandas as pd
import pytest

import covey
from covey.errors import CoveyWarning, InputError, NamelessRows, ParameterError, SpelledPersons
from readers import saved


def sales(invoices=30, people=7):
    return pd.DataFrame(
        [
            {
                "InvoiceNo": 500 + i,
                "StockCode": f"P{(7 * i + j) % 11}",
                "CustomerID": 17000 + i % people,
                "Land": "UK",
            }
            for i in range(invoices)
            for j in range(1 + i % 3)
        ]
    )


FORMS = ["csv", "csv.gz", "parquet", "pandas", "polars", "arrow"]


@pytest.mark.parametrize("how", FORMS)
def test_long_tables(how, tmp_path):
    frame = sales()
    data = covey.read(saved(frame, tmp_path, how), person="CustomerID")
    assert (data.n, data.persons) == (30, 7)
    whose = frame.drop_duplicates("InvoiceNo")["CustomerID"].tolist()
    assert data.person.tolist() == [whose.index(name) for name in whose]


@pytest.mark.parametrize("chunk", [1, 7, 64])
def test_transactions_in_pieces(chunk, tmp_path, monkeypatch):
    """A transaction may begin in one portion of the file and go on in another."""
    path = saved(sales().sample(frac=1, random_state=3), tmp_path, "csv")
    whole = covey.read(path, person="CustomerID")
    monkeypatch.setattr("covey.io.delimited._DUCKDB_COLUMNS", 0)
    monkeypatch.setattr("covey.io.delimited._CELLS", chunk)
    assert covey.read(path, person="CustomerID") == whole


@pytest.mark.parametrize("how", ["csv", "parquet", "pandas", "polars"])
@pytest.mark.parametrize("id_first", [True, False])
def test_wide_tables(how, id_first, tmp_path):
    frame = pd.DataFrame({"visit": ["v1", "v2", "v3"], "who": ["x", "y", "x"], "ale": [1, 0, 1], "tea": [0, 1, 1]})
    if not id_first:
        frame = frame.drop(columns="visit")
    data = covey.read(saved(frame, tmp_path, how), person="who")
    assert (data.items, data.person.tolist()) == (("ale", "tea"), [0, 1, 0])
    assert [data.basket(i) for i in range(3)] == [["ale"], ["tea"], ["ale", "tea"]]


@pytest.mark.parametrize("how", ["parquet", "pandas", "polars", "arrow"])
def test_lists(how, tmp_path):
    frame = pd.DataFrame({"who": ["x", "y", "x"], "items": [["ale"], ["tea"], ["ale", "tea"]]})
    data = covey.read(saved(frame, tmp_path, how), person="who")
    assert data.person.tolist() == [0, 1, 0]
    assert data.by_person().basket(0) == ["ale", "tea"]


@pytest.mark.parametrize("how", FORMS)
def test_missing_persons_are_refused_with_their_number_and_the_remedy(how, tmp_path):
    frame = sales()
    frame["CustomerID"] = frame["CustomerID"].where(frame["InvoiceNo"] >= 504, np.nan)
    source = saved(frame, tmp_path, how)
    with pytest.raises(InputError, match=r"4 of 30 transactions name no person.*--missing drop"):
        covey.read(source, person="CustomerID")
    with pytest.warns(NamelessRows, match=r"^4 of 30 transactions were left out: they name no person\.$"):
        dropped = covey.read(source, person="CustomerID", missing="drop")
    assert (dropped.n, dropped.persons) == (26, 7)
    alone = covey.read(source, person="CustomerID", missing="keep")
    assert (alone.n, alone.persons) == (30, 11)


def test_rows_of_a_table_without_a_person_are_counted():
    rows = {"who": ["x", "", "y", None, "x"], "age": [1, 2, 3, 4, 5]}
    with pytest.warns(NamelessRows, match="2 of 5 rows were left out") as told:
        assert covey.read_table(rows, person="who", missing="drop").n == 3
    assert told[0].message.to_dict() == {"column": "who", "rows": 5, "kept": 3}


def spelled(frame):
    """The same sales, whose customers are spelled in three ways."""
    ways = ("cust {}", "CUST {}", " Cust  {} ")
    names = [ways[order % 3].format(name) for order, name in zip(frame["InvoiceNo"], frame["CustomerID"], strict=True)]
    return frame.assign(CustomerID=names)


@pytest.mark.parametrize("how", FORMS)
def test_a_query_makes_spellings_of_a_person_one(how, tmp_path):
    source = saved(spelled(sales()), tmp_path, how)
    data = covey.read(source, person="CustomerID", query="SELECT * REPLACE (plain(CustomerID) AS CustomerID) FROM data")
    assert data.persons == covey.read(sales(), person="CustomerID").persons


@pytest.mark.parametrize("how", FORMS)
def test_without_it_there_is_a_warning(how, tmp_path):
    source = saved(spelled(sales()), tmp_path, how)
    with pytest.warns(SpelledPersons, match=r"14 names .* only in case or spaces.*--query") as told:
        assert covey.read(source, person="CustomerID").persons == 21
    assert len(told) == 1
    assert covey.read(source, person="CustomerID", unit="row").persons is None  # nobody is counted


def test_a_transaction_goes_on_in_another_spelling():
    frame = pd.DataFrame({"order": [1, 1, 2, 3], "item": list("abcd"), "who": ["ann", "Ann", "bob", "bob"]})
    with pytest.raises(InputError, match="continues as one of"):
        covey.read(frame, person="who")


def test_warns_of_spellings_of_persons_in_tables():
    rows = {"who": ["ann", "ANN", "bob", "b\u00adOB", "eve", "eve"], "age": [1, 2, 3, 4, 5, 6]}
    with pytest.warns(SpelledPersons, match="2 names"):
        assert covey.read_table(rows, person="who").persons == 5


@pytest.mark.parametrize(("how", "cleaned", "line"), [("csv", {}, 4), ("csv", {"missing": "drop"}, 4),
                                                      ("parquet", {}, None), ("pandas", {}, None)])  # fmt: skip
def test_a_transaction_of_two_persons_is_an_error_with_its_line_if_there_is_one(how, cleaned, line, tmp_path):
    frame = pd.DataFrame({"order": [1, 1, 1, 2], "item": list("abca"), "who": ["x", "x", "y", "y"]})
    with pytest.raises(InputError, match="'x' continues as one of 'y'") as found:
        covey.read(saved(frame, tmp_path, how), person="who", **cleaned)
    assert found.value.line == line


def test_a_constant_column_names_nobody(tmp_path):
    with pytest.raises(InputError, match="all 30 transactions belong to the same person"):
        covey.read(sales(), person="Land")


def test_a_column_that_is_new_in_every_row_is_told():
    with pytest.warns(CoveyWarning, match="changes nothing"):
        assert covey.read(sales(), person="InvoiceNo").persons == 30


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"person": "CustomerID", "row_is_person": True}, "not both"),
        ({"person": "CustomerID", "missing": "guess"}, "one of"),
        ({"person": "CustomerID", "unit": "household"}, "'person', 'row'"),
    ],
)
def test_options_that_do_not_fit(options, says):
    with pytest.raises(ParameterError, match=says):
        covey.read(sales(), **options)


@pytest.mark.parametrize("how", ["csv", "parquet", "pandas"])
def test_a_column_that_is_not_there(how, tmp_path):
    with pytest.raises(InputError, match="Did you mean 'CustomerID'"):
        covey.read(saved(sales(), tmp_path, how), person="CustomerIDs")


def test_lines_of_items_have_no_column_of_persons(tmp_path):
    (tmp_path / "x.dat").write_text("1 2\n3\n")
    with pytest.raises(ParameterError, match="has no columns"):
        covey.read(tmp_path / "x.dat", person="who")
    with pytest.raises(ParameterError, match=r"Baskets\.of"):
        covey.read([["a"]], person="who")


def test_what_only_dropped_transactions_hold_is_gone(tmp_path):
    (tmp_path / "x.csv").write_text("order,item,customer_id\n1,ale,a\n2,tea,\n3,ale,b\n4,ale,a\n")
    with pytest.warns(NamelessRows, match=r"^1 of 4 transactions were left out: it names no person\.$"):
        data = covey.read(tmp_path / "x.csv", person="customer_id", missing="drop")
    assert data.items == ("ale",)
