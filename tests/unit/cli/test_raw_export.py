"""A shop's raw export, from the file to a verified release by three commands; no pandas in between."""

import json

import pytest

from raw_export import write_csv, write_excel

QUERY = "SELECT * REPLACE (plain(Description) AS Description) FROM data WHERE Quantity > 0"
HOW = ["--query", QUERY, "--missing", "drop", "--item", "Description", "--person", "CustomerID"]


@pytest.mark.parametrize(
    ("write", "name", "more"), [(write_csv, "raw.csv", ["--encoding", "latin-1"]), (write_excel, "raw.xlsx", [])]
)
def test_three_commands_from_a_raw_export_to_a_verified_release(write, name, more, tmp_path, covey_cli):
    if name.endswith("xlsx"):
        pytest.importorskip("openpyxl")
    raw, out, data = write(tmp_path / name), tmp_path / "release", tmp_path / "raw.covey"
    code, text, errors = covey_cli("prepare", raw, "--sensitive", "glob:*test*", *more, *HOW, "-o", data, "--json")
    assert code == 0, errors
    found = json.loads(text)
    assert set(found["sensitive"]) == {"pregnancy test", "hiv test kit"}
    assert found["sizes"]["items"] == 12  # spellings are one, and no item is called NULL
    assert "not in the result of SELECT" in found["dropped"][0]
    assert "without 'Description'" in found["dropped"][0]
    code, text, errors = covey_cli("anonymize", data, "-o", out, "-g", "degree(p=3)")
    assert code == 0, errors
    assert not any(b"left out" in path.read_bytes() or b"Quantity" in path.read_bytes() for path in out.iterdir())
    code, _, errors = covey_cli("verify", out, "--original", data)
    assert code == 0, errors


def test_the_report_states_what_was_left_out(tmp_path, covey_cli):
    raw, out, page = write_csv(tmp_path / "raw.csv", "utf-8"), tmp_path / "release", tmp_path / "report.html"
    code, text, errors = covey_cli("prepare", raw, *HOW, "-o", tmp_path / "raw.covey", "--json")
    assert code == 0, errors
    dropped, persons = json.loads(text)["dropped"]
    assert covey_cli("anonymize", tmp_path / "raw.covey", "-o", out, "-g", "k-anonymity(k=2)")[0] == 0
    assert covey_cli("report", out, "--original", tmp_path / "raw.covey", "-o", page)[0] == 0
    assert dropped.partition(":")[0] in page.read_text()
    assert persons in page.read_text()


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
