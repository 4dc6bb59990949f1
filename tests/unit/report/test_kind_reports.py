"""Reports of tables, of sets that are alike, and of recoded sets: every kind says what it has lost."""

from html.parser import HTMLParser

import numpy as np
import pytest

import covey
from covey.methods import mm
from covey.pipeline import cut_short
from covey.release.manifest import read_manifest

PEOPLE = {
    "age": [20, 25, 50, 60, 21, 26],
    "a very long name of a column <b>": ["f", "f", "m", "m", "f", "m"],
    "ill": ["flu", "cold", "flu", "flu", "cold", "flu"],
}


class Words(HTMLParser):
    """Collects the visible text."""

    def __init__(self, page):
        super().__init__()
        self.said, self.silent = [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.silent = tag == "style"

    def handle_endtag(self, tag):
        self.silent = False

    def handle_data(self, data):
        if not self.silent and data.strip():
            self.said.append(data.strip())


def report(folder, data, guarantee, method, original=True, **options):
    covey.publish(data, folder / "r", guarantee, method, seed=1, **options)
    given = {"taxonomy": options.get("taxonomy")} if original else {}
    verdict = covey.report(folder / "r", data if original else None, output=folder / "r.html", **given)
    assert verdict.holds
    return Words((folder / "r.html").read_text(encoding="utf-8")).said


@pytest.mark.parametrize("original", [True, False])
def test_a_table(tmp_path, original):
    people = covey.Table.of(PEOPLE, sensitive=["ill"])
    said = report(tmp_path, people, "k-anonymity(2)", "mondrian", original)
    assert "The columns" in said
    assert "sensitive: unchanged" in said
    assert any("classes of rows that look alike, by the number" in text for text in said)
    assert any("Sensitive and other columns are published unchanged" in text for text in said)
    measured = {
        "Risk, before and after",
        "What is learned without finding the row",
        "What it is still useful for",
        "a very long name of a c…",
    }
    assert measured <= set(said) if original else measured.isdisjoint(said)
    if original:
        assert "Detail of the quasi-identifiers that is lost (global certainty penalty)" in said
        at = said.index("ill", said.index("certain from this release"))
        assert said[at + 1 : at + 4 : 2] == [
            "67 %",
            "83 %",
        ]  # without either, and from {20, 21, 25} and {26, 50, 60}
        assert any("100 % of the rows have no other like them; in this release 0 %" in text for text in said)


def test_a_table_of_persons_speaks_of_persons(tmp_path):
    # No two persons are alike, though each has two rows that are.
    columns = {name: [value for value in values for _ in range(2)] for name, values in PEOPLE.items()}
    persons = [number // 2 for number in range(len(columns["ill"]))]
    people = covey.Table.of(columns, sensitive=["ill"], persons=persons)
    said = report(tmp_path, people, "k-anonymity(2)", "mondrian")
    assert any("100 % of the rows are like those of no other person; in this release 0 %" in text for text in said)
    assert not any("have no other like them" in text for text in said)
    assert any("picks one of the persons that are published with them" in text for text in said)


def test_columns_that_nothing_protects_are_listed_and_a_telling_one_loudly(tmp_path):
    ages = [20 + i % 4 for i in range(20)]
    people = {"age": ages, "ill": ["flu", "cold"] * 10, "phone": [f"555-{i:02}" for i in range(20)]}
    table = covey.Table.of(people, sensitive=["ill"], other=["phone"])
    said = report(tmp_path, table, "k-anonymity(4)", "mondrian", original=False)
    assert any(text.startswith("Published unchanged: ill, phone.") for text in said)
    loud = [text for text in said if "it can identify people by itself" in text]
    assert len(loud) == 1
    assert loud[0].startswith("The column 'phone' is published as it was, and it has 100 % as many")
    assert said.index(loud[0]) < said.index("What is promised")


def test_a_search_that_was_cut_short_is_said_beside_the_verdict(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    sets = covey.Baskets.of([rng.choice(12, 4, replace=False).astype(str) for _ in range(20)])
    monkeypatch.setattr(mm, "MEMBERS", 1)
    said = report(tmp_path, sets, "km-anonymity(k=3, m=2)", "mm", original=False)
    notes = cut_short(read_manifest(tmp_path / "r"))
    assert len(notes) == 1
    assert said.index(notes[0]) < said.index("What is promised")


def test_sets_that_are_alike(tmp_path):
    sets = covey.Baskets.of([["a", "b"]] * 3 + [["c"]] * 2 + [["c", "d"]])
    said = report(tmp_path, sets, "k-anonymity(3)", "pattern-ka")
    for title in (
        "Risk, before and after",
        "What an attacker achieves",
        "What it is still useful for",
        "How to use it",
    ):
        assert title in said
    assert "2 classes of baskets that look alike, by the number of members." in said
    assert "Occurrences of items that are not published as they were (global certainty penalty)" in said
    assert "Different items that are not published at all" in said
    assert not any("normalized" in text for text in said)


@pytest.mark.parametrize("marks", [[], ["s"]])
def test_private_items_do_not_count_in_a_report_of_coherence(tmp_path, marks):
    # s is in a quarter of the rows; i0 to i3 are left out, one occurrence each of 12 public ones.
    rows = [["a", "b", f"i{i}", *(["s"] if i == 0 else [])] for i in range(4)]
    data = covey.Baskets.of(rows)
    covey.publish(data, tmp_path / "r", "coherence(h=0.5, k=2, p=2)", "mm", sensitive=["s"], seed=1)
    original = data.with_sensitive(marks)
    assert covey.report(tmp_path / "r", original, output=tmp_path / "r.html").holds
    said = Words((tmp_path / "r.html").read_text(encoding="utf-8")).said
    at = said.index("Meaning of public items that is lost along the taxonomy (normalized certainty penalty)")
    assert said[at + 1] == "33.3 %"


def test_recoded_sets(tmp_path):
    tree = covey.Taxonomy.from_pairs([("ale", "beer"), ("stout", "beer"), ("beer", "*"), ("tea", "*")])
    sets = covey.Baskets.of([["ale", "tea"], ["stout", "tea"], ["tea"], ["tea"]])
    said = report(tmp_path, sets, "km-anonymity(k=2, m=2)", "mhghs", taxonomy=tree)
    assert "Meaning of items that is lost along the taxonomy (normalized certainty penalty)" in said
    assert "How they are grouped" not in said


def test_one_of_something_is_said_in_the_singular(tmp_path):
    baskets = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b"]], sensitive=["s"])
    said = report(tmp_path, baskets, "degree(p=2)", "cahd")
    assert not any(words in text for text in said for words in ("1 groups", "1 sensitive items", "1 persons"))


def test_records_are_persons_and_not_rows(tmp_path):
    people = covey.Table.of({"age": [20, 25, 50, 60, 21, 26], "town": list("ababab")})
    items = covey.Baskets.of([["ale"], ["ale"], ["tea"], ["tea"], ["ale"], ["tea"]])
    said = report(tmp_path, covey.Records(people, items), "k-km-anonymity(k=2, m=1)", "rt-merge")
    assert "mean over all persons" in said
    assert "mean over all rows" not in said
    assert any("of the persons have no other like them" in text for text in said)
