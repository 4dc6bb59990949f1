"""The order of published rows, against plain statistics."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.verify.row_order import _trend


@given(st.lists(st.integers(0, 30), min_size=2, max_size=40))
def test_the_trend_is_the_correlation_of_ranks_and_places(values):
    by_value = sorted(range(len(values)), key=lambda at: (values[at], at))
    ranks = [by_value.index(at) for at in range(len(values))]
    assert _trend(np.array(values)) == pytest.approx(statistics.correlation(ranks, range(len(values))), abs=1e-12)
