"""The greedy takes a truly longest pattern at each step; the passes after it only ever gain."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey import Baskets
from covey.methods.pattern_ka.set_groups import greedy, improve, join, raise_rows, spare_rows
from covey.methods.pattern_ka.set_patterns import Rows, Search
from covey.progress import silent
from oracles import pattern_ka as oracle

pytestmark = [
    pytest.mark.kernel,
    # Counting bits wraps around, without JIT too.
    pytest.mark.filterwarnings("ignore:overflow encountered in scalar multiply:RuntimeWarning"),
]

SETS = st.lists(st.sets(st.integers(0, 7), max_size=6), min_size=1, max_size=14)
PATIENCE = 1 << 40


def as_sets(rows):
    return [set(rows.indices[rows.indptr[r] : rows.indptr[r + 1]].tolist()) for r in range(len(rows.weight))]


def centers_of(groups):
    return [set(groups.centers[groups.center_ptr[g] : groups.center_ptr[g + 1]].tolist()) for g in range(groups.count)]


def published(rows, groups):
    return int((groups.lengths() * rows.weight).sum())


def require_valid(rows, groups):
    """Every group has weight k, and its center is part of each of its rows."""
    centers = centers_of(groups)
    for row, g in zip(as_sets(rows), groups.group, strict=True):
        assert g < 0 or centers[g] <= row
    sizes = groups.sizes(rows.weight)
    assert (sizes >= rows.k).all()


@given(SETS, st.integers(2, 4))
def test_distinct_rows(sets, k):
    data = Baskets.of(sets)
    rows = Rows.of(data, k)
    supports = data.supports()
    frequent = {i for i in range(data.d) if supports[i] >= k}
    distinct = as_sets(rows)
    assert set(rows.items.tolist()) == frequent
    assert (np.diff(supports[rows.items]) >= 0).all()
    for t in range(data.n):
        ids = set(data.indices[data.indptr[t] : data.indptr[t + 1]].tolist())
        assert {int(rows.items[i]) for i in distinct[rows.number[t]]} == ids & frequent
    assert (np.bincount(rows.number, minlength=len(rows.weight)) == rows.weight).all()


@given(SETS, st.integers(2, 4), st.randoms(use_true_random=False))
def test_rows_that_are_counted_already_are_the_same_rows_in_any_order(sets, k, random):
    data = Baskets.of(sets)
    order = random.sample(range(data.n), data.n)
    halves = [data.take(np.array(some, np.int64)) for some in (order, order[: data.n // 2])]
    indptr = np.concatenate([halves[0].indptr, halves[0].indptr[-1] + halves[1].indptr[1:]])
    indices = np.concatenate([half.indices for half in halves])
    often = np.repeat([2, 1], [data.n, data.n // 2])
    whole = Baskets.of([sets[t] for t in order * 2 + order[: data.n // 2]])
    wanted = Rows.of(whole, k)
    found = Rows.counted(indptr, indices, whole.supports(), k, often)
    for name in ("indptr", "indices", "items", "weight", "bound"):
        assert getattr(found, name).tolist() == getattr(wanted, name).tolist()


@given(SETS, st.integers(2, 4))
def test_what_is_published_is_counted_without_giving_rows_out(sets, k):
    rows = Rows.of(Baskets.of(sets), k)
    groups = greedy(rows, Search(rows, PATIENCE), silent)
    groups.tighten(rows)
    sizes, empty = groups.counts(rows)
    given_out = groups.published(rows)
    assert sizes.tolist() == np.bincount(given_out[given_out >= 0], minlength=groups.count).tolist()
    assert empty == (given_out < 0).sum()


@given(SETS, st.integers(2, 4))
def test_each_step_takes_a_longest_pattern_with_the_most_rows(sets, k):
    rows = Rows.of(Baskets.of(sets), k)
    groups = greedy(rows, Search(rows, PATIENCE), silent)
    distinct, weights = as_sets(rows), rows.weight.tolist()
    left = list(range(len(distinct)))
    for g, center in enumerate(centers_of(groups)):
        wanted = oracle.longest([distinct[r] for r in left], [weights[r] for r in left], k)
        assert frozenset(center) in wanted
        assert wanted[frozenset(center)] == max(wanted.values())
        members = [r for r in left if center <= distinct[r]]
        assert members == np.flatnonzero(groups.group == g).tolist()
        left = [r for r in left if r not in members]
    assert not oracle.longest([distinct[r] for r in left], [weights[r] for r in left], k)
    assert (groups.group[left] == -1).all()


@given(SETS, st.integers(2, 4))
def test_every_pass_keeps_the_groups_valid_and_gains(sets, k):
    rows = Rows.of(Baskets.of(sets), k)
    search = Search(rows, PATIENCE)
    groups = greedy(rows, search, silent)
    before = published(rows, groups)
    for work in (
        lambda: groups.tighten(rows),
        lambda: raise_rows(rows, groups, search, top=9),
        lambda: raise_rows(rows, groups, search, top=1, slack=3),
        lambda: join(rows, groups, leaving=True),
    ):
        work()
        require_valid(rows, groups)
        assert published(rows, groups) >= before
        before = published(rows, groups)


@pytest.mark.parametrize(
    ("sets", "k", "raising", "before", "after"),
    [
        # {a, b} takes three rows; one of them could as well be published as {b, c}, which {b, c} alone cannot be.
        (["ab", "ab", "abc", "bc"], 2, True, 6, 8),
        # Greedy: {a, b} takes four rows, and the two rows with c are too few for 3; one of the four holds c too.
        (["ab", "ab", "ab", "abc", "c", "c"], 3, False, 8, 9),
    ],
    ids=["raising", "leftovers"],
)
def test_each_pass_groups_rows_with_those_that_others_can_spare(sets, k, raising, before, after):
    rows = Rows.of(Baskets.of(map(set, sets)), k)
    search = Search(rows, PATIENCE)
    groups = greedy(rows, search, silent)
    assert published(rows, groups) == before
    improve(rows, groups, search, raising=raising, leftovers=not raising)
    require_valid(rows, groups)
    assert published(rows, groups) == after


def test_a_hasty_search_still_gives_valid_groups():
    rng = np.random.default_rng(3)
    data = Baskets.of([np.flatnonzero(rng.random(12) < 0.6).tolist() for _ in range(40)])
    rows = Rows.of(data, 3)
    search = Search(rows, 1e-6)
    groups = greedy(rows, search, silent)
    assert search.cut_short
    improve(rows, groups, search, raising=True, leftovers=True)
    require_valid(rows, groups)
    assert published(rows, groups) > 0


@pytest.mark.parametrize(
    ("group", "lengths", "k", "wanted"),
    [
        ([0, 0, 1, 1], [2, 1], 2, [0, 0, 1, 1]),
        ([0, 0, -1, -1], [2], 2, [0, 0, -1, -1]),
        ([0, 0, 1, 1, 1, -1], [2, 1], 2, [0, 0, -1, 1, 1, -1]),
        ([0, 0, 1, 1, -1], [3, 1], 2, [0, 0, -1, -1, -1]),
        ([0, 0, 0, 1, 1, -1], [9, 1], 2, [0, 0, 0, -1, -1, -1]),
        ([-1], [], 2, [-1]),
        ([], [], 2, []),
    ],
)
def test_empty_rows_get_company_at_the_least_loss(group, lengths, k, wanted):
    given_group = np.array(group, np.int64)
    assert spare_rows(given_group, np.array(lengths, np.int64), k).tolist() == wanted
    assert given_group.tolist() == group
