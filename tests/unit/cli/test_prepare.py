"""`covey prepare`: a file is read once, with all choices, into a dataset that every command takes."""

import json
import shlex

import pytest

import covey
from covey.errors import InputError
from covey.io.prepare import prepare
from raw_export import write_csv, write_excel

SALES = "order,who,item,shop\n1,ann,wine,A\n1,ann,HIV test,A\n2,bob,Wine,B\n3,ann,bread,B\n4,cid,hiv  Test,A\n"
QUERY = "SELECT * REPLACE (plain(Description) AS Description) FROM data WHERE Quantity > 0"
HOW = ["--query", QUERY, "--missing", "drop", "--item", "Description", "--person", "CustomerID"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sales.csv").write_text(SALES)
    return tmp_path


@pytest.mark.parametrize(("write", "name"), [(write_csv, "raw.csv"), (write_excel, "raw.xlsx")])
def test_two_commands_make_a_verified_release_of_a_raw_export(write, name, folder, covey_cli):
    """With returns, missing persons, case twins, several names per code, and text in Latin-1."""
    raw = write(folder / name)
    code, text, errors = covey_cli("prepare", raw, "--yes", "-s", "glob:*TEST*", "-o", "shop.covey")
    assert code == 0, errors
    assert "Columns: transaction InvoiceNo; item StockCode; name Description; person CustomerID." in text
    assert "Columns left out: Quantity, InvoiceDate, Country." in text
    assert "       12  HIV TEST KIT\n" in text
    assert "rows were left out" in text
    assert "name no person" in text
    assert "Crème brûlée" in covey.load("shop.covey").items
    code, text, errors = covey_cli("anonymize", "shop.covey", "-g", "degree(p=3)", "-o", "release")
    assert (code, "degree(p=3) holds." in text) == (0, True), errors
    assert covey_cli("verify", "release", "--original", "shop.covey")[0] == 0
    published = b"".join(path.read_bytes() for path in (folder / "release").iterdir())
    assert b"CustomerID" not in published


def test_proposes_how_to_read_a_raw_export(folder, covey_cli):
    write_csv(folder / "raw.csv")
    code, text, errors = covey_cli("prepare", "raw.csv", "-s", "glob:*TEST*")
    assert code == 2
    proposed = " ".join(text.split())
    assert "person CustomerID: 90 values in 400 transactions" in proposed
    assert "missing drop: of 1,208 rows, " in proposed
    assert "42 of 1,208 rows have a Quantity below 1, as returns do" in proposed
    assert "encoding cp1252: the text is not UTF-8" in proposed
    [command] = [line for line in text.splitlines() if line.startswith("covey prepare raw.csv ")]
    assert not (folder / "raw.covey").exists()
    code, _, errors = covey_cli(*shlex.split(command)[1:])
    assert code == 0, errors
    covey_cli("prepare", "raw.csv", "-s", "glob:*TEST*", "--yes", "-o", "yes.covey")
    one, other = covey.load("raw.covey"), covey.load("yes.covey")
    assert (one.sensitive_items(), one.n, one.persons) == (other.sensitive_items(), other.n, other.persons)


@pytest.mark.parametrize("how", [["raw.csv", "--kind", "baskets", "--encoding", "latin-1"], ["people.csv"]])
def test_proposes_nothing_for_other_files_or_with_options(how, folder, covey_cli):
    write_csv(folder / "raw.csv")
    rows = "".join(f"{i},{20 + i % 9},{'AB'[i % 2]}{i % 3},{'' if i % 4 else 'flu'}\n" for i in range(40))
    (folder / "people.csv").write_text("id,age,category,illness\n" + rows)
    _, text, _ = covey_cli("prepare", *how)
    assert "looks like a raw export" not in text


def test_a_person_column_that_is_not_clear_must_be_chosen(folder, covey_cli):
    lines = [f"{i},{c},10{c},{i % 30},card{i % 40}" for i in range(120) for c in (i % 7, 7 + i % 5)]
    (folder / "raw.csv").write_text("InvoiceNo,line,StockCode,CustomerID,loyalty_card_id\n" + "\n".join(lines) + "\n")
    code, _, errors = covey_cli("prepare", "raw.csv", "--yes")
    told = " ".join(errors.split())
    assert code == 2
    assert "all seem to name persons: CustomerID, loyalty_card_id." in told
    assert "--person COLUMN" in told
    assert not (folder / "raw.covey").exists()
    assert covey_cli("prepare", "raw.csv", "--person", "CustomerID")[0] == 0


def test_says_what_was_read_and_what_to_check(folder, covey_cli):
    code, text, errors = covey_cli("prepare", "sales.csv", "-s", "glob:*test*", "-o", "shop.covey")
    assert code == 0, errors
    assert text.splitlines() == [
        "shop.covey: baskets, 4 baskets, 5 different items, 5 items in all",
        "CSV, cells separated by commas: one row per transaction ('order') and item ('item').",
        "Columns: transaction order; item item.",
        "Columns left out: who, shop.",
        "Sensitive: 2 items:",
        "        1  HIV test",
        "        1  hiv  Test",
        "These look alike and count as different: 'HIV test', 'hiv  Test'; 'Wine', 'wine'.",
    ]


def test_warns_of_a_column_that_seems_to_name_persons(folder, covey_cli):
    how = ["--item", "StockCode", "--missing", "drop", "--encoding", "latin-1"]
    code, text, errors = covey_cli("prepare", write_csv(folder / "raw.csv"), *how, "--json")
    assert code == 0, errors
    assert "the column 'CustomerID' seems to name persons, 90 of them" in json.loads(text)["warned"][0]


def test_json_has_all_of_it(folder, covey_cli):
    code, text, _ = covey_cli("prepare", "sales.csv", "--person", "who", "-s", "bread", "--json")
    body = json.loads(text)
    assert (code, body["path"], body["kind"]) == (0, "sales.covey", "baskets")
    assert body["sizes"] == {"transactions": 4, "persons": 3, "items": 5, "entries": 5}
    assert (body["sensitive"], body["left_out"]) == ({"bread": 1}, ["shop"])


def test_keeps_choices_and_the_digest_of_the_file(folder):
    prepare(covey.Source.of("sales.csv", person="who", sensitive="glob:*test*"), "shop.covey")
    body = json.loads((folder / "shop.covey" / "dataset.json").read_text())
    wanted = {"kind": "baskets", "sensitive": ["glob:*test*"], "transaction": "order", "item": "item", "person": "who"}
    assert body["choices"] == wanted
    assert [(file["name"], file["bytes"], len(file["sha256"])) for file in body["files"]] == [("sales.csv", 95, 64)]


def test_joins_several_files(folder, covey_cli):
    (folder / "shops.csv").write_text("shop,town\nA,Ulm\nB,Kiel\n")
    query = "SELECT \"order\", item || ' in ' || town AS item FROM sales JOIN shops USING (shop)"
    code, _, errors = covey_cli("prepare", "sales.csv", "shops.csv", "--query", query, "-o", "shop.covey")
    assert code == 0, errors
    assert "wine in Ulm" in covey.load("shop.covey").items
    code, _, errors = covey_cli("prepare", "sales.csv", "shops.csv", "-o", "other.covey")
    assert (code, "read together by --query" in " ".join(errors.split())) == (2, True)


@pytest.mark.parametrize("kind", ["ratings", "table", "records"])
def test_prepares_every_kind(kind, folder, covey_cli):
    (folder / "people.csv").write_text(
        "who,age,illness\n" + "".join(f"p{i},{i % 5},{'ab'[i % 2]}\n" for i in range(20))
    )
    (folder / "bought.csv").write_text("who,item\n" + "".join(f"p{i},i{i % 3}\n" for i in range(20)))
    (folder / "survey.csv").write_text(
        "user,item,rating\n" + "".join(f"u{i},q{i % 3},{1 + i % 5}\n" for i in range(20))
    )
    how = {
        "ratings": ["survey.csv", "-s", "q1"],
        "table": ["people.csv", "--quasi", "age", "--identifier", "who", "-s", "illness"],
        "records": ["people.csv", "--baskets", "bought.csv", "--person", "who", "--quasi", "age", "-s", "illness,i1"],
    }[kind]
    code, text, errors = covey_cli("prepare", *how, "-o", "made.covey", "--json")
    assert code == 0, errors
    assert covey.load("made.covey").kind == json.loads(text)["kind"] == kind
    assert json.loads(text)["sensitive"]
    again = ["--baskets", "bought.csv"] if kind == "records" else []
    code, _, errors = covey_cli("prepare", how[0], *again, "--like", "made.covey", "-o", "again.covey")
    assert code == 0, errors
    one, other = (json.loads((folder / f"{name}.covey" / "dataset.json").read_text()) for name in ("made", "again"))
    assert one == other


def test_later_commands_do_not_repeat_what_was_left_out(folder, covey_cli):
    (folder / "gaps.csv").write_text(SALES + "5,eve,,A\n")
    _, text, _ = covey_cli("prepare", "gaps.csv", "--missing", "drop", "--kind", "baskets", "-o", "gaps.covey")
    assert "1 of 6 rows were left out: 1 without 'item'." in text
    code, text, errors = covey_cli("inspect", "gaps.covey")
    assert (code, "left out" in text + errors) == (0, False), errors


def test_like_repeats_choices_on_the_next_file(folder, covey_cli):
    covey_cli("prepare", "sales.csv", "--person", "who", "-s", "glob:*test*", "-o", "shop.covey")
    (folder / "next.csv").write_text("order,who,item,shop\n7,ann,wine,A\n7,ann,DNA test,A\n8,bob,bread,B\n")
    code, text, errors = covey_cli("prepare", "next.csv", "--like", "shop.covey", "-o", "next.covey", "--json")
    assert code == 0, errors
    assert covey.load("next.covey").sensitive_items() == ["DNA test"]
    assert covey.load("next.covey").persons == 2
    assert json.loads(text)["warned"][-1].startswith("1 of 3 items are not in shop.covey, such as 'DNA test'.")


def test_like_refuses_a_file_without_a_column(folder, covey_cli):
    covey_cli("prepare", "sales.csv", "--person", "who", "-s", "bread", "-o", "shop.covey")
    (folder / "next.csv").write_text("order,item\n7,wine\n8,bread\n")
    code, _, errors = covey_cli("prepare", "next.csv", "--like", "shop.covey", "-o", "next.covey")
    assert (code, "there is no column 'who'" in " ".join(errors.split())) == (2, True)
    assert not (folder / "next.covey").exists()


def test_options_go_before_the_choices_of_like(folder, covey_cli):
    covey_cli("prepare", "sales.csv", "--person", "who", "-s", "bread", "-o", "shop.covey")
    code, _, errors = covey_cli(
        "prepare", "sales.csv", "--like", "shop.covey", "-s", "glob:?ine", "--person", "shop", "-o", "b.covey"
    )
    assert code == 0, errors
    assert (covey.load("b.covey").sensitive_items(), covey.load("b.covey").persons) == (["Wine", "wine"], 2)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        (["sales.csv", "--item", "itme"], "there is no column 'itme'. Did you mean 'item'"),
        (["sales.csv", "-s", "glob:*nothing*"], "'glob:*nothing*' does not occur"),
        (["sales.csv", "-s", "glob:*"], "all items are sensitive"),
        (["sales.csv", "--query", "SELECT * FROM data WHERE shop = 'C'"], "none of 5 rows is left"),
        (["header.csv"], "no rows"),
        (["nowhere.csv"], "there is no such file"),
        (["sales.csv", "--like", "nowhere.covey"], "does not exist"),
        (["sales.csv", "-o", "/proc/shop.covey"], "cannot be written"),
        (["sales.csv", "-o", "taken.covey"], "exists already"),
    ],
)
def test_refuses_bad_input_and_leaves_nothing(how, told, folder, covey_cli):
    (folder / "header.csv").write_text("order,item\n")
    (folder / "taken.covey").mkdir()
    (folder / "taken.covey" / "mine.txt").write_text("mine")
    before = sorted(path.name for path in folder.iterdir())
    code, _, errors = covey_cli("prepare", *how)
    assert (code, told in " ".join(errors.split())) == (2, True), errors
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_choice_that_is_gone_is_named(folder):
    prepare(covey.Source.of("sales.csv", person="who"), "shop.covey")
    from covey.data.saved import Origin, save

    save(covey.load("shop.covey"), "old.covey", origin=Origin(choices={"kind": "baskets", "where": "n > 0"}))
    with pytest.raises(covey.CoveyError, match="There is no reading option 'where'"):
        prepare(covey.Source.of("sales.csv"), "new.covey", like="old.covey")
    with pytest.raises(InputError, match="is not a saved dataset"):
        prepare(covey.Source.of("sales.csv"), "new.covey", like="sales.csv")


def test_the_report_states_what_was_left_out(tmp_path, covey_cli):
    raw, out, page = write_csv(tmp_path / "raw.csv", "utf-8"), tmp_path / "release", tmp_path / "report.html"
    code, text, errors = covey_cli("prepare", raw, *HOW, "-o", tmp_path / "raw.covey", "--json")
    assert code == 0, errors
    dropped = json.loads(text)["dropped"]
    assert covey_cli("anonymize", tmp_path / "raw.covey", "-o", out, "-g", "k-anonymity(k=2)")[0] == 0
    assert covey_cli("report", out, "--original", tmp_path / "raw.covey", "-o", page)[0] == 0
    assert dropped
    assert all(one.partition(":")[0] in page.read_text() for one in dropped)


def test_what_a_newcomer_gets_wrong_is_said_with_what_to_do(tmp_path, covey_cli):
    raw = write_csv(tmp_path / "raw.csv", "utf-8")
    code, _, errors = covey_cli("prepare", raw, "--item", "Description")
    assert (code, "--missing drop" in errors) == (2, True)
    code, _, errors = covey_cli("prepare", raw, "--item", "StockCode", "-s", "HIV TEST KIT")
    assert code == 2
    assert "read from the column 'StockCode', and 'Description' holds 'HIV TEST KIT'" in errors
    code, _, errors = covey_cli("prepare", raw, "--item", "Description", "--missing", "drop", "-s", "HIV TEST KIT")
    assert (code, "--query" in errors) == (2, True)
    code, _, errors = covey_cli("prepare", raw, "--query", "SELECT * FROM data WHERE Menge > 0")
    assert (code, "Menge" in errors) == (2, True)
