import gzip
import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from covey.synth import quest
from covey.synth.quest import draw_table
from oracles import quest as oracle
from strategies import examples

DATA = Path(os.environ.get("COVEY_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))

SMALL = {
    "items": 60,
    "mean_length": 8.0,
    "patterns": 25,
    "pattern_length": 3.0,
    "correlation": 0.5,
    "corruption": 0.5,
}


def table(seed=0, **changes):
    options = {name: value for name, value in (SMALL | changes).items() if name != "mean_length"}
    return draw_table(np.random.default_rng(seed), **options)


def as_lists(drawn):
    return [part.tolist() for part in np.split(drawn.members, drawn.starts[1:-1])]


def test_items_that_no_pattern_holds_are_not_listed():
    baskets = quest(transactions=200, items=1_000_000, patterns=3, seed=1)
    assert baskets.d <= 30


@given(
    st.integers(1, 60),
    st.integers(1, 40),
    st.integers(1, 20),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(0, 1_000),
)
@example(50, 40, 4, 0.0, 0.7, 0.5, 1.0, 0)
@example(20, 200, 4, 0.75, 0.0, 0.5, 1.0, 0)
@examples(50)
def test_any_parameters_give_full_distinct_rows(n, items, patterns, long, wide, correlation, corruption, seed):
    baskets = quest(
        transactions=n,
        items=items,
        mean_length=1 + long * (items - 1),
        patterns=patterns,
        pattern_length=1 + wide * (items - 1),
        correlation=correlation,
        corruption=corruption,
        seed=seed,
    )
    assert baskets.n == n
    assert baskets.lengths().min() >= 1
    assert baskets.lengths().max() <= baskets.d <= items
    assert set(baskets.items) <= {str(i) for i in range(items)}
    assert baskets.supports().min() >= 1
    assert not baskets.sensitive.any()


@pytest.mark.parametrize(
    ("items", "mean_length", "pattern_length", "within"),
    [(500, 5, 2, 0.05), (500, 10, 4, 0.05), (500, 30, 10, 0.05), (40, 20, 4, 0.1)],  # of 40, nearly every one collides
)
def test_the_mean_length_is_near_the_target(items, mean_length, pattern_length, within):
    shape = {"items": items, "mean_length": mean_length, "pattern_length": pattern_length}
    assert quest(transactions=5_000, seed=4, **shape).lengths().mean() == pytest.approx(mean_length, rel=within)


def test_more_correlation_makes_successive_patterns_share_more():
    # Long patterns, so that a short predecessor seldom limits what can be shared.
    options = {"items": 10_000, "patterns": 1_000, "pattern_length": 40.0}
    shares = [oracle.overlap(as_lists(table(correlation=c, **options))) for c in (0, 0.3, 0.9)]
    assert shares[0] < 0.01
    # The mean of an exponential variable of mean c cut off at 1 is c (1 - exp(-1 / c)).
    assert shares[1] == pytest.approx(0.3 * (1 - math.exp(-1 / 0.3)), abs=0.03)
    assert shares[2] == pytest.approx(0.9 * (1 - math.exp(-1 / 0.9)), abs=0.04)


def test_weights_and_levels_have_the_distributions_of_the_paper():
    drawn = table(patterns=4_000, items=5_000, pattern_length=4.0)
    assert drawn.weights.sum() == pytest.approx(1)
    # An exponential variable has a standard deviation equal to its mean.
    assert drawn.weights.std() == pytest.approx(drawn.weights.mean(), rel=0.1)
    sizes = np.diff(drawn.starts)
    assert sizes.mean() == pytest.approx(4.0, rel=0.05)
    assert sizes.var() == pytest.approx(3.0, rel=0.1)
    inside = drawn.levels[(drawn.levels > 0) & (drawn.levels < 1)]
    assert drawn.levels.mean() == pytest.approx(0.5, abs=0.03)
    assert 0.85 < len(inside) / 4_000 < 0.93  # P(|N(0, 0.1)| < 0.5) = 0.886


def test_lengths_are_those_of_the_published_t10i4d100k():
    path = DATA / "t10i4d100k.dat.gz"
    if not path.exists():
        pytest.skip("t10i4d100k.dat.gz is not here; set COVEY_DATA to its directory")
    with gzip.open(path, "rt") as lines:
        published = np.array([len(line.split()) for line in lines])
    baskets = quest(transactions=100_000, items=1_000, mean_length=10, patterns=2_000, pattern_length=4, seed=1)
    lengths = baskets.lengths()
    assert lengths.mean() == pytest.approx(published.mean(), rel=0.02)
    assert lengths.std() == pytest.approx(published.std(), rel=0.03)
    assert abs(int(lengths.max()) - int(published.max())) <= 4
