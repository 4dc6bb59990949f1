"""A grid of trials in parallel, each kept as soon as it is done, and the tables and charts of it."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import pickle
import re
import signal
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from covey import __version__
from covey.data import Taxonomy
from covey.data.saved import Dataset
from covey.errors import OutputError, ParameterError
from covey.explore.choice import Point, recommend, shared_measure
from covey.explore.trials import Trial, best_attack, candidates, gaining_attack, try_out
from covey.guarantees import guarantee as parse_guarantee
from covey.guarantees.base import Guarantee
from covey.io.source import Source
from covey.measure.attacks.result import LIMIT, ratios_of
from covey.measure.kept import Kept
from covey.parameters import integer, number
from covey.pipeline import plan
from covey.progress import Progress, silent
from covey.report import charts
from covey.staging import require_outside_releases, write_whole, writing
from covey.tabular import Figures
from covey.threads import threads

FORMAT = "covey-explore/1"
CELLS, PLOTS, TABLES = "cells", "plots", ("results.parquet", "results.csv")
#: The columns of the table, a row for each dataset, guarantee, method and seed.
COLUMNS = {
    "data": pa.string(),
    "guarantee": pa.string(),
    "method": pa.string(),
    "seed": pa.int64(),
    "measure": pa.string(),
    "kept": pa.float64(),
    "kept_error": pa.float64(),
    "attack": pa.string(),
    "right": pa.float64(),
    "low": pa.float64(),
    "high": pa.float64(),
    "claim": pa.float64(),
    "baseline": pa.float64(),
    "against_claim": pa.float64(),
    "against_baseline": pa.float64(),
    "lift": pa.float64(),
    "cpu_seconds": pa.float64(),
    "recommended": pa.bool_(),
    "problem": pa.string(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One trial of the grid."""

    data: str
    guarantee: str
    method: str
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """What was found, dataset by dataset."""

    guarantees: Sequence[str]
    #: The name of the parameter that varies; "" where it is not one.
    parameter: str
    cells: Mapping[Cell, Trial]
    points: Sequence[Point]
    #: The measure of each dataset, if its releases have one in common.
    measures: Mapping[str, Kept | None]
    recommended: Sequence[Point]
    #: For each dataset and guarantee, why this method or none.
    why: Sequence[str]
    files: Sequence[str] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Return the points as plain data for JSON."""
        first = next(iter(self.measures.values()), None)
        measure = None if first is None else {"name": first.measure, "label": first.label, "share": first.share}
        return {
            "guarantees": list(self.guarantees),
            "parameter": self.parameter,
            "measure": measure,
            "points": [self.row(point) for point in self.points],
            "why": " ".join(self.why),
            "files": list(self.files),
        }

    def row(self, point: Point) -> Figures:
        """Return a point as plain data."""
        measure = self.measures[point.data]
        return point.to_dict("" if measure is None else measure.measure, point in self.recommended)

    def table(self) -> pa.Table:
        """Return a row for each release."""
        taken = {(point.data, point.guarantee, point.method) for point in self.recommended}
        rows = []
        for cell, trial in self.cells.items():
            measure, best = self.measures[cell.data], best_attack(trial.attacks)
            kept, gaining = trial.by("" if measure is None else measure.measure), gaining_attack(trial.attacks)
            row = {**asdict(cell), "recommended": (cell.data, cell.guarantee, cell.method) in taken}
            row["problem"] = trial.problem or None
            if kept is not None:
                row |= {"measure": kept.label, "kept": kept.value, "kept_error": kept.error}
                row["cpu_seconds"] = trial.seconds
            if best is not None:
                row |= {name: best[name] for name in ("attack", "low", "high", "claim", "baseline")}
                row |= {"right": best["success_rate"], "lift": None if gaining is None else gaining["lift"]}
                row["against_claim"], row["against_baseline"] = ratios_of(best)
            rows.append(row)
        return pa.Table.from_pylist(rows, schema=pa.schema(COLUMNS))


def explore_all(
    sources: Mapping[str, Source],
    guarantees: Sequence[str | Guarantee],
    methods: Sequence[str] = (),
    *,
    strengths: Sequence[int] = (),
    seeds: int = 1,
    seed: int = 0,
    taxonomy: Taxonomy | None = None,
    limit: float = LIMIT,
    out: Path | None = None,
    jobs: int | None = 1,
    progress: Progress = silent,
) -> Explored:
    """Make a release for every dataset, guarantee, method and seed, measure it, and recommend methods.

    Without methods, all that keep a guarantee are tried. `strengths` are values for the main parameter of each
    guarantee, `seeds` how many seeds from `seed` on, and `limit` is the highest lift of a recommended release. Tables,
    charts and finished trials go to `out`; what is there already is not measured again. `jobs` are processes; None
    takes one for each core.
    """
    integer("explore", "seeds", seeds, minimum=1)
    number("explore", "audit", limit, minimum=1)
    if jobs is not None:
        integer("explore", "jobs", jobs, minimum=1)
    promises = _promises(guarantees, strengths)
    for source in sources.values():
        for promise in promises:
            for method in methods or (None,):
                plan(source, promise, method)  # refuses what does not fit before anything is read
    if out is not None:
        _require_own(out)
    held = {name: source.read(progress=progress) for name, source in sources.items()}
    cells = [
        Cell(data=name, guarantee=promise.text, method=method, seed=seed + at)
        for name, data in held.items()
        for promise in promises
        for method in dict.fromkeys(methods or candidates(promise.text, data))
        for at in range(seeds)
    ]
    paths = dict.fromkeys(cells) if out is None else _paths(out / CELLS, cells, held, taxonomy)
    found = {cell: trial for cell in cells if (trial := _stored(paths[cell])) is not None}
    progress("comparing", len(found) / len(cells))
    missing = [cell for cell in cells if cell not in found]
    for cell, trial in _done(missing, held, taxonomy, min(jobs or threads(), len(missing))):
        found[cell] = trial
        if (path := paths[cell]) is not None:  # at once; a crash leaves no half file
            body = {"format": FORMAT, "trial": trial.to_dict()}
            write_whole(path, json.dumps(body, indent=1).encode(), force=True)
        progress("comparing", len(found) / len(cells))
    explored = _explored({cell: found[cell] for cell in cells}, promises, limit)
    return explored if out is None else _written(explored, out)


def _promises(guarantees: Sequence[str | Guarantee], strengths: Sequence[int]) -> list[Guarantee]:
    """Return the guarantees to keep, in every strength."""
    if not guarantees:
        raise ParameterError("Name at least one guarantee, such as -g 'degree(p=10)'.")
    parsed = [parse_guarantee(one) for one in guarantees]
    if strengths:
        parsed = [one.having(**{one.strength: value}) for one in parsed for value in sorted(strengths)]
    return list({one.text: one for one in parsed}.values())


def _explored(cells: Mapping[Cell, Trial], promises: Sequence[Guarantee], limit: float) -> Explored:
    strength = {one.text: float(getattr(one, one.strength)) for one in promises}
    parameters = {one.strength for one in promises}
    varied = len(set(strength.values())) == len(promises) and len(parameters) == 1
    by_method: dict[tuple[str, str, str], list[Trial]] = {}
    for cell, trial in cells.items():
        by_method.setdefault((cell.data, cell.guarantee, cell.method), []).append(trial)
    points = [
        Point(data=data, guarantee=promise, method=method, strength=strength[promise], trials=trials)
        for (data, promise, method), trials in by_method.items()
    ]
    names = dict.fromkeys(point.data for point in points)
    chosen, why = [], []
    for name in names:
        for promise in strength:
            rivals = [point for point in points if (point.data, point.guarantee) == (name, promise)]
            point, reason = recommend(rivals, limit)
            chosen += [] if point is None else [point]
            why.append(f"{name}: {reason}" if len(names) > 1 else reason)
    return Explored(
        guarantees=list(strength),
        parameter=next(iter(parameters)) if varied else "",
        cells=cells,
        points=points,
        measures={name: shared_measure([one for one in points if one.data == name]) for name in names},
        recommended=chosen,
        why=why,
    )


def _done(
    cells: Sequence[Cell], held: Mapping[str, Dataset], taxonomy: Taxonomy | None, processes: int
) -> Iterator[tuple[Cell, Trial]]:
    """Yield trials as they are done, in this process or in others."""
    if processes <= 1:
        for cell in cells:
            yield cell, _with_release(cell, held[cell.data], taxonomy)
        return
    context = multiprocessing.get_context("spawn")
    begin: dict[str, Any] = {"initializer": _begin, "initargs": (dict(held), taxonomy)}
    with ProcessPoolExecutor(processes, mp_context=context, **begin) as pool:
        try:
            running = {pool.submit(_in_worker, cell): cell for cell in cells}
            for future in as_completed(running):
                yield running[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _with_release(cell: Cell, data: Dataset, taxonomy: Taxonomy | None) -> Trial:
    tried = try_out(data, cell.guarantee, cell.method, cell.seed, taxonomy)
    return Trial.from_dict(tried.to_dict())  # without the release


_held: dict[str, Any] = {}


def _begin(held: dict[str, Dataset], taxonomy: Taxonomy | None) -> None:
    """Begin a worker: it has the data, leaves Ctrl-C to its parent, and ends with it even when that is killed."""
    _held.update(held, **{"": taxonomy})
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def _in_worker(cell: Cell) -> Trial:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the data was read by the parent, which has given its warnings
        return _with_release(cell, _held[cell.data], _held[""])


def _paths(
    folder: Path, cells: Sequence[Cell], held: Mapping[str, Dataset], taxonomy: Taxonomy | None
) -> dict[Cell, Path | None]:
    """Return where each finished trial is kept, by a digest of everything that determines it."""
    digests = {
        name: hashlib.sha256(pickle.dumps((data, taxonomy), protocol=5)).hexdigest() for name, data in held.items()
    }
    found: dict[Cell, Path | None] = {}
    for cell in cells:
        body = (__version__, digests[cell.data], cell.guarantee, cell.method, cell.seed)
        found[cell] = folder / f"{hashlib.sha256(json.dumps(body).encode()).hexdigest()[:24]}.json"
    return found


def _stored(path: Path | None) -> Trial | None:
    """Return a finished trial; a file that is damaged or of another format counts as absent."""
    try:
        body = {} if path is None else json.loads(path.read_bytes())
        return Trial.from_dict(body["trial"]) if body.get("format") == FORMAT else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _require_own(out: Path) -> None:
    """Raise `OutputError` if results would replace what no exploration wrote, or come into a release."""
    with writing(out):
        require_outside_releases(out / TABLES[0])
        taken = [] if (out / CELLS).is_dir() else [name for name in TABLES if (out / name).exists()]
    for name in taken:
        raise OutputError(f"{out / name} exists already, and no exploration wrote it. Choose another directory.")


def _written(explored: Explored, out: Path) -> Explored:
    """Write the tables and a chart for each dataset."""
    sinks = [pa.BufferOutputStream() for _ in TABLES]
    pq.write_table(explored.table(), sinks[0])
    pyarrow.csv.write_csv(explored.table(), sinks[1])
    files = [
        write_whole(out / name, sink.getvalue().to_pybytes(), force=True)
        for name, sink in zip(TABLES, sinks, strict=True)
    ]
    for name, figure in plots(explored).items():
        slug = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "data"
        files.append(write_whole(out / PLOTS / f"{slug}.svg", charts.encode(figure, "svg"), force=True))
    return replace(explored, files=[str(file) for file in files])


def plots(explored: Explored) -> dict[str, Any]:
    """Return a chart for each dataset: what is kept against how often the best attack is right."""
    found = {}
    for name, measure in explored.measures.items():
        if measure is not None:
            rows = [explored.row(point) for point in explored.points if point.data == name]
            drawn: dict[str, Any] = {"y_label": measure.label, "share": measure.share, "parameter": explored.parameter}
            found[name] = charts.trade(rows, title=name, **drawn)
    return found
