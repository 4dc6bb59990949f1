"""Independent pieces of work on all cores: kernels release the GIL, so threads run side by side.

Results are those of one thread, whatever the number: pieces are the same, and are put together in their order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from covey.errors import ParameterError

T = TypeVar("T")
R = TypeVar("R")

#: How many threads to use at most; one per core this process may use when it is not set.
VARIABLE = "COVEY_THREADS"


def threads() -> int:
    """How many threads work side by side.

    Raises
    ------
    ParameterError
        The environment names a number of threads that is none.
    """
    asked = os.environ.get(VARIABLE, "").strip()
    if not asked:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not asked.isdecimal() or int(asked) < 1:
        raise ParameterError(f"{VARIABLE} must be a whole number from 1. Got {asked!r} instead.")
    return int(asked)


def side_by_side(work: Callable[[T], R], pieces: Iterable[T]) -> list[R]:
    """What `work` makes of each piece, in their order; the first error stops it.

    Examples
    --------
    >>> side_by_side(len, ["a", "bcd"])
    [1, 3]
    """
    given = list(pieces)
    most = min(threads(), len(given))
    if most < 2:
        return [work(piece) for piece in given]
    with ThreadPoolExecutor(most) as pool:
        return list(pool.map(work, given))
