import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.methods.extents import Extents, diverse, extents_loss, group_extents, joined_loss, merge_undiverse, scale_of
from oracles import tables as oracle
from strategies import oracle_columns, table_of, table_rows

pytestmark = pytest.mark.kernel


@given(table_rows(), st.integers(1, 4))
def test_losses_are_those_of_the_paper(rows, parts):
    data = table_of(rows)
    codes, scale = data.rows("quasi"), scale_of(data)
    ptr = np.unique(np.linspace(0, len(rows), parts + 1).astype(np.int64))
    low, high = group_extents(codes, ptr, np.arange(len(rows)))
    for g in range(len(ptr) - 1):
        wanted = oracle.group_loss(rows[ptr[g] : ptr[g + 1]], oracle_columns(rows))
        assert extents_loss(scale, low[g], high[g]) == pytest.approx(wanted)
    joined = joined_loss(scale, low[0], high[0], low[-1], high[-1], np.inf)
    both = rows[ptr[0] : ptr[1]] + rows[ptr[-2] : ptr[-1]]
    assert joined == pytest.approx(oracle.group_loss(both, oracle_columns(rows)))


@given(table_rows(min_rows=4), st.data(), st.booleans())
def test_merging_makes_every_group_diverse_and_only_merges(rows, draw, frequency):
    secrets = draw.draw(st.lists(st.sampled_from("uvw"), min_size=len(rows), max_size=len(rows)))
    one = [()] * len(rows)
    if oracle.lowest_diversity(one, secrets, frequency) < 2:
        return
    data = table_of(rows, secrets)
    codes, secret = data.rows("quasi"), data.rows("sensitive")
    ptr, order = np.arange(0, len(rows) + 1), np.arange(len(rows))
    low, high = group_extents(codes, ptr, order)
    extents = Extents(codes=codes, scale=scale_of(data), secret=secret, k=1, ell=2, frequency=frequency)
    home = merge_undiverse(extents, low, high, np.split(order, ptr[1:-1]))
    assert oracle.lowest_diversity([(h,) for h in home], secrets, frequency) >= 2
    assert (home[home] == home).all()


def test_diversity_of_each_group():
    secret = np.array([[0], [1], [0], [0], [1], [0]], np.int32)
    groups = np.split(np.arange(6), [2, 3])
    assert [diverse(secret, rows, 2, False) for rows in groups] == [True, False, True]
    assert [diverse(secret, rows, 2, True) for rows in groups] == [True, False, False]
    assert all(diverse(secret, rows, 1, True) for rows in groups)
