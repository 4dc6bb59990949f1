import json

import pytest


@pytest.fixture
def survey(tmp_path):
    rows = ["user,a,b,s"]
    rows += [f"u{i},{1 + i % 2},{2 + i % 2},{1 + i % 5}" for i in range(30)]
    rows.append("odd,5,,3")
    path = tmp_path / "survey.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_a_no_with_everything_that_goes_with_it(survey, covey_cli, prepared, tmp_path):
    who, picture = tmp_path / "who.csv", tmp_path / "curve.png"
    data = prepared(survey, "--kind", "ratings", "-s", "s", "--scale", "1:5", out=tmp_path / "survey.covey")
    arguments = ("check", data, "-g", "k-eps-l(k=5, epsilon=1, l=1)")
    code, text, _ = covey_cli(*arguments, "--violators", who, "--plot", picture)
    assert code == 1
    assert "The data does not keep k-eps-l(k=5, epsilon=1, l=1)." in text
    assert "k = 1, l = 0" in text
    assert who.read_text().splitlines()[1].startswith("odd,k+l,1,0")
    assert picture.stat().st_size > 1000
    code, text, _ = covey_cli(*arguments, "--json")
    body = json.loads(text)
    assert body["holds"] is False
    assert body["figures"]["break_k"] == 1
    assert body["curve"][-1] == {"epsilon": 5.0, "k": 31}


def test_first(survey, covey_cli):
    code, text, _ = covey_cli("check", survey, "-g", "k-eps-l(k=5, epsilon=1)", "--first", "--json")
    assert code == 1
    assert "curve" not in json.loads(text)
    assert json.loads(text)["holds"] is False


def test_everyone_who_is_not_alike_k_times_is_listed(covey_cli, tmp_path):
    (tmp_path / "sales.dat").write_text("a b\na b\na b c\nd\n")
    who = tmp_path / "who.csv"
    code, text, _ = covey_cli("check", tmp_path / "sales.dat", "-g", "k-anonymity(k=2)", "--violators", who)
    assert code == 1
    assert f"wrote {who}" in " ".join(text.split())
    assert who.read_text() == "transaction,alike,items\n3,1,a|b|c\n4,1,d\n"
    code, text, _ = covey_cli(
        "check", tmp_path / "sales.dat", "-g", "km-anonymity(k=2, m=2)", "--violators", who, "--force"
    )
    assert who.read_text() == "transaction,items\n3,a|b|c\n4,d\n"
    assert "4 sets too rare, in 2 of 4 transactions" in " ".join(text.split())  # c, d, a c, b c
    body = json.loads(covey_cli("check", tmp_path / "sales.dat", "-g", "km-anonymity(k=2, m=2)", "--json")[1])
    assert (body["figures"]["offending_sets"], body["figures"]["violating"]) == (4, 2)


def test_persons_and_rows_of_tables_that_are_not_alike_are_listed(covey_cli, prepared, tmp_path):
    who = tmp_path / "who.csv"
    (tmp_path / "visits.csv").write_text("who,visit,item\nann,1,a\nann,2,b\nbob,3,a\nbob,4,b\ncy,5,a\n")
    reading = ("--person", "who", "--transaction", "visit", "--item", "item")
    data = prepared(tmp_path / "visits.csv", *reading, out=tmp_path / "visits.covey")
    covey_cli("check", data, "-g", "k-anonymity(k=2)", "--violators", who)
    assert who.read_text() == "person,alike,items\n3,1,a\n"
    (tmp_path / "people.csv").write_text("who,age,town\nann,30,x\nann,30,x\nbob,40,y\ncy,40,y\n")
    people = [tmp_path / "people.csv", "--quasi", "age,town"]
    table = ("-g", "k-anonymity(k=2)", "--violators", who, "--force")
    rows = prepared(*people, "--identifier", "who", out=tmp_path / "rows.covey")
    assert covey_cli("check", rows, *table)[0] == 0
    assert who.read_text() == "row,alike,age,town\n"
    persons = prepared(*people, "--person", "who", out=tmp_path / "persons.covey")
    assert covey_cli("check", persons, *table)[0] == 1
    assert who.read_text() == "row,alike,age,town\n1,1,30,x\n2,1,30,x\n"


def test_what_has_no_list_of_violators_is_refused(covey_cli, tmp_path):
    (tmp_path / "sales.dat").write_text("a s\na\n")
    code, _, errors = covey_cli(
        "check", tmp_path / "sales.dat", "-s", "s", "-g", "degree(p=2)", "--violators", tmp_path / "who.csv"
    )
    assert code == 2
    assert "works with k-eps-l, k-anonymity, km-anonymity only, not with degree" in " ".join(errors.split())
    assert not (tmp_path / "who.csv").exists()
