import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.methods.extents import scale_of
from covey.methods.mondrian import divide, even_cut, mondrian
from oracles import tables as oracle
from strategies import oracle_columns, table_of, table_rows

pytestmark = pytest.mark.kernel


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30))
def test_the_cut_is_the_most_even_one(values):
    left = even_cut(np.array(sorted(values)))
    cuts = {sum(v <= c for v in values) for c in values}
    assert left in cuts | {0}
    assert min(left, len(values) - left) == max(min(c, len(values) - c) for c in cuts)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=30), st.integers(1, 4), st.booleans())
def test_dividing_keeps_the_rows_and_the_order(values, k, relaxed):
    codes = np.array(values, np.int32).reshape(-1, 1)
    part = np.arange(len(values))
    left = divide(codes, part, 0, k, relaxed)
    assert sorted(part) == list(range(len(values)))
    if left:
        one, other = codes[part[:left], 0], codes[part[left:], 0]
        assert min(len(one), len(other)) >= k
        assert one.max() <= other.min() if relaxed else one.max() < other.min()


@given(table_rows(min_rows=2), st.integers(2, 4), st.booleans())
def test_groups_are_a_partition_that_cannot_be_cut_further(rows, k, relaxed):
    if len(rows) < k:
        return
    data = table_of(rows)
    codes = data.rows("quasi")
    secret = np.empty((len(rows), 0), np.int32)
    ptr, order = mondrian(codes, scale_of(data), k, relaxed, secret, 1, False)
    assert sorted(order) == list(range(len(rows)))
    assert np.diff(ptr).min() >= k
    for g in range(len(ptr) - 1):
        part = order[ptr[g] : ptr[g + 1]]
        if relaxed and len(part) >= 2 * k:
            assert len({tuple(codes[row]) for row in part}) == 1
        for a in range(codes.shape[1]):
            assert divide(codes, part.copy(), a, k, False) == 0


@given(table_rows(min_rows=4))
def test_relaxed_cuts_lose_no_more_than_strict_ones(rows):
    data = table_of(rows)
    secret = np.empty((len(rows), 0), np.int32)
    found = []
    for relaxed in (False, True):
        ptr, order = mondrian(data.rows("quasi"), scale_of(data), 2, relaxed, secret, 1, False)
        groups = [[rows[i] for i in order[ptr[g] : ptr[g + 1]]] for g in range(len(ptr) - 1)]
        found.append(oracle.gcp(groups, oracle_columns(rows)))
    assert found[1] <= found[0] + 1e-12


def test_both_sides_of_a_cut_are_diverse():
    codes = np.array([[0], [0], [1], [1], [2], [2], [3], [3]], np.int32)
    scale = (np.array([0, 4]), np.array([True]), np.zeros(4, np.int32), np.zeros(4, np.int32), np.linspace(0, 1, 4))
    secret = np.array([[0], [0], [0], [1], [0], [1], [1], [0]], np.int32)
    ptr, _ = mondrian(codes, scale, 2, False, secret, 2, False)
    assert ptr.tolist() == [0, 4, 6, 8]
