"""The loss of records: as defined by plain counting, exact where nothing is broader, and defined however many fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data import Records, Taxonomy
from covey.measure.record_loss import record_loss
from covey.verify import records_fidelity, table_fidelity
from covey.verify.records_fidelity import NECESSARY, compare
from oracles import records as oracle
from strategies import examples

TREE = Taxonomy.from_pairs([("a", "ab"), ("b", "ab"), ("c", "cd"), ("d", "cd"), ("ab", "*"), ("cd", "*")])
BELOW = {"ab": "ab", "cd": "cd", "*": "abcd"}
PERSON = st.tuples(st.sampled_from("fm"), st.sampled_from(["n", "s"]), st.sets(st.sampled_from("abcd")))


def made(people, tree):
    sex, place, items = zip(*people, strict=True)
    data = Records.of({"sex": list(sex), "place": list(place)}, [sorted(held) for held in items])
    return data, covey.anonymize(data, "k-km-anonymity(k=2, m=2)", taxonomy=tree, seed=1)


def lost(release, people):
    rows = release.to_frame(library="arrow").to_pylist()
    return oracle.meaning_lost(
        [((row["sex"], row["place"]), row["items"]) for row in rows],
        [((sex, place), items) for sex, place, items in people],
        lambda cell, true: all(shown in (value, "*") for shown, value in zip(cell, true, strict=True)),
        lambda label, item: item in BELOW.get(label, label),
        lambda label: {"ab": 1 / 3, "cd": 1 / 3, "*": 1}.get(label, 0),
    )


@pytest.mark.kernel
@examples(40)
@given(st.lists(PERSON, min_size=6, max_size=14), st.sampled_from([TREE, None]))
def test_the_loss_is_what_plain_counting_says(people, tree):
    if sum(bool(held) for _, _, held in people) < 2:
        return
    data, release = made(people, tree)
    assert record_loss(release, data, tree).items == pytest.approx(lost(release, people))


def test_it_is_exact_where_items_are_published_as_they_are_or_left_out():
    people = [("f", "n", "ab"), ("f", "n", "ab"), ("f", "n", "a"), ("m", "s", "cd"), ("m", "s", "c"), ("m", "s", "c")]
    data, release = made(people, None)
    assert set(release.baskets.items) <= {"a", "b", "c", "d"}
    assert record_loss(release, data).items == pytest.approx(1 - release.baskets.entries / data.entries)


def test_however_many_fit_there_is_a_loss_and_an_honest_word_on_what_was_checked(monkeypatch):
    people = [("f", "n", "ab"), ("f", "s", "cd")] * 5
    data, release = made(people, TREE)
    before = record_loss(release, data, TREE).items
    monkeypatch.setattr(records_fidelity, "TESTS", 0)
    assert NECESSARY in [check.name for check in compare(release, data, TREE)]
    monkeypatch.setattr(table_fidelity, "COMPARISONS", 0)
    assert NECESSARY in [check.name for check in compare(release, data, TREE)]
    assert record_loss(release, data, TREE).items == pytest.approx(before)
