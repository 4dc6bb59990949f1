"""What is done with numpy on small data is exactly what the kernels do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.kernels.shared import csr, groups, small
from strategies import examples

pytestmark = pytest.mark.kernel

#: Items of rows: in any order, more than once, and some that there are not.
ROWS = st.lists(st.lists(st.integers(0, 6), max_size=5), max_size=9)


def matrix(rows):
    return np.cumsum([0, *map(len, rows)]), np.array([item for row in rows for item in row], np.int32)


def test_each_stands_for_a_kernel():
    twins = {kernel.small for module in (csr, groups) for kernel in vars(module).values() if hasattr(kernel, "small")}
    written = {
        f for name, f in vars(small).items() if callable(f) and f.__module__ == small.__name__ and name[0] != "_"
    }
    assert twins - {None} == written


@examples(200)
@given(ROWS, st.lists(st.integers(-3, 9), min_size=7, max_size=7), st.integers(0, 5))
def test_rows_become_canonical(rows, rename, before):
    ptr, ids = matrix([[0] * before, *rows])
    ptr, name = ptr[1:], np.array(rename, np.int32)  # entries of other rows stand before
    mine, theirs = (ptr.copy(), ids.copy()), (ptr.copy(), ids.copy())
    kept = small.canonical_rows(*mine, name)
    assert kept == csr.canonicalize_rows.compiled(*theirs, name)
    assert mine[0].tolist() == theirs[0].tolist()
    assert mine[1][:kept].tolist() == theirs[1][:kept].tolist()


@examples(300)
@given(
    st.lists(st.one_of(st.sets(st.integers(0, 6)).map(sorted), st.lists(st.integers(-1, 7), max_size=3)), max_size=9)
)
def test_the_first_bad_row_is_found(rows):
    ptr, ids = matrix(rows)
    for rows_from in range(len(ptr)):
        assert small.row_out_of_order(ptr[rows_from:], ids, 7) == csr.bad_row.compiled(ptr[rows_from:], ids, 7)


@examples(200)
@given(st.lists(st.lists(st.sets(st.integers(0, 6)).map(sorted), max_size=4), min_size=1, max_size=5), st.data())
def test_groups_are_counted(grouped, draw):
    ptr, ids = matrix([row for group in grouped for row in group])
    sizes = np.array([len(group) for group in grouped], np.int64)
    group_ptr = np.concatenate(([0], np.cumsum(sizes)))
    sign = np.array(draw.draw(st.lists(st.sampled_from([-1, 0, 0, 1]), min_size=7, max_size=7)), np.int8)
    for kernel, args in (
        (csr.count_items, (ids, 7)),
        (groups.matches_per_group, (ptr, ids, group_ptr, sign, int((sign > 0).sum()))),
    ):
        found, wanted = kernel.small(*args), kernel.compiled(*args)
        assert found.dtype == wanted.dtype
        assert found.tobytes() == wanted.tobytes(), kernel.__name__


@examples(200)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), max_size=12), st.booleans())
def test_pairs_in_order_of_rows_need_no_moving(pairs, ordered):
    pairs = sorted(pairs, key=lambda pair: pair[0]) if ordered else pairs
    row_of, item_of = (np.array([pair[part] for pair in pairs], np.int32) for part in (0, 1))
    ptr, found = csr.rows_of_own_pairs(row_of, item_of, 7)
    wanted_ptr, wanted = csr.rows_from_pairs(row_of, item_of, 7)
    assert ptr.tolist() == wanted_ptr.tolist()
    assert found.tolist() == wanted.tolist()
    assert (found is item_of) == (row_of.tolist() == sorted(row_of.tolist()))
