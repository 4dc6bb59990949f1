"""The command line: what it prints, as text and as JSON, and its exit codes."""

import json

import pytest

import covey
from covey.synth import survey


@pytest.fixture
def sales(tmp_path):
    """A small CSV file with a sensitive item, and its path."""
    rows = ["transaction,item"]
    for i in range(60):
        rows += [f"{i},bread", f"{i},item {i % 7}"]
        if i % 12 == 0:
            rows.append(f"{i},pregnancy test")
    path = tmp_path / "sales.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_inspect_writes_the_list_with_companions(sales, covey_cli):
    marked = sales.parent / "marked.txt"
    code, text, _ = covey_cli("inspect", sales, "-s", "pregnancy test", "--mark", marked, "-v")
    assert code == 0
    assert "Companions of sensitive items" in text
    # All items of which five baskets hold the sensitive one, too.
    assert marked.read_text() == "pregnancy test\nbread\n"
    assert covey_cli("inspect", sales, "-s", marked)[0] == 0
    code, _, errors = covey_cli("inspect", sales, "--mark", marked, "--force")
    assert code == 2
    assert "leave --mark out" in errors


def test_methods(covey_cli):
    code, text, _ = covey_cli("methods", "--json")
    listed = {m["name"]: m for m in json.loads(text)["methods"]}
    assert code == 0
    assert listed["cahd"]["options"]["alpha"] == 3
    assert (listed["matched"]["recommended"], listed["cahd"]["recommended"]) == (True, False)
    shown, every = covey_cli("methods")[1], covey_cli("methods", "--all")[1]
    assert "matched" in shown
    assert "anatomy" not in shown
    assert "anatomy" in every


def test_demo_on_generated_data(tmp_path, covey_cli):
    code, text, errors = covey_cli("demo", "-o", tmp_path / "release", "--data", "shop")
    assert code == 0, errors
    assert "degree(p=5) holds." in text
    assert "the truth:" in text
    code, _, errors = covey_cli("demo", "-o", tmp_path / "release", "--data", "shop")
    assert (code, "exists already" in errors) == (2, True)


def test_what_does_not_fit_the_release_is_said(sales, covey_cli):
    out = sales.parent / "sets"
    code, _, errors = covey_cli("anonymize", sales, "-o", out, "-g", "k-anonymity(k=5)", "-s", "pregnancy test")
    assert (code, "treats all items alike" in errors) == (2, True)
    assert covey_cli("anonymize", sales, "-o", out, "-g", "k-anonymity(k=5)")[0] == 0
    code, _, errors = covey_cli("query", out, "-s", "pregnancy test")
    assert (code, "a sets release" in errors) == (2, True)
    assert covey_cli("anonymize", sales, "-o", out, "-g", "km-anonymity(k=5, m=2)", "--force")[0] == 0
    code, _, errors = covey_cli("query", out)
    assert (code, "Say what to count" in errors) == (2, True)
    code, _, errors = covey_cli("verify", out, "--kind", "table", "--original", sales)
    assert (code, "made from baskets" in errors) == (2, True)
    code, _, errors = covey_cli("check", sales, "-g", "k-anonymity(k=5)", "--first")
    assert (code, "works with k-eps-l only" in errors) == (2, True)


def test_generate_writes_all_its_files_or_none(tmp_path, covey_cli):
    # A directory stands where the last of the three files would go.
    (tmp_path / "sales.taxonomy.csv").mkdir()
    code, _, errors = covey_cli("generate", "shop", "-o", tmp_path / "sales.csv", "-n", 50, "--force")
    assert (code, "is a directory" in errors) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["sales.taxonomy.csv"]
    code, _, errors = covey_cli("generate", "shop", "-o", tmp_path / "a.taxonomy.csv", "-n", 50)
    assert (code, "will be written there" in " ".join(errors.split())) == (2, True)


def test_generated_survey_reads_back(covey_cli, tmp_path):
    path = tmp_path / "survey.csv.gz"
    shape = ("-n", 200, "--profiles", 4, "--answered", 0.1, "--seed", 1)
    code, text, errors = covey_cli("generate", "survey", "-o", path, *shape, "--json")
    assert code == 0, errors
    made = survey(respondents=200, issues=8, profiles=4, answered=0.1, seed=1)
    assert (made.lengths() == 0).any()  # respondents without ratings are kept
    assert covey.read_ratings(path, scale="1:6", sensitive=tmp_path / "survey.sensitive.txt") == made
    body = json.loads(text)
    assert (body["respondents"], body["issues"], body["ratings"], body["scale"]) == (200, 8, made.entries, "1:6")
    code, _, errors = covey_cli("generate", "survey", "-o", tmp_path / "other.dat")
    assert (code, "End it in .csv" in " ".join(errors.split())) == (2, True)
    assert covey_cli("generate", "survey", "-o", tmp_path / "t.csv", "--noise", 2)[0] == 2
