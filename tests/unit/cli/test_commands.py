"""The command line: what it prints, as text and as JSON, and its exit codes."""

import json

import pytest


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


@pytest.fixture
def release(sales, covey_cli):
    out = sales.parent / "out"
    code, _, errors = covey_cli("anonymize", sales, "-o", out, "-g", "degree(p=5)", "-s", "pregnancy test")
    assert code == 0, errors
    return out


def test_inspect(sales, covey_cli):
    code, text, _ = covey_cli("inspect", sales, "-s", "pregnancy test")
    assert code == 0
    assert "60 baskets, 9 items, 125 entries" in text
    assert "degree(p) is feasible up to p = 12." in text
    code, text, _ = covey_cli("inspect", sales, "--json", "--known", "2")
    body = json.loads(text)
    assert (body["transactions"], body["items"], body["entries"]) == (60, 9, 125)
    assert [risk["known"] for risk in body["risk"]] == [1, 2]
    assert body["risk"][0]["risk"] == pytest.approx(
        sum((1 / 60 + 1 / n) / 2 for n in [9] * 28 + [8] * 32) / 60, rel=0.2
    )


def test_inspect_writes_the_list_with_companions(sales, covey_cli):
    marked = sales.parent / "marked.txt"
    code, text, _ = covey_cli("inspect", sales, "-s", "pregnancy test", "--mark", marked)
    assert code == 0
    assert "Companions of sensitive items" in text
    assert (
        marked.read_text() == "pregnancy test\nbread\n"
    )  # all items of which five baskets hold the sensitive one, too
    assert covey_cli("inspect", sales, "-s", marked)[0] == 0
    code, _, errors = covey_cli("inspect", sales, "--mark", marked, "--force")
    assert code == 2
    assert "leave --mark out" in errors


def test_inspect_ratings_and_tables(tmp_path, covey_cli):
    survey = tmp_path / "survey.csv"
    lines = [f"{user},{issue},{1 + user * issue % 3}\n" for user in range(9) for issue in (1, 2, 3)]
    survey.write_text("user,issue,rating\n" + "".join(lines))
    page = tmp_path / "risk.html"
    code, text, errors = covey_cli("inspect", survey, "--kind", "ratings", "-s", "3", "--html", page)
    assert code == 0, errors
    assert "9 respondents, 3 issues, 27 ratings on 1:3" in text
    assert "ensitive issue" in text
    assert "ratings the attacker knows" in page.read_text()
    people = tmp_path / "people.csv"
    people.write_text("age,zip,illness\n30,a,x\n30,a,y\n31,b,x\n32,b,y\n")
    code, text, errors = covey_cli("inspect", people, "--quasi", "age,zip", "-s", "illness", "--json", "--html", page)
    assert code == 0, errors
    body = json.loads(text)
    assert (body["kind"], body["rows"], body["unique"]) == ("table", 4, 0.5)
    assert [column["role"] for column in body["columns"]] == ["quasi", "quasi", "sensitive"]
    assert body["risk"][1]["risk"] == pytest.approx(3 / 4, abs=0.02)  # of drawn cases
    assert "columns the attacker knows" in page.read_text()
    code, _, errors = covey_cli("inspect", people, "--quasi", "age", "--taxonomy", people)
    assert code == 2
    assert "A taxonomy is about items of baskets" in errors


def test_anonymize_verify_query(release, sales, covey_cli):
    code, text, _ = covey_cli("verify", release, "--original", sales, "--sensitive", "pregnancy test")
    assert code == 0
    assert "degree(p=5) holds." in text
    code, text, _ = covey_cli("verify", release, "--original", sales, "--json")
    assert json.loads(text)["holds"] is True
    code, text, _ = covey_cli("query", release, "-s", "pregnancy test", "--present", "bread", "--json")
    answer = json.loads(text)
    assert (code, answer["estimate"], answer["lower"], answer["upper"], answer["matching"]) == (
        0,
        5.0,
        5,
        5,
        60,
    )
    code, text, _ = covey_cli(
        "query", release, "-s", "pregnancy test", "--present", "bread,item 1", "--absent", "item 2"
    )
    assert code == 0
    assert "pregnancy test and bread and item 1 and not item 2" in text
    assert "Only the bounds are certain." in text


def test_anonymize_json_and_options(sales, covey_cli):
    out = sales.parent / "out"
    code, text, _ = covey_cli(
        "anonymize", sales, "-o", out, "-g", "degree(5)", "-s", "pregnancy test", "-m", "cahd", "--set", "alpha=2",
        "--csv", "--seed", "3", "--json",
    )  # fmt: skip
    body = json.loads(text)
    assert code == 0
    assert (body["options"]["alpha"], body["options"]["order"]) == (2, "rcm")
    assert "seed" not in body["options"]
    assert body["counts"]["transactions"] == 60
    assert body["holds"] is True
    assert sorted(p.name for p in out.iterdir()) == [
        "README.md", "datapackage.json", "groups.csv", "manifest.json", "sensitive.csv", "transactions.csv"
    ]  # fmt: skip


def test_methods(covey_cli):
    code, text, _ = covey_cli("methods", "--json")
    listed = {m["name"]: m for m in json.loads(text)["methods"]}
    assert code == 0
    assert listed["cahd"]["options"]["alpha"] == 3
    assert "cahd" in covey_cli("methods")[1]


def test_generate(tmp_path, covey_cli):
    code, text, _ = covey_cli("generate", "quest", "-o", tmp_path / "q.dat.gz", "-n", "200", "--seed", "1", "--json")
    assert code == 0
    assert json.loads(text)["transactions"] == 200
    code, _, errors = covey_cli("generate", "shop", "-o", tmp_path / "shop.csv", "-n", "500", "--seed", "1")
    assert code == 0, errors
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "q.dat.gz", "shop.csv", "shop.sensitive.txt", "shop.taxonomy.csv"
    ]  # fmt: skip
    code, text, _ = covey_cli("inspect", tmp_path / "shop.csv", "-s", tmp_path / "shop.sensitive.txt", "--json")
    assert code == 0
    assert json.loads(text)["transactions"] <= 500
    code, _, errors = covey_cli("generate", "quest", "-o", tmp_path / "q.dat", "-n", "0")
    assert code == 2
    assert "'transactions' parameter" in errors


def test_demo_on_generated_data(tmp_path, covey_cli):
    code, text, errors = covey_cli("demo", "-o", tmp_path / "release", "--data", "shop")
    assert code == 0, errors
    assert "degree(p=5) holds." in text
    assert "more than 1 household in 5" in " ".join(text.split())
    assert "the truth:" in text
    code, _, errors = covey_cli("demo", "-o", tmp_path / "release", "--data", "shop")
    assert (code, "exists already" in errors) == (2, True)
    code, text, _ = covey_cli("demo", "-o", tmp_path / "other", "--data", "shop", "--json")
    answer = json.loads(text)["query"]
    assert answer["lower"] <= answer["truth"] <= answer["upper"]


def test_version_and_help(covey_cli):
    import covey

    assert covey_cli("--version")[1].strip() == f"covey {covey.__version__}"
    code, text, _ = covey_cli("--help")
    assert code == 0
    for command in ("inspect", "anonymize", "verify", "query", "generate", "methods", "demo"):
        assert command in text


def test_a_tampered_release_exits_with_1(release, covey_cli):
    path = release / "transactions.parquet"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    code, text, _ = covey_cli("verify", release)
    assert code == 1
    assert "transactions.parquet was changed after writing" in " ".join(text.split())
    code, text, _ = covey_cli("query", release, "-s", "pregnancy test", "--json")
    assert code == 1
    assert json.loads(text)["error"]["type"] == "TamperedRelease"


def test_what_does_not_fit_the_release_is_said(sales, covey_cli):
    out = sales.parent / "sets"
    code, _, errors = covey_cli("anonymize", sales, "-o", out, "-g", "k-anonymity(k=5)", "-s", "pregnancy test")
    assert (code, "treats all items alike" in errors) == (2, True)
    assert covey_cli("anonymize", sales, "-o", out, "-g", "k-anonymity(k=5)")[0] == 0
    code, _, errors = covey_cli("query", out, "-s", "pregnancy test")
    assert (code, "a sets release" in errors) == (2, True)
    code, _, errors = covey_cli("verify", out, "--kind", "table", "--original", sales)
    assert (code, "made from baskets" in errors) == (2, True)
    code, _, errors = covey_cli("check", sales, "-g", "k-anonymity(k=5)", "--first")
    assert (code, "works with k-eps-l only" in errors) == (2, True)


def test_a_typing_error_in_the_list_of_sensitive_items_earns_no_tick(release, covey_cli):
    assert covey_cli("verify", release, "-s", "pregnancy test")[0] == 0
    code, text, _ = covey_cli("verify", release, "-s", "pregnancy tset")
    assert (code, "check the spelling" in " ".join(text.split())) == (1, True)


def test_generate_writes_all_its_files_or_none(tmp_path, covey_cli):
    # A directory stands where the last of the three files would go.
    (tmp_path / "sales.taxonomy.csv").mkdir()
    code, _, errors = covey_cli("generate", "shop", "-o", tmp_path / "sales.csv", "-n", 50, "--force")
    assert (code, "is a directory" in errors) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["sales.taxonomy.csv"]
    code, _, errors = covey_cli("generate", "shop", "-o", tmp_path / "a.taxonomy.csv", "-n", 50)
    assert (code, "will be written there" in " ".join(errors.split())) == (2, True)
