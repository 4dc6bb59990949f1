"""Boosted trees: every question is one that gains most, and what they say of rows is what a plain loop says."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from covey.measure.boosting import BINS, bin_columns, grow_trees, judge_rows
from oracles import boosting as oracle
from strategies import examples

pytestmark = pytest.mark.kernel


@examples(30)
@given(st.data())
def test_trees_are_those_of_a_plain_loop(data):
    n, features = data.draw(st.integers(2, 14)), data.draw(st.integers(1, 3))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    codes = rng.integers(0, 5, (n, features)).astype(np.uint8)
    share = rng.choice([0.0, 1.0, 0.3], n)
    assume(0 < share.sum() < n)
    trees, depth = 2, 2
    feature, edge, value = grow_trees(codes, share, trees, depth, 0.5, 1.0)
    asked, odds = oracle.grow(codes.tolist(), share.tolist(), trees, depth, 0.5, 1.0, BINS)
    questions = list(zip(feature.ravel().tolist(), edge.ravel().tolist(), strict=True))
    for question, best in zip(questions, asked, strict=True):
        assert question in best
        if question != best[0]:  # equally good but not the same: what follows may differ
            return
    assert judge_rows(codes, feature, edge, value) == pytest.approx(np.array(odds), abs=1e-9)


def test_where_nothing_is_to_be_gained_nothing_is_added():
    codes = np.array([[0, 4], [3, 1]], np.uint8)
    trees = grow_trees(codes, np.array([0.5, 0.5]), 2, 2, 0.5, 1.0)
    assert judge_rows(codes, *trees).tolist() == [0.0, 0.0]


@examples(50)
@given(st.lists(st.floats(-5, 5), min_size=1, max_size=30), st.integers(0, 100))
def test_a_bin_is_how_many_edges_are_below(values, seed):
    edges = np.sort(np.random.default_rng(seed).choice([*values, -1.0, 0.5], (1, BINS - 1)), axis=1)
    found = bin_columns(np.array([values]), edges)
    assert found[:, 0].tolist() == [int((edges[0] < value).sum()) for value in values]


def test_what_depends_on_two_features_together_is_learned():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, BINS, (2000, 4)).astype(np.uint8)
    sought = (codes[:, 1] > 40) & (codes[:, 2] < 20)
    trees = grow_trees(codes[:1000], sought[:1000].astype(float), 20, 3, 0.3, 1.0)
    odds = judge_rows(codes[1000:], *trees)
    likeliest = np.argsort(-odds)[: sought[1000:].sum()]
    assert sought[1000:][likeliest].mean() > 0.9
    assert set(trees[0][0].tolist()) >= {1, 2}
