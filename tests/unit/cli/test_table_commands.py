"""Tables on the command line: anonymize, verify, and what is said when something is wrong."""

import json

import pytest

ROWS = [
    ("Ann", 34, "cat", "flu"),
    ("Bob", 36, "dog", "cold"),
    ("Cyd", 61, "hen", "flu"),
    ("Dan", 65, "hen", "cold"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["name,age,pet,ill", *(",".join(map(str, row)) for row in ROWS * 3)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "pet.csv").write_text("cat;mammal;*\ndog;mammal;*\nhen;*\n")
    return tmp_path


OPTIONS = ("--identifier", "name", "--sensitive", "ill", "--hierarchy", "pet=pet.csv")


@pytest.mark.parametrize("method", ["pattern-ka", "mondrian", "hilbert"])
def test_anonymize_and_verify(folder, covey_cli, method):
    given = ("people.csv", *OPTIONS, "-g", "l-diversity(l=2, k=6)", "-m", method, "-o", "out", "--json")
    code, out, err = covey_cli("anonymize", *given)
    assert code == 0, err
    body = json.loads(out)
    assert body["holds"]
    assert body["counts"]["rows"] == 12
    code, out, _ = covey_cli("verify", "out", "--original", "people.csv", "--hierarchy", "pet=pet.csv")
    assert code == 0, out
    assert "every original row has a published row" in out
    code, out, _ = covey_cli("evaluate", "out", "--original", "people.csv", "--hierarchy", "pet=pet.csv")
    assert code == 0
    assert "Information lost (GCP)" in out
    assert "name" not in (folder / "out" / "columns.csv").read_text()


def test_the_method_says_what_the_data_is(folder, covey_cli):
    code, out, err = covey_cli(
        "anonymize", "people.csv", "-g", "k-anonymity(2)", "-m", "mondrian", "-o", "out"
    )
    assert code == 0, err
    assert "12 rows, 4 columns" in out


def test_a_changed_table_does_not_verify(folder, covey_cli):
    given = ("people.csv", *OPTIONS, "-g", "k-anonymity(2)", "--csv", "-o", "out")
    assert covey_cli("anonymize", *given)[0] == 0
    table = folder / "out" / "table.csv"
    table.write_text(table.read_text().replace("flu", "pox"))
    assert covey_cli("verify", "out")[0] == 1


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        (("--quasi", "agee"), 2, "Did you mean 'age'"),
        (("--kind", "tabel"), 2, "must be one of"),
        (("--hierarchy", "pet.csv"), 2, "column=FILE"),
        (("--quasi", "age", "--sensitive", "age"), 2, "both"),
    ],
)
def test_mistakes(folder, covey_cli, given, code, message):
    found, _, err = covey_cli("anonymize", "people.csv", "-g", "k-anonymity(2)", "-o", "out", *given)
    assert found == code
    assert message in " ".join(err.split())
    assert not (folder / "out").exists()


def test_infeasible(folder, covey_cli):
    code, _, err = covey_cli(
        "anonymize", "people.csv", "--quasi", "age", "-g", "k-anonymity(13)", "-o", "out"
    )
    assert code == 1
    assert "largest feasible k is 12" in " ".join(err.split())
