import dataclasses

import pytest

import covey
from covey.verify.sets_fidelity import compare
from traces import with_trace_of

TREE = covey.Taxonomy.from_nested({"*": {"beer": ["ale", "stout"], "hot": ["tea", "coffee"]}})
ROWS = [["ale", "tea"], ["stout", "tea"], ["tea"], ["coffee"], ["ale", "stout"], []]


@pytest.fixture
def data():
    return covey.Baskets.of(ROWS)


@pytest.fixture
def release(data):
    return covey.anonymize(data, "km-anonymity(k=2, m=1)", "aa", taxonomy=TREE, seed=1)


def failing(checks):
    return [check.name for check in checks if not check.passed]


def changed(release, rows=None, **others):
    baskets = release.transactions if rows is None else covey.Baskets.of(rows)
    return with_trace_of(dataclasses.replace(release, transactions=baskets, **others), release)


def test_an_honest_release_passes_with_the_taxonomy_that_its_labels_need(release, data):
    assert not failing(compare(release, data, TREE))
    with pytest.raises(covey.InputError, match="generalized along a taxonomy"):
        compare(release, data)


def test_without_a_taxonomy_items_are_published_as_themselves_or_as_any(data):
    flat = covey.anonymize(data, "km-anonymity(k=3, m=1)", "aa", seed=1)
    assert flat.rest == "*"
    assert not failing(compare(flat, data))
    rows = [["tea" if x == "coffee" else x for x in flat.transactions.basket(i)] for i in range(flat.transactions.n)]
    wrong = changed(flat, rows, recoding={**flat.recoding, "coffee": "tea"})
    assert "every label is above what it replaces in the taxonomy" in failing(compare(wrong, data))
    said = [["ann" if x == "*" else x for x in flat.transactions.basket(i)] for i in range(flat.transactions.n)]
    with pytest.raises(covey.InputError, match="generalized along a taxonomy"):
        compare(changed(flat, said, rest="ann"), data)
    names = failing(compare(changed(flat, said, rest="ann"), data, TREE))
    assert names == ["every label is above what it replaces in the taxonomy"]


def test_a_label_that_is_not_above_its_item(release, data):
    wrong = changed(release, recoding={**release.recoding, "tea": "beer"})
    assert "every label is above what it replaces in the taxonomy" in failing(compare(wrong, data, TREE))


def test_overlapping_domains(data):
    recoding = {"ale": "beer", "stout": "stout", "tea": "hot", "coffee": "hot"}
    rows = [[recoding[x] for x in row] for row in ROWS]
    base = covey.anonymize(data, "km-anonymity(k=2, m=1)", "aa", taxonomy=TREE)
    wrong = dataclasses.replace(base, transactions=covey.Baskets.of(rows), recoding=recoding)
    assert failing(compare(wrong, data, TREE)) == ["the domains of the labels exclude each other"]


def test_a_suppressed_item_that_is_still_there(release, data):
    wrong = changed(release, recoding={i: x for i, x in release.recoding.items() if i != "coffee" and x != "hot"})
    assert "the published sets are the original's, recoded" in failing(compare(wrong, data, TREE))


def test_an_invented_or_lost_transaction(release, data):
    rows = [release.transactions.basket(i) for i in range(release.transactions.n)]
    assert failing(compare(changed(release, rows[:-1]), data, TREE)) == ["every transaction is published once"]
    longest = max(range(len(rows)), key=lambda i: len(rows[i]))
    rows[longest] = rows[longest][:1]
    assert failing(compare(changed(release, rows), data, TREE)) == ["the published sets are the original's, recoded"]


def test_private_items_stay_with_their_transaction():
    rows = [["a", "s"], ["a"], ["b", "s"], ["b"], ["a", "b"], ["a", "b"]]
    data = covey.Baskets.of(rows, sensitive=["s"])
    release = covey.anonymize(data, "coherence(h=0.5, k=2, p=2)", "mm", seed=2)
    assert not failing(compare(release, data))
    holders = [i for i in range(6) if release.private.basket(i)]
    others = [i for i in range(6) if not release.private.basket(i)]
    swapped = [list(release.private.basket(i)) for i in range(6)]
    a = next(i for i in holders)
    b = next(i for i in others if release.transactions.basket(i) != release.transactions.basket(a))
    swapped[a], swapped[b] = swapped[b], swapped[a]
    wrong = changed(release, private=covey.Baskets.of(swapped))
    assert failing(compare(wrong, data)) == ["the published sets are the original's, recoded"]


def test_a_local_recoding_must_be_possible(data):
    release = covey.anonymize(data, "km-anonymity(k=2, m=2)", "lg", taxonomy=TREE, seed=3)
    assert not failing(compare(release, data, TREE))
    rows = [release.transactions.basket(i) for i in range(release.transactions.n)]
    busy = next(i for i, row in enumerate(rows) if row)
    wrong = changed(release, [*rows[:busy], ["ale", "coffee"], *rows[busy + 1 :]])
    assert failing(compare(wrong, data, TREE)) == ["every published set covers items of its own original alone"]
    with pytest.raises(covey.InputError, match="--taxonomy"):
        compare(changed(release, [["beer"]] * 6), data)
    unknown = changed(release, [["wine"]] * 6)
    assert failing(compare(unknown, data, TREE)) == ["every label is a node of the taxonomy"]


def test_labels_of_suppressed_items_are_nowhere_in_the_files(tmp_path):
    data = covey.Baskets.of([["a", "b"], ["a", "b"], ["a", "unspeakable"]])
    covey.publish(data, tmp_path / "out", "km-anonymity(k=2, m=2)", "mm", csv=True)
    for path in (tmp_path / "out").iterdir():
        assert b"unspeakable" not in path.read_bytes()


def test_suppression_leaves_each_set_items_of_its_own_original():
    rows = [["a", "b"], ["a", "b"], ["c"], ["c"], ["a", "c"]]
    data = covey.Baskets.of(rows)
    release = covey.anonymize(data, "k-anonymity(k=2)", "top-down", seed=1)
    assert not failing(compare(release, data))
    sets = [release.transactions.basket(i) for i in range(release.transactions.n)]
    one, other = next(i for i, s in enumerate(sets) if s == ["c"]), next(i for i, s in enumerate(sets) if "b" in s)
    sets[one], sets[other] = sets[other], sets[one]
    wrong = changed(release, sets)
    assert failing(compare(wrong, data)) == ["every published set covers items of its own original alone"]
    untraced = compare(dataclasses.replace(wrong), data)
    assert not failing(untraced)
    assert untraced[-1].name.startswith("not checked without the trace")
