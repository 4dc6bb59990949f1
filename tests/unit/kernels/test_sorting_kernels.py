import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.data.jit import kth_smallest
from strategies import examples

pytestmark = pytest.mark.kernel


@examples(200)
@given(st.lists(st.sampled_from([-2.5, 0.0, 1.0, 1.5, 7.0]) | st.floats(-9, 9), min_size=1, max_size=40), st.data())
def test_kth_smallest_is_that_of_numpy(values, draw):
    k = draw.draw(st.integers(0, len(values) - 1))
    given_values = np.array(values)
    assert kth_smallest(given_values, k) == np.partition(given_values, k)[k]
    assert given_values.tolist() == values
