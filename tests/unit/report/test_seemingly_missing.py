"""`inspect` points at values that usually mean that nothing is known, without being asked."""

import json

import pytest


@pytest.fixture
def sales(tmp_path):
    path = tmp_path / "sales.csv"
    rows = [(i, item) for i in range(6) for item in ("tea", "NULL" if i < 2 else "rum")]
    path.write_text("order,item\n" + "".join(f"{order},{item}\n" for order, item in rows))
    return path


def test_items_that_mean_nothing_are_shown_until_they_are_dealt_with(sales, covey_cli, prepared):
    code, text, _ = covey_cli("inspect", sales)
    assert code == 0
    assert "Perhaps missing: 'NULL' is an item (2×)." in " ".join(text.split())
    assert json.loads(covey_cli("inspect", sales, "--json")[1])["seemingly_missing"] == [{"value": "NULL", "rows": 2}]
    for remedy in ("drop", "keep"):
        data = prepared(sales, "--missing", remedy, out=sales.parent / "sales.covey")
        code, text, _ = covey_cli("inspect", data)
        assert code == 0
        assert "Perhaps missing" not in text


def test_values_of_columns_too(tmp_path, covey_cli, prepared):
    path = tmp_path / "people.csv"
    ages = ["23", "n/a", "45", "-", "31", "23"]
    path.write_text("age,job\n" + "".join(f"{age},{job}\n" for age, job in zip(ages, "abcabc", strict=True)))
    _, text, _ = covey_cli("inspect", path, "--kind", "table")
    told = " ".join(text.split())
    assert "'-' stands in 'age' (1×)" in told
    assert "'n/a' stands in 'age' (1×)" in told
    kept = prepared(path, "--quasi", "age,job", "--missing", "keep", out=tmp_path / "people.covey")
    assert "Perhaps missing" not in covey_cli("inspect", kept)[1]
