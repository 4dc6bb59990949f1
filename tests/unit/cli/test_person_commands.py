"""Persons on the command line: named, asked for, and counted by every command."""

import json

import pytest

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


def test_nobody_can_overlook_that_persons_are_not_named(sales, tmp_path, covey_cli, prepared):
    for command in (
        ["inspect", sales],
        ["anonymize", sales, "-g", "degree(p=4)", "-s", "test", "-o", tmp_path / "r"],
    ):
        code, _, errors = covey_cli(*command)
        assert code == 0, errors
        said = " ".join(errors.split())
        assert "'CustomerID' seems to name persons, 12 of them" in said
        assert "--row-is-person" in said
        rows = prepared(sales, "--row-is-person", "-s", "test", out=tmp_path / "rows.covey")
        _, _, errors = covey_cli(command[0], rows, *command[2:], *(["--force"] if command[0] == "anonymize" else []))
        assert "seems to name" not in errors
    _, text, errors = covey_cli("inspect", sales, "--json")
    assert json.loads(text)["unnamed_persons"] == {"column": "CustomerID", "persons": 12, "rows": 36, "most": 3}
    assert "seems to name persons" in errors


def test_a_release_of_persons_is_not_compared_with_rows(sales, tmp_path, covey_cli, prepared):
    out = tmp_path / "release"
    made = covey_cli("anonymize", sales, "--person", "CustomerID", "-g", "degree(p=12)", "-s", "test", "-o", out)
    assert made[0] == 0, made[2]
    assert "1 of 12 persons have test" in covey_cli("query", out, "--sensitive", "test")[1]
    rows = prepared(sales, "--row-is-person", "-s", "test", out=tmp_path / "rows.covey")
    code, _, errors = covey_cli("verify", out, "--original", rows)
    assert (code, "--person COLUMN" in " ".join(errors.split())) == (2, True)


def test_infeasible_by_persons_says_what_would_help(sales, tmp_path, covey_cli):
    code, _, errors = covey_cli(
        "anonymize", sales, "--person", "CustomerID", "-g", "degree(p=13)", "-s", "test", "-o", tmp_path / "r"
    )
    said = " ".join(errors.split())
    assert code == 1
    assert "'test' is held by 1 of 12 persons" in said
    assert "largest feasible p is 12" in said


def test_transactions_without_a_person_are_refused_or_left_out(sales, tmp_path, covey_cli, prepared):
    sales.write_text(sales.read_text() + "900,P1,,UK\n901,P1,,UK\n901,P2,,UK\n")
    out, page = tmp_path / "r", tmp_path / "r.html"
    code, _, errors = covey_cli("inspect", sales, "--person", "CustomerID")
    assert (code, "2 of 38 transactions name no person" in " ".join(errors.split())) == (2, True)
    assert "--missing drop" in " ".join(errors.split())
    who = [sales, "--person", "CustomerID", "-s", "test"]
    alone = prepared(*who, "--missing", "keep", out=tmp_path / "alone.covey")
    assert "of 14 persons" in covey_cli("inspect", alone)[1]
    dropped, told = tmp_path / "dropped.covey", "2 of 38 transactions were left out"
    code, text, _ = covey_cli("prepare", *who, "--missing", "drop", "-o", dropped)
    assert (code, told in text) == (0, True)
    assert covey_cli("anonymize", dropped, "-g", "degree(p=4)", "-o", out)[0] == 0
    assert covey_cli("report", out, "--original", dropped, "-o", page)[0] == 0
    assert told in page.read_text()


def test_persons_are_not_measured_in_a_release_that_counts_rows(sales, tmp_path, covey_cli, prepared):
    out = tmp_path / "rows"
    rows = prepared(sales, "--row-is-person", "-s", "test", out=tmp_path / "rows.covey")
    assert covey_cli("anonymize", rows, "-g", "degree(p=4)", "-o", out)[0] == 0
    given = [out, "--original", sales, "--person", "CustomerID"]
    for command in (["evaluate", *given], ["attack", *given], ["attack", *given, "--with", out]):
        code, _, errors = covey_cli(*command)
        said = " ".join(errors.split())
        assert (code, "This release counts rows" in said, "Leave out --person" in said) == (2, True, True), errors
