"""The order of published rows, against plain statistics."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.data import Baskets
from covey.verify.chance import close_by, log_chance, uneven
from covey.verify.row_order import _trend, check_fits, check_grouped_positions


@given(st.lists(st.integers(0, 30), min_size=2, max_size=40))
def test_the_trend_is_the_correlation_of_ranks_and_places(values):
    by_value = sorted(range(len(values)), key=lambda at: (values[at], at))
    ranks = [by_value.index(at) for at in range(len(values))]
    assert _trend(np.array(values)) == pytest.approx(statistics.correlation(ranks, range(len(values))), abs=1e-12)


def equal(published, original):
    return lambda ours, theirs: published[ours] == original[theirs]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 30, 400])
@pytest.mark.parametrize("kinds", [1, 2, 5, 1000])
@pytest.mark.parametrize("sorted_before", [False, True])
def test_a_shuffle_is_no_order(n, kinds, sorted_before):
    drawn = np.random.default_rng(n + kinds)
    original = drawn.integers(0, kinds, n)
    original = np.sort(original) if sorted_before else original
    for _ in range(3):
        published = drawn.permutation(original)
        number = np.unique(published, return_inverse=True)[1]
        assert check_fits(number, equal(published, original)).passed
        assert not close_by(drawn.permutation(n))


def test_equal_rows_that_stand_together_are_no_order():
    """As Spark writes them, while the original is sorted by what they are."""
    drawn = np.random.default_rng(1)
    for kinds in (2, 3, 20, 300):
        original = np.sort(drawn.integers(0, kinds, 3000))
        values, often = np.unique(original, return_counts=True)
        turned = drawn.permutation(len(values))
        published = np.repeat(values[turned], often[turned])
        assert check_fits(published, equal(published, original)).passed


def test_few_rows_may_stand_in_any_order():
    for n in range(12):
        assert check_fits(np.arange(n), equal(np.arange(n), np.arange(n))).passed or n > 8
        assert not close_by(np.arange(n))


@pytest.mark.parametrize("step", [1, 2, 3, 5, 40, -1, -7])
def test_a_walk_through_the_original_is_noticed(step):
    n = 1009
    assert close_by(np.arange(n) * step % n)
    assert not close_by(np.random.default_rng(0).permutation(n))


def test_a_bound_is_above_the_chance():
    """Against the exact chances of counts of 20 events of 1 in 4."""
    from math import comb

    chance = [comb(20, x) / 4**x * 0.75 ** (20 - x) for x in range(21)]
    for found in range(21):
        exact = sum(chance[found:]) if found > 5 else sum(chance[: found + 1])
        assert np.exp(log_chance(found, 5.0, 20)) >= exact - 1e-12 or found == 5


def test_marked_rows_stand_anywhere():
    drawn, size = np.random.default_rng(2), np.full(5000, 4)
    assert not uneven(drawn.integers(0, 4, 5000), size)
    assert uneven(np.zeros(5000, np.int64), size)
    assert uneven(drawn.integers(1, 4, 5000), size)
    assert not uneven(np.zeros(5000, np.int64), np.ones(5000, np.int64))
    # Two marks that are even together, and not by themselves.
    place, mark = np.tile([0, 1], 2500), np.tile([0, 1], 2500)
    assert not uneven(place, np.full(5000, 2))
    assert uneven(place, np.full(5000, 2), mark)


def test_groups_without_holders_or_of_one_row():
    secret = Baskets.of([["s"], [], ["s"]])
    assert check_grouped_positions(np.array([2, 0, 1]), np.array([0, 1, 2]), secret).passed
    assert check_grouped_positions(np.zeros(0, np.int64), np.zeros(0, np.int64), secret).passed
