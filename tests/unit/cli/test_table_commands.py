"""Tables on the command line: roles of columns, checks, and mistakes."""

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


def test_columns_that_nobody_named_are_said_to_be_missing(folder, covey_cli, prepared):
    data = prepared("people.csv", "--quasi", "age", "--identifier", "name", out="people.covey")
    given = (data, "-g", "k-anonymity(2)")
    code, out, err = covey_cli("anonymize", *given, "-o", "out")
    assert code == 0, err
    assert "because no option names them: pet, ill." in " ".join(out.split())
    assert json.loads(covey_cli("anonymize", *given, "-o", "again", "--json")[1])["left_out"] == ["pet", "ill"]
    _, out, _ = covey_cli(
        "anonymize", prepared("people.csv", *OPTIONS, out="all.covey"), "-g", "l-diversity(2)", "-o", "all"
    )
    assert "no option names" not in out


def test_the_roles_of_columns_that_verify_is_not_told_are_those_of_the_release(folder, covey_cli, prepared):
    data = prepared("people.csv", "--quasi", "age", "--sensitive", "ill", out="people.covey")
    assert covey_cli("anonymize", data, "-g", "l-diversity(2)", "-o", "out")[0] == 0
    code, out, _ = covey_cli("verify", "out", "--original", "people.csv", "--sensitive", "ill")
    assert code == 0, out
    assert covey_cli("verify", "out", "--original", "people.csv", "--sensitive", "pet")[0] == 1
    code, out, _ = covey_cli("verify", "out", "--original", data)
    assert code == 0, out
    other = prepared("people.csv", "--quasi", "age,pet", "--sensitive", "ill", out="other.covey")
    assert covey_cli("verify", "out", "--original", other)[0] == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--kind", "tabel"), "'tabel' is not one of 'baskets', 'ratings', 'table', 'records'"),
        (("--hierarchy", "pet.csv"), "column=FILE"),
        (("--quasi", "age", "--sensitive", "age"), "both"),
    ],
)
def test_mistakes(folder, covey_cli, given, message):
    code, _, err = covey_cli("prepare", "people.csv", "-o", "out", *given)
    assert code == 2
    assert message in " ".join(err.split())
    assert not (folder / "out").exists()
