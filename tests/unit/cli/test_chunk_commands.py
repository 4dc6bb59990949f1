"""Releases in chunks from the command line: made without a taxonomy, verified, asked, measured, attacked, reported."""

import json

import pytest


@pytest.fixture(scope="module")
def sales(tmp_path_factory):
    path = tmp_path_factory.mktemp("chunks") / "sales.dat"
    rows = ["ale bread"] * 6 + ["ale tea"] * 5 + ["rum tea", "bread tea", ""]
    path.write_text("".join(f"{row}\n" for row in rows))
    return path


def test_the_whole_path(sales, tmp_path, covey_cli):
    out = tmp_path / "release"
    code, _, errors = covey_cli("anonymize", sales, "-g", "km-anonymity(k=5, m=2)", "-o", out, "--seed", "1")
    assert code == 0, errors
    assert covey_cli("verify", out, "--original", sales)[0] == 0
    code, said, _ = covey_cli("query", out, "--present", "ale,tea", "--json")
    answer = json.loads(said)
    assert (code, answer["lower"], answer["upper"]) == (0, 5, 5)
    code, said, _ = covey_cli("query", out, "--present", "rum", "--present", "tea")
    assert code == 0
    assert "certainly" in said
    assert "14 transactions" in said
    code, said, _ = covey_cli("evaluate", out, "--original", sales, "--json")
    assert (code, json.loads(said)["itemsets"]["lost_items"]) == (0, 0)
    assert "most frequent combinations" in covey_cli("evaluate", out, "--original", sales)[1]
    assert covey_cli("attack", out, "--original", sales)[0] == 0
    assert covey_cli("sample", out, "-o", tmp_path / "draws", "--draws", "2")[0] == 0
    code, _, errors = covey_cli("sample", out, "-o", tmp_path / "draws.csv")
    assert (code, (tmp_path / "draws.csv").exists()) == (2, False)
    assert "-o draws --format csv-long" in " ".join(errors.split())
    assert "which pieces are one basket" in (tmp_path / "draws" / "README.md").read_text()
    assert covey_cli("report", out, "--original", sales, "-o", tmp_path / "report.html")[0] == 0


def test_what_cannot_be_asked(sales, tmp_path, covey_cli):
    out = tmp_path / "release"
    covey_cli("anonymize", sales, "-g", "km-anonymity(k=5, m=2)", "-o", out)
    for asked, words in (
        ([], "Say what to count"),
        (["--sensitive", "ale"], "no sensitive items"),
        (["--present", "alle"], "Did you mean"),
    ):
        code, _, errors = covey_cli("query", out, *asked)
        assert code == 2
        assert words in errors
