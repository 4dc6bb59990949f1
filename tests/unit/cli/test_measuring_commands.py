"""`covey evaluate` and `covey attack` from files to figures."""

import json

import pytest

import covey
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


def test_draws_in_long_csv_lack_empty_baskets_and_say_so(covey_cli, tmp_path):
    data = tmp_path / "a.dat"
    data.write_text("a s\na\nb\nb c\n\nc\n")
    assert covey_cli("anonymize", data, "-s", "s", "-g", "degree(p=2)", "--seed", "1", "-o", tmp_path / "out")[0] == 0
    code, _, errors = covey_cli("sample", tmp_path / "out", "--format", "csv-long", "-o", tmp_path / "draws")
    assert (code, "up to 1 in a draw" in " ".join(errors.split())) == (0, True)
    assert "up to 1 in a draw" in " ".join((tmp_path / "draws" / "README.md").read_text().split())
    drawn = covey.read(tmp_path / "draws" / "draw-1.csv", row_is_person=True)
    assert (drawn.n, drawn.entries) == (5, 7)


def test_an_earlier_release_of_another_strength_is_told(covey_cli, tmp_path):
    data = tmp_path / "a.dat"
    data.write_text("a s\na\nb\nb c\nc\nc a\n" * 3)
    made = ("anonymize", data, "-s", "s", "--seed", "1")
    assert covey_cli(*made, "-g", "degree(p=3)", "-o", tmp_path / "out")[0] == 0
    code, _, errors = covey_cli(*made, "-g", "degree(p=2)", "--like", tmp_path / "out", "-o", tmp_path / "new")
    assert (code, "at most as well as this one alone" in " ".join(errors.split())) == (0, True), errors


def test_a_file_that_is_no_release_is_said_to_be_none(covey_cli, tmp_path):
    (tmp_path / "a.csv").write_text("transaction,item\n1,a\n")
    code, _, errors = covey_cli("verify", tmp_path / "a.csv")
    assert (code, "is not a release. Give the directory" in " ".join(errors.split())) == (2, True)
    assert "zip file)" not in errors


def test_what_was_left_out_is_told_once(covey_cli, tmp_path):
    data = tmp_path / "a.csv"
    data.write_text("order,what,kind\n1,ale,x\n1,NA,x\n2,tea,y\n2,ale,x\n3,,x\n")
    how = ("--transaction", "order", "--item", "what", "--where", "kind='x'", "--missing", "drop", "--row-is-person")
    _, _, errors = covey_cli("anonymize", data, *how, "-s", "zz", "-g", "degree(p=2)", "-o", tmp_path / "out")
    assert errors.count("left out:") == 1  # the file is read again to look for zz in other columns
    assert "--sensitive-missing warn" in " ".join(errors.split())


def test_a_report_without_the_original_says_that_attacks_were_not_measured(covey_cli, tmp_path):
    data = tmp_path / "a.dat"
    data.write_text("a s\na\nb\nb c\n")
    covey_cli("anonymize", data, "-s", "s", "-g", "degree(p=2)", "--seed", "1", "-o", tmp_path / "out")
    for more, said in (((), True), (("--original", data), False)):
        assert covey_cli("report", tmp_path / "out", "-o", tmp_path / "r.html", *more)[0] == 0
        assert ("not measured in this report" in (tmp_path / "r.html").read_text()) == said
