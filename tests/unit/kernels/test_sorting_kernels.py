import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.data import csr
from covey.data.sorting import kth_smallest
from strategies import examples

pytestmark = pytest.mark.kernel


@examples(200)
@given(st.lists(st.sampled_from([-2.5, 0.0, 1.0, 1.5, 7.0]) | st.floats(-9, 9), min_size=1, max_size=40), st.data())
def test_kth_smallest_is_that_of_numpy(values, draw):
    k = draw.draw(st.integers(0, len(values) - 1))
    given_values = np.array(values)
    assert kth_smallest(given_values, k) == np.partition(given_values, k)[k]
    assert given_values.tolist() == values


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
