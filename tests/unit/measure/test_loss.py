"""Losses of sets, recodings and records: as plain counting has them, and refused where they mean nothing."""

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data import Records, Taxonomy
from covey.measure import itemsets as itemsets_module
from covey.measure.evaluation import evaluate
from covey.measure.itemsets import frequent
from covey.measure.loss import gcp, lm, ncp, record_loss
from covey.release.base import Statement
from covey.release.sets import SetsRelease
from covey.release.trace import trace_of
from oracles import recoding as slow
from strategies import examples
from trees import baskets_of, taxonomy_of, trees_and_rows

TREE = Taxonomy.from_nested({"*": {"beer": ["ale", "stout"], "hot": ["tea", "coffee"]}})
RECORD_TREE = Taxonomy.from_nested({"*": {"ab": ["a", "b"], "cd": ["c", "d"]}})
BELOW = {"ab": "ab", "cd": "cd", "*": "abcd"}
PERSON = st.tuples(st.sampled_from("fm"), st.sampled_from(["n", "s"]), st.sets(st.sampled_from("abcd")))


def released(rows, *, recoded="suppressed", recoding=None, private=None):
    return SetsRelease(
        transactions=covey.Baskets.of(rows),
        recoded=recoded,
        recoding=recoding,
        private=None if private is None else covey.Baskets.of(private),
        made=Statement(guarantee="k-anonymity(k=2)", method="hand"),
    )


def test_by_hand():
    original = covey.Baskets.of([["a", "b", "c"], ["a", "b"], ["d"], [], []])
    loss = gcp(released([["a", "b"], ["a", "b"], [], [], []]), original)
    figures = {"published": 4, "original": 6, "lost_items": 0.5, "emptied": 1}
    assert loss.to_dict() == {"gcp": pytest.approx(1 - 4 / 6), **figures}
    assert gcp(released([[], []]), covey.Baskets.of([[], []])).gcp == 0


@pytest.mark.parametrize("marks", [[], ["s"]])
def test_private_items_are_neither_kept_nor_lost(marks):
    original = covey.Baskets.of([["a", "b", "s"], ["a", "s"], ["s"]], sensitive=marks)
    loss = gcp(released([["a"], ["a"], []], private=[["s"], ["s"], ["s"]]), original)
    figures = {"published": 2, "original": 3, "lost_items": 0.5, "emptied": 0}
    assert loss.to_dict() == {"gcp": pytest.approx(1 / 3), **figures}


def test_other_releases_are_refused():
    original = covey.Baskets.of([["a"], ["b"]])
    with pytest.raises(covey.InputError, match="2 transactions and the original 1"):
        gcp(released([["a"], ["b"]]), covey.Baskets.of([["a"]]))
    with pytest.raises(covey.InputError, match="by suppression"):
        gcp(released([["x"], ["x"]], recoded="global", recoding={"a": "x", "b": "x"}), original)


@examples(25)
@given(trees_and_rows(), st.integers(2, 3), st.integers(1, 3))
def test_lm_is_the_sum_over_occurrences(case, k, m):
    shape, rows = case
    tree, data = taxonomy_of(shape), baskets_of(rows, shape)
    release = covey.anonymize(data, f"km-anonymity(k={k}, m={m})", "mhghs", taxonomy=tree)
    expected = sum(
        slow.loss_of(shape, "R", release.recoding[x]) if x in release.recoding else 1.0 for row in rows for x in row
    )
    assert lm(release, data, tree) == pytest.approx(expected)
    assert ncp(release, data, tree) == pytest.approx(expected / max(data.entries, 1))


ITEMS = [f"i{n}" for n in range(5)]
PRIVATE = ["s", "t"]
ROWS = st.lists(st.tuples(st.sets(st.sampled_from(ITEMS)), st.sets(st.sampled_from(PRIVATE))), min_size=4, max_size=9)


def often(rows, least, size=3):
    """The sets of at most `size` items that are in at least `least` rows."""
    every = sorted(set().union(*rows))
    sets = [set(chosen) for length in range(1, size + 1) for chosen in combinations(every, length)]
    return [one for one in sets if sum(one <= row for row in rows) >= least]


@examples(25)
@given(ROWS, st.sampled_from([0.5, 0.8]), st.booleans())
def test_private_items_of_coherence_are_neither_kept_nor_lost(rows, h, marked):
    public = [row for row, _ in rows]
    data = covey.Baskets.of([row | secret for row, secret in rows])
    secrets = [s for s in PRIVATE if s in data.items]
    if not secrets or sum(map(bool, public)) < 2:
        return
    release = covey.anonymize(data, f"coherence(h={h}, k=2, p=2)", "mm", sensitive=secrets, seed=0)
    found = evaluate(release, data.with_sensitive(secrets if marked else []))
    kept = [row & set(release.recoding) for row in public]
    lost = sum(len(row) - len(left) for row, left in zip(public, kept, strict=True))
    assert found["lm"] == lost
    assert found["ncp"] == pytest.approx(lost / sum(map(len, public)))
    before = often(public, 1)  # 1 % of so few rows is one row
    assert found["frequent"]["frequent"] == len(before)
    assert found["frequent"]["surviving"] == sum(any(one <= row for row in kept) for one in before)


def test_items_that_a_recoding_does_not_list_are_published_as_the_rest():
    data = covey.Baskets.of([["ale"], ["tea"], ["rum"], ["rum"]])
    release = covey.anonymize(data, "km-anonymity(k=2, m=1)", "aa", seed=0)
    assert release.rest
    expected = sum(0.0 if release.recoding.get(item) == item else 1.0 for item in ("ale", "tea", "rum", "rum"))
    assert lm(release, data) == expected
    assert evaluate(release, data)["lm"] == expected


def test_the_loss_of_a_local_recoding():
    rows = [["ale", "tea"], ["stout", "tea"], ["tea"], ["tea"]]
    data = covey.Baskets.of(rows)
    release = covey.anonymize(data, "km-anonymity(k=2, m=2)", "lg", taxonomy=TREE)
    assert lm(release, data, TREE) == pytest.approx(2 / 3)
    assert ncp(release, data, TREE) == pytest.approx(2 / 3 / 6)


def test_a_label_outside_the_taxonomy_is_refused():
    data = covey.Baskets.of([["ale"], ["stout"]])
    release = covey.anonymize(data, "km-anonymity(k=2, m=1)", "aa", taxonomy=TREE)
    with pytest.raises(covey.InputError, match="'beer', which is not in the taxonomy"):
        lm(release, data)


def test_surviving_itemsets(monkeypatch):
    rows = [["ale", "tea"], ["stout", "tea"], ["ale", "tea"], ["coffee"]]
    data = covey.Baskets.of(rows)
    release = covey.anonymize(data, "km-anonymity(k=3, m=2)", "mhghs", taxonomy=TREE)
    assert frequent(release, data, TREE, limit=3).least > 0.25, "less is taken for frequent until few enough are"
    monkeypatch.setattr(itemsets_module, "LEAST_SHARE", 0.5)
    monkeypatch.setattr(itemsets_module, "SIZE", 2)
    found = frequent(release, data, TREE)
    # ale, beer, hot, tea; {ale, hot}, {ale, tea}, {beer, hot}, {beer, tea}
    assert found.frequent == 8
    published = {release.recoding.get(x) for x in data.items} - {None}
    expected = sum(
        all(any(p in slow_below(label) for p in published) for label in group)
        for group in (["ale"], ["beer"], ["hot"], ["tea"], ["ale", "hot"], ["ale", "tea"], ["beer", "hot"],
                      ["beer", "tea"])
    )  # fmt: skip
    assert found.surviving == expected
    assert found.to_dict()["share"] == found.surviving / 8
    same = covey.Baskets.of([["ale", "tea"]] * 3)
    whole = frequent(covey.anonymize(same, "km-anonymity(k=3, m=2)", "mhghs", taxonomy=TREE), same, TREE, limit=3)
    assert (whole.least, whole.frequent) == (1.0, 4), "and where all have the same, single ones are counted"


def slow_below(label):
    node = TREE.node(label)
    return {TREE.labels[x] for x in range(node, TREE.last[node] + 1)}


def records(people, tree):
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
@given(st.lists(PERSON, min_size=6, max_size=14), st.sampled_from([RECORD_TREE, None]))
def test_the_loss_is_what_plain_counting_says(people, tree):
    if sum(bool(held) for _, _, held in people) < 2:
        return
    data, release = records(people, tree)
    assert record_loss(release, data, tree).items == pytest.approx(lost(release, people))


def test_it_is_exact_where_items_are_published_as_they_are_or_left_out():
    people = [("f", "n", "ab"), ("f", "n", "ab"), ("f", "n", "a"), ("m", "s", "cd"), ("m", "s", "c"), ("m", "s", "c")]
    data, release = records(people, None)
    assert set(release.baskets.items) <= {"a", "b", "c", "d"}
    assert record_loss(release, data).items == pytest.approx(1 - release.baskets.entries / data.entries)


def test_without_a_trace_the_loss_is_estimated():
    people = [("f", "n", "ab"), ("f", "s", "cd")] * 5
    data, release = records(people, RECORD_TREE)
    exact = record_loss(release, data, RECORD_TREE)
    assert record_loss(replace(release), data, RECORD_TREE).items == pytest.approx(exact.items)
