"""What every benchmark shares: timing, a printed line per figure, failing when one is missed, figures to keep."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import covey

failures: list[str] = []
figures: list[dict[str, Any]] = []
tasks: list[dict[str, Any]] = []


def data_dir() -> Path:
    """Where the real data sets lie; a benchmark that needs them stops with a reason when they are absent."""
    folder = Path(os.environ.get("COVEY_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not folder.is_dir():
        print("skipped: needs the real data sets; set COVEY_DATA to their directory")
        sys.exit(0)
    return folder


def best_of(clock: Callable[[], float], work: Callable[[], object], repeat: int) -> float:
    """The least time of a few runs by this clock."""
    best = float("inf")
    for _ in range(repeat):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def seconds(work: Callable[[], object], repeat: int = 3) -> float:
    """The best of a few runs; the first of them may include compilation, so run the work once before."""
    return best_of(time.perf_counter, work, repeat)


def cpu_seconds(work: Callable[[], object], repeat: int = 3) -> float:
    """As `seconds`, but CPU time of this process, so that other work on the machine hardly counts.

    For ratios of which both sides run on one core in this process.
    """
    return best_of(time.process_time, work, repeat)


def with_random_sensitive(data: covey.Baskets, count: int, seed: int, *, p: int = 20) -> covey.Baskets:
    """The data with random items sensitive, each rare enough for the degree p."""
    supports = data.supports()
    rare = np.flatnonzero((supports > 0) & (supports * p <= data.n))
    chosen = np.random.default_rng(seed).choice(rare, count, replace=False)
    return data.with_sensitive([data.items[i] for i in chosen])


def rival(module: str, *, package: str | None = None) -> ModuleType | None:
    """A package to measure against, or None, saying so, when it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        print(f"skipped: {package or module} is not installed; pip install 'covey[bench]'", flush=True)
        return None


def report(
    name: str,
    value: float,
    *,
    least: float | None = None,
    most: float | None = None,
    goal: float | None = None,
    unit: str = "x",
    note: str = "",
) -> None:
    """Print one figure beside what it must be; above a `goal` it is said to miss it, which fails nothing.

    The name is that of the figure in every run; what differs between runs goes into the `note`.
    """
    wanted = f" (at least {least:g})" if least is not None else f" (at most {most:g})" if most is not None else ""
    missed = (least is not None and value < least) or (most is not None and value > most)
    if missed:
        failures.append(name)
    wanted += f" (goal: at most {goal:g})" if goal is not None else ""
    mark = "FAIL" if missed else "miss" if goal is not None and value > goal else "  ok"
    figures.append({"name": name, "value": value, "unit": unit, "least": least, "most": most, "note": note})
    print(f"{mark}  {name}{f' ({note})' if note else ''}: {value:,.3g}{unit}{wanted}", flush=True)


def report_task(
    name: str,
    sizes: dict[int, float],
    *,
    rivals: dict[str, tuple[int, float]],
    limit: tuple[str, float],
) -> None:
    """Print what a task takes at each size, beside rivals and what no program could do without.

    Parameters
    ----------
    sizes : dict
        Rows to CPU seconds.
    rivals : dict
        Each rival's rows, one of `sizes`, and its CPU seconds there.
    limit : tuple
        What has to be done in any case, and the CPU seconds of it at the largest size.
    """
    tasks.append({"name": name, "sizes": list(sizes.items()), "rivals": rivals, "limit": limit})
    print(f"      {name}: " + ", ".join(f"{took:.3g} s at {rows:,}" for rows, took in sizes.items()), flush=True)
    for rival_name, (rows, took) in rivals.items():
        print(f"      {name}: {rival_name} takes {took / sizes[rows]:.3g} times as long at {rows:,}", flush=True)


def finish() -> None:
    """Leave the figures where `run.py` wants them, and exit with 1 when one was missed."""
    if kept := os.environ.get("COVEY_BENCH_FIGURES"):
        Path(kept).write_text(json.dumps({"figures": figures, "tasks": tasks, "missed": failures}), encoding="utf-8")
    sys.exit(1 if failures else 0)
