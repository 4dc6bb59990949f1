"""Opening groups, moving rows and finding centers, on small cases and against the definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.methods.pattern_ka.groups import TAKEN, common_items, join_longer, open_groups, standing_of, worth

pytestmark = pytest.mark.kernel

SETS = st.lists(st.sets(st.integers(0, 5)), max_size=12)


def compressed(rows):
    ptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return ptr, np.array([x for row in rows for x in sorted(row)], np.int32)


def test_worth_counts_gains_and_the_least_loss():
    rows = np.arange(5, dtype=np.int32)
    weight = np.array([1, 2, 1, 1, 1])
    standing = standing_of(weight, np.array([0, 1, 2, 3, 4]), np.ones(5, np.bool_))
    # Two gain from length 2: 2 + 2 · 1; both weigh 3, so one more of equal length is needed for 4.
    assert worth(rows, standing, 2, 4, 0) == (4, 1)
    # For 5 another must lose one item, which takes slack.
    assert worth(rows, standing, 2, 5, 0) == (0, 2)
    assert worth(rows, standing, 2, 5, 1) == (3, 2)
    standing = standing_of(weight, np.array([0, 1, 2, 3, 4]), np.arange(5) != 2)
    assert worth(rows, standing, 2, 4, 0) == (0, 1)


def test_groups_open_with_the_greatest_gain_first():
    # Pattern 0 is held by rows 0-2, pattern 1 by rows 1-4; row 4 already has as long a center.
    ptr, tids = np.array([0, 3, 7]), np.array([0, 1, 2, 1, 2, 3, 4], np.int32)
    weight, now = np.ones(5, np.int64), np.array([0, 0, 0, 0, 2])
    standing, group = standing_of(weight, now, np.ones(5, np.bool_)), np.full(5, -1)
    used = open_groups(ptr, tids, standing, 2, 2, 0, group, 3)
    # Both would gain 6; the first is taken. Row 3 then gains 2 with the help of row 4, which loses nothing.
    assert used.tolist() == [0, 1]
    assert group.tolist() == [3, 3, 3, 4, 4]
    assert (standing[:, 1] == TAKEN).all()


def test_a_donor_joins_only_when_needed():
    ptr, tids = np.array([0, 3]), np.array([0, 1, 2], np.int32)
    weight = np.ones(3, np.int64)
    for k, joined in ((2, [0, 0, -1]), (3, [0, 0, 0])):
        standing, group = standing_of(weight, np.array([0, 0, 1]), np.ones(3, np.bool_)), np.full(3, -1)
        assert len(open_groups(ptr, tids, standing, 1, k, 0, group, 0)) == 1
        assert group.tolist() == joined


@given(SETS, st.data())
def test_centers_are_intersections(rows, data):
    groups = 3
    group = np.array([data.draw(st.integers(-1, groups - 1)) for _ in rows], np.int64)
    order = np.argsort(group, kind="stable").astype(np.int32)
    members = [[row for r, row in enumerate(rows) if group[r] == g] for g in range(groups)]
    wanted = [set.intersection(*some) if some else set() for some in members]
    least = np.array([data.draw(st.integers(0, len(some))) for some in wanted])
    begin = np.searchsorted(group[order], np.arange(groups + 1))
    ptr, centers = common_items(*compressed(rows), begin, order, least)
    assert [set(centers[ptr[g] : ptr[g + 1]].tolist()) for g in range(groups)] == wanted


def test_rows_join_the_longest_center_they_hold_if_theirs_can_spare_them():
    rows = [{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 3}, {0, 3}, {4}]
    ptr, ids = compressed(rows)
    weight = np.ones(6, np.int64)
    center_ptr, centers = np.array([0, 1, 3, 4]), np.array([0, 0, 1, 4], np.int32)
    under_ptr, under = np.array([0, 1, 2, 2, 2, 3]), np.array([0, 1, 2], np.int32)
    group = np.array([1, 1, 0, 0, 0, -1])
    size = np.array([3, 2, 1])
    join_longer(ptr, ids, weight, group, size, 2, center_ptr, centers, under_ptr, under)
    assert group.tolist() == [1, 1, 1, 0, 0, 2]
    assert size.tolist() == [2, 3, 2]
