"""The results as tables: one row per cell, and means over the seeds with their errors and ratios."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from covey.compare.cells import Cell, Store
from covey.compare.config import Comparison, Experiment
from covey.staging import write_whole

#: The files that are written.
TABLES = ("results.parquet", "results.csv", "summary.csv")
FIRST = ("experiment", "data", "method", "guarantee")
RUN, FOUND = ("seed", "metric", "measure"), ("value", "standard_error", "problem")
SUMMARY = ("metric", "measure", "runs", "mean", "standard_error", "ratio", "ratio_error", "problem")


#: What `kept` is called where its yardstick is one of which less is better.
DISTORTION = "distortion"


def result_rows(cells: list[Cell], store: Store) -> list[dict[str, Any]]:
    """One row per cell, in the order of the file; `kept` is called what it is where less of it is better."""
    known: dict[str, dict[str, dict[str, Any]]] = {}
    rows: list[dict[str, Any]] = []
    distorted: set[tuple[Any, ...]] = set()
    for cell in cells:
        if cell.job not in known:
            known[cell.job] = store.get(cell.job)
        figure = known[cell.job].get(cell.measure, {})
        if any(not one.get("share", True) for one in figure.get("details", ())[:1]):
            distorted.add((cell.experiment, cell.method, cell.metric))
        rows.append(
            {
                **{name: getattr(cell, name) for name in FIRST},
                **cell.variables,
                **{name: getattr(cell, name) for name in RUN},
                **{name: figure.get(name) for name in FOUND},
            }
        )
    for row in rows:  # where nothing could be measured, too
        if (row["experiment"], row["method"], row["metric"]) in distorted:
            row["metric"] = row["metric"].replace("kept", DISTORTION, 1)
    return rows


def summarize(comparison: Comparison, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Means over the seeds; with a baseline also the ratio to it at the same point, paired by seed.

    The standard error of a mean is that of the runs; a single run keeps the error of its own sampling. That
    of a ratio of means R = x/y comes from the pairs: SD(x_i − R y_i) / (√k · y), the delta method.
    """
    experiments = {one.name: one for one in comparison.experiments}
    points: dict[tuple[Any, ...], dict[int, dict[str, Any]]] = {}
    for row in rows:
        point = _point(experiments[row["experiment"]], row, row["method"])
        points.setdefault(point, {})[row["seed"]] = row
    summary = []
    for runs in points.values():
        row = next(iter(runs.values()))
        experiment = experiments[row["experiment"]]
        values = {seed: run["value"] for seed, run in runs.items() if run["value"] is not None}
        mean, error = _mean(values.values(), row["standard_error"])
        ratio, ratio_error = None, None
        if experiment.baseline is not None and row["method"] != experiment.baseline:
            rival = points.get(_point(experiment, row, experiment.baseline), {})
            ratio, ratio_error = _ratio(values, {seed: run["value"] for seed, run in rival.items()})
        summary.append(
            {
                **{key: row[key] for key in (*FIRST, *experiment.vary)},
                "metric": row["metric"],
                "measure": row["measure"],
                "runs": len(values),
                "mean": mean,
                "standard_error": error,
                "ratio": ratio,
                "ratio_error": ratio_error,
                "problem": next((run["problem"] for run in runs.values() if run["problem"]), None),
            }
        )
    return summary


def _point(experiment: Experiment, row: Mapping[str, Any], method: str | None) -> tuple[Any, ...]:
    varied = tuple(row[name] for name in experiment.vary)
    return (experiment.name, row["data"], method, varied, row["metric"], row["measure"])


def _mean(values: Iterable[float], own: float | None) -> tuple[float | None, float | None]:
    listed = list(values)
    if not listed:
        return None, None
    mean = math.fsum(listed) / len(listed)
    if len(listed) == 1:
        return mean, own
    return mean, _deviation([value - mean for value in listed]) / math.sqrt(len(listed))


def _deviation(residuals: list[float]) -> float:
    return math.sqrt(math.fsum(r * r for r in residuals) / (len(residuals) - 1))


def _ratio(mine: dict[int, float], rival: dict[int, float | None]) -> tuple[float | None, float | None]:
    pairs = [(value, other) for seed, value in mine.items() if (other := rival.get(seed)) is not None]
    below = math.fsum(other for _, other in pairs)
    if not pairs or below == 0:
        return None, None
    ratio = math.fsum(value for value, _ in pairs) / below
    if len(pairs) == 1:
        return ratio, None
    spread = _deviation([value - ratio * other for value, other in pairs])
    return ratio, spread * math.sqrt(len(pairs)) / below


def write_tables(
    comparison: Comparison, rows: list[dict[str, Any]], summary: list[dict[str, Any]], directory: Path
) -> list[Path]:
    """Write results.parquet, results.csv and summary.csv, each replaced whole."""
    # In the order in which the experiments name them.
    variables = tuple(dict.fromkeys(name for one in comparison.experiments for name in one.vary))
    columns = (*FIRST, *variables, *RUN, *FOUND)
    contents = (
        _parquet(rows, columns, variables),
        _csv(rows, columns),
        _csv(summary, (*FIRST, *variables, *SUMMARY)),
    )
    return [write_whole(directory / name, one, force=True) for name, one in zip(TABLES, contents, strict=True)]


def _csv(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if row.get(c) is None else row[c] for c in columns] for row in rows)
    return text.getvalue().encode()


def _parquet(rows: list[dict[str, Any]], columns: tuple[str, ...], variables: tuple[str, ...]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"seed": pa.int64(), "value": pa.float64(), "standard_error": pa.float64()}
    arrays = []
    for column in columns:
        values = [row.get(column) for row in rows]
        kind = types.get(column, pa.string())
        if column in variables:
            kind, values = _variable(pa, values)
        arrays.append(pa.array(values, kind))
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, names=list(columns)), sink)
    return sink.getvalue()


def _variable(pa: Any, values: list[Any]) -> tuple[Any, list[Any]]:
    """The narrowest type that holds all values of a variable: whole numbers, numbers, or text."""
    present = [value for value in values if value is not None]
    if all(type(value) is int for value in present):
        return pa.int64(), values
    if all(type(value) in (int, float) for value in present):
        return pa.float64(), values
    return pa.string(), [None if value is None else str(value) for value in values]
