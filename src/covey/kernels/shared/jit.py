"""The one way a function becomes a kernel: compiled once, cached on disk, run without the GIL."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba
from numba.core import event

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` in nopython mode; the machine code is cached beside the module.

    The GIL is released while it runs, so that a progress bar and Ctrl-C keep working.
    """
    compiled: Callable[P, R] = numba.njit(cache=True, nogil=True)(function)
    return compiled


class _Compilations(event.Listener):
    """Counts kernels that had to be compiled because no cache had them."""

    started = 0

    def on_start(self, event: object) -> None:
        self.started += 1

    def on_end(self, event: object) -> None:
        pass


_compilations = _Compilations()
event.register("numba:compile", _compilations)  # type: ignore[no-untyped-call]


def compiled_now() -> int:
    """How many kernels this process has begun to compile; 0 when all came from the cache."""
    return _compilations.started
