import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.kernels.verify.covering import covering
from covey.verify.table_fidelity import most_matched
from oracles import tables as oracle

pytestmark = pytest.mark.kernel


@st.composite
def boxes(draw):
    cells = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=6))
    rows = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=8))
    return sorted(((min(a, b), max(a, b), s) for a, b, s in cells), key=lambda c: c[2]), rows


@given(boxes(), st.data())
def test_candidates_and_the_largest_matching(drawn, data):
    cells, rows = drawn
    secret = np.array([c[2] for c in cells])
    low, high = (np.array([[c[i]] for c in cells], np.int32) for i in (0, 1))
    ptr, found = covering(
        np.array([[r[0]] for r in rows], np.int32),
        np.array([r[1] for r in rows]),
        low,
        high,
        np.searchsorted(secret, np.arange(3)),
        1 << 20,
    )
    candidates = [[c for c, (a, b, s) in enumerate(cells) if a <= value <= b and s == wanted] for value, wanted in rows]
    assert [found[ptr[i] : ptr[i + 1]].tolist() for i in range(len(rows))] == candidates
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=len(cells), max_size=len(cells)))
    matched = most_matched(ptr, found, np.ones(len(rows), np.int64), np.array(sizes))
    assert matched == oracle.matched(candidates, sizes)


def test_the_search_stops_at_its_limit():
    rows = np.zeros((10, 1), np.int32)
    wide = np.zeros((5, 1), np.int32)
    ptr, found = covering(rows, np.zeros(10, np.int64), wide, wide, np.array([0, 5]), 12)
    assert len(ptr) < 11
    assert len(found) == ptr[-1]
