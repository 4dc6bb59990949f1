"""`covey compare`: methods side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from covey.cli.options import JOBS, JSON
from covey.cli.session import emit, out, watched
from covey.compare.run import run_comparison
from covey.compare.table import DISTORTION
from covey.counting import counted, give_or_take


def compare(
    config: Annotated[
        Path, typer.Argument(metavar="CONFIG", help="A TOML file with data, methods, parameters and metrics.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory for tables.")],
    only: Annotated[list[str] | None, typer.Option("--only", help="Run only this experiment; may be repeated.")] = None,
    jobs: JOBS = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ignore results of an earlier run.")] = False,
    as_json: JSON = False,
) -> None:
    """Run methods × parameters × data × seeds and write results.parquet, results.csv.

    Started again after an interruption, it goes on where it stopped.
    """
    again = "Stopped. Finished results are kept; run the same command to continue."
    asked: dict[str, Any] = {"jobs": jobs, "only": tuple(only or ()), "fresh": fresh}
    outcome = watched(lambda stages: run_comparison(config, output, progress=stages, **asked), stopped=again)
    if as_json:
        emit(
            {
                "directory": str(outcome.directory),
                "jobs": outcome.jobs,
                "reused": outcome.reused,
                "files": [str(file) for file in outcome.files],
                "problems": outcome.problems,
                "summary": outcome.summary,
            }
        )
        return
    show(outcome)


def show(outcome: Any) -> None:
    """Print the means and ratios, one table per experiment."""
    from rich.table import Table

    fixed = ("mean", "standard_error", "ratio", "ratio_error", "runs", "problem", "guarantee", "measure")
    for name in dict.fromkeys(row["experiment"] for row in outcome.summary):
        rows = [row for row in outcome.summary if row["experiment"] == name]
        keys = [key for key in rows[0] if key not in ("experiment", *fixed)]
        keys = [key for key in keys if any(row[key] is not None for row in rows)]
        ratios = any(row["ratio"] is not None for row in rows)
        table = Table(title=escape(name), title_justify="left", box=None, pad_edge=False, padding=(0, 2))
        for key in keys:
            table.add_column(key, justify="left" if key in ("data", "method", "metric") else "right")
        table.add_column("mean", justify="right")
        if ratios:
            table.add_column("ratio", justify="right")
        for row in rows:
            last = [_figure(row["mean"], row["standard_error"])]
            if ratios:
                last.append(_figure(row["ratio"], row["ratio_error"]))
            table.add_row(*(escape(str(row[key])) for key in keys), *last)
        out.print(table)
        out.print()
    if any(row["metric"].startswith(DISTORTION) for row in outcome.summary):
        out.print(
            f"{DISTORTION}: what `kept` measures of groups, how far estimates are off; less is better", style="dim"
        )
    for problem in outcome.problems:
        out.print(f"left out: {problem}", markup=False, style="yellow")
    reused = f", {outcome.reused} of them from an earlier run" if outcome.reused else ""
    done, written = counted(outcome.jobs, "job"), counted(len(outcome.files), "file")
    out.print(f"{done}{reused}; {written} in {outcome.directory}", markup=False)


def _figure(value: float | None, error: float | None) -> str:
    if value is None:
        return ""
    if error:
        return give_or_take(value, error)
    return f"{value:,.0f}" if value == int(value) and abs(value) >= 10 else f"{value:.4g}"
