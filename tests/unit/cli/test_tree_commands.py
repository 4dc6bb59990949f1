"""`covey taxonomy` and `covey hierarchy` on the command line."""

import json

import pytest


@pytest.fixture
def sales(tmp_path):
    path = tmp_path / "sales.csv"
    goods = ["dark beer", "pale beer", "green tea", "black tea", "salt chips", "corn chips"]
    pairs = [(i, good) for i in range(60) for good in (goods[i % 6], goods[(i + 1) % 5])]
    rows = [f"{i},{good},{good.split()[1]}" for i, good in pairs]
    path.write_text("order,product,kind\n" + "\n".join(rows) + "\n")
    return path


def test_proposes_edits_and_checks_a_taxonomy(sales, covey_cli):
    tree = sales.parent / "tree.csv"
    code, text, errors = covey_cli("taxonomy", "suggest", sales, "-o", tree)
    assert code == 0, errors
    assert "├ tea  (2 items, " in text
    code, text, _ = covey_cli("taxonomy", "suggest", sales, "-o", tree, "--force", "--categories", "kind", "--json")
    assert (code, json.loads(text)["levels"], json.loads(text)["cost"]["kept"] > 0) == (0, 2, True)
    code, text, _ = covey_cli("taxonomy", "show", tree, "--data", sales)
    assert (code, "dark beer" in text) == (0, True)
    code, text, _ = covey_cli("taxonomy", "check", tree)
    assert (code, "6 leaves" in text) == (0, True)
    lines = [line for line in tree.read_text().splitlines() if "chips" not in line]
    tree.write_text("\n".join(lines) + "\n")
    code, text, _ = covey_cli("taxonomy", "check", tree, sales)
    assert (code, "2 of 6 items not in it: 'corn chips', 'salt chips'" in text) == (1, True)


def test_proposes_a_hierarchy(tmp_path, covey_cli, prepared):
    people, tree = tmp_path / "people.csv", tmp_path / "zip.csv"
    people.write_text("zip,age\n" + "".join(f"0{1000 + i % 40},{20 + i % 50}\n" for i in range(200)))
    code, text, errors = covey_cli("hierarchy", "suggest", people, "--column", "zip", "-o", tree)
    assert code == 0, errors
    assert "0100*" in text
    data = prepared(people, "--quasi", "zip,age", "--hierarchy", f"zip={tree}", out=tmp_path / "people.covey")
    assert covey_cli("anonymize", data, "-o", tmp_path / "out", "-g", "k-anonymity(k=3)")[0] == 0


def test_inspect_reports_items_that_the_taxonomy_lacks(tmp_path, covey_cli):
    data, tree = tmp_path / "d.dat", tmp_path / "t.csv"
    data.write_text("ale rum\nbeer\n")
    tree.write_text("child,parent\nale,beer\nstout,beer\ntea,hot\ncoffee,hot\nbeer,*\nhot,*\n")
    code, text, _ = covey_cli("inspect", data, "--taxonomy", tree, "--verbose")
    assert code == 0
    assert "not in it: rum" in text
    assert "not as leaves: beer" in text
    code, text, _ = covey_cli("inspect", data, "--taxonomy", tree, "--json")
    shape = json.loads(text)["taxonomy"]
    assert (shape["leaves"], shape["nodes_by_depth"], shape["items_missing"]) == (4, [1, 2, 4], ["rum"])


def test_data_too_small_for_a_cost_still_gets_its_taxonomy(tmp_path, covey_cli):
    data, tree = tmp_path / "two.csv", tmp_path / "tree.csv"
    data.write_text("t,i\n1,a\n1,b\n2,a\n")
    code, text, told = covey_cli("taxonomy", "suggest", data, "-o", tree)
    assert (code, tree.exists()) == (0, True), told
    assert "What it would cost was not measured" in " ".join(told.split())
    code, text, told = covey_cli("taxonomy", "check", tree, data, "--json")
    assert code == 0, told
    assert json.loads(text)["fits"]
