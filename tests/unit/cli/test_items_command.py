"""`covey items`, and sensitive items chosen by patterns on the command line."""

import json

import pytest


@pytest.fixture
def sales(tmp_path):
    rows = ["order,product"]
    for i in range(40):
        rows += [f"{i},bread", f"{i},item {i % 5}"]
        rows += [f"{i},{'Pregnancy TEST' if i % 20 else 'Blood test'}"] if i % 10 == 0 else []
    path = tmp_path / "sales.csv"
    path.write_text("\n".join(rows) + "\n")
    (tmp_path / "tree.csv").write_text(
        "child,parent\nPregnancy TEST,tests\nBlood test,tests\nbread,food\n"
        + "".join(f"item {i},food\n" for i in range(5))
    )
    return path


def test_items_are_listed_with_what_would_be_marked(sales, covey_cli):
    code, text, errors = covey_cli("items", sales, "--top", "1", "-s", "glob:*test", "-s", "item 1")
    assert code == 0, errors
    told, first, more = text.splitlines()
    assert (first.split(), "and 7 more" in more) == (["40", "bread"], True)
    assert told == "8 items, with the number of baskets with each; 3 would be marked as sensitive"
    tree = sales.parent / "tree.csv"
    code, text, _ = covey_cli("items", sales, "--match", "under:tests", "-t", tree, "-s", "under:tests", "--json")
    found = json.loads(text)
    assert (found["total"], found["marked"]) == (8, 2)
    assert found["items"] == [
        {"item": "Blood test", "support": 2, "sensitive": True},
        {"item": "Pregnancy TEST", "support": 2, "sensitive": True},
    ]
    code, _, errors = covey_cli("items", sales, "--match", "bled")
    assert (code, "no item fits 'bled'" in errors, "'bread'" in errors or "Did you mean" in errors) == (2, True, True)


def test_a_node_of_the_taxonomy_is_kept_apart_by_a_method_that_generalizes_nothing(sales, covey_cli):
    out, tree = sales.parent / "out", sales.parent / "tree.csv"
    how = ["-s", "under:tests", "-t", tree]
    code, _, errors = covey_cli("anonymize", sales, "-o", out, "-g", "degree(p=5)", *how)
    assert code == 0, errors
    assert covey_cli("verify", out, "--original", sales, *how)[0] == 0
    assert covey_cli("verify", out, "-s", "glob:*TEST")[0] == 0
    code, text, _ = covey_cli("verify", out, "-s", "glob:*e*")
    assert (code, "is published in single transactions" in " ".join(text.split())) == (1, True), text


def test_a_standing_list_may_name_what_an_extract_lacks(sales, covey_cli):
    policy = sales.parent / "policy.txt"
    policy.write_text("Pregnancy TEST\nHIV test\nGonorrhea test\n")
    code, _, errors = covey_cli("items", sales, "-s", policy)
    assert (code, "'HIV test' (line 2" in errors, "'Gonorrhea test' (line 3" in errors) == (2, True, True)
    warn = ("--sensitive-missing", "warn", "-o", sales.parent / "sales.covey")
    code, text, errors = covey_cli("prepare", sales, "-s", f"@{policy}", *warn)
    assert (code, "Sensitive: 1 item:" in text, "'HIV test'" in errors) == (0, True, True)
