"""Records from two files joined by the person, and from one with a column of lists."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import covey
from covey.errors import SpelledPersons, UnmatchedPersons

PEOPLE = {"who": ["ann", "bob", "eve"], "age": [30, 34, 50], "city": ["Bonn", "Bonn", "Ulm"]}
BOUGHT = {"who": ["bob", "ann", "bob", "bob"], "product": ["ale", "ale", "tea", "ale"]}


def rows(records):
    age = records.attributes.column("age")
    return {
        age.values[age.codes[i]]: records.baskets.basket(i) for i in range(records.n)
    }  # fmt: skip


WANTED = {"30": ["ale"], "34": ["ale", "tea"], "50": []}


@pytest.fixture
def files(tmp_path):
    people, bought = tmp_path / "people.csv", tmp_path / "bought.csv"
    pd.DataFrame(PEOPLE).to_csv(people, index=False)
    pd.DataFrame(BOUGHT).to_csv(bought, index=False)
    return people, bought


def test_two_csv_files_are_joined_by_the_person(files):
    people, bought = files
    records = covey.read_records(people, baskets=bought, person="who")
    assert rows(records) == WANTED
    assert [column.name for column in records.attributes.columns] == ["age", "city"]


@pytest.mark.parametrize("library", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_two_frames_are_joined_by_the_person(library):
    records = covey.read_records(library(PEOPLE), baskets=library(BOUGHT), person="who", item="product")
    assert rows(records) == WANTED


def test_a_parquet_file_with_a_column_of_lists(tmp_path):
    whole = {**PEOPLE, "things": [["ale"], ["tea", "ale", "ale"], []]}
    pq.write_table(pa.table(whole), tmp_path / "people.parquet")
    records = covey.read_records(tmp_path / "people.parquet", item="things", person="who")
    assert rows(records) == WANTED
    assert [column.name for column in records.attributes.columns] == ["age", "city"]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_with_a_column_of_lists(library):
    whole = {"age": [30, 34, 50], "items": [["ale"], ["tea", "ale"], []]}
    assert rows(covey.read_records(library(whole))) == WANTED


def test_a_stream_of_arrow_is_read_once():
    table = pa.table({"age": [30, 34, 50], "items": [["ale"], ["tea", "ale"], []]})
    assert rows(covey.read_records(table.to_reader())) == WANTED


def test_roles_and_sensitive_columns_and_items(files):
    people, bought = files
    records = covey.read_records(people, baskets=bought, person="who", quasi="age", sensitive=["city", "tea"], other=[])
    assert [(column.name, column.role) for column in records.attributes.columns] == [
        ("age", "quasi"),
        ("city", "sensitive"),
    ]
    assert records.baskets.sensitive_items() == ["tea"]


def test_persons_without_attributes_are_counted(files):
    people, bought = files
    bought.write_text(bought.read_text() + "zoe,ale\nyan,rum\n")
    with pytest.raises(covey.InputError, match="2 of 4 persons with items have no attributes, 'zoe' first") as caught:
        covey.read_records(people, baskets=bought, person="who")
    assert "--unmatched drop" in str(caught.value)
    with pytest.warns(UnmatchedPersons, match=r"^2 of 4 persons with items were left out: they have no attributes\.$"):
        records = covey.read_records(people, baskets=bought, person="who", unmatched="drop")
    assert rows(records) == WANTED
    assert records.items == ("ale", "tea")


def test_files_that_do_not_join_at_all_are_refused(files):
    people, bought = files
    with pytest.raises(covey.InputError, match="none of the 1 persons with items has attributes"):
        covey.read_records(people, baskets={"who": ["7"], "item": ["ale"]}, person="who", unmatched="drop")
    with pytest.raises(covey.CoveyError, match="say which column names the person"):
        covey.read_records(people, baskets=bought)


@pytest.mark.parametrize(
    ("people", "bought", "said"),
    [
        (
            {"who": ["a", "a", "b"], "age": [1, 2, 3]},
            {"who": ["a"], "item": ["x"]},
            "1 person with several rows",
        ),
        ({"who": ["a", None], "age": [1, 2]}, {"who": ["a"], "item": ["x"]}, "1 of 2 rows name no person"),
        ({"who": ["a"], "age": [1]}, {"who": ["a", "a"], "item": ["x", None]}, "the cell is empty in row 2"),
        (
            {"who": ["a"], "age": [1]},
            {"who": ["a"], "k": ["x"], "l": ["y"]},
            "unclear which column holds the item",
        ),
    ],
)
def test_what_cannot_be_records_is_refused(people, bought, said):
    with pytest.raises(covey.InputError, match=said):
        covey.read_records(people, baskets=bought, person="who")


def test_a_name_that_is_a_column_and_an_item_cannot_be_marked():
    with pytest.raises(covey.InputError, match="'age' is a column and an item"):
        covey.read_records({"age": [1, 2], "items": [["age"], ["b"]]}, sensitive="age")


def test_options_tell_that_it_is_records(files):
    people, bought = files
    source = covey.Source.of(people, baskets=bought, person="who", quasi="age")
    assert source.known_kind == "records"
    assert covey.Source.of(people, quasi="age").known_kind == "table"
    assert source.read().n == 3


def test_persons_spelled_in_another_way_in_the_second_file():
    bought = {**BOUGHT, "who": ["Bob", "ann ", "bob", "BOB"]}
    with pytest.warns(SpelledPersons, match="2 names"), pytest.warns(UnmatchedPersons, match="2 of 4 persons"):
        left = covey.read_records(PEOPLE, baskets=bought, person="who", unmatched="drop")
    assert rows(left) == {"30": ["ale"], "34": ["tea"], "50": []}
