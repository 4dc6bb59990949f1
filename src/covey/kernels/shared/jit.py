"""The decorator of every kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

_kernels: list[Any] = []


def kernel(function: Function) -> Function:
    """Compile `function` when it is first called, cache the machine code on disk, and release the GIL while it runs."""
    compiled: Function = numba.njit(cache=True, nogil=True)(function)
    _kernels.append(compiled)
    return compiled


def count_compiled() -> int:
    """Return how many versions of kernels this process has compiled because no cache had them."""
    return sum(len(one.stats.cache_misses) for one in _kernels if hasattr(one, "stats"))
