"""rt-global: the promise is kept by plain counting, and everything is recoded alike for everybody."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data import Column, Hierarchy, Records, Table, Taxonomy
from covey.measure.loss import record_loss
from covey.methods.specialization import Parts, specialized
from oracles import records as oracle
from strategies import examples

TREE = Taxonomy.from_pairs([(x, "abc") for x in "abc"] + [(x, "def") for x in "def"] + [("abc", "*"), ("def", "*")])
PLACES = Hierarchy.from_paths([["x1", "x", "*"], ["x2", "x", "*"], ["y1", "y", "*"]])


@st.composite
def people(draw):
    n = draw(st.integers(4, 24))

    def listed(values):
        return draw(st.lists(values, min_size=n, max_size=n))

    columns = {
        "age": listed(st.one_of(st.none(), st.integers(20, 30))),
        "place": listed(st.sampled_from(PLACES.labels[:3])),
    }
    items = listed(st.sets(st.sampled_from("abcdef"), max_size=4).map(sorted))
    return Records.of(columns, items, hierarchies={"place": PLACES})


@examples(40)
@given(people(), st.integers(2, 4), st.sampled_from([1, 2, 3]), st.sampled_from([None, TREE]))
def test_the_promise_is_kept_and_labels_mean_the_same_in_every_class(data, k, m, tree):
    if not 0 < k <= data.summary().filled:
        return
    release = covey.anonymize(data, f"k-km-anonymity(k={k}, m={m})", "rt-global", taxonomy=tree, seed=0)
    rows = release.to_frame(library="arrow").to_pylist()
    assert oracle.keeps([((row["age"], row["place"]), row["items"]) for row in rows], k, m)
    labels = set(release.baskets.items)
    assert not labels & {"abc"} or not labels & set("abc")


@examples(40)
@given(people(), st.integers(2, 4))
def test_each_step_cuts_classes_of_the_one_before_and_leaves_none_too_small(data, k):
    if data.n < k:
        return
    steps = list(specialized(data.attributes, k))
    assert len(set(steps[0])) == 1
    for before, after in pairwise(steps):
        assert min(np.bincount(after)) >= k
        assert len(set(zip(after.tolist(), before.tolist(), strict=True))) == len(set(after.tolist()))


def test_the_step_that_spares_most_comes_first():
    """Of 20, 30 and 60, cutting before 60 spares 5 of 6, cutting before 30 only 3."""
    steps = specialized(Table.of({"age": [20, 20, 30, 30, 60, 60]}), 2)
    assert [step.tolist() for step in steps] == [[0] * 6, [0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2]]


def test_a_numeric_part_is_cut_between_values_and_a_node_into_its_children():
    ages = Column.of_numbers("age", [20, 20, 30, 40])
    parts = Parts(ages, np.zeros(3, np.int64))
    assert parts.loss(parts.of_value).tolist() == [1, 1, 1]
    cuts = [cut.tolist() for cut in parts.cuts(0, np.array([2, 1, 1]))]
    assert cuts == [[0, 1, 1], [0, 0, 2]]
    assert [parts.loss(np.array(cut)).tolist() for cut in cuts] == [[0, 0.5, 0.5], [0.5, 0.5, 0]]
    place = Table.of({"place": ["x1", "y1"]}, hierarchies={"place": PLACES}).columns[0]
    root = len(PLACES.labels) - 1
    [cut] = Parts(place, np.full(3, root)).cuts(root, np.array([1, 0, 1]))
    assert [PLACES.labels[node] for node in cut] == ["x", "x", "y"]


def test_rt_merge_loses_less():
    rng = np.random.default_rng(8)
    taste = rng.integers(0, 2, 300)
    items = [sorted({"abcdef"[i] for i in rng.integers(3 * t, 3 * t + 3, 3)}) for t in taste]
    data = Records.of({"age": rng.integers(20, 80, 300).tolist(), "zip": rng.integers(0, 9, 300).tolist()}, items)
    ours, theirs = (
        record_loss(covey.anonymize(data, "k-km-anonymity(k=5, m=2)", name, taxonomy=TREE, seed=0), data, TREE)
        for name in ("rt-merge", "rt-global")
    )
    assert ours.gcp + ours.items < theirs.gcp + theirs.items
