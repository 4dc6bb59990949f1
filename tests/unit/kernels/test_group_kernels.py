"""Sums over the rows of groups, against plain Python."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.kernels.shared.groups import sums_by_group, sums_by_member, sums_over_groups
from strategies import examples

pytestmark = pytest.mark.kernel

#: Groups of rows of items.
GROUPS = st.lists(st.lists(st.sets(st.integers(0, 6)), max_size=4), min_size=1, max_size=5)


@examples(100)
@given(GROUPS, st.data())
def test_sums_are_those_of_plain_loops(groups, draw):
    rows = [sorted(row) for group in groups for row in group]
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.array([item for row in rows for item in row], np.int32)
    group_ptr, sizes = np.cumsum([0, *map(len, groups)]), np.array(list(map(len, groups)), np.int64)
    weight = draw.draw(st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=len(groups), max_size=len(groups)))
    value = np.arange(7) - 2.5
    found = sums_over_groups(indptr, indices, group_ptr, np.array(weight), 7)
    for item in range(7):
        assert found[item] == sum(w for w, group in zip(weight, groups, strict=True) for row in group if item in row)
    asked = np.array([g for g in range(len(groups)) if g % 2 == 0], np.int64)
    members = sums_by_member(indptr, indices, group_ptr, asked, value)
    assert members.tolist() == [sum(value[j] for j in row) for g in asked for row in groups[g]]
    totals = sums_by_group(sizes, np.arange(float(len(rows))))
    assert totals.tolist() == [sum(range(a, b)) for a, b in pairwise(group_ptr)]
