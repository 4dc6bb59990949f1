"""Mining against trying everything: the patterns found, their rows, and what may be left out beforehand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.data import csr
from covey.methods.pattern_ka.pairs import pair_bounds
from covey.methods.pattern_ka.pairs import reach as reach_of
from covey.methods.pattern_ka.reduction import reduce_rows
from covey.methods.pattern_ka.search import longest_patterns
from covey.threads import VARIABLE
from oracles import pattern_ka as oracle

pytestmark = [
    pytest.mark.kernel,
    # Counting bits wraps around, without JIT too.
    pytest.mark.filterwarnings("ignore:overflow encountered in scalar multiply:RuntimeWarning"),
]

ITEMS = 7
EVERYTHING = 1 << 40


@st.composite
def weighted(draw, items=ITEMS, max_rows=9):
    rows = draw(st.lists(st.sets(st.integers(0, items - 1)), min_size=1, max_size=max_rows))
    weights = [draw(st.integers(1, 3)) for _ in rows]
    return rows, weights, draw(st.integers(2, 5))


def compressed(rows):
    ptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return ptr, np.array([x for row in rows for x in sorted(row)], np.int32)


def bounds(rows, weights, k, d=ITEMS):
    ptr, ids = compressed(rows)
    return pair_bounds(ptr, ids, np.array(weights, np.int64), d, k)


def search(rows, weights, k, length, room=EVERYTHING, patience=EVERYTHING, d=ITEMS, begin=0):
    """Reduce and mine as the method does; returns {pattern: rows} and whether all was searched, or how far."""
    ptr, ids = compressed(rows)
    weight = np.array(weights, np.int64)
    bound, partners = bounds(rows, weights, k, d)
    bound[:begin] = 0
    free = np.ones(len(rows), np.bool_)
    used, sub_ptr, sub = reduce_rows(ptr, ids, weight, free, bound, partners, k, length)
    found, stop = longest_patterns(sub_ptr, sub, weight[used], bound, k, length, room, patience)
    items, at, tids, n = found
    listed = {}
    for p in range(n):
        pattern = frozenset(items[p * length : (p + 1) * length].tolist())
        assert pattern not in listed
        listed[pattern] = sorted(used[tids[at[p] : at[p + 1]]].tolist())
    return listed, stop if stop < d else True


@given(weighted())
def test_all_longest_patterns_are_found_with_all_their_rows(case):
    rows, weights, k = case
    wanted = oracle.longest(rows, weights, k)
    length = max(map(len, wanted), default=0)
    for more in range(max(map(len, rows)), length, -1):
        assert search(rows, weights, k, more) == ({}, True)
    if length:
        listed, complete = search(rows, weights, k, length)
        assert complete
        assert set(listed) == set(wanted)
        for pattern, held in listed.items():
            assert held == [r for r, row in enumerate(rows) if pattern <= row]


@given(weighted())
def test_whether_a_length_has_patterns_is_known_also_below_the_longest(case):
    rows, weights, k = case
    for length in range(1, max(map(len, rows)) + 1):
        listed, _ = search(rows, weights, k, length, room=0)
        assert bool(listed) == bool(oracle.patterns(rows, weights, k, length))
        assert all(oracle.held(pattern, rows, weights) >= k for pattern in listed)


@given(weighted())
def test_bounds_and_partners(case):
    rows, weights, k = case
    bound, partners = bounds(rows, weights, k)
    ptr, ids = compressed(rows)
    for r, row in enumerate(rows):
        for e in range(ptr[r], ptr[r + 1]):
            assert partners[e] == len(oracle.partners(row, int(ids[e]), rows, weights, k))
    for length in range(1, ITEMS + 1):
        for pattern in oracle.patterns(rows, weights, k, length):
            assert bound[min(pattern)] >= length


@given(weighted())
def test_bounds_and_partners_in_pieces_are_those_of_the_whole(case):
    rows, weights, k = case
    whole = bounds(rows, weights, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "3")
        patch.setattr(csr, "LARGE", 1)
        assert all((a == b).all() for a, b in zip(whole, bounds(rows, weights, k), strict=True))


@given(weighted(), st.sets(st.integers(0, ITEMS - 1)))
def test_bounds_of_only_some_items(case, some):
    rows, weights, k = case
    only = np.isin(np.arange(ITEMS), sorted(some))
    bound, _ = pair_bounds(*compressed(rows), np.array(weights, np.int64), ITEMS, k, only=only)
    assert (bound == np.where(only, bounds(rows, weights, k)[0], 0)).all()


@given(weighted(), st.integers(1, 5))
def test_reduced_rows_keep_every_pattern_of_the_length(case, length):
    rows, weights, k = case
    ptr, ids = compressed(rows)
    weight = np.array(weights, np.int64)
    free = np.array([r % 3 != 1 for r in range(len(rows))])
    used, sub_ptr, sub = reduce_rows(ptr, ids, weight, free, *bounds(rows, weights, k), k, length)
    cut = [set(sub[sub_ptr[i] : sub_ptr[i + 1]].tolist()) for i in range(len(used))]
    assert all(part <= rows[r] and free[r] for part, r in zip(cut, used, strict=True))
    before = [row for r, row in enumerate(rows) if free[r]]
    kept = oracle.patterns(before, [w for r, w in enumerate(weights) if free[r]], k, length)
    assert oracle.patterns(cut, [weights[r] for r in used], k, length) == kept


def test_a_search_ends_at_its_limits():
    rows = [{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}] * 2
    weights = [1] * len(rows)
    listed, complete = search(rows, weights, 2, 2, room=5)
    assert complete is not True
    assert 0 < len(listed) < 5
    listed, complete = search(rows, weights, 2, 2, patience=0)
    assert complete is not True
    assert len(listed) < 5


@given(weighted(), st.integers(0, 12))
def test_a_search_that_was_cut_short_goes_on_where_it_was(case, limit):
    rows, weights, k = case
    length = max(map(len, oracle.longest(rows, weights, k)), default=0)
    if not length:
        return
    for cut in ({"room": limit}, {"patience": limit}):
        listed, stop = search(rows, weights, k, length, **cut)
        if stop is True:
            continue
        rest, complete = search(rows, weights, k, length, begin=stop)
        assert complete is True
        assert all(min(pattern) >= stop for pattern in rest)
        assert set(listed) | set(rest) == set(oracle.patterns(rows, weights, k, length))


def test_rows_longer_than_16_bits_can_count():
    d = 66_000
    ids = np.tile(np.arange(d, dtype=np.int32), 2)
    ptr = np.array([0, d, 2 * d])
    bound = np.full(d, d)
    found, stop = longest_patterns(ptr, ids, np.array([2, 1]), bound, 3, d, EVERYTHING, EVERYTHING)
    assert stop == d
    assert found[3] == 1
    assert sorted(found[0][:d].tolist()) == list(range(d))
    assert found[2][: found[1][1]].tolist() == [0, 1]


@given(weighted())
def test_rows_out_of_reach_of_a_length_are_never_usable(case):
    rows, weights, k = case
    ptr, ids = compressed(rows)
    weight = np.array(weights, np.int64)
    bound, partners = bounds(rows, weights, k)
    reach = reach_of(ptr, partners)
    for r in range(len(rows)):
        held = partners[ptr[r] : ptr[r + 1]]
        assert reach[r] == max(h for h in range(len(held) + 1) if (held + 1 >= h).sum() >= h)
    for length in range(1, ITEMS + 1):
        everyone, hopeful = np.ones(len(rows), np.bool_), reach >= length
        whole = reduce_rows(ptr, ids, weight, everyone, bound, partners, k, length)
        part = reduce_rows(ptr, ids, weight, hopeful, bound, partners, k, length)
        assert all((a == b).all() for a, b in zip(whole, part, strict=True))


@given(st.integers(0, 2**32), st.integers(2, 6))
def test_many_rows_are_found_as_bits_too(seed, k):
    # Rows of more than two words, some of them heavy, most of them away from any one pattern.
    rng = np.random.default_rng(seed)
    rows = [set(np.flatnonzero(rng.random(ITEMS) < 0.35).tolist()) for _ in range(200)]
    weights = np.where(rng.random(200) < 0.1, 3, 1).tolist()
    k *= 10
    wanted = oracle.longest(rows, weights, k)
    length = max(map(len, wanted), default=0)
    listed, complete = search(rows, weights, k, length)
    assert complete is True
    for pattern, held in listed.items():
        assert held == [r for r, row in enumerate(rows) if pattern <= row]
    assert set(listed) == set(wanted)
