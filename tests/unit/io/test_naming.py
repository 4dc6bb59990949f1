"""Names for codes: items are renamed while they are read, from a file, a mapping or a column of the export."""

import warnings

import pandas as pd
import pytest

import covey
from covey.errors import InputError, NamedItems, ParameterError

SALES = pd.DataFrame(
    {
        "order": [1, 1, 2, 2, 3, 3],
        "item": ["22", "15", "22", "22", "31", "15"],
        "what": ["MUG", "HIV TEST", "MUG ", "mug?", None, "HIV TEST"],
    }
)
NAMES = {"22": "MUG", "15": "HIV TEST", "31": "JAR"}


def read(source=SALES, **how):
    """What is read, and what was told about names."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = covey.read(source, row_is_person=True, **how)
    return made, [one.message for one in told if isinstance(one.message, NamedItems)]


@pytest.mark.parametrize("head", ["", "code,name\n"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_file_gives_names_with_or_without_a_header(head, mark, tmp_path):
    text = head + '22,"MUG, white"\n 15 ,HIV TEST\n31,JAR\n99,not sold\n'
    path = tmp_path / "names.csv"
    path.write_text(text.replace(",", mark).replace(f"{mark} white", ", white"))
    made, told = read(names=path)
    assert made.items == ("HIV TEST", "JAR", "MUG, white")
    assert made.basket(0) == ["HIV TEST", "MUG, white"]
    assert told == []


def test_a_release_of_named_items_is_one_of_items_called_so():
    frame = SALES.assign(item=SALES.item.map(NAMES))
    assert read(names=NAMES, sensitive="HIV TEST")[0] == read(frame, sensitive="HIV TEST")[0]
    lists = [["22", "15"], ["22"]]
    assert read(lists, names=NAMES)[0].items == ("HIV TEST", "MUG")


def test_persons_stay_who_they_are():
    sales = SALES.assign(who=["ann", "ann", "bob", "bob", "ann", "ann"])
    visits, plain = covey.read(sales, person="who", names=NAMES), covey.read(sales, person="who")
    assert visits.person.tolist() == plain.person.tolist()
    assert visits.names.tolist() == plain.names.tolist()


@pytest.mark.parametrize("how", ["csv", "parquet", "pandas"])
def test_a_column_gives_names_the_commonest_of_several(how, tmp_path):
    source = SALES
    if how != "pandas":
        source = tmp_path / f"sales.{how}"
        SALES.to_csv(source, index=False) if how == "csv" else SALES.to_parquet(source)
    made, [told] = read(source, names_column="what", transaction="order", item="item")
    assert made.items == ("31", "HIV TEST", "MUG")
    assert (told.items, told.lacking, told.several) == (3, ("31",), 1)
    assert str(told) == (
        "1 of 3 items has no name and keeps its code, such as '31'. "
        "1 code with several names; the most common one is used."
    )


def test_codes_that_are_numbers_have_names_too():
    made, _ = read(SALES.assign(item=SALES.item.astype(int)), names_column="what")
    assert made.items == ("31", "HIV TEST", "MUG")


def test_items_with_one_name_stay_two_and_are_sensitive_together():
    names = {"22": "Test", "15": "test ", "31": "JAR"}
    made, [told] = read(names=names)
    assert made.items == ("JAR", "Test (22)", "test (15)")
    assert set(told.shared) == {"Test (22)", "test (15)"}
    assert read(names=names, sensitive="Test")[0].sensitive_items() == ["Test (22)", "test (15)"]
    assert read(names=names, sensitive="15")[0].sensitive_items() == ["test (15)"]


def test_a_name_that_is_a_code_is_told_apart_and_whatever_it_may_mean_is_sensitive():
    names = {"22": "15", "15": "HIV TEST"}
    made, [_] = read(names=names, sensitive="15")
    assert made.items == ("15 (22)", "31", "HIV TEST")
    assert made.sensitive_items() == ["15 (22)", "HIV TEST"]
    with pytest.raises(InputError, match=r"the codes '15' and '31' would both be called 'a \(15\)'"):
        read(names={"22": "a", "15": "a", "31": "a (15)"})


@pytest.mark.parametrize("named", ["15", "HIV TEST", "glob:*test*", "glob:1?", "re:^15$", ["15", "HIV TEST"]])
def test_sensitive_items_are_named_by_code_or_name(named):
    assert read(names=NAMES, sensitive=named)[0].sensitive_items() == ["HIV TEST"]


def test_nodes_of_a_taxonomy_of_codes_are_understood_and_generalizing_along_it_is_refused():
    tree = covey.Taxonomy.from_pairs([("22", "kitchen"), ("31", "kitchen"), ("15", "tests")])
    assert read(names=NAMES, sensitive="under:tests", taxonomy=tree)[0].sensitive_items() == ["HIV TEST"]
    with pytest.raises(InputError, match=r"3 of 3 items are not in the taxonomy.* A taxonomy of codes does not fit"):
        covey.anonymize(read(names=NAMES)[0], "km-anonymity(k=2,m=1)", "aa", taxonomy=tree)


def test_quantities_are_of_named_items():
    made, _ = read(SALES.assign(qty=[1, 2, 1, 2, 1, 1]), names=NAMES, quantity="qty", sensitive="15")
    assert made.items == ("HIV TEST", "JAR×1", "MUG×1", "MUG×2-5")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("22,MUG,white\n", r"names.csv, line 1: 3 cells instead of a code and a name"),
        ("22\n", r"names.csv, line 1: 1 cell instead of a code and a name"),
        ("code,name\n22,MUG\n22,CUP\n", r"names.csv, line 3: the code '22' is called 'CUP' here and 'MUG' before"),
        ("22,MUG\n,CUP\n", r"names.csv, line 2: the name 'CUP' has no code"),
        ("98,MUG\n99,CUP\n", r"no item of the data has a name here; items are, for example, '15', '22', '31'"),
        ("MUG,22\nJAR,31\n", r"The codes must come first, then the names"),
        ("", r"names.csv"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_place(text, said, tmp_path):
    path = tmp_path / "names.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read(names=path)


def test_what_is_wrong_with_a_column_is_told():
    with pytest.raises(InputError, match=r"there is no column 'waht'. Did you mean 'what'"):
        read(names_column="waht")
    with pytest.raises(InputError, match="the column holds the codes themselves"):
        read(names_column="item")
    with pytest.raises(InputError, match=r"column 'lists': the column holds no text"):
        read(SALES.assign(lists=[["a"]] * 6), names_column="lists", item="item")
    with pytest.raises(ParameterError, match="a file or from a column, not from both"):
        read(names=NAMES, names_column="what")
    with pytest.raises(ParameterError, match="Only tables have rows"):
        read([["22"]], names_column="what")
    with pytest.raises(ParameterError, match="a file or a mapping"):
        read(names=["MUG"])


def test_a_command_names_items_and_another_verifies_with_the_same_names(tmp_path, covey_cli):
    rows = [(i, code, f"thing {code}") for i in range(40) for code in ("10", "11", str(20 + i % 5))]
    rows += [(i, "99", "HIV TEST") for i in range(0, 40, 9)]
    data, names = tmp_path / "sales.csv", tmp_path / "names.csv"
    frame = pd.DataFrame(rows, columns=["order", "sku", "label"])
    frame.to_csv(data, index=False)
    frame[["sku", "label"]].drop_duplicates()[1:].to_csv(names, index=False)
    out, project = tmp_path / "out", tmp_path / "elsewhere" / "project.toml"
    project.parent.mkdir()
    how, promise = ["--names", names], ["-g", "degree(p=4)", "-s", "99"]
    code, _, errors = covey_cli("anonymize", data, "-o", out, *promise, *how, "--save-project", project)
    assert code == 0, errors
    assert "1 of 8 items has no name and keeps its code, such as '10'" in " ".join(errors.split())
    release = covey.read_release(out)
    assert release.sensitive_items == ("HIV TEST",)
    assert release.transactions.items[:2] == ("10", "thing 11")
    assert covey_cli("verify", out)[0] == 0
    assert covey_cli("verify", out, "--original", data, "-s", "99", *how)[0] == 0
    assert covey_cli("verify", out, "--original", data, "-s", "99")[0] == 1
    code, _, errors = covey_cli("anonymize", data, "-o", tmp_path / "again", "--project", project)
    assert code == 0, errors
    assert covey.read_release(tmp_path / "again").transactions.items == release.transactions.items
    code, text, errors = covey_cli("items", data, "--names-column", "label", "--match", "thing 2")
    assert code == 0, errors
    assert "thing 24" in text
    assert covey_cli("items", data, "--names", tmp_path / "none.csv")[0] == 2
    assert covey_cli("items", data, "--names-column", "lable")[0] == 2


@pytest.mark.parametrize("said", [{"names_column": "label"}, {"names": {"7": "ale", "8": "tea"}}])
def test_items_of_records_get_names(said):
    people = {"who": ["ann", "bob", "cid"], "age": [30, 34, 35]}
    bought = {"who": ["bob", "bob", "ann"], "item": ["7", "8", "7"], "label": ["ale", "tea", "ale"]}
    read = covey.read_records(people, baskets=bought, person="who", item="item", sensitive="8", **said)
    assert [read.baskets.basket(row) for row in range(3)] == [["ale"], ["ale", "tea"], []]
    assert (read.baskets.sensitive_items(), read.aliases) == (["tea"], {"7": ("ale",), "8": ("tea",)})
    lists = {"age": [30, 34], "item": [["7"], ["8"]]}
    with pytest.raises(ParameterError, match="a row per item"):
        covey.read_records(lists, names_column="age")
    with pytest.raises(ParameterError, match="not from both"):
        covey.read_records(lists, names={"7": "ale"}, names_column="age")
