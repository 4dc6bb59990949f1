"""What the experiments share: data sets, draws of sensitive items, means, and tables that are added to row by row.

COVEY_QUICK=1 cuts data sets to 2,000 rows, measures the first seven cells of large tables only and writes to
build/experiments, to see whether an experiment still runs.
"""

from __future__ import annotations

import csv
import math
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import covey
from covey.report import charts
from covey.synth.journey import complete_journey

ROOT = Path(__file__).parents[1]
QUICK = bool(os.environ.get("COVEY_QUICK"))
TABLES = ROOT / "build" / "experiments" if QUICK else ROOT / "docs" / "experiments"
BMS = {"BMS1": "bms-webview-1", "BMS2": "bms-webview-2"}


def scaled(rows: int) -> int:
    """Return how many rows to generate where a full run generates `rows`."""
    return min(max(500, rows // 50), 1_000) if QUICK else rows


def file(name: str) -> Path:
    """Return a file of the directory that COVEY_DATA names."""
    return Path(os.environ["COVEY_DATA"]) / name


@lru_cache(maxsize=2)
def read(name: str) -> covey.Baskets:
    """Return a data set of baskets by its name."""
    if name.startswith("journey"):
        data = complete_journey(households=name == "journey, households")
    elif name == "shop, customers":
        data = covey.synth.shop(transactions=40_000, customers=8_000, seed=1).baskets
    elif name == "shop of 50,000":
        data = covey.synth.shop(transactions=50_000, seed=1).baskets
    else:
        data = covey.read(file(f"{BMS.get(name, name)}.dat.gz"))
    return data.take(np.arange(1_000)) if QUICK and data.n > 2_000 else data


def mark(baskets: covey.Baskets, seed: int, count: int = 10, share: float = 0.05) -> covey.Baskets:
    """Mark sensitive items, drawn uniformly among those that at most this share of the baskets or persons have."""
    people = baskets.by_person()
    supports = people.supports()
    able = np.flatnonzero((supports > 0) & (supports <= share * people.n))
    drawn = np.random.default_rng(seed).choice(able, count, replace=False)
    return baskets.with_sensitive([baskets.items[item] for item in drawn])


def mean(values: Iterable[float]) -> tuple[float, float]:
    """Return the mean and its standard error; NaN where there are too few values."""
    found = list(values)
    if not found:
        return math.nan, math.nan
    error = np.std(found, ddof=1) / math.sqrt(len(found)) if len(found) > 1 else math.nan
    return float(np.mean(found)), float(error)


def shown(values: Iterable[float], digits: int = 2) -> str:
    """Return a mean with its standard error, where there is one, for a table."""
    middle, error = mean(values)
    if math.isnan(middle):
        return ""
    return f"{middle:.{digits}f}" + ("" if math.isnan(error) else f" ± {error:.{digits}f}")


def write(name: str, heads: Sequence[object], rows: Iterable[Sequence[object]], keys: int = 1) -> None:
    """Write docs/experiments/NAME.csv, after printing how its figures differ from those that are there.

    The first `keys` columns name a row.
    """
    (TABLES / "img").mkdir(parents=True, exist_ok=True)
    path, table = TABLES / f"{name}.csv", [[str(cell) for cell in row] for row in (heads, *rows)]
    if path.exists():
        with path.open(newline="", encoding="utf-8") as stream:
            compare(name, list(csv.reader(stream)), table, keys)
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows(table)


#: A figure with its standard error, where it has one: "0.92 ± 0.03", "12.3 %".
FIGURE = re.compile(r"(-?[\d.]+)(?: ± ([\d.]+))?(?: %)?")


def compare(name: str, old: list[list[str]], new: list[list[str]], keys: int) -> None:
    """Print each figure that a table had before: old value, new value, standard error of the difference, within.

    A figure is within two standard errors of the difference, and without any within what is rounded away. Times say
    nothing unless the machine is the same.
    """
    before = {(*row[:keys], head): cell for row in old[1:] for head, cell in zip(old[0], row, strict=True)}
    outside = count = 0
    for row in new[1:]:
        for head, cell in [*zip(new[0], row, strict=True)][keys:]:
            was, now = FIGURE.fullmatch(before.get((*row[:keys], head), "")), FIGURE.fullmatch(cell)
            if was and now:
                error = math.hypot(float(was[2] or 0), float(now[2] or 0))
                digits = len(now[1].partition(".")[2])
                within = abs(float(now[1]) - float(was[1])) <= max(2 * error, 0.51 * 10**-digits)
                count, outside = count + 1, outside + (not within)
                verdict = "within" if within else "NOT WITHIN"
                print(f"{name}: {' '.join(row[:keys])}, {head}: {was[0]}, {cell}, {error:.{digits}f}, {verdict}")
    print(f"{name}: {count - outside} of {count} figures within", flush=True)


def measured(
    path: Path, cells: Iterable[Mapping[str, Any]], work: Callable[..., Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Measure each cell that a file of results lacks, adding a row at once, and return all rows."""
    known: list[dict[str, str]] = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as stream:
            known = list(csv.DictReader(stream))
    path.parent.mkdir(parents=True, exist_ok=True)
    for cell in islice(cells, 7 if QUICK else None):
        named = {name: str(value) for name, value in cell.items()}
        if any(named.items() <= row.items() for row in known):
            continue
        row = {**named, **{name: str(value) for name, value in work(**cell).items()}}
        with path.open("a", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, row, lineterminator="\n")
            if not known:
                writer.writeheader()
            writer.writerow(row)
        known.append(row)
        print(row, flush=True)
    return known


Series = Mapping[str, Sequence[Sequence[float]]]


def curves(
    name: str, head: str, across: Sequence[Any], series: Series, *, digits: int = 2, percent: bool = False
) -> None:
    """Write means over runs as a table, a row for each line and a column for each place, and draw them.

    `head` is "what is measured, parameter"; `series` has the values of all runs at each place, for each line; with
    `percent` they are shares.
    """
    what, _, parameter = head.rpartition(", ")
    scale = 100 if percent else 1
    rows = [
        (label, *(shown((scale * value for value in values), digits) for values in line))
        for label, line in series.items()
    ]
    write(name, (what or head, f"{parameter} = {across[0]}", *across[1:]), rows)
    draw(name, what or head, parameter, across, series)


def draw(name: str, what: str, parameter: str, across: Sequence[Any], series: Series) -> None:
    """Draw lines with error bars where there are at least three runs; a method has its colour of all charts."""
    figure, ((axis,),) = charts.new_figure(height=3.4)
    places = list(across) if all(isinstance(one, int | float) for one in across) else list(range(len(across)))
    with charts.styled():
        for at, (label, line) in enumerate(series.items()):
            method = next((word for word in label.replace(",", " ").split() if word in charts.looks()), "")
            colour, marker = charts.look_of(method) if method else (charts.COLOURS[-1 - at % 8], charts.MARKERS[at % 8])
            points = [mean(values) for values in line]
            errors = [0.0 if len(values) < 3 else error for values, (_, error) in zip(line, points, strict=True)]
            look = {"color": colour, "marker": marker, "capsize": 2, "label": label}
            axis.errorbar(places, [value for value, _ in points], yerr=errors, **look)
        axis.set(xlabel=parameter, ylabel=what, title=name)
        axis.set_xticks(places, [str(one) for one in across])
        values = [value for line in series.values() for run in line for value in run if value > 0]
        if values and max(values) > 50 * min(values):
            axis.set_yscale("log")
        figure.legend(loc="outside lower center", ncols=2)
    charts.save_plot(figure, TABLES / "img" / f"{name}.svg", force=True)


def seconds(work: Callable[[], Any], runs: int = 3) -> float:
    """Return the least CPU time of some runs, after one that loads what is compiled."""
    work()
    took = []
    for _ in range(runs):
        started = time.process_time()
        work()
        took.append(time.process_time() - started)
    return min(took)
