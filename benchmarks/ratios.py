"""What every benchmark shares: timing, a printed line per ratio, and failing when one is missed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

failures: list[str] = []


def data_dir() -> Path:
    """Where the real data sets lie; a benchmark that needs them stops with a reason when they are absent."""
    folder = Path(os.environ.get("COVEY_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not folder.is_dir():
        print("skipped: needs the real data sets; set COVEY_DATA to their directory")
        sys.exit(0)
    return folder


def seconds(work: Callable[[], object], repeat: int = 3) -> float:
    """The best of a few runs; the first of them may include compilation, so run the work once before."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def report(
    name: str, value: float, *, least: float | None = None, most: float | None = None, unit: str = "x"
) -> None:
    """Print one figure beside what it must be."""
    wanted = (
        f" (at least {least:g})" if least is not None else f" (at most {most:g})" if most is not None else ""
    )
    missed = (least is not None and value < least) or (most is not None and value > most)
    if missed:
        failures.append(name)
    print(f"{'FAIL' if missed else '  ok'}  {name}: {value:,.3g}{unit}{wanted}", flush=True)


def finish() -> None:
    """Exit with 1 when a figure was missed."""
    sys.exit(1 if failures else 0)
