"""The loss of records: as defined by plain counting, exact where nothing is broader, and defined however many fit."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data import Records, Taxonomy
from covey.measure.record_loss import record_loss
from covey.release.trace import trace_of
from strategies import examples

TREE = Taxonomy.from_pairs([("a", "ab"), ("b", "ab"), ("c", "cd"), ("d", "cd"), ("ab", "*"), ("cd", "*")])
BELOW = {"ab": "ab", "cd": "cd", "*": "abcd"}
PERSON = st.tuples(st.sampled_from("fm"), st.sampled_from(["n", "s"]), st.sets(st.sampled_from("abcd")))


def made(people, tree):
    sex, place, items = zip(*people, strict=True)
    data = Records.of({"sex": list(sex), "place": list(place)}, [sorted(held) for held in items])
    return data, covey.anonymize(data, "k-km-anonymity(k=2, m=2)", taxonomy=tree, seed=1)


def lost(release, people):
    """The meaning that is missing, label by label: a broader one counts for the items of the person below it."""
    kept, entries = 0.0, sum(len(items) for _, _, items in people)
    for row, person in enumerate(trace_of(release).rows):
        for label in release.baskets.basket(row):
            below = len(people[person][2] & set(BELOW.get(label, label)))
            kept += (1 - {"ab": 1 / 3, "cd": 1 / 3, "*": 1}.get(label, 0)) * below
    return (entries - kept) / max(entries, 1)


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


def test_without_a_trace_the_loss_is_estimated():
    people = [("f", "n", "ab"), ("f", "s", "cd")] * 5
    data, release = made(people, TREE)
    assert record_loss(replace(release), data, TREE).items == pytest.approx(record_loss(release, data, TREE).items)
