"""The compiled loops against their plain twins, number by number on the same random stream."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey.synth.draw import alias_table, corrupt, draw_patterns, fill_from_patterns, fill_shop, pick
from oracles import quest as oracle

pytestmark = pytest.mark.kernel

seeds = st.integers(0, 2**32 - 1)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=60).filter(lambda w: sum(w) > 1e-3))
@settings(deadline=None)
def test_the_alias_table_stands_for_exactly_the_weights(weights):
    weights = np.array(weights)
    keep, alias = alias_table(weights)
    assert ((keep >= 0) & (keep <= 1 + 1e-9)).all()
    share = keep.clip(max=1.0)
    np.add.at(share, alias, 1 - keep.clip(max=1.0))
    np.testing.assert_allclose(share / len(weights), weights / weights.sum(), atol=1e-9)


def test_pick_follows_the_weights_and_never_takes_a_weight_of_zero():
    weights = np.array([0.0, 5.0, 1.0, 0.0, 4.0])
    keep, alias = alias_table(weights)
    rng = np.random.default_rng(3)
    counts = np.bincount([pick(rng, keep, alias) for _ in range(4_000)], minlength=5)
    assert counts[0] == counts[3] == 0
    np.testing.assert_allclose(counts / 4_000, weights / 10, atol=0.03)


@st.composite
def pattern_shapes(draw):
    items = draw(st.integers(1, 30))
    sizes = draw(st.lists(st.integers(1, items), min_size=1, max_size=12))
    shared = [0] + [draw(st.integers(0, min(a, b))) for a, b in pairwise(sizes)]
    return items, sizes, shared


@given(pattern_shapes(), seeds)
@settings(deadline=None)
def test_patterns_agree_with_the_oracle(shape, seed):
    items, sizes, shared = shape
    members = draw_patterns(
        np.random.default_rng(seed), np.array(sizes), np.array(shared), items, np.zeros(items, np.int32)
    )
    ours = [part.tolist() for part in np.split(members, np.cumsum(sizes)[:-1])]
    assert ours == oracle.draw_patterns(sizes, shared, items, np.random.default_rng(seed).random)
    for i, pattern in enumerate(ours):
        assert len(set(pattern)) == sizes[i]
        assert i == 0 or len(set(pattern) & set(ours[i - 1])) >= shared[i]


@given(st.sets(st.integers(0, 99), min_size=1, max_size=20).map(sorted), st.floats(0, 1), seeds)
@settings(deadline=None)
def test_corruption_agrees_with_the_oracle(pattern, level, seed):
    hand = np.empty(len(pattern), np.int32)
    left = corrupt(np.random.default_rng(seed), np.array(pattern, np.int32), level, hand)
    assert hand[:left].tolist() == oracle.corrupted(pattern, level, np.random.default_rng(seed).random)


@given(
    st.lists(st.sets(st.integers(0, 14), min_size=1, max_size=8).map(sorted), min_size=1, max_size=8),
    st.lists(st.integers(1, 12), min_size=1, max_size=30),
    st.lists(st.floats(0, 1), min_size=8, max_size=8),
    st.lists(st.floats(0.01, 10), min_size=8, max_size=8),
    seeds,
)
@settings(deadline=None)
def test_filling_agrees_with_the_oracle(patterns, sizes, levels, weights, seed):
    keep, alias = alias_table(np.array(weights[: len(patterns)]))
    reach = len(set().union(*patterns))
    sizes = np.minimum(np.array(sizes), reach)
    starts = np.cumsum([0, *map(len, patterns)])
    longest = max(map(len, patterns))
    held, hand, waiting = np.zeros(15, np.int64), np.empty(longest, np.int32), np.zeros(1, np.int64)
    lengths, indices = np.zeros(len(sizes), np.int64), np.empty(sizes.sum() + len(sizes) * longest, np.int32)
    entries = fill_from_patterns(
        np.random.default_rng(seed), starts, np.concatenate(patterns).astype(np.int32), np.array(levels), keep, alias,
        sizes, held, hand, waiting, 0, lengths, indices,
    )  # fmt: skip
    ours = [part.tolist() for part in np.split(indices[:entries], np.cumsum(lengths)[:-1])]

    twin = np.random.default_rng(seed)
    theirs = oracle.fill(patterns, levels, sizes, lambda: pick(twin, keep, alias), twin.random)
    assert ours == theirs
    assert all(basket and len(set(basket)) == len(basket) for basket in ours)


def test_a_shop_basket_holds_its_everyday_goods_and_the_goods_of_its_occasions():
    keep, alias = (np.array([a]) for a in alias_table(np.array([1.0, 2.0, 3.0, 0.0, 0.0])))
    rows = 200
    lengths, indices = np.zeros(rows, np.int64), np.empty(rows * 4, np.int32)
    nobody = np.zeros(rows, np.int64)
    entries = fill_shop(
        np.random.default_rng(1), nobody, nobody, np.full(rows, 2), keep, alias,
        np.array([[1.0, 0.0]]), np.array([0, 1, 2]), np.array([3, 4], np.int32), np.array([1.0, 1.0]),
        np.zeros(5, np.int64), 0, lengths, indices,
    )  # fmt: skip
    baskets = [set(part.tolist()) for part in np.split(indices[:entries], np.cumsum(lengths)[:-1])]
    assert all(3 in basket and 4 not in basket and len(basket) == 3 for basket in baskets)
