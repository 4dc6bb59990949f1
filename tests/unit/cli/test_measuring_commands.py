"""What commands that measure say about data and releases that are not as they should be."""

import json

import pytest

import covey


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
    code, text, _ = covey_cli(*arguments, "--verbose")
    assert code == 0
    assert "Companions of sensitive items" in text
    assert "6 (75 %)" in text
    assert "at most 1 in p baskets" in " ".join(text.split())


@pytest.mark.parametrize("command", ["evaluate", "attack"])
def test_another_original_is_refused(command, covey_cli, tmp_path):
    data, other = tmp_path / "a.dat", tmp_path / "other.dat"
    data.write_text("a s\na\nb\nb c\n")
    other.write_text("1 2\n3\n")
    covey_cli("anonymize", data, "-s", "s", "-g", "degree(p=2)", "-o", tmp_path / "out")
    code, text, errors = covey_cli(command, tmp_path / "out", "--original", other)
    assert (code, text, "the original has no item" in " ".join(errors.split())) == (2, "", True)


def test_draws_in_long_csv_lack_empty_baskets_and_say_so(covey_cli, tmp_path):
    data = tmp_path / "a.dat"
    data.write_text("a s\na\nb\nb c\n\nc\n")
    assert covey_cli("anonymize", data, "-s", "s", "-g", "degree(p=2)", "--seed", "1", "-o", tmp_path / "out")[0] == 0
    code, _, errors = covey_cli("sample", tmp_path / "out", "--format", "csv-long", "-o", tmp_path / "draws")
    assert (code, "up to 1 in a draw" in " ".join(errors.split())) == (0, True)
    assert "up to 1 in a draw" in " ".join((tmp_path / "draws" / "README.md").read_text().split())
    code, _, errors = covey_cli("sample", tmp_path / "out", "-o", tmp_path / "draws.csv")
    assert (code, "-o draws --format csv-long" in " ".join(errors.split())) == (2, True)
    assert not (tmp_path / "draws.csv").exists()
    drawn = covey.read(tmp_path / "draws" / "draw-1.csv", row_is_person=True)
    assert (drawn.n, drawn.entries) == (5, 7)


def test_an_earlier_release_of_another_strength_is_told(covey_cli, tmp_path):
    data = tmp_path / "a.dat"
    data.write_text("a s\na\nb\nb c\nc\nc a\n" * 3)
    made = ("anonymize", data, "-s", "s", "--seed", "1")
    trace = tmp_path / "trace.npz"
    assert covey_cli(*made, "-g", "degree(p=3)", "-o", tmp_path / "out", "--trace", trace)[0] == 0
    earlier = ("--like", tmp_path / "out", "--like-trace", trace)
    code, _, errors = covey_cli(*made, "-g", "degree(p=2)", *earlier, "-o", tmp_path / "new")
    assert (code, "at most as well as by the weaker one" in " ".join(errors.split())) == (0, True), errors


def test_what_was_left_out_is_told_once(covey_cli, tmp_path):
    data = tmp_path / "a.csv"
    data.write_text("order,what,kind\n1,ale,x\n1,NA,x\n2,tea,y\n2,ale,x\n3,,x\n")
    how = ("--transaction", "order", "--item", "what", "--row-is-person", "--missing", "drop")
    query = ("--query", "FROM data WHERE kind='x'")
    _, _, errors = covey_cli("prepare", data, *how, *query, "-s", "zz", "-o", tmp_path / "out.covey")
    assert "--sensitive-missing warn" in " ".join(errors.split())  # the file is read again to look for zz elsewhere
    _, text, errors = covey_cli("prepare", data, *how, *query, "-o", tmp_path / "out.covey")
    lines = [line for line in (text + errors).splitlines() if "left out:" in line]
    assert len(set(lines)) == len(lines) > 0
