"""Loops over grouped rows: sort rows by group, count matches of a predicate per group."""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints, Signs
from covey.kernels.shared.jit import kernel


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


@kernel
def sums_over_groups(indptr: Ints, indices: Ids, group_ptr: Ints, weights: Floats, d: int) -> Floats:
    """Return for each item the sum over the rows that hold it of their group's weight. O(entries where that is not 0).

    Rows ``group_ptr[g]`` to ``group_ptr[g + 1]`` are group g.
    """
    sums = np.zeros(d)
    for g in range(len(weights)):
        if weights[g] != 0.0:
            for e in range(indptr[group_ptr[g]], indptr[group_ptr[g + 1]]):
                sums[indices[e]] += weights[g]
    return sums


@kernel
def sums_by_member(indptr: Ints, indices: Ids, group_ptr: Ints, groups: Ints, values: Floats) -> Floats:
    """Return for each member of some groups, one group after the other, the sum of its items' values. O(entries)."""
    members = np.int64(0)
    for g in groups:
        members += group_ptr[g + 1] - group_ptr[g]
    sums, at = np.zeros(members), np.int64(0)
    for g in groups:
        for row in range(group_ptr[g], group_ptr[g + 1]):
            for e in range(indptr[row], indptr[row + 1]):
                sums[at] += values[indices[e]]
            at += 1
    return sums


@kernel
def sums_by_group(sizes: Ints, values: Floats) -> Floats:
    """Return the sum of the values of each group, whose `sizes` say how many they are. O(values)."""
    sums, at = np.zeros(len(sizes)), np.int64(0)
    for g in range(len(sizes)):
        for i in range(at, at + sizes[g]):
            sums[g] += values[i]
        at += sizes[g]
    return sums
