"""Assigning sets to rows leaves as few without one as augmenting paths in plain Python do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.kernels.verify.assigning import without_place
from oracles.records import dealt_at_most

pytestmark = pytest.mark.kernel


def missing(fits, wanted, offered):
    ptr = np.cumsum([0, *map(len, fits)]).astype(np.int64)
    pairs = np.array([row for one in fits for row in sorted(one)], np.int32)
    return without_place(ptr, pairs, np.array(wanted, np.int64), np.array(offered, np.int64))


@st.composite
def cases(draw):
    offered = draw(st.lists(st.integers(1, 3), min_size=1, max_size=6))
    rows = st.sets(st.integers(0, len(offered) - 1))
    sets = draw(st.lists(st.tuples(rows, st.integers(1, 4)), min_size=1, max_size=7))
    return [rows for rows, _ in sets], [wanted for _, wanted in sets], offered


@given(cases())
def test_no_set_is_left_over_that_could_be_assigned(case):
    fits, wanted, offered = case
    left = missing(fits, wanted, offered)
    places = [[(row, copy) for row in one for copy in range(offered[row])] for one in fits]
    most = dealt_at_most([places[s] for s, times in enumerate(wanted) for _ in range(times)])
    assert sum(wanted) - left.sum() == most
    assert ((left >= 0) & (left <= wanted)).all()


@pytest.mark.parametrize("offered", [1, 2])
def test_a_long_chain_of_sets_moves_on(offered):
    # Everyone takes the first of two rows, and has to leave it for the second when one more comes.
    n = 500
    fits = [*([i, i + 1] for i in range(n)), [0]]
    wanted = [offered] * n + [offered]
    assert not missing(fits, wanted, [offered] * (n + 1)).any()
    assert missing([*fits, [n]], [*wanted, 1], [offered] * (n + 1)).sum() == 1
