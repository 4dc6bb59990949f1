"""`covey evaluate`: what a release is still useful for, measured against its original."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer
from rich.table import Table

from covey.cli.options import ENGINE, JSON, KIND, MASTER, ORIGINAL, PERSON, RELEASE, SENSITIVE, TAXONOMY, TRACE, marks
from covey.cli.session import emit, out, watched
from covey.engine import engine as choose_engine
from covey.io.source import Source
from covey.report.evaluation_lines import LINES


def evaluate(
    release: RELEASE,
    original: ORIGINAL,
    r: Annotated[int, typer.Option("--items", "-r", min=1, max=16, help="Published items per KL query.")] = 4,
    queries: Annotated[int, typer.Option("--queries", min=1, help="KL queries of each workload.")] = 100,
    known: Annotated[
        int, typer.Option("--known", min=1, max=16, help="Exposure for 1 up to this many known items.")
    ] = 4,
    top: Annotated[int, typer.Option("--top", min=1, help="How many frequent itemsets to look up.")] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, help="For drawing queries and cases.")] = 0,
    sensitive: SENSITIVE = None,
    kind: KIND = None,
    person: PERSON = None,
    taxonomy: TAXONOMY = None,
    trace: TRACE = None,
    engine: ENGINE = "local",
    master: MASTER = None,
    as_json: JSON = False,
) -> None:
    """Measure a release against its original: errors of estimates, what an attacker learns, patterns kept."""
    where = choose_engine(engine, master=master)
    source = Source.of(original, sensitive=marks(sensitive), kind=kind, person=person)
    extent: dict[str, Any] = {"r": r, "queries": queries, "known": known, "top": top, "seed": seed}
    extent |= {"trace": trace} if trace else {}
    body = watched(lambda stages: where.evaluate(release, source, taxonomy=taxonomy, progress=stages, **extent))
    if as_json:
        emit({"path": str(release), **body})
        return
    for line in LINES[body["kind"]](body) if body["kind"] in LINES else ():
        out.print(_hanging(line))


def _hanging(line: str) -> Table | str:
    """A line that begins with a figure, with words that wrap beside it instead of below it."""
    figure = re.match(r" +\S+(?: \S+)*  +", line)
    if figure is None:
        return line
    grid = Table.grid()
    grid.add_column(no_wrap=True)
    grid.add_row(figure[0], line[figure.end() :])
    return grid
