import math
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.measure.loss import lm
from covey.methods.cut_search import CutSearch
from covey.methods.hghs import HgHs
from covey.methods.mhghs import MHgHs
from covey.methods.mm import least_suppression
from covey.methods.tree_view import TreeView
from oracles import recoding as slow
from strategies import examples
from trees import baskets_of, taxonomy_of, trees_and_rows

pytestmark = [
    pytest.mark.kernel,
    # Counting the bits of a word wraps, as it should; compiled code does not remark on it.
    pytest.mark.filterwarnings("ignore:overflow encountered in scalar multiply:RuntimeWarning"),
]

CASES = (trees_and_rows(), st.integers(2, 3), st.integers(1, 4))


def labels(tree, nodes):
    return {tree.labels[x] for x in nodes}


def end_of_chain(shape, label):
    while len(shape[label]) == 1:
        label = shape[label][0]
    return label


@given(*CASES)
def test_every_cut_has_the_cost_and_scenario_of_the_inner_loop(case, k, m):
    """Walk down at random; what is kept up to date must be what the literal inner loop says."""
    shape, rows = case
    tree, data = taxonomy_of(shape), baskets_of(rows, shape)
    view = TreeView.of(data, tree)
    search = CutSearch(view, k, m, np.ones(tree.size, bool))
    threats = slow.minimal_threats(rows, shape, k, m)
    cut = [end_of_chain(shape, "R")]
    for label in tree.labels:
        if shape[label] and slow.occurrences(rows, shape, label) and (sum(map(ord, label)) + len(rows)) % 3:
            if label not in cut:
                continue
            _, undo = search.attempt(tree.node(label))
            undo()
            cost, gone = slow.scenario(rows, shape, "R", cut, threats)
            assert search.cost == pytest.approx(cost)
            assert labels(tree, search.suppressed()) == gone
            only = np.zeros(tree.size, bool)
            only[tree.node(label)] = True
            search.descend(only)
            cut = [y for y in cut if y != label] + [end_of_chain(shape, y) for y in shape[label]]
    cost, gone = slow.scenario(rows, shape, "R", cut, threats)
    assert search.cost == pytest.approx(cost)
    assert labels(tree, search.suppressed()) == gone


@given(*CASES)
def test_the_search_ends_where_no_child_cut_is_cheaper(case, k, m):
    shape, rows = case
    tree, data = taxonomy_of(shape), baskets_of(rows, shape)
    view = TreeView.of(data, tree)
    promise = covey.guarantee(f"km-anonymity(k={k}, m={m})")
    found = HgHs(taxonomy=tree).search(view, promise)
    cut = sorted(labels(tree, found.cut()))
    path = slow.hghs(rows, shape, "R", k, m, start=cut)
    assert len(path) == 1
    assert found.cost == pytest.approx(path[0][1])


@pytest.mark.parametrize("method", ["hghs", "mhghs", "aa", "mm", "lg"])
@examples(30)
@given(*CASES)
def test_releases_keep_the_promise_and_are_faithful(method, case, k, m):
    shape, rows = case
    tree, data = taxonomy_of(shape), baskets_of(rows, shape)
    release = covey.anonymize(data, f"km-anonymity(k={k}, m={m})", method, taxonomy=tree, seed=3)
    published = [release.transactions.basket(i) for i in range(release.transactions.n)]
    assert not slow.rare_sets(published, k, m)
    from covey.verify.sets_fidelity import compare

    checks = compare(release, data, tree)
    assert all(check.passed for check in checks), checks
    if method == "lg":
        counts = [published.count(row) for row in published]
        assert not published or min(counts) >= k or len(published) < k
    else:
        expected = sorted(sorted({release.recoding[x] for x in row if x in release.recoding}) for row in rows)
        assert sorted(published) == expected


@pytest.mark.parametrize("rival", ["aa", "mm"])
@examples(30)
@given(*CASES)
def test_mhghs_never_loses_more_than_its_rivals(rival, case, k, m):
    shape, rows = case
    tree, data = taxonomy_of(shape), baskets_of(rows, shape)
    promise = f"km-anonymity(k={k}, m={m})"
    ours, theirs = (covey.anonymize(data, promise, name, taxonomy=tree) for name in ("mhghs", rival))
    assert lm(ours, data, tree) <= lm(theirs, data, tree) + 1e-9


@given(*CASES)
def test_no_suppression_loses_less_than_the_bound(case, k, m):
    shape, rows = case
    data = baskets_of(rows, shape)
    assert least_suppression(data, k, m) <= slow.cheapest_suppression(rows, k, m) + 1e-9


def test_the_bound_is_sharp_where_rare_sets_share_nothing():
    data = covey.Baskets.of([["a", "b"], ["a"], ["b"], ["b"], ["c", "d"], ["c"], ["d"], ["d"]])
    assert least_suppression(data, 2, 2) == 4  # a and c, twice each
    assert least_suppression(data, 2, 1) == 0


def test_mhghs_only_suppresses_where_that_is_cheaper():
    """Greedy over cuts keeps what costs most to suppress, which here is what stands in the way."""
    rows = [["x", c] for c in "abcdef"] * 2 + [[c] for c in "abcdef"] * 2 + [["x"]]
    data = covey.Baskets.of(rows)
    promise = "km-anonymity(k=3, m=2)"
    alone, both = (covey.anonymize(data, promise, "mhghs", never_worse=choice) for choice in (False, True))
    assert set(alone.recoding) == {"x"}
    assert set(both.recoding) == set("abcdef")


@examples(30)
@given(*CASES)
def test_aa_suppresses_nothing_unless_there_are_too_few_transactions(case, k, m):
    shape, rows = case
    tree, data = taxonomy_of(shape), baskets_of(rows, shape)
    release = covey.anonymize(data, f"km-anonymity(k={k}, m={m})", "aa", taxonomy=tree)
    if sum(map(bool, rows)) >= k:
        assert set().union(*rows) <= set(release.recoding) <= {x for x in shape if not shape[x]}
    else:
        assert not release.recoding


@pytest.mark.parametrize("method", ["hghs", "mhghs", "aa", "mm"])
@examples(30)
@given(*CASES)
def test_without_a_taxonomy_nothing_names_an_item_of_fewer_than_k(method, case, k, m):
    """The items of the data are nobody's list but the data's own: naming one says that somebody has it."""
    _, rows = case
    data = covey.Baskets.of([sorted(row) for row in rows])
    release = covey.anonymize(data, f"km-anonymity(k={k}, m={m})", method, seed=3)
    support = {x: sum(x in row for row in rows) for row in rows for x in row}
    assert all(item == label and support[item] >= k for item, label in release.recoding.items())
    published = sorted(release.transactions.basket(i) for i in range(len(rows)))
    root = [release.rest] if release.rest else []
    assert published == sorted(
        sorted({x for x in row if x in release.recoding} | set(root if row - set(release.recoding) else []))
        for row in rows
    )


def test_the_rest_is_named_where_everything_becomes_one_label():
    data = covey.Baskets.of([["a", "b"], ["a", "c"], ["d"]])
    release = covey.anonymize(data, "km-anonymity(k=2, m=1)", "aa")
    assert release.transactions.items == ("*",)
    assert (release.recoding, release.rest) == ({}, "*")


def test_without_a_taxonomy_items_are_published_or_suppressed():
    data = covey.Baskets.of([["a", "b"], ["a", "b"], ["a", "c"]])
    release = covey.anonymize(data, "km-anonymity(k=2, m=2)", "mhghs")
    assert release.recoding == {"a": "a", "b": "b"}


@pytest.mark.parametrize("method", ["hghs", "mhghs", "aa", "mm", "lg"])
def test_fewer_than_k_transactions_and_empty_ones(method):
    for rows in ([], [[]], [[], []]):
        data = covey.Baskets.of(rows)
        release = covey.anonymize(data, "km-anonymity(k=3, m=2)", method)
        assert release.transactions.n == len(rows)
        assert release.transactions.entries == 0
    for rows, best in (([["a"]], None), ([["a"], []], None), ([["a", "b"], [], [], ["c"]], 2)):
        with pytest.raises(covey.Infeasible, match="without suppressing everything") as error:
            covey.anonymize(covey.Baskets.of(rows), "km-anonymity(k=3, m=2)", method)
        assert error.value.best == best


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="large on purpose")
@pytest.mark.parametrize("method", ["hghs", "mhghs", "aa", "mm"])
def test_a_transaction_of_ten_thousand_items_is_bounded(method):
    rows = [[f"i{j}" for j in range(10_000)]] + [[f"i{j}", f"i{j + 1}"] for j in range(300)] * 3
    data = covey.Baskets.of(rows)
    tree = covey.Taxonomy.from_paths([[item, f"g{n % 200}", f"h{n % 10}"] for n, item in enumerate(data.items)])
    release = covey.anonymize(data, "km-anonymity(k=3, m=3)", method, taxonomy=tree)
    assert release.transactions.n == len(rows)


def test_mm_publishes_private_items_beside_what_is_left():
    rows = [["a", "b", "s"], ["a", "b", "s"], ["a"], ["a"], ["b", "c"], ["b", "c"]]
    data = covey.Baskets.of(rows, sensitive=["s"])
    release = covey.anonymize(data, "coherence(h=0.5, k=2, p=2)", "mm", seed=1)
    assert "s" not in release.recoding
    assert release.private.items == ("s",)
    pairs = sorted((release.transactions.basket(i), release.private.basket(i)) for i in range(release.transactions.n))
    gone = set("abc") - set(release.recoding)
    expected = sorted((sorted(set(r) - {"s"} - gone), ["s"] if "s" in r else []) for r in rows)
    assert pairs == expected


def test_bad_options_are_refused():
    with pytest.raises(covey.CoveyError, match="'work' parameter of hghs"):
        HgHs(work=0)
    with pytest.raises(covey.CoveyError, match="'seed' parameter of mhghs"):
        MHgHs(seed=-1)
    with pytest.raises(covey.CoveyError, match=r"must be a covey\.Taxonomy"):
        HgHs(taxonomy={"a": "b"})
    with pytest.raises(covey.CoveyError, match="'never_worse' parameter of mhghs must be true or false"):
        MHgHs(never_worse="no")
    with pytest.raises(covey.InputError, match="not in the taxonomy"):
        covey.anonymize(covey.Baskets.of([["a"], ["z"]]), "km-anonymity(2, 1)", taxonomy=covey.Taxonomy.flat(["a"]))


def test_m_may_be_infinite():
    data = covey.Baskets.of([list("abcd"), list("abcd"), list("abc"), list("abd")])
    release = covey.anonymize(data, f"km-anonymity(k=2, m={math.inf})", "mhghs")
    published = [release.transactions.basket(i) for i in range(4)]
    assert not slow.rare_sets(published, 2, 9)
