"""Mondrian: halve the rows at medians, widest column first (LeFevre, DeWitt, Ramakrishnan, ICDE 2006).

Codes stand in the order of their column, so a median is taken of codes; for categories that is the order of a
walk of their hierarchy.
"""

from __future__ import annotations

import numpy as np

from covey.kernels.diversity import diverse
from covey.kernels.extents import Ids, Ints, Scale, group_extents, span_loss
from covey.kernels.jit import kernel


@kernel
def median_cut(values: Ids) -> int:
    """The code c for which splitting into codes <= c and codes > c is most even, or -1. O(len) on average."""
    n = len(values)
    middle = np.partition(values, n // 2)[n // 2]
    below, equal, before = np.int64(0), np.int64(0), np.int64(-1)
    for i in range(n):
        if values[i] < middle:
            below += 1
            before = max(before, np.int64(values[i]))
        elif values[i] == middle:
            equal += 1
    above = n - below - equal
    if below == 0 and above == 0:
        return -1
    # Either the median goes left, or it goes right with everything above it.
    return np.int64(middle) if min(below + equal, above) >= min(below, n - below) else before


@kernel
def divide(codes: Ids, part: Ints, a: int, k: int, relaxed: bool) -> int:
    """Reorder `part`, rows of one partition, by column `a`; return the size of the left half, 0 if impossible.

    Strict: rows with equal codes stay together. Relaxed: rows at the median go to either side. O(len) on average.
    """
    n = len(part)
    values = np.empty(n, np.int32)
    for i in range(n):
        values[i] = codes[part[i], a]
    if relaxed:
        order = np.argsort(values, kind="mergesort")
        if values[order[0]] == values[order[-1]] or n < 2 * k:
            return 0
        part[:] = part[order]
        return n // 2
    cut = median_cut(values)
    if cut < 0:
        return 0
    left = np.int64(0)
    for i in range(n):
        left += values[i] <= cut
    if left < k or n - left < k:
        return 0
    kept = part.copy()
    at, other = np.int64(0), left
    for i in range(n):
        if values[i] <= cut:
            part[at] = kept[i]
            at += 1
        else:
            part[other] = kept[i]
            other += 1
    return left


@kernel
def mondrian(
    codes: Ids, scale: Scale, k: int, relaxed: bool, secret: Ids, ell: int, frequency: bool
) -> tuple[Ints, Ints]:
    """Partition all rows; return (offsets of the groups, rows group by group).

    Precondition: at least k rows, which together are diverse. A cut is made at the median of the column with the
    widest normalized extent that leaves k rows and `ell` well represented secrets on both sides; no such column,
    no cut. With `relaxed`, rows with equal codes are then divided too. O(n log n · columns) on average.
    """
    n, q = codes.shape
    rows = np.arange(n)
    stack = np.empty((2 * (n // k) + 2, 2), np.int64)
    ends = np.zeros(n // k + 2, np.int64)
    stack[0, 0], stack[0, 1] = 0, n
    top, groups = 1, 0
    while top > 0:
        top -= 1
        start, stop = stack[top, 0], stack[top, 1]
        left = np.int64(0)
        if stop - start >= 2 * k:
            part = rows[start:stop]
            ptr = np.array([0, stop - start])
            low, high = group_extents(codes, ptr, part)
            width = np.empty(q, np.float64)
            for a in range(q):
                width[a] = span_loss(scale, a, low[0, a], high[0, a])
            widest = np.argsort(-width, kind="mergesort")
            for attempt in range(2 * q if relaxed else q):
                left = divide(codes, part, widest[attempt % q], k, attempt >= q)
                good = left > 0 and diverse(secret, part[:left], ell, frequency)
                if good and diverse(secret, part[left:], ell, frequency):
                    break
                left = np.int64(0)
        if left > 0:
            # The right half waits below the left one, so groups come out in order and the stack stays shallow.
            stack[top, 0], stack[top, 1] = start + left, stop
            stack[top + 1, 0], stack[top + 1, 1] = start, start + left
            top += 2
        else:
            groups += 1
            ends[groups] = stop
    return ends[: groups + 1].copy(), rows
