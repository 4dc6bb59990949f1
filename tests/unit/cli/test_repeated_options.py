"""Options that are given several times: all of them count, or the command refuses them."""

import csv
import json

import pytest

import covey


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["visit,who,age,city,pay,ill"]
    lines += [
        f"{i},w{i},{30 + i % 2},{'Bonn' if i % 4 else 'Trier'},{i % 3},{'flu' if i % 2 else 'hiv'}" for i in range(24)
    ]
    (tmp_path / "visits.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


PROMISE = ("-g", "k-anonymity(k=2)", "-m", "mondrian", "-o", "out", "--csv")


def test_columns_of_every_role_may_be_named_one_by_one_and_in_lists(folder, covey_cli, prepared):
    given = ("--quasi", "age", "--quasi", "city", "--other", "pay", "-s", "ill", "--identifier", "who,visit")
    data = prepared("visits.csv", *given, "--categorical", "age", "--categorical", "city", out="visits.covey")
    code, out, err = covey_cli("anonymize", data, *PROMISE)
    assert code == 0, err
    with (folder / "out" / "columns.csv").open(newline="") as file:
        columns = {row["column"]: (row["role"], row["kind"]) for row in csv.DictReader(file)}
    assert {name: role for name, (role, _) in columns.items()} == {
        "age": "quasi", "city": "quasi", "pay": "other", "ill": "sensitive"
    }  # fmt: skip
    assert columns["age"][1] == "categorical"
    assert "no option names them" not in out
    code, out, err = covey_cli("verify", "out", "--original", data)
    assert code == 0, out + err
    assert "It counts rows: a person with several of them is counted several times, so nothing is promised" in out


def test_several_texts_may_mean_no_rating(folder, covey_cli, prepared):
    (folder / "survey.csv").write_text("user,item,rating\na,x,1\na,y,98\nb,x,99\nb,y,2\n")
    how = ("--null", "98", "--null", "99")
    code, out, err = covey_cli("inspect", prepared("survey.csv", "--kind", "ratings", *how, out="a.covey"), "--json")
    assert code == 0, err
    assert json.loads(out)["ratings"] == 2
    assert covey.read_ratings("survey.csv", null=["98", "99"]).entries == 2


def test_items_that_fit_any_of_several_texts_are_listed(folder, covey_cli):
    (folder / "sales.dat").write_text("ale beer\ntea\nale tea wine\n")
    code, out, err = covey_cli("items", "sales.dat", "--match", "ale", "--match", "glob:t*", "--json")
    assert code == 0, err
    assert {one["item"] for one in json.loads(out)["items"]} == {"ale", "tea"}
    code, _, err = covey_cli("items", "sales.dat", "--match", "ale", "--match", "rum")
    assert code == 2
    assert "'rum'" in err


@pytest.mark.parametrize(
    ("command", "option", "values"),
    [
        ("anonymize visits.csv -o out -s ill -g k-anonymity(k=2)", "--guarantee", ["l-diversity(l=2)"]),
        ("anonymize visits.csv -o out -g k-anonymity(k=2)", "--person", ["who", "visit"]),
        ("anonymize visits.csv -o out -g k-anonymity(k=2)", "--taxonomy", ["a.csv", "b.csv"]),
        ("attack out --original visits.csv", "--with", ["one", "two"]),
        ("verify out", "--original", ["one.csv", "two.csv"]),
        ("query out", "--sensitive", ["hiv", "flu"]),
    ],
)
def test_what_takes_one_value_is_not_given_twice(folder, covey_cli, command, option, values):
    given = [word for value in values for word in (option, value)]
    code, _, err = covey_cli(*command.split(), *given)
    assert code == 2
    assert "given twice" in " ".join(err.split())
    assert not (folder / "out").exists()
    code, out, _ = covey_cli(*command.split(), *given, "--json")
    assert (code, json.loads(out)["error"]["type"]) == (2, "UsageError")


def test_one_thing_has_one_value(folder, covey_cli):
    given = ("--set", "relaxed=true", "--set", "relaxed=false")
    code, _, err = covey_cli("anonymize", "visits.csv", "--kind", "table", *given, *PROMISE)
    assert (code, "twice" in err) == (2, True)
    given = ("--hierarchy", "city=a", "--hierarchy", "city=b")
    code, _, err = covey_cli("prepare", "visits.csv", "--quasi", "city", *given)
    assert (code, "two hierarchies" in err) == (2, True)


def test_switches_may_be_given_twice(folder, covey_cli):
    assert covey_cli("inspect", "visits.csv", "--kind", "table", "--json", "--json")[0] == 0
