"""Run independent pieces of work on several threads; kernels release the GIL, so they run at the same time.

The result never depends on the number of threads: the pieces are the same, and so is the order of their results.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from covey.errors import ParameterError

T = TypeVar("T")
R = TypeVar("R")

#: The environment variable that limits the number of threads; one per available core where it is not set.
VARIABLE = "COVEY_THREADS"


def threads() -> int:
    """Return the number of threads to use.

    Raises
    ------
    ParameterError
        The environment variable is not a positive whole number.
    """
    wanted = os.environ.get(VARIABLE, "").strip()
    if not wanted:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not wanted.isdecimal() or int(wanted) < 1:
        raise ParameterError(f"{VARIABLE} must be a whole number from 1. Got {wanted!r} instead.")
    return int(wanted)


def parallel(work: Callable[[T], R], pieces: Iterable[T], progress: Callable[[float], None] | None = None) -> list[R]:
    """Return `work(piece)` for each piece, in their order; the first error is raised and cancels what has not begun.

    `progress` is called from the calling thread with the share of pieces that are done.

    Examples
    --------
    >>> parallel(len, ["a", "bcd"])
    [1, 3]
    """
    pieces = list(pieces)
    workers = min(threads(), len(pieces))
    if workers <= 1:
        return _collected(map(work, pieces), len(pieces), progress)
    with ThreadPoolExecutor(workers) as pool:
        return _collected(pool.map(work, pieces), len(pieces), progress)


def _collected(results: Iterable[R], expected: int, progress: Callable[[float], None] | None) -> list[R]:
    collected = []
    for result in results:
        collected.append(result)
        if progress is not None:
            progress(len(collected) / expected)
    return collected
