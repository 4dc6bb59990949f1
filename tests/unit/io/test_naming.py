"""Names for codes: items are renamed after a column of the data while they are read."""

import warnings

import pandas as pd
import pytest

import covey
from covey.errors import InputError, NamedItems, ParameterError
from readers import saved

SALES = pd.DataFrame(
    {
        "order": [1, 1, 2, 2, 3, 3],
        "item": ["22", "15", "22", "22", "31", "15"],
        "what": ["MUG", "HIV TEST", "MUG ", "mug?", None, "HIV TEST"],
    }
)
NAMES = {"22": "MUG", "15": "HIV TEST", "31": "JAR"}


def read(source=SALES, **how):
    """What is read, and the warnings about names."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = covey.read(source, row_is_person=True, **how)
    return made, [one.message for one in told if isinstance(one.message, NamedItems)]


def named(names, **how):
    """What is read where the items have these names."""
    return read(SALES.assign(what=SALES.item.map(names)), name="what", item="item", **how)


@pytest.mark.parametrize("how", ["csv", "parquet", "pandas"])
def test_takes_the_most_common_name_of_each_code(how, tmp_path):
    made, [told] = read(saved(SALES, tmp_path, how), name="what", transaction="order", item="item")
    assert made.items == ("31", "HIV TEST", "MUG")
    assert made.basket(0) == ["HIV TEST", "MUG"]
    assert (told.items, told.lacking, told.several) == (3, ("31",), 1)
    assert str(told) == (
        "1 of 3 items has no name and keeps its code, such as '31'. "
        "1 code with several names; items are called by the most common one, and --sensitive finds them by each."
    )


def test_named_items_equal_items_with_these_labels():
    frame = SALES.assign(item=SALES.item.map(NAMES)).drop(columns="what")
    made, told = named(NAMES, sensitive="HIV TEST")
    assert made == read(frame, sensitive="HIV TEST")[0]
    assert told == []


def test_persons_stay_who_they_are():
    sales = SALES.assign(who=["ann", "ann", "bob", "bob", "ann", "ann"], what=SALES.item.map(NAMES))
    visits, plain = covey.read(sales, person="who", name="what"), covey.read(sales, person="who")
    assert visits.person.tolist() == plain.person.tolist()
    assert visits.names.tolist() == plain.names.tolist()


def test_items_with_one_name_stay_apart_and_are_sensitive_together():
    names = {"22": "Test", "15": "test ", "31": "JAR"}
    made, [told] = named(names)
    assert made.items == ("JAR", "Test (22)", "test (15)")
    assert set(told.shared) == {"Test (22)", "test (15)"}
    assert named(names, sensitive="Test")[0].sensitive_items() == ["Test (22)", "test (15)"]
    assert named(names, sensitive="15")[0].sensitive_items() == ["test (15)"]


def test_everything_that_an_ambiguous_text_may_mean_is_sensitive():
    made, [_] = named({"22": "15", "15": "HIV TEST"}, sensitive="15")
    assert made.items == ("15 (22)", "31", "HIV TEST")
    assert made.sensitive_items() == ["15 (22)", "HIV TEST"]


def test_rejects_names_that_would_join_two_codes():
    with pytest.raises(InputError, match=r"the codes '15' and '31' would both be called 'a \(15\)'"):
        named({"22": "a", "15": "a", "31": "a (15)"})


@pytest.mark.parametrize("marked", ["15", "HIV TEST", "glob:*test*", "glob:1?", "re:^15$", ["15", "HIV TEST"]])
def test_sensitive_items_are_named_by_code_or_name(marked):
    assert named(NAMES, sensitive=marked)[0].sensitive_items() == ["HIV TEST"]


def test_a_taxonomy_of_codes_marks_but_does_not_generalize_named_items():
    tree = covey.Taxonomy.from_pairs([("22", "kitchen"), ("31", "kitchen"), ("15", "tests")])
    assert named(NAMES, sensitive="under:tests", taxonomy=tree)[0].sensitive_items() == ["HIV TEST"]
    with pytest.raises(InputError, match=r"3 of 3 items are not in the taxonomy.* A taxonomy of codes does not fit"):
        covey.anonymize(named(NAMES)[0], "km-anonymity(k=2,m=1)", "aa", taxonomy=tree)


@pytest.mark.parametrize(
    ("source", "column", "error"),
    [
        (SALES, "waht", r"there is no column 'waht'. Did you mean 'what'"),
        (SALES, "item", "the column holds the codes themselves"),
        (SALES.assign(lists=[["a"]] * 6), "lists", r"cannot be read as labels"),
        (SALES.assign(what=" "), "what", r"column 'what': the column is empty"),
    ],
)
def test_rejects_a_column_without_names(source, column, error):
    with pytest.raises(InputError, match=error):
        read(source, name=column, item="item")


def test_rejects_a_column_of_data_without_columns():
    with pytest.raises(ParameterError, match="Only tables have rows"):
        read([["22"]], name="what")


def test_commands_read_the_original_under_the_same_names(tmp_path, covey_cli):
    rows = [(i, code, f"thing {code}") for i in range(40) for code in ("10", "11", str(20 + i % 5))]
    rows += [(i, "99", "HIV TEST") for i in range(0, 40, 9)]
    data, out = tmp_path / "sales.csv", tmp_path / "out"
    frame = pd.DataFrame(rows, columns=["order", "sku", "label"])
    frame["label"] = frame["label"].where(frame["sku"] != "10", None)
    frame.to_csv(data, index=False)
    code, _, errors = covey_cli("prepare", data, "--name", "label", "-s", "99", "-o", tmp_path / "named.covey")
    assert code == 0, errors
    assert "1 of 8 items has no name and keeps its code, such as '10'" in " ".join(errors.split())
    named = tmp_path / "named.covey"
    code, _, errors = covey_cli("anonymize", named, "-o", out, "-g", "degree(p=4)")
    assert code == 0, errors
    release = covey.read_release(out)
    assert release.sensitive_items == ("HIV TEST",)
    assert release.transactions.items[:2] == ("10", "thing 11")
    assert covey_cli("verify", out)[0] == 0
    assert covey_cli("verify", out, "--original", named)[0] == 0
    assert covey_cli("verify", out, "--original", data, "-s", "99")[0] == 1
    code, text, errors = covey_cli("items", named, "--match", "thing 2")
    assert code == 0, errors
    assert "thing 24" in text
    assert covey_cli("prepare", data, "--name", "lable", "-o", tmp_path / "x.covey")[0] == 2


def test_names_items_of_records():
    people = {"who": ["ann", "bob", "cid"], "age": [30, 34, 35]}
    bought = {"who": ["bob", "bob", "ann"], "item": ["7", "8", "7"], "label": ["ale", "tea", "ale"]}
    read = covey.read_records(people, baskets=bought, person="who", item="item", sensitive="8", name="label")
    assert [read.baskets.basket(row) for row in range(3)] == [["ale"], ["ale", "tea"], []]
    assert (read.baskets.sensitive_items(), read.aliases) == (["tea"], {"7": ("ale",), "8": ("tea",)})
    with pytest.raises(ParameterError, match="a row per item"):
        covey.read_records({"age": [30, 34], "item": [["7"], ["8"]]}, name="age")


@pytest.mark.parametrize("marked", ["glob:*FIRST AID*", "FIRST AID", "22"])
def test_sensitive_finds_a_code_by_each_of_its_names(marked):
    sales = SALES.assign(item="22", what=["FIRST ADE", "FIRST AID", "FIRST ADE", *["FIRST ADE"] * 3])
    sales.loc[5, ["item", "what"]] = ["15", "MUG"]
    made, [told] = read(sales, name="what", item="item", sensitive=marked)
    assert (made.items, made.sensitive_items(), told.several) == (("FIRST ADE", "MUG"), ["FIRST ADE"], 1)
