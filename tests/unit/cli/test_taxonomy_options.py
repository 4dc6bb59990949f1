import json

import pytest


@pytest.fixture
def files(tmp_path):
    data, tree = tmp_path / "d.dat", tmp_path / "t.csv"
    data.write_text("ale tea\nstout tea\ntea\ncoffee\nale stout\n")
    tree.write_text("child,parent\nale,beer\nstout,beer\ntea,hot\ncoffee,hot\nbeer,*\nhot,*\n")
    return data, tree, tmp_path / "out"


def test_anonymize_verify_inspect_and_check(files, covey_cli):
    data, tree, out = files
    promise = "km-anonymity(k=2, m=2)"
    code, text, errors = covey_cli("anonymize", data, "-o", out, "-g", promise, "--taxonomy", tree)
    assert code == 0, errors
    assert "by mhghs" in text
    code, text, _ = covey_cli("verify", out, "--original", data, "--taxonomy", tree, "--json")
    assert code == 0
    assert "every label is above what it replaces in the taxonomy" in [c["name"] for c in json.loads(text)["checks"]]
    code, text, _ = covey_cli("inspect", data, "--taxonomy", tree, "--json")
    shape = json.loads(text)["taxonomy"]
    assert (shape["leaves"], shape["nodes_by_depth"], shape["items_missing"]) == (4, [1, 2, 4], [])
    code, text, _ = covey_cli("inspect", data, "--taxonomy", tree)
    assert "nodes by depth 1 → 2 → 4" in text
    code, text, _ = covey_cli("check", data, "-g", promise, "--json")
    assert code == 1
    assert json.loads(text)["figures"]["offence"]["support"] == 1
    code, text, _ = covey_cli("check", data, "-g", promise)
    assert code == 1
    assert "does not keep" in text


def test_inspect_reports_items_that_the_taxonomy_lacks(files, covey_cli):
    data, tree, _ = files
    data.write_text("ale rum\nbeer\n")
    code, text, _ = covey_cli("inspect", data, "--taxonomy", tree)
    assert code == 0
    assert "1 item is not in it: rum" in text
    assert "1 item is in it, but not as leaves: beer" in text


@pytest.mark.parametrize("method", ["mhghs", "lg"])
def test_report_along_the_taxonomy(files, covey_cli, method):
    data, tree, out = files
    code, _, errors = covey_cli(
        "anonymize", data, "-o", out, "-g", "km-anonymity(k=2, m=2)", "--method", method, "--taxonomy", tree
    )
    assert code == 0, errors
    page = out.with_suffix(".html")
    code, _, errors = covey_cli("report", out, "--original", data, "--taxonomy", tree, "-o", page)
    assert code == 0, errors
    text = page.read_text(encoding="utf-8")
    wanted = "covers exactly the items" if method == "lg" else "every label is above what it replaces in the taxonomy"
    assert wanted in text
