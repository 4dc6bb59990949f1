"""Every command on a release prints text for every kind of data; the figures are compared by the golden runs."""

import shlex

import pytest

from covey.io import write
from covey.io.writing import write_ratings
from covey.synth import shop, survey

DIVERSE = "l-diversity(l=2, k=2, kind=distinct)"
PEOPLE = "people.csv --quasi age,city --sensitive illness"

#: The file and how it is read, the method and the guarantee, and what is counted in it.
KINDS = {
    "groups": ("sales.csv -s 'pregnancy test'", "cahd", "degree(p=5)", "baskets"),
    "groups of persons": ("visits.csv -s rum --person who", "matched", "degree(p=4)", "persons"),
    "sets": ("sales.csv", "pattern-ka", "k-anonymity(k=3)", "baskets"),
    "sets of persons": ("visits.csv --person who", "pattern-ka", "k-anonymity(k=3)", "persons"),
    "generalized sets": (
        "visits.csv --row-is-person --taxonomy tree.csv",
        "mhghs",
        "km-anonymity(k=2, m=1)",
        "baskets",
    ),
    "chunks": ("sales.csv", "disassociation", "km-anonymity(k=3, m=2)", "baskets"),
    "ratings": ("survey.csv --kind ratings -s 'issue 6'", "suppress", "k-eps-l(k=4, epsilon=1, l=1)", "respondents"),
    "table": (PEOPLE, "mondrian", DIVERSE, "rows"),
    "table of persons": (f"{PEOPLE} --person name", "mondrian", DIVERSE, "persons"),
    "records": ("people.csv --baskets visits.csv --person who", "rt-merge", "k-km-anonymity(k=3, m=1)", "persons"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    write(shop(transactions=200, seed=1).baskets, folder / "sales.csv")
    write_ratings(survey(respondents=60, issues=6, profiles=3, seed=1), folder / "survey.csv")
    people = [f"c{i},p{i // 2},{20 + i % 4},{'UB'[i % 2]},{('flu', 'gout')[i // 2 % 2]}" for i in range(60)]
    (folder / "people.csv").write_text("\n".join(["who,name,age,city,illness", *people]) + "\n")
    items = ("ale", "tea", "milk")
    visits = [f"{i},c{i % 60},{item}" for i in range(120) for item in (items[i % 3], *(["rum"] if i % 12 == 0 else []))]
    (folder / "visits.csv").write_text("\n".join(["visit,who,item", *visits]) + "\n")
    (folder / "tree.csv").write_text("child,parent\nale,drink\nrum,drink\ntea,hot\nmilk,hot\n")
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_every_command_prints_text(kind, folder, tmp_path, covey_cli, prepared, monkeypatch):
    monkeypatch.chdir(folder)
    reading, method, guarantee, counted = KINDS[kind]
    words, tree, _ = reading.partition(" --taxonomy tree.csv")
    data = [prepared(*shlex.split(words), out=tmp_path / "data.covey"), *tree.split()]
    out, page = tmp_path / "out", tmp_path / "page.html"

    def printed(*words, codes=(0,)):
        code, text, errors = covey_cli(*words)
        assert code in codes, errors
        return " ".join(text.split())

    assert counted in printed("inspect", *data, "--samples", 20, "--html", page)
    assert guarantee in printed("check", *data, "-g", guarantee, codes=(0, 1))
    made = printed("anonymize", *data, "-g", guarantee, "-m", method, "-o", out, "--seed", 1)
    assert f"{guarantee} holds." in made
    original = ("--original", *data)
    assert f"{guarantee} holds." in printed("verify", out, *original)
    assert guarantee in printed("evaluate", out, *original)
    assert guarantee in printed("attack", out, *(word for word in original if word not in ("--taxonomy", "tree.csv")))
    printed("report", out, *original, "-o", page)
    assert guarantee in page.read_text(encoding="utf-8")
