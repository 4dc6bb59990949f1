"""Dealing cells out to persons gives as many one as augmenting paths in plain Python do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.kernels.verify.dealing import most_dealt
from oracles.records import dealt_at_most

pytestmark = pytest.mark.kernel


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=6).flatmap(
        lambda sizes: st.tuples(
            st.just(sizes), st.lists(st.sets(st.integers(0, len(sizes) - 1)), min_size=1, max_size=12)
        )
    )
)
def test_nobody_is_left_out_who_could_be_served(drawn):
    sizes, fits = drawn
    ptr = np.concatenate([[0], np.cumsum([len(one) for one in fits])]).astype(np.int64)
    cells = np.array([cell for one in fits for cell in sorted(one)], np.int32)
    copies = [[(cell, copy) for cell in one for copy in range(sizes[cell])] for one in fits]
    assert most_dealt(ptr, cells, np.array(sizes, np.int64)) == dealt_at_most(copies)


def test_a_long_chain_of_holders_moves_on():
    n = 2_000
    fits = [*([i, i + 1] for i in range(n)), [0, 1]]
    ptr = np.cumsum([0, *map(len, fits)]).astype(np.int64)
    cells = np.array([cell for one in fits for cell in one], np.int32)
    assert most_dealt(ptr, cells, np.ones(n + 1, np.int64)) == n + 1
