"""Run independent pieces of work on several threads; kernels release the GIL, so they run at the same time.

The result never depends on the number of threads: the pieces are the same, and so is the order of their results.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
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
    results = []
    with ThreadPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
        for result in map(work, pieces) if pool is None else pool.map(work, pieces):
            results.append(result)
            if progress is not None:
                progress(len(results) / len(pieces))
    return results


def begin_worker() -> None:
    """Prepare a process of a pool: Ctrl-C is left to its parent, and it ends with the parent even if that is killed."""
    from multiprocessing import parent_process  # which no other command needs

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
