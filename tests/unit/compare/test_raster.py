import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from covey import Baskets
from covey.compare.plots import column_order, density, shade
from oracles import raster as oracle


@given(st.data())
def test_density_counts_what_the_oracle_counts(data):
    d = data.draw(st.integers(1, 12))
    rows = data.draw(st.lists(st.sets(st.integers(0, d - 1)), min_size=1, max_size=15))
    cells = data.draw(st.integers(1, 20))
    row_order = data.draw(st.permutations(range(len(rows))))
    items = data.draw(st.permutations(range(d)))
    indptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    indices = np.array([i for row in rows for i in sorted(row)], np.int32)
    baskets = Baskets(
        indptr=indptr,
        indices=indices,
        items=tuple(f"{i:02}" for i in range(d)),
        sensitive=np.zeros(d, np.bool_),
    )
    got = density(baskets, np.array(row_order), np.array(items), cells=cells)
    assert got.tolist() == oracle.density(rows, d, row_order, items, cells)


def test_a_large_matrix_stays_a_small_picture():
    n = 50_000
    indices = (np.arange(n) % 2_000).astype(np.int32)
    baskets = Baskets(
        indptr=np.arange(n + 1, dtype=np.int64),
        indices=indices,
        items=tuple(f"{i:05}" for i in range(2_000)),
        sensitive=np.zeros(2_000, np.bool_),
    )
    assert density(baskets, cells=100).shape == (100, 100)


def test_columns_follow_the_rows_and_unused_items_come_last():
    baskets = Baskets.of([["z"], ["m"], ["a"]])
    assert column_order(baskets, np.array([0, 1, 2])).tolist() == [2, 1, 0]
    unused = Baskets(
        indptr=np.array([0, 1]),
        indices=np.array([1], np.int32),
        items=("a", "b"),
        sensitive=np.zeros(2, np.bool_),
    )
    assert column_order(unused, np.array([0])).tolist() == [1, 0]


def test_shade_keeps_single_entries_visible():
    filled = np.zeros((10, 10))
    filled[0, :] = 1.0
    filled[5, 5] = 1e-6
    dark = shade(filled)
    assert dark[5, 5] > 0.1
    assert dark[0, 0] == 1.0
    assert dark[9, 9] == 0.0
    assert not shade(np.zeros((2, 2))).any()


def test_empty_data_is_one_empty_cell():
    assert density(Baskets.of([])).tolist() == [[0.0]]
