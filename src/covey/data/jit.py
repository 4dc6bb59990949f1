"""The decorator of every kernel, and small kernels that others call: bits of words, sorting, growing arrays.

Those that sort are compiled once here, since every inlined copy costs seconds to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

from covey.arrays import Floats, Ids, Ints

T = TypeVar("T", bound=np.generic)
Function = TypeVar("Function", bound=Callable[..., Any])

_kernels: list[Any] = []


def kernel(function: Function) -> Function:
    """Compile `function` when it is first called, cache the machine code on disk, and release the GIL while it runs."""
    compiled: Function = numba.njit(cache=True, nogil=True)(function)
    _kernels.append(compiled)
    return compiled


def compiled_kernels() -> list[str]:
    """Return the names of the kernels that this process has compiled because no cache had them."""
    compiled = [one.py_func for one in _kernels if hasattr(one, "stats") and one.stats.cache_misses]
    return [f"{function.__module__}.{function.__name__}" for function in compiled]


#: Words of 64 bits, each bit a member of a set.
ONE, NONE, FULL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def ones(word: np.uint64) -> np.uint64:
    """Return how many bits of a word are set; the form that compilers know to be one instruction."""
    word = word - ((word >> ONE) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@kernel
def lowest(word: np.uint64) -> np.int64:
    """Return the place of the lowest bit of a word that is set. Precondition: one is."""
    return np.int64(ones((word & (~word + ONE)) - ONE))


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
def larger(array: NDArray[T], need: int) -> NDArray[T]:
    """Return the array itself, or a copy at least twice as long when it is shorter than `need`. O(length)."""
    if need <= len(array):
        return array
    longer = np.empty(max(2 * len(array), need), array.dtype)
    longer[: len(array)] = array
    return longer
