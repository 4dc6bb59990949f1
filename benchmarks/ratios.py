"""What every benchmark shares: data, clocks, a printed line per figure with its bound, and figures to keep.

`COVEY_QUICK=1` (`run.py --quick`) cuts real data sets to 2,000 rows and generated ones to a fiftieth, to see
whether a benchmark still runs. Its figures mean nothing and no bound fails.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import covey
from covey.synth.journey import complete_journey

ROOT = Path(__file__).parents[1]
QUICK = bool(os.environ.get("COVEY_QUICK"))
#: Draws that a mean is taken over.
SEEDS = 1 if QUICK else 3
#: What a part has measured: figures with a bound or without, tasks by size, steps (commands by size).
measured: dict[str, list[Any]] = {"figures": [], "tasks": [], "steps": [], "missed": []}


def scaled(rows: int) -> int:
    """Return how many rows to generate where a full run generates `rows`."""
    return max(1_000, rows // 50) if QUICK else rows


def data_dir() -> Path:
    """Return the folder of real data sets; a benchmark that needs them stops with a reason when they are absent."""
    folder = Path(os.environ.get("COVEY_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        print("skipped: needs the real data sets; set COVEY_DATA to their directory")
        sys.exit(0)
    return folder


def baskets(name: str, rows: int | None = None) -> covey.Baskets:
    """Return a real data set of baskets, or some of its rows with the items that occur in them."""
    is_journey = name == "complete journey"  # comes with covey[demo]
    data = complete_journey().with_sensitive([]) if is_journey else covey.read(data_dir() / f"{name}.dat.gz")
    rows = min(rows or data.n, 2_000 if QUICK else data.n)
    if rows == data.n:
        return data
    drawn = data.take(np.sort(np.random.default_rng(0).choice(data.n, rows, replace=False)))
    return drawn.only(drawn.supports() > 0)


def with_random_sensitive(data: covey.Baskets, count: int, seed: int, *, p: int = 20) -> covey.Baskets:
    """Mark random items as sensitive, each rare enough for the degree p."""
    supports = data.supports()
    rare = np.flatnonzero((supports > 0) & (supports * p <= data.n))
    chosen = np.random.default_rng(seed).choice(rare, min(count, len(rare)), replace=False)
    return data.with_sensitive([data.items[i] for i in chosen])


def seconds(work: Callable[[], object], repeat: int = 3, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the least time of a few runs; the first of them may include compilation, so run the work once before."""
    best = float("inf")
    for _ in range(1 if QUICK else repeat):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def cpu_seconds(work: Callable[[], object], repeat: int = 3) -> float:
    """Return the least CPU time of a few runs in this process, so that other work on the machine hardly counts."""
    return seconds(work, repeat, time.process_time)


def rival(module: str, *, package: str | None = None) -> ModuleType | None:
    """Return a package to measure against, or print that it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        print(f"skipped: {package or module} is not installed; pip install 'covey[bench]'", flush=True)
        return None


def report(
    name: str, value: float, *, least: float | None = None, most: float | None = None, unit: str = "x", note: str = ""
) -> None:
    """Print one figure beside its bound; the name is the same in every run, what differs goes into the `note`."""
    bound = f" (at least {least:g})" if least is not None else f" (at most {most:g})" if most is not None else ""
    missed = (least is not None and value < least) or (most is not None and value > most)
    if missed:
        measured["missed"].append(name)
    figure = {"name": name, "value": value, "unit": unit, "least": least, "most": most, "note": note}
    measured["figures"].append(figure)
    print(
        f"{'FAIL' if missed else '  ok'}  {name}{f' ({note})' if note else ''}: {value:,.3g}{unit}{bound}", flush=True
    )


def main(parts: Mapping[str, Callable[[], None]]) -> None:
    """Measure the parts on the command line, or all; write their figures, and fail if a bound is missed."""
    for name in sys.argv[1:] or parts:
        parts[name]()
    if target := os.environ.get("COVEY_BENCH_FIGURES"):
        Path(target).write_text(json.dumps(measured), encoding="utf-8")
    sys.exit(1 if measured["missed"] and not QUICK else 0)
