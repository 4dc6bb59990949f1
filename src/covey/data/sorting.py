"""Sorting for other kernels: compiled once here, since every inlined copy costs seconds to compile."""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data.jit import kernel


@kernel
def stable_order(keys: Ints) -> Ints:
    """Return the positions of `keys` in ascending order, equal keys in the order they stand. O(n log n)."""
    return np.argsort(keys, kind="mergesort")


@kernel
def sort_ids(values: Ids) -> None:
    """Sort a contiguous array in place. O(n log n); short arrays, the usual case, by insertion."""
    if len(values) > 24:
        values[:] = np.sort(values)
        return
    for e in range(1, len(values)):
        value, hole = values[e], e
        while hole > 0 and values[hole - 1] > value:
            values[hole] = values[hole - 1]
            hole -= 1
        values[hole] = value


@kernel
def kth_smallest(values: Floats, k: int) -> float:
    """Return the value at position `k` of the sorted `values`. O(n) on average, by quickselect.

    ``np.partition`` does the same but takes three seconds to compile.
    """
    some = values.copy()
    first, last = np.int64(0), np.int64(len(some) - 1)
    while first < last:
        pivot, left, right = some[(first + last) // 2], first, last
        while left <= right:
            while some[left] < pivot:
                left += 1
            while some[right] > pivot:
                right -= 1
            if left <= right:
                some[left], some[right] = some[right], some[left]
                left += 1
                right -= 1
        if k <= right:
            last = right
        elif k >= left:
            first = left
        else:
            break
    found: float = some[k]
    return found


@kernel
def lower_bound(values: Ints, low: int, high: int, value: int) -> int:
    """Return the first place in the ascending ``values[low:high]`` that is not below `value`. O(log(high - low))."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
