"""k-km-anonymity from published persons alone, and whether a release is made of its original."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data import Baskets, Records, Taxonomy
from covey.guarantees.k_km_anonymity import KKmAnonymity
from covey.release.trace import trace_of
from covey.verify.checkers import check_release, compare
from covey.verify.k_km_anonymity import check_records
from oracles import records as oracle
from traces import with_trace_of

PERSON = st.tuples(st.sampled_from("fm"), st.sampled_from(["north", "south"]), st.sets(st.sampled_from("abcd")))
TREE = Taxonomy.from_pairs([("a", "ab"), ("b", "ab"), ("c", "cd"), ("d", "cd"), ("ab", "*"), ("cd", "*")])


def records_of(people):
    sex, place, items = zip(*people, strict=True)
    return Records.of({"sex": list(sex), "place": list(place)}, [sorted(held) for held in items])


@given(st.lists(PERSON, min_size=1, max_size=14), st.integers(2, 3), st.integers(1, 4))
def test_data_keeps_it_when_plain_counting_says_so(people, k, m):
    verdict = check_records(KKmAnonymity(k, m), records_of(people))
    assert verdict.holds == oracle.keeps([((sex, place), items) for sex, place, items in people], k, m)


def test_a_witness_names_the_set_its_holders_and_their_class():
    data = records_of([("f", "north", "ab"), ("f", "north", "ab"), ("f", "north", "a"), ("f", "north", "c")])
    [failed] = check_records(KKmAnonymity(2, 2), data).failures()
    assert failed.detail == "{c} is in 1 person (row 3) with sex = f, place = north"
    assert check_records(KKmAnonymity(2, 2), records_of([("f", "north", "a")] * 2)).holds


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(4)
    ages = rng.integers(20, 60, 60).tolist()
    items = [sorted({"abcd"[i] for i in rng.choice(4, rng.integers(0, 4))}) for _ in ages]
    data = Records.of({"age": ages, "job": [f"j{i % 5}" for i in range(60)]}, items, other=["job"])
    return data, covey.anonymize(data, "k-km-anonymity(k=3, m=2)", taxonomy=TREE, seed=2)


def failed(release, data):
    return [check.name for check in compare(release, data, TREE) if not check.passed]


def test_an_honest_release_is_made_of_its_original(made):
    data, release = made
    assert failed(release, data) == []
    assert check_release(covey.guarantee(release.guarantee), release).holds


def test_a_record_less_and_a_changed_column_are_noticed(made):
    data, release = made
    fewer = data.take(range(1, data.n))
    assert len(failed(release, fewer)) == 1
    job = data.attributes.column("job")
    other = replace(job, codes=np.roll(job.codes, 7).astype(np.int32) * 0)
    columns = tuple(other if column.name == "job" else column for column in data.attributes.columns)
    assert failed(release, Records(replace(data.attributes, columns=columns), data.baskets))


def test_labels_of_no_taxonomy_are_told_from_items(made):
    data, release = made
    if set(release.baskets.items) <= set(data.items):
        pytest.fail("the example must generalize something")
    with pytest.raises(covey.InputError, match="--taxonomy"):
        compare(release, data, None)


@given(st.lists(PERSON, min_size=4, max_size=12), st.integers(0, 3), st.randoms(use_true_random=False))
def test_fidelity_agrees_with_plain_comparison(people, changes, random):
    data = records_of(people)
    if sum(bool(held) for _, _, held in people) < 2:
        return
    release = covey.anonymize(data, "k-km-anonymity(k=2, m=2)", taxonomy=TREE, seed=1)
    sets = [release.baskets.basket(i) for i in range(release.n)]
    for _ in range(changes):
        sets[random.randrange(len(sets))] = sorted(random.sample(["a", "b", "ab", "cd", "d"], 2))
    forged = with_trace_of(replace(release, baskets=Baskets.of(sets)), release)
    rows = trace_of(release).rows
    fits = all(fit(release.attributes, i, sets[i], people[person]) for i, person in enumerate(rows))
    assert ("every published set covers items of its own original alone" not in failed(forged, data)) == fits


def fit(attributes, row, labels, person):
    below = {"ab": "ab", "cd": "cd", "*": "abcd"}
    sex, place, items = person
    shown = {c.name: c.labels[c.codes[row]] for c in attributes.columns}
    if not (shown["sex"] in (sex, "*") and shown["place"] in (place, "*")):
        return False
    return all(items & set(below.get(label, label)) for label in labels)
