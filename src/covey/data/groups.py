"""Loops over grouped rows: sort rows by group, count matches of a predicate per group."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Signs
from covey.data.jit import kernel


@kernel
def rows_by_group(group: Ints, order: Ints, groups: int) -> tuple[Ints, Ints]:
    """Return (offsets of the groups, rows sorted by group); within a group rows keep their place in `order`.

    A counting sort: O(n + groups).
    """
    ptr = np.zeros(groups + 1, np.int64)
    for row in range(len(group)):
        ptr[group[row] + 1] += 1
    for g in range(groups):
        ptr[g + 1] += ptr[g]
    cursor = ptr[:-1].copy()
    rows = np.empty(len(group), np.int64)
    for i in range(len(order)):
        g = group[order[i]]
        rows[cursor[g]] = order[i]
        cursor[g] += 1
    return ptr, rows


@kernel
def matches_per_group(indptr: Ints, indices: Ids, group_ptr: Ints, sign: Signs, present: int) -> Ints:
    """Count in each group the rows that hold all `present` items of sign 1 and none of sign -1. O(nnz)."""
    groups = len(group_ptr) - 1
    matches = np.zeros(groups, np.int64)
    for g in range(groups):
        for row in range(group_ptr[g], group_ptr[g + 1]):
            missing = present
            for e in range(indptr[row], indptr[row + 1]):
                if sign[indices[e]] > 0:
                    missing -= 1
                elif sign[indices[e]] < 0:
                    missing = np.int64(-1)
                    break
            if missing == 0:
                matches[g] += 1
    return matches
