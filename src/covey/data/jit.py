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


def compiled_kernels() -> list[str]:
    """Return the names of the kernels that this process has compiled because no cache had them."""
    compiled = [one.py_func for one in _kernels if hasattr(one, "stats") and one.stats.cache_misses]
    return [f"{function.__module__}.{function.__name__}" for function in compiled]
