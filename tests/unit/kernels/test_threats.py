from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data import csr as csr_kernels
from covey.data import tree
from covey.methods import threats
from covey.methods.mm import suppress_greedily
from covey.methods.rare_sets import RareSets, merge_rows
from covey.methods.tree_view import TreeView
from covey.methods.work import WorkLimit
from covey.threads import VARIABLE
from covey.verify import rare_sets
from oracles import recoding as slow
from strategies import examples
from trees import baskets_of, mined_threats, taxonomy_of, trees_and_rows

pytestmark = [
    pytest.mark.kernel,
    # Counting the bits of a word wraps, as it should; compiled code does not remark on it.
    pytest.mark.filterwarnings("ignore:overflow encountered in scalar multiply:RuntimeWarning"),
]

ROWS = st.lists(st.sets(st.integers(0, 6), max_size=5), min_size=1, max_size=12)


def csr(rows):
    indptr = np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int64)
    return indptr, np.array([x for r in rows for x in sorted(r)], np.int32)


@given(trees_and_rows(), st.integers(2, 4), st.integers(1, 5))
def test_minimal_threats_are_those_of_brute_force(case, k, m):
    shape, rows = case
    complete, found = mined_threats(baskets_of(rows, shape), taxonomy_of(shape), k, m)
    assert complete
    assert found == slow.minimal_threats(rows, shape, k, min(m, slow.longest(rows)))


@examples(30)
@given(trees_and_rows(), st.integers(2, 4), st.data())
def test_counted_pairs_are_those_of_the_search_in_its_order(case, k, data):
    """One head gives the same list, whose order decides what Apriori anonymization repairs first."""
    shape, rows = case
    view = TreeView.of(baskets_of(rows, shape), taxonomy_of(shape))
    leaves = np.flatnonzero(view.tree.is_leaf() & (view.support > 0))
    if not len(leaves):
        return
    x = np.array([data.draw(st.sampled_from(leaves.tolist()))], np.int32)
    cut_of = np.arange(view.tree.size, dtype=np.int32)
    search = RareSets(view, k, WorkLimit(), members=10**6)
    _, offsets, members = search.around(int(x[0]), x, cut_of, 2)
    heads = x[view.support[x] >= k]
    expected = search._mined(int(x[0]), heads, x, cut_of, 2)[2] if len(heads) else []
    assert members.tolist() == list(expected)
    assert offsets.tolist() == list(range(0, len(members) + 1, 2))
    assert (cut_of == np.arange(view.tree.size)).all()


def test_the_search_stops_at_its_limit_and_says_so():
    rows = [[f"i{j}" for j in range(40)]] + [[f"i{j}"] for j in range(40)] * 2
    complete, found = mined_threats(covey.Baskets.of(rows), None, 3, 2, limit=100)
    assert not complete
    assert 0 < len(found) < 40 * 39 / 2


@given(ROWS, st.integers(2, 4), st.integers(1, 4))
def test_the_checkers_search_finds_a_rare_set_iff_there_is_one(rows, k, m):
    indptr, labels = csr(rows)
    none = np.zeros(len(indptr), np.int64), np.empty(0, np.int32), 0
    weight = np.ones(len(rows), np.int64)
    limits = k, m, 1.0, 10**9
    outcome, members, support, _ = rare_sets.first_offence(indptr, labels, weight, 7, *none, *limits, 0, 7)
    rare = slow.rare_sets(rows, k, m)
    assert outcome == (0 if rare else 1)
    if rare:
        assert rare[tuple(sorted(int(x) for x in members))] == support
    parts = [rare_sets.first_offence(indptr, labels, weight, 7, *none, *limits, low, low + 1)[0] for low in range(7)]
    assert min(parts) == outcome


def test_the_checkers_search_stops_at_its_limit():
    indptr, labels = csr([set(range(20)) - {i} for i in range(20)] * 3)
    none = np.zeros(len(indptr), np.int64), np.empty(0, np.int32), 0
    weight = np.ones(60, np.int64)
    assert rare_sets.first_offence(indptr, labels, weight, 20, *none, 2, 6, 1.0, 5_000, 0, 20)[0] == 2


@given(ROWS, st.data(), st.integers(2, 3), st.integers(1, 4), st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_minimal_moles_are_those_of_brute_force(rows, data, k, p, h):
    private = data.draw(st.lists(st.sets(st.integers(0, 1), max_size=2), min_size=len(rows), max_size=len(rows)))
    support = np.bincount(np.array([x for r in rows for x in r], np.int64), minlength=7)
    common = [x for x in range(7) if support[x] >= k]
    place = {x: i for i, x in enumerate(common)}
    frequent = [{place[x] for x in r if x in place} for r in rows]
    secret_ptr, secret = csr(private)
    indptr, items = csr(frequent)
    words = np.random.default_rng(1).integers(1, 2**63 - 1, len(common), np.int64)
    complete, offsets, members, _ = threats.mine(
        indptr, items, np.ones(len(rows), np.int64), len(common), len(common), (secret_ptr, secret, 2, h), k, p,
        words, np.zeros(4096, np.int64), np.array([0, 10**9]), 10**6,
    )  # fmt: skip
    found = {tuple(sorted(int(x) for x in members[a:b])) for a, b in pairwise(offsets)}
    assert complete
    assert len(found) == len(offsets) - 1
    assert found == set(slow.moles(frequent, private, k, p, h))
    gone = suppress_greedily(offsets, members, support[common].astype(np.int64))
    assert set(np.flatnonzero(gone)) == slow.suppress_moles(frequent, private, k, p, h)


@given(ROWS)
def test_merged_rows_are_the_distinct_rows(rows):
    indptr, items = csr(rows)
    words = np.zeros(7, np.int64)  # every hash collides, so only the comparison of items tells rows apart
    ptr, out, weight = merge_rows(indptr, items, words)
    merged = {tuple(out[a:b]): w for a, b, w in zip(ptr, ptr[1:], weight, strict=False)}
    expected = {}
    for row in rows:
        expected[tuple(sorted(row))] = expected.get(tuple(sorted(row)), 0) + 1
    assert merged == expected


@given(trees_and_rows(), st.integers(1, 3))
def test_rows_of_nodes_and_supports(case, number):
    shape, rows = case
    taxonomy, data = taxonomy_of(shape), baskets_of(rows, shape)
    leaf = taxonomy.bind(data.items)[data.indices] if data.d else np.empty(0, np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csr_kernels, "LARGE", 1)
        patch.setenv(VARIABLE, str(number))
        leaf = np.concatenate([np.sort(leaf[a:b]) for a, b in pairwise(data.indptr)] or [leaf]).astype(np.int32)
        ptr, held, occurrences = tree.rows_of_nodes(data.indptr, leaf, taxonomy.parent)
        supports, again = tree.supports_of_nodes(data.indptr, leaf, taxonomy.parent)
        by_leaf = csr_kernels.transpose(data.indptr, leaf, taxonomy.size)
    assert np.array_equal(supports, np.diff(ptr))
    assert np.array_equal(again, occurrences)
    whole = [slow.extended(shape, row) for row in rows]
    for x, label in enumerate(taxonomy.labels):
        expected = [r for r, row in enumerate(whole) if label in row]
        assert held[ptr[x] : ptr[x + 1]].tolist() == expected
        assert occurrences[x] == slow.occurrences(rows, shape, label)
        for words in (1, 1_000):  # so many rows that they are marked, and so few that they are sorted
            marks = np.zeros(words, np.uint64)
            assert tree.rows_below(x, taxonomy.last, *by_leaf, marks).tolist() == expected
            assert not marks.any()
        for y, other in enumerate(taxonomy.labels):
            both = sum(label in row and other in row for row in whole)
            reaches = tree.support_reaches(data.indptr, leaf, taxonomy.last, *by_leaf, np.array([x, y]), 2)
            assert reaches == (both >= 2)


def test_a_known_set_survives_a_growing_table():
    table, used = np.zeros(4, np.int64), np.zeros(1, np.int64)
    for name in range(1, 50):
        table = threats.add_known(table, used, name * 7)
    assert used[0] == 49
    assert all(threats.is_known(table, name * 7) for name in range(1, 50))
    assert not threats.is_known(table, 5)
