"""Rows have one number if and only if they are equal, whatever the number of threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data import csr
from covey.data.equal_rows import equal_rows
from covey.threads import VARIABLE

pytestmark = pytest.mark.kernel
SETS = st.lists(st.frozensets(st.sampled_from("abcde"), max_size=3), min_size=1, max_size=30)


@given(SETS, st.sampled_from(["1", "2", "5"]))
def test_the_definition(sets, number_of_threads):
    data = covey.Baskets.of(sets)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csr, "LARGE", 2)
        patch.setenv(VARIABLE, number_of_threads)
        number, size, example = equal_rows(data.indptr, data.indices, data.d)
        again = equal_rows(data.indptr, data.indices, data.d, seed=3)
        patch.setenv(VARIABLE, "1")
        alone = equal_rows(data.indptr, data.indices, data.d, seed=3)
    assert all(sets[example[number[row]]] == sets[row] for row in range(len(sets)))
    assert len(size) == len(example) == len(set(sets))
    assert size[number].tolist() == [sets.count(one) for one in sets]
    assert all(np.array_equal(mine, theirs) for mine, theirs in zip(again, alone, strict=True))
