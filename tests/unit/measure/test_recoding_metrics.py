from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.measure.evaluation import evaluate
from covey.measure.frequent import frequent
from covey.measure.lm import lm, ncp
from oracles import recoding as slow
from strategies import examples
from trees import baskets_of, taxonomy_of, trees_and_rows

TREE = covey.Taxonomy.from_nested({"*": {"beer": ["ale", "stout"], "hot": ["tea", "coffee"]}})


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


def test_surviving_itemsets():
    rows = [["ale", "tea"], ["stout", "tea"], ["ale", "tea"], ["coffee"]]
    data = covey.Baskets.of(rows)
    release = covey.anonymize(data, "km-anonymity(k=3, m=2)", "mhghs", taxonomy=TREE)
    found = frequent(release, data, TREE, share=0.5, size=2)
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
    with pytest.raises(covey.CoveyError, match="raise share"):
        frequent(release, data, TREE, share=0.25, limit=3)
    assert frequent(release, data, TREE, limit=3).least > 0.25, "less is taken for frequent until few enough are"
    same = covey.Baskets.of([["ale", "tea"]] * 3)
    whole = frequent(covey.anonymize(same, "km-anonymity(k=3, m=2)", "mhghs", taxonomy=TREE), same, TREE, limit=3)
    assert (whole.least, whole.frequent) == (1.0, 4), "and where all have the same, single ones are counted"


def slow_below(label):
    node = TREE.node(label)
    return {TREE.labels[x] for x in range(node, TREE.last[node] + 1)}
