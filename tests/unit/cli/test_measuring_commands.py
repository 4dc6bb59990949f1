"""`covey evaluate` and `covey attack` from files to figures."""

import json

import pytest

from covey.release.grouped import GROUPED


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    import covey
    from covey import io
    from covey.synth import shop

    folder = tmp_path_factory.mktemp("measured")
    made = shop(transactions=1_500, seed=1)
    io.write(made.baskets, folder / "sales.csv")
    covey.publish(made.baskets, folder / "release", "degree(p=10)", seed=1)
    return folder


@pytest.mark.parametrize("command", ["evaluate", "attack"])
def test_for_people_and_as_json(command, published, covey_cli):
    arguments = (command, published / "release", "--original", published / "sales.csv")
    code, text, errors = covey_cli(*arguments)
    assert (code, errors) == (0, "")
    assert "degree(p=10)" in text
    code, text, errors = covey_cli(*arguments, "--json")
    assert (code, errors) == (0, "")
    body = json.loads(text)
    if command == "attack":
        assert [a["attack"] for a in body["attacks"]] == list(GROUPED.attacks)
        assert all(a["claim"] == 0.1 and a["lift"] >= 0 for a in body["attacks"])
    else:
        assert body["kl"]["support"]["mean"] > 0
        assert body["exposure"][0]["worst_after"] <= 0.1


@pytest.mark.parametrize("command", ["evaluate", "attack"])
def test_another_original_is_refused(command, published, covey_cli, tmp_path):
    other = tmp_path / "other.dat"
    other.write_text("1 2\n3\n")
    code, text, errors = covey_cli(command, published / "release", "--original", other)
    assert code == 2
    assert text == ""
    assert "the original has no item" in " ".join(errors.split())


def test_inspect_tells_what_p_costs_and_who_gives_sensitive_items_away(tmp_path, covey_cli):
    rows = ["test vitamins"] * 6 + ["vitamins"] * 2 + ["test beer"] * 5 + ["beer"] * 60
    (tmp_path / "sales.dat").write_text("\n".join(rows) + "\n")
    arguments = ("inspect", tmp_path / "sales.dat", "-s", "test", "--known", "1")
    code, text, _ = covey_cli(*arguments, "--json")
    found = json.loads(text)["associations"]
    assert code == 0
    assert [(one["item"], one["together"], one["support"]) for one in found["companions"]] == [
        ("vitamins", 6, 8),
        ("beer", 5, 65),
    ]
    price = {one["p"]: (one["admissible"], one["telling_items"]) for one in found["price"]}
    assert (price[2], price[10], price[20]) == ((1, 1), (1, 1), (0, 2))
    code, text, _ = covey_cli(*arguments)
    assert code == 0
    assert "Companions of sensitive items" in text
    assert "6 (75 %)" in text
    assert "at most 1 in p baskets" in " ".join(text.split())


def test_where_persons_are_named_the_price_of_p_counts_them(tmp_path, covey_cli):
    # Six persons have both, never in one basket; two more have vitamins only, ten times each.
    both = [f"{visit},{visit % 6},{'test' if visit < 6 else 'vitamins'}" for visit in range(12)]
    often = [f"{visit},{20 + visit % 2},vitamins" for visit in range(12, 32)]
    others = [f"{visit},{visit},beer" for visit in range(32, 90)]
    (tmp_path / "visits.csv").write_text("\n".join(["visit,customer,item", *both, *often, *others]) + "\n")
    arguments = ("inspect", tmp_path / "visits.csv", "-s", "test", "--person", "customer", "--transaction", "visit")
    code, text, errors = covey_cli(*arguments, "--item", "item", "--json")
    assert code == 0, errors
    found = json.loads(text)["associations"]
    assert [(one["item"], one["together"], one["support"], one["whose"]) for one in found["companions"]] == [
        ("vitamins", 6, 8, "persons")
    ]
    assert found["price"][0] == {"p": 2, "admissible": 0, "telling_items": 1}
    code, text, _ = covey_cli(*arguments, "--item", "item")
    assert "at most 1 in p persons with the ordinary item" in " ".join(text.split())
