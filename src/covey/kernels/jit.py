"""The one way a function becomes a kernel: compiled once, cached on disk, run without the GIL."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` in nopython mode; the machine code is cached beside the module.

    The GIL is released while it runs, so that a progress bar and Ctrl-C keep working.
    """
    compiled: Callable[P, R] = numba.njit(cache=True, nogil=True)(function)
    return compiled
