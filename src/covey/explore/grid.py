"""A grid of trials in parallel, each kept as soon as it is done, and the tables and charts of it."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import pickle
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from covey import __version__
from covey.data import Taxonomy
from covey.data.saved import Dataset
from covey.errors import OutputError, ParameterError
from covey.explore.choice import point_of, recommend, shared_measure
from covey.explore.trials import Trial, best_attack, candidates, try_out
from covey.guarantees import guarantee as parse_guarantee
from covey.guarantees.base import Guarantee
from covey.io.source import Source
from covey.measure.attacks.result import LIMIT
from covey.measure.kept import Kept
from covey.parameters import integer, number
from covey.pipeline import plan
from covey.progress import Progress, silent
from covey.report import charts
from covey.staging import require_outside_releases, write_whole, writing
from covey.tabular import Figures
from covey.threads import begin_worker, threads

FORMAT = "covey-explore/1"
CELLS, PLOTS, TABLES = "cells", "plots", ("results.parquet", "results.csv")
#: The columns of the table, a row for each dataset, guarantee, method and seed.
COLUMNS = {
    **dict.fromkeys(("data", "guarantee", "method"), pa.string()),
    "seed": pa.int64(),
    "measure": pa.string(),
    **dict.fromkeys(("kept", "kept_error"), pa.float64()),
    "attack": pa.string(),
    **dict.fromkeys(("right", "low", "high", "claim", "baseline"), pa.float64()),
    **dict.fromkeys(("against_claim", "against_baseline", "lift", "cpu_seconds"), pa.float64()),
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
    #: A row for each release.
    table: pa.Table
    #: The means over the seeds, as from `point_of`, and whether a point is recommended.
    points: Sequence[Figures]
    #: The measure of each dataset, if its releases have one in common.
    measures: Mapping[str, Kept | None]
    #: For each dataset and guarantee, why this method or none.
    why: Sequence[str]
    files: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the points as plain data for JSON."""
        first = next(iter(self.measures.values()), None)
        measure = None if first is None else {"name": first.measure, "label": first.label, "share": first.share}
        return {
            "guarantees": list(self.guarantees),
            "parameter": self.parameter,
            "measure": measure,
            "points": list(self.points),
            "why": " ".join(self.why),
            "files": list(self.files),
        }


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
    paths = {} if out is None else _paths(out / CELLS, cells, held, taxonomy)
    found = {cell: trial for cell, path in paths.items() if (trial := _stored(path)) is not None}
    progress("comparing", len(found) / len(cells))
    missing = [cell for cell in cells if cell not in found]
    for cell, trial in _done(missing, held, taxonomy, min(jobs or threads(), len(missing))):
        found[cell] = trial
        if cell in paths:  # at once; a crash leaves no half file
            body = {"format": FORMAT, "trial": trial.to_dict()}
            write_whole(paths[cell], json.dumps(body, indent=1).encode(), force=True)
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


def _explored(trials: Mapping[Cell, Trial], promises: Sequence[Guarantee], limit: float) -> Explored:
    """Return the points of all trials, and those that are recommended for each dataset and guarantee."""
    strength = {one.text: float(getattr(one, one.strength)) for one in promises}
    parameters = {one.strength for one in promises}
    varied = len(set(strength.values())) == len(promises) and len(parameters) == 1
    names = list(dict.fromkeys(cell.data for cell in trials))
    measures = {name: shared_measure(trial for cell, trial in trials.items() if cell.data == name) for name in names}
    by_method: dict[tuple[str, str], dict[str, list[Trial]]] = {}
    for cell, trial in trials.items():
        by_method.setdefault((cell.data, cell.guarantee), {}).setdefault(cell.method, []).append(trial)
    points, why, taken = list[Figures](), list[str](), set[tuple[str, str, object]]()
    for (name, promise), methods in by_method.items():
        about = {"data": name, "guarantee": promise, "strength": strength[promise]}
        rivals = [point_of(tried, measures[name], method=method, **about) for method, tried in methods.items()]
        chosen, reason = recommend(rivals, measures[name], limit)
        points += [{**point, "recommended": point is chosen} for point in rivals]
        taken |= set() if chosen is None else {(name, promise, chosen["method"])}
        why.append(f"{name}: {reason}" if len(names) > 1 else reason)
    rows = []
    for cell, trial in trials.items():
        measure, best = measures[cell.data], best_attack(trial.attacks) or {}
        row = point_of([trial], measure, **asdict(cell))
        row |= {"low": best.get("low"), "high": best.get("high"), "right": row["risk"]}
        row["recommended"] = (cell.data, cell.guarantee, cell.method) in taken
        if measure is not None and row["kept"] is not None:
            row |= {"measure": measure.label, "cpu_seconds": trial.seconds}
        rows.append(row)
    return Explored(
        guarantees=list(strength),
        parameter=next(iter(parameters)) if varied else "",
        table=pa.Table.from_pylist(rows, schema=pa.schema(COLUMNS)),
        points=points,
        measures=measures,
        why=why,
    )


def _done(
    cells: Sequence[Cell], held: Mapping[str, Dataset], taxonomy: Taxonomy | None, processes: int
) -> Iterator[tuple[Cell, Trial]]:
    """Yield trials as they are done, in this process or in others."""
    if processes <= 1:
        for cell in cells:
            yield cell, _tried(cell, held, taxonomy)
        return
    context = multiprocessing.get_context("spawn")
    begin: dict[str, Any] = {"initializer": _begin, "initargs": (dict(held), taxonomy)}
    with ProcessPoolExecutor(processes, mp_context=context, **begin) as pool:
        try:
            running = {pool.submit(_tried_in_worker, cell): cell for cell in cells}
            for future in as_completed(running):
                yield running[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _tried(cell: Cell, held: Mapping[str, Dataset], taxonomy: Taxonomy | None) -> Trial:
    return replace(try_out(held[cell.data], cell.guarantee, cell.method, cell.seed, taxonomy), release=None)


#: What a worker needs for every trial: the data, and the taxonomy.
_given: list[Any] = []


def _begin(held: dict[str, Dataset], taxonomy: Taxonomy | None) -> None:
    begin_worker()
    _given[:] = held, taxonomy


def _tried_in_worker(cell: Cell) -> Trial:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the data was read by the parent, which has given its warnings
        return _tried(cell, *_given)


def _paths(
    folder: Path, cells: Sequence[Cell], held: Mapping[str, Dataset], taxonomy: Taxonomy | None
) -> dict[Cell, Path]:
    """Return where each finished trial is kept, by a digest of everything that determines it."""
    digests = {name: hashlib.sha256(pickle.dumps((data, taxonomy), protocol=5)) for name, data in held.items()}
    paths = {}
    for cell in cells:
        body = (__version__, digests[cell.data].hexdigest(), cell.guarantee, cell.method, cell.seed)
        paths[cell] = folder / f"{hashlib.sha256(json.dumps(body).encode()).hexdigest()[:24]}.json"
    return paths


def _stored(path: Path) -> Trial | None:
    """Return a finished trial; a file that is damaged or of another format counts as absent."""
    try:
        body = json.loads(path.read_bytes())
        return Trial.from_dict(body["trial"]) if body["format"] == FORMAT else None
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
    """Write the tables, and for each dataset a chart of what is kept against how often the best attack is right."""
    content = dict[Path, bytes]()
    for name, write in zip(TABLES, (pq.write_table, pyarrow.csv.write_csv), strict=True):
        sink = pa.BufferOutputStream()
        write(explored.table, sink)
        content[out / name] = sink.getvalue().to_pybytes()
    for name, measure in explored.measures.items():
        if measure is not None:
            points = [point for point in explored.points if point["data"] == name]
            how: dict[str, Any] = {"y_label": measure.label, "share": measure.share, "parameter": explored.parameter}
            slug = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "data"
            figure = charts.trade(points, title=name, **how)
            content[out / PLOTS / f"{slug}.svg"] = charts.encode(figure, "svg")
    return replace(explored, files=[str(write_whole(path, data, force=True)) for path, data in content.items()])
