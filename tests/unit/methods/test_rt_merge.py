"""RT-merge: what it publishes keeps the promise by plain counting, and no cheaper choice of its runs exists."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data import Records, Taxonomy
from covey.guarantees import guarantee
from covey.guarantees.k_anonymity import KAnonymity
from covey.measure.loss import record_loss
from covey.methods.hilbert import Hilbert
from covey.methods.rt_merge import Candidates, runs_of_neighbours
from covey.methods.specialization import specialized
from covey.methods.work import WorkLimit
from covey.progress import silent
from covey.release.records import RecordsRelease
from oracles import records as oracle
from strategies import examples

TREE = Taxonomy.from_pairs([(x, "abc") for x in "abc"] + [(x, "def") for x in "def"] + [("abc", "*"), ("def", "*")])


@st.composite
def people(draw):
    n = draw(st.integers(4, 24))
    ages = draw(st.lists(st.integers(20, 30), min_size=n, max_size=n))
    items = draw(st.lists(st.sets(st.sampled_from("abcdef"), max_size=4), min_size=n, max_size=n))
    return Records.of({"age": ages, "sex": ["fm"[a % 2] for a in ages]}, [sorted(held) for held in items])


def published(release: RecordsRelease):
    columns = release.attributes.of_role("quasi")
    for row in range(release.n):
        yield [c.labels[c.codes[row]] for c in columns], release.baskets.basket(row)


@given(people(), st.integers(2, 4), st.sampled_from([1, 2, 3]), st.sampled_from([None, TREE]))
def test_what_is_published_keeps_the_promise(data, k, m, tree):
    if not 0 < k <= data.summary().filled:
        return
    release = covey.anonymize(data, f"k-km-anonymity(k={k}, m={m})", taxonomy=tree, seed=0)
    assert oracle.keeps(published(release), k, m)


@given(people(), st.sampled_from([0.0, 0.2, 0.5, 1.0]), st.sampled_from([None, TREE]))
def test_no_other_choice_of_runs_is_cheaper(data, weight, tree):
    promise = guarantee("k-km-anonymity(k=2, m=2)")
    steps = runs_of_neighbours(data.attributes, Hilbert().groups(data.attributes, KAnonymity(2), silent))
    runs = Candidates(data, steps, tree, promise, weight=weight, limit=WorkLimit())
    levels = runs.steps[::-1]

    def loss(level, run):
        return runs.as_class(*np.searchsorted(levels[level], [run, run + 1]).tolist()).cost

    lengths = [int(level[-1]) + 1 for level in levels]
    assert sum(run.cost for run in runs.cheapest()) == pytest.approx(
        oracle.cheapest(loss, len(lengths) - 1, 0, lengths)
    )


@examples(30)
@given(people(), st.sampled_from([0.0, 0.2, 0.5, 1.0]), st.sampled_from([None, TREE]))
def test_nested_classes_lose_no_more_than_those_of_any_step(data, weight, tree):
    steps, promise = list(specialized(data.attributes, 2)), guarantee("k-km-anonymity(k=2, m=2)")
    nested = Candidates(data, steps, tree, promise, weight=weight, limit=WorkLimit())
    found = sum(run.cost for run in nested.cheapest())
    for step in steps:
        edges = [0, *(np.flatnonzero(np.diff(step[nested.persons])) + 1).tolist(), data.n]
        assert found <= sum(nested.as_class(*piece).cost for piece in pairwise(edges)) + 1e-9


def shoppers(n=300):
    rng = np.random.default_rng(8)
    taste = rng.integers(0, 2, n)
    items = [sorted({"abcdef"[i] for i in rng.integers(3 * t, 3 * t + 3, 3)}) for t in taste]
    return Records.of({"age": rng.integers(20, 80, n).tolist(), "zip": rng.integers(0, 9, n).tolist()}, items)


def test_the_weight_decides_which_loss_is_spared():
    data = shoppers()
    losses = []
    for weight in (0.0, 0.5, 1.0):
        release = covey.anonymize(data, "k-km-anonymity(k=5, m=2)", weight=weight, taxonomy=TREE, seed=0)
        losses.append(record_loss(release, data, TREE))
    assert losses[0].gcp > losses[1].gcp > losses[2].gcp
    assert losses[0].items < losses[1].items < losses[2].items


@pytest.mark.parametrize("classes", ["hilbert", "mondrian", "pattern-ka"])
def test_merging_loses_less_than_the_classes_it_starts_from_and_than_one_class(classes):
    data, promise = shoppers(), "k-km-anonymity(k=5, m=2)"
    total = {}
    for weight in (0.0, 0.5, 1.0):
        release = covey.anonymize(data, promise, weight=weight, classes=classes, taxonomy=TREE, seed=0)
        loss = record_loss(release, data, TREE)
        total[weight] = loss.gcp + loss.items
    assert total[0.5] < min(total[0.0], total[1.0])


def test_too_few_persons_or_holders_are_refused():
    with pytest.raises(covey.Infeasible, match="only 2 persons"):
        covey.anonymize(Records.of({"age": [1, 2]}, [["a"], ["a"]]), "k-km-anonymity(k=3, m=1)")
    with pytest.raises(covey.Infeasible, match="only 1 of the persons"):
        covey.anonymize(Records.of({"age": [1, 2, 3]}, [["a"], [], []]), "k-km-anonymity(k=2, m=1)")


def test_what_is_marked_is_refused_by_name_with_two_ways_out():
    columns, items = {"age": [1, 2], "ill": ["y", "n"]}, [["a", "b"], ["b"]]
    data = Records.of(columns, items, sensitive=["a", "ill"])
    with pytest.raises(covey.CoveyError, match=r"values and items alike.*'a', 'ill'.*promise degree.*--other"):
        covey.anonymize(data, "k-km-anonymity(k=2, m=1)")
    release = covey.anonymize(Records.of(columns, items, other=["ill"]), "k-km-anonymity(k=2, m=1)")
    assert sorted(release.to_frame()["ill"]) == ["n", "y"]
