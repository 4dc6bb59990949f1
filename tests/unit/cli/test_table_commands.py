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
    assert "Detail of the quasi-identifiers that is lost" in out
    assert "name" not in (folder / "out" / "columns.csv").read_text()


def test_the_method_says_what_the_data_is(folder, covey_cli):
    code, out, err = covey_cli("anonymize", "people.csv", "-g", "k-anonymity(2)", "-m", "mondrian", "-o", "out")
    assert code == 0, err
    assert "12 rows, 4 columns" in out


def test_columns_that_nobody_named_are_said_to_be_missing(folder, covey_cli):
    given = ("people.csv", "--quasi", "age", "--identifier", "name", "-g", "k-anonymity(2)")
    code, out, err = covey_cli("anonymize", *given, "-o", "out")
    assert code == 0, err
    assert "because no option names them: pet, ill." in " ".join(out.split())
    assert json.loads(covey_cli("anonymize", *given, "-o", "again", "--json")[1])["left_out"] == ["pet", "ill"]
    _, out, _ = covey_cli("anonymize", "people.csv", *OPTIONS, "-g", "l-diversity(2)", "-o", "all")
    assert "no option names" not in out


def test_the_roles_of_columns_that_verify_is_not_told_are_those_of_the_release(folder, covey_cli):
    given = ("people.csv", "--quasi", "age", "--sensitive", "ill", "-g", "l-diversity(2)", "-o", "out")
    assert covey_cli("anonymize", *given)[0] == 0
    code, out, _ = covey_cli("verify", "out", "--original", "people.csv", "--sensitive", "ill")
    assert code == 0, out
    assert covey_cli("verify", "out", "--original", "people.csv", "--sensitive", "pet")[0] == 1
    code, out, _ = covey_cli("verify", "out", "--original", "people.csv", "--quasi", "age")
    assert code == 0, out
    assert covey_cli("verify", "out", "--original", "people.csv", "--quasi", "age,pet")[0] == 1


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
        (("--kind", "tabel"), 2, "There is no kind of data"),
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
    code, _, err = covey_cli("anonymize", "people.csv", "--quasi", "age", "-g", "k-anonymity(13)", "-o", "out")
    assert code == 1
    assert "largest feasible k is 12" in " ".join(err.split())


def test_check_of_a_table_before_it_is_published(folder, covey_cli):
    code, out, _ = covey_cli("check", "people.csv", "-g", "k-anonymity(k=5)", "--quasi", "age,pet")
    assert code == 1
    said = " ".join(out.split())
    assert "every combination of quasi-identifiers is given in at least 5 rows" in said
    assert "12 of 12 rows in 4 classes of fewer than 5 rows; the smallest, of 3: age = 34, pet = cat" in said
    assert "The data does not keep k-anonymity(k=5)." in said
    code, out, _ = covey_cli("check", "people.csv", "-g", "k-anonymity(k=6)", "--quasi", "ill", "--json")
    assert code == 0
    assert json.loads(out)["figures"] == {"k": 6, "classes": 2, "violating_rows": 0, "largest_class": 6}


def test_check_counts_missing_values_as_values(folder, covey_cli):
    (folder / "gaps.csv").write_text("a,b\n1,x\n1,x\n1,\n,x\n1,x\n")
    code, out, _ = covey_cli("check", "gaps.csv", "-g", "k-anonymity(2)", "--quasi", "a,b", "--json")
    assert code == 1
    assert json.loads(out)["figures"]["violating_rows"] == 2
    assert "(missing)" in json.loads(out)["checks"][0]["detail"]


def test_check_of_l_diversity(folder, covey_cli):
    (folder / "two.csv").write_text("pet,ill\n" + "hen,flu\nhen,cold\n" * 3)
    given = ("--quasi", "pet", "--sensitive", "ill", "-g", "l-diversity(l=2, k=3)")
    assert covey_cli("check", "two.csv", *given)[0] == 0
    code, out, _ = covey_cli("check", "people.csv", *given)
    assert code == 1
    assert "pet = cat" in " ".join(out.split())


def test_report_reads_the_original_as_the_release_says(folder, covey_cli):
    assert covey_cli("anonymize", "people.csv", *OPTIONS, "-g", "k-anonymity(3)", "-o", "out")[0] == 0
    given = ("report", "out", "--original", "people.csv", "--hierarchy", "pet=pet.csv", "-o", "out.html")
    code, _, err = covey_cli(*given, "--json")
    assert code == 0, err
    page = (folder / "out.html").read_text(encoding="utf-8")
    assert "every original row has a published row of its own that covers it" in page
    assert "Detail lost by column" in page
