"""Reports of tables, of sets that are alike, and of recoded sets: every kind says what it has lost."""

from html.parser import HTMLParser

import numpy as np
import pytest

import covey
from covey import pipeline
from covey.report import charts
from covey.report.findings import Exposure, class_sizes
from covey.report.measured import measure_rows
from covey.report.words import promise_of

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
    verdict = pipeline.report(folder / "r", folder / "r.html", data if original else None, **given)
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
        "What it is still good for",
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


def test_sets_that_are_alike(tmp_path):
    sets = covey.Baskets.of([["a", "b"]] * 3 + [["c"]] * 2 + [["c", "d"]])
    said = report(tmp_path, sets, "k-anonymity(3)", "pattern-ka")
    assert "2 classes of rows that look alike, by the number of members." in said
    assert "Occurrences of items that are not published as they were (global certainty penalty)" in said
    assert "Different items that are not published at all" in said
    assert not any("normalized" in text for text in said)


def test_recoded_sets(tmp_path):
    tree = covey.Taxonomy.from_pairs([("ale", "beer"), ("stout", "beer"), ("beer", "*"), ("tea", "*")])
    sets = covey.Baskets.of([["ale", "tea"], ["stout", "tea"], ["tea"], ["tea"]])
    said = report(tmp_path, sets, "km-anonymity(k=2, m=2)", "mhghs", taxonomy=tree)
    assert "Meaning that is lost along the taxonomy (normalized certainty penalty)" in said
    assert "How people are grouped" not in said


def test_ratings_are_said_to_be_kept():
    rows = measure_rows({"kind": "ratings", "records_kept": 0.5, "ratings_kept": 0.25})
    assert rows == [("Records that are published", "50 %"), ("Ratings that are published", "25 %")]


def test_exposure_counts_rows_alike_in_their_quasi_identifiers():
    people = covey.Table.of({"age": [1, 1, 2], "ill": ["x", "y", "z"]}, sensitive=["ill"])
    assert Exposure.of(people) == Exposure(mean=2 / 3, worst=1.0, unique=1 / 3)


def test_class_sizes_of_many_sets_are_exact():
    rng = np.random.default_rng(3)
    sets = [frozenset(rng.choice(list("abcd"), rng.integers(0, 4), replace=False)) for _ in range(200)]
    expected = sorted(sets.count(one) for one in set(sets))
    assert sorted(class_sizes(covey.Baskets.of(sets)).tolist()) == expected


def test_tables_have_words_of_their_own_only_where_they_need_them():
    assert promise_of("k-anonymity(5)", "table").short != promise_of("k-anonymity(5)", "generalized").short
    assert "4 others" in promise_of("k-anonymity(5)", "table").short
    assert promise_of("degree(p=4)", "table") == promise_of("degree(p=4)")


def test_lying_bars_of_nothing_and_of_zeros_are_drawn():
    assert charts.lying_bars([], title="none").startswith("<svg")
    assert "0 %" in charts.lying_bars([("a & b", 0.0)], title="t")
