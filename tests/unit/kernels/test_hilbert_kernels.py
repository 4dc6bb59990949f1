import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.methods.extents import scale_of
from covey.methods.hilbert import hilbert_keys, optimal_cuts
from oracles import tables as oracle
from strategies import oracle_columns, table_of, table_rows

pytestmark = pytest.mark.kernel


def curve(dimensions, bits):
    points = np.array(list(itertools.product(range(2**bits), repeat=dimensions)), np.uint32)
    keys = hilbert_keys(points, bits)
    whole = [sum(int(word) << (64 * (keys.shape[1] - 1 - i)) for i, word in enumerate(key)) for key in keys]
    return points, whole


@pytest.mark.parametrize(("dimensions", "bits"), [(1, 4), (2, 1), (2, 4), (3, 2), (3, 3), (5, 2)])
def test_the_curve_visits_every_point_once_in_unit_steps(dimensions, bits):
    points, keys = curve(dimensions, bits)
    assert sorted(keys) == list(range(2 ** (dimensions * bits)))
    walk = points[np.argsort(keys)].astype(int)
    assert (np.abs(np.diff(walk, axis=0)).sum(axis=1) == 1).all()


def test_the_first_points_of_the_plane():
    points, keys = curve(2, 2)
    assert points[np.argsort(keys)].tolist()[:4] == [[0, 0], [1, 0], [1, 1], [0, 1]]


def test_many_columns_need_many_words():
    points = np.random.default_rng(0).integers(0, 2**16, (20, 16)).astype(np.uint32)
    keys = hilbert_keys(points, 16)
    assert keys.shape == (20, 4)
    assert len({tuple(key) for key in keys}) == 20
    # The leading bits of the key are the key of the leading bits.
    coarse = hilbert_keys(points >> np.uint32(12), 4)
    assert (keys[:, 0] == coarse[:, 0]).all()


@given(table_rows(min_rows=2, max_rows=14), st.integers(2, 4))
def test_the_cuts_are_optimal(rows, k):
    if len(rows) < k:
        return
    data = table_of(rows)
    ends = optimal_cuts(data.rows("quasi"), np.arange(len(rows)), scale_of(data), k)
    sizes = np.diff(ends)
    assert ends[0] == 0
    assert ends[-1] == len(rows)
    assert sizes.min() >= k
    assert sizes.max() < 2 * k
    columns = oracle_columns(rows)
    found = sum(
        size * oracle.group_loss(rows[start : start + size], columns) for start, size in zip(ends, sizes, strict=False)
    )
    assert found == pytest.approx(oracle.best_line_loss(rows, columns, k))
