"""Other columns of a transaction that are carried along as items."""

import pandas as pd
import pytest

import covey
from covey.errors import CoveyWarning, InputError, ParameterError

SALES = pd.DataFrame(
    {
        "order": [1, 1, 2, 3],
        "code": [22, 31, 22, 31],
        "what": ["MUG", "JAR", "MUG", "JAR"],
        "who": ["ann", "ann", "bob", "ann"],
        "Country": ["UK", "UK", None, "UK"],
        "when": ["2011-12-09 08:26", "2011-12-09 08:26", "2011-12-31 10:00", "2012-01-02 09:00"],
    }
)


def rows(baskets):
    return [baskets.basket(row) for row in range(baskets.n)]


def test_carries_values_along_without_missing_ones():
    made = covey.read(SALES, item="code", keep="Country", row_is_person=True)
    assert rows(made) == [["22", "31", "Country=UK"], ["22"], ["31", "Country=UK"]]


@pytest.mark.parametrize(
    ("coarse", "items"),
    [
        (None, ["when=2011-12", "when=2012-01"]),
        ("quarter", ["when=2011-Q4", "when=2012-Q1"]),
        ("year", ["when=2011", "when=2012"]),
    ],
)
@pytest.mark.parametrize("kind", ["text", "time", "csv"])
@pytest.mark.filterwarnings("ignore::covey.errors.CoveyWarning")
def test_rounds_dates(coarse, items, kind, tmp_path):
    sales = SALES if kind != "time" else SALES.assign(when=pd.to_datetime(SALES["when"]))
    if kind == "csv":
        sales.to_csv(tmp_path / "sales.csv", index=False)
        sales = tmp_path / "sales.csv"
    made = covey.read(sales, item="code", keep=["when"], round_dates=coarse, row_is_person=True)
    assert [item for item in made.items if "=" in item] == items


def test_kept_items_have_no_code_and_persons_stay():
    made = covey.read(SALES, item="code", name="what", keep="Country", person="who", sensitive="Country=UK")
    assert made.items == ("Country=UK", "JAR", "MUG")
    assert (made.persons, made.sensitive_items()) == (2, ["Country=UK"])


def test_warns_of_a_column_that_finds_transactions():
    sales = pd.DataFrame({"order": range(9), "item": ["a", "b", "c"] * 3, "price": range(9)})
    with pytest.warns(CoveyWarning, match=r"'price' has 9 values in 9 transactions: whoever knows one finds"):
        covey.read(sales, keep="price", row_is_person=True)


@pytest.mark.parametrize(
    ("how", "error", "told"),
    [
        ({"keep": "Contry"}, InputError, "no column 'Contry'. Did you mean 'Country'"),
        ({"keep": "code"}, ParameterError, "'code' is used already"),
        ({"keep": "Country", "round_dates": "month"}, ParameterError, "no column of --keep has dates"),
        ({"keep": "when", "round_dates": "week"}, ParameterError, "round_dates"),
        ({"round_dates": "month"}, ParameterError, "about the columns of --keep"),
    ],
)
def test_refuses_what_does_not_fit(how, error, told):
    with pytest.raises(error, match=told):
        covey.read(SALES, item="code", row_is_person=True, **how)
