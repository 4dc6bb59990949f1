"""Persons on the command line: named, asked for, and counted by every command."""

import json

import pytest

import covey

HEAD = "InvoiceNo,StockCode,CustomerID,Country\n"


@pytest.fixture
def sales(tmp_path):
    """36 invoices of 12 customers, one of whom buys a test every time."""
    lines = [
        f"{500 + i},{item},{17000 + i % 12},UK"
        for i in range(36)
        for item in [f"P{i % 5}", f"Q{i % 7}", *(["test"] if i % 12 == 0 else [])]
    ]
    path = tmp_path / "sales.csv"
    path.write_text(HEAD + "\n".join(lines) + "\n")
    return path


def test_nobody_can_overlook_that_persons_are_not_named(sales, tmp_path, covey_cli):
    for command in (
        ["inspect", sales],
        ["anonymize", sales, "-g", "degree(p=4)", "-s", "test", "-o", tmp_path / "r"],
    ):
        code, _, errors = covey_cli(*command)
        assert code == 0, errors
        said = " ".join(errors.split())
        assert "'CustomerID' seems to name persons, 12 of them" in said
        assert "--row-is-person" in said
        _, _, errors = covey_cli(*command, "--row-is-person", *(["--force"] if command[0] == "anonymize" else []))
        assert "seems to name" not in errors


def test_the_report_to_sign_says_it_too(sales, tmp_path, covey_cli):
    covey_cli("anonymize", sales, "-g", "degree(p=4)", "-s", "test", "-o", tmp_path / "r")
    for given, said in (([], True), (["--row-is-person"], False)):
        code, _, errors = covey_cli("report", tmp_path / "r", "--original", sales, *given, "-o", tmp_path / "r.html")
        assert code == 0, errors
        assert ("seems to name persons, 12 of them" in (tmp_path / "r.html").read_text()) == said


def test_json_says_it_too(sales, covey_cli):
    _, text, errors = covey_cli("inspect", sales, "--json")
    assert json.loads(text)["unnamed_persons"] == {
        "column": "CustomerID",
        "persons": 12,
        "rows": 36,
        "most": 3,
    }
    assert "seems to name persons" in errors


def test_the_path_with_persons(sales, tmp_path, covey_cli):
    out = tmp_path / "release"
    who = ["--person", "CustomerID"]
    code, text, errors = covey_cli("inspect", sales, *who)
    assert (code, "Chance of finding a person" in text) == (0, True), errors
    assert "of 12 persons" in text
    assert "seems to name" not in errors
    code, text, errors = covey_cli("anonymize", sales, *who, "-g", "degree(p=12)", "-s", "test", "-o", out, "--json")
    assert code == 0, errors
    assert json.loads(text)["counts"]["persons"] == 12
    assert covey_cli("verify", out)[0] == 0
    assert covey_cli("verify", out, "--original", sales, *who)[0] == 0
    code, _, errors = covey_cli("verify", out, "--original", sales, "--row-is-person")
    assert (code, "--person COLUMN" in " ".join(errors.split())) == (2, True)
    code, text, _ = covey_cli("query", out, "--sensitive", "test")
    assert "1 of 12 persons have test" in text
    for command in ("evaluate", "attack"):
        code, text, errors = covey_cli(command, out, "--original", sales, *who)
        assert (code, "person" in text) == (0, True), errors
    code, _, errors = covey_cli("report", out, "--original", sales, *who, "-o", tmp_path / "r.html")
    assert code == 0, errors
    assert "It counts persons" in (tmp_path / "r.html").read_text()


def test_infeasible_by_persons_says_what_would_help(sales, tmp_path, covey_cli):
    code, _, errors = covey_cli(
        "anonymize", sales, "--person", "CustomerID", "-g", "degree(p=13)", "-s", "test", "-o", tmp_path / "r"
    )
    said = " ".join(errors.split())
    assert code == 1
    assert "'test' is held by 1 of 12 persons" in said
    assert "largest feasible p is 12" in said


def test_check_counts_persons(sales, covey_cli):
    code, text, _ = covey_cli("check", sales, "-g", "k-anonymity(k=2)", "--person", "CustomerID")
    assert (code, "persons" in text) == (1, True)


def test_missing_persons(tmp_path, covey_cli):
    path = tmp_path / "gaps.csv"
    path.write_text(HEAD + "1,a,x,UK\n2,b,,UK\n3,a,y,UK\n4,a,x,UK\n")
    code, _, errors = covey_cli("inspect", path, "--person", "CustomerID")
    assert (code, "1 of 4 transactions name no person" in " ".join(errors.split())) == (2, True)
    assert "Leave it out with --missing-person drop, or count it as a person" in " ".join(errors.split())
    for how, persons in (("drop", "of 2 persons"), ("alone", "of 3 persons")):
        code, text, errors = covey_cli("inspect", path, "--person", "CustomerID", "--missing-person", how)
        assert (code, persons in text) == (0, True), errors
        assert ("1 of 4 transactions were left out: it names no person." in " ".join(errors.split())) == (how == "drop")
    code, _, errors = covey_cli("inspect", path, "--person", "CustomerID", "--missing-person", "guess")
    assert code == 2


def test_left_out_without_a_person_is_said_by_every_command(sales, tmp_path, covey_cli):
    sales.write_text(sales.read_text() + "900,P1,,UK\n901,P1,,UK\n901,P2,,UK\n")
    out, page = tmp_path / "r", tmp_path / "r.html"
    who, said = (
        ["--person", "CustomerID", "--missing-person", "drop"],
        "2 of 38 transactions were left out: they name no",
    )
    code, text, errors = covey_cli("inspect", sales, *who, "--json")
    assert json.loads(text)["without_person"] == {"column": "CustomerID", "rows": 38, "kept": 36}, errors
    code, _, errors = covey_cli("anonymize", sales, *who, "-g", "degree(p=4)", "-s", "test", "-o", out)
    assert (code, said in " ".join(errors.split())) == (0, True), errors
    assert covey_cli("report", out, "--original", sales, *who, "-o", page)[0] == 0
    assert said in page.read_text()


def test_a_table_of_bills(tmp_path, covey_cli):
    path = tmp_path / "bills.csv"
    rows = "".join(f"p{i % 20},{30 + i % 20 // 5},{'abcde'[i % 5]}\n" for i in range(60))
    path.write_text("patient_id,age,illness\n" + rows)
    out = tmp_path / "release"
    roles = ["--quasi", "age", "-s", "illness", "--person", "patient_id"]
    code, _, errors = covey_cli("anonymize", path, *roles, "-g", "l-diversity(l=2, k=4)", "-o", out)
    assert code == 0, errors
    assert (out / "classes.parquet").exists()
    assert covey_cli("verify", out, "--original", path, "--person", "patient_id")[0] == 0
    code, _, errors = covey_cli("verify", out, "--original", path, "--row-is-person")
    assert (code, "--person COLUMN" in " ".join(errors.split())) == (2, True)


def test_persons_are_not_measured_in_a_release_that_counts_rows(sales, tmp_path, covey_cli):
    out = tmp_path / "rows"
    assert covey_cli("anonymize", sales, "-g", "degree(p=4)", "-s", "test", "--row-is-person", "-o", out)[0] == 0
    given = [out, "--original", sales, "--person", "CustomerID"]
    for command in (["evaluate", *given], ["attack", *given], ["attack", *given, "--with", out]):
        code, _, errors = covey_cli(*command)
        said = " ".join(errors.split())
        assert (code, "This release counts rows" in said, "Leave out --person" in said) == (2, True, True), errors
    with pytest.raises(covey.errors.ParameterError, match="counts rows"):
        covey.evaluate(covey.read_release(out), sales, person="CustomerID")


def test_a_report_that_was_given_the_original_does_not_ask_for_it(sales, tmp_path, covey_cli):
    out, page = tmp_path / "rows", tmp_path / "page.html"
    covey_cli("anonymize", sales, "-g", "degree(p=4)", "-s", "test", "--row-is-person", "-o", out)
    for given, asked in ((["--original", sales, "--person", "CustomerID"], False), ([], True)):
        code, _, _ = covey_cli("report", out, *given, "-o", page)
        text = page.read_text()
        assert (code, "can be checked only by someone who has it" in text) == (0 if asked else 1, asked)
        assert ("Internal use only" in text) == (not asked)


def test_two_releases_of_rows_are_about_rows(sales, tmp_path, covey_cli):
    out = tmp_path / "release"
    for given, whom, other in (
        (["--row-is-person"], "baskets", "people"),
        (["--person", "CustomerID"], "people", "zz"),
    ):
        code, _, errors = covey_cli("anonymize", sales, "-g", "degree(p=4)", "-s", "test", *given, "-o", out, "--force")
        assert code == 0, errors
        code, text, errors = covey_cli("attack", out, "--with", out, "--original", sales, *given)
        said = " ".join(text.split())
        assert (code, f"{whom} in both;" in said, other in said) == (0, True, False), errors + text


def test_python_tells_whom_the_risk_is_of(sales, covey_cli):
    for given, told in (({"person": "CustomerID"}, "a person"), ({"row_is_person": True}, "someone's basket")):
        assert repr(covey.inspect(sales, known=1, **given)).startswith(f"Chance of finding {told}, by how many")


def test_combinations_are_said_to_be_counted_in_baskets(sales, tmp_path, covey_cli):
    out = tmp_path / "release"
    for given, said in ((["--person", "CustomerID"], True), (["--row-is-person"], False)):
        covey_cli("anonymize", sales, "-g", "degree(p=4)", "-s", "test", *given, "-o", out, "--force")
        code, text, errors = covey_cli("evaluate", out, "--original", sales, *given)
        assert code == 0, errors
        text = " ".join(text.split())
        assert "with a sensitive item" in text
        assert ("with a sensitive item, counted in baskets" in text) == said
        assert ("those that the promise allows" in text) == (not said)
        assert ("would allow if each basket belonged to a different person" in text) == said


TREE = "item,parent\n" + "".join(f"P{i},P\n" for i in range(5)) + "".join(f"Q{i},Q\n" for i in range(7)) + "test,all\n"


@pytest.mark.parametrize("promise", ["km-anonymity(k=2, m=2)", "k-anonymity(k=2)"])
def test_sets_of_persons_are_not_called_baskets_or_transactions(sales, tmp_path, covey_cli, promise):
    tree, out, page = tmp_path / "tree.csv", tmp_path / "release", tmp_path / "page.html"
    tree.write_text(TREE + "P,all\nQ,all\n")
    given = ["--person", "CustomerID", "-t", tree]
    method = ["-m", "lg"] if promise.startswith("k-") else []
    code, text, errors = covey_cli("anonymize", sales, "-g", promise, *method, *given, "-o", out)
    assert code == 0, errors
    assert "transaction" not in text.partition("✓")[2], text
    assert covey_cli("report", out, "--original", sales, *given, "-o", page)[0] == 0
    text = page.read_text()
    assert "Rows are persons" in text
    assert "transactions published empty" not in text
    assert "sets published empty" in text
    assert "the published transactions" not in text


def test_answers_and_titles_are_about_what_is_counted(sales, tmp_path, covey_cli):
    out, page = tmp_path / "release", tmp_path / "page.html"
    covey_cli("anonymize", sales, "-g", "degree(p=4)", "-s", "test", "--person", "CustomerID", "-o", out)
    code, text, errors = covey_cli("query", out, "-s", "test", "--present", "P0")
    assert code == 0, errors
    assert "every member" not in text
    assert "similar transactions" not in text
    assert "every transaction is equally likely" in " ".join(text.split())
    covey_cli("report", out, "--original", sales, "--person", "CustomerID", "-o", page)
    assert "Guessing those with the most items" in page.read_text()
    assert "longest baskets" not in page.read_text()


def test_draws_of_a_release_that_hides_no_item(sales, tmp_path, covey_cli):
    out = tmp_path / "release"
    given = ["-g", "km-anonymity(k=2, m=2)", "-m", "disassociation", "--person", "CustomerID"]
    code, _, errors = covey_cli("anonymize", sales, *given, "-o", out)
    assert code == 0, errors
    code, text, errors = covey_cli("sample", out, "--draws", "1", "--format", "csv-long", "-o", tmp_path / "one")
    assert code == 0, errors
    said = " ".join(text.split())
    assert "1 draw, draw-1.csv In each draw" in said
    assert "sensitive" not in said
