"""`covey inspect`: what is in the data, and how exposed the people in it are."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer

from covey.cli.options import DATA, ENGINE, JSON, KIND, MASTER, PERSON, SENSITIVE, TAXONOMY, marks
from covey.cli.outputs import FORCE, require_outputs
from covey.cli.session import emit, out, watched
from covey.counting import counted
from covey.data.kinds import data_kind
from covey.engine import engine as choose_engine
from covey.errors import ParameterError
from covey.io.source import Source
from covey.report import charts
from covey.report.descriptions import DESCRIPTIONS
from covey.report.page import MARKS as PAGES
from covey.report.risk_page import risk_page
from covey.results import Inspection
from covey.staging import write_whole


def inspect(
    data: DATA,
    sensitive: SENSITIVE = None,
    kind: KIND = None,
    person: PERSON = None,
    taxonomy: TAXONOMY = None,
    known: Annotated[int, typer.Option("--known", min=1, max=16, help="Risk for 1 up to this many known items.")] = 4,
    samples: Annotated[int, typer.Option("--samples", min=1, help="Cases drawn for each risk figure.")] = 20_000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="For drawing the cases.")] = 0,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Also draw the risk, as .png or .svg.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write everything as one HTML file.")
    ] = None,
    mark: Annotated[
        Path | None,
        typer.Option(
            "--mark",
            metavar="FILE",
            help="Also write the sensitive items and the companions that are listed, one per line, for --sensitive.",
        ),
    ] = None,
    engine: ENGINE = "local",
    master: MASTER = None,
    force: FORCE = False,
    as_json: JSON = False,
) -> None:
    """Show shape, sparsity and supports, and the risk that someone who knows a few things finds a person.

    DATA is read as baskets, unless --kind says ratings or table, or roles of columns are named.
    """
    if plot is not None:
        charts.require_format(plot)
    read_here = [data, sensitive, taxonomy]
    require_outputs([(plot, charts.MARKS), (html, PAGES), (mark, ())], inputs=read_here, force=force)
    where = choose_engine(engine, master=master)
    source = Source.of(data, sensitive=marks(sensitive), kind=kind, person=person)
    asked: dict[str, Any] = {"taxonomy": taxonomy, "known": known, "samples": samples, "seed": seed}
    body = watched(lambda stages: where.inspect(source, progress=stages, **asked))
    written = [str(file) for file in (plot, html, mark) if file is not None]
    if plot is not None:
        title, things = f"Re-identification risk: {Path(data).name}", data_kind(body["kind"]).things
        charts.save_plot(charts.risk(body["risk"], things, title=title), plot, force=force)
    if html is not None:
        page = risk_page(Path(data).name, body, date=date.today().isoformat())
        write_whole(html, page.encode(), marks=PAGES, force=force)
    if mark is not None:
        write_marks(body, mark, force=force)
    if as_json:
        emit({"data": data, **body, "files": written})
        return
    recognised = f" ({body['recognised'].rstrip('.')})" if "recognised" in body else ""
    show(f"{data}{recognised}", body)
    for file in written:
        out.print(file, markup=False, soft_wrap=True)


def write_marks(body: dict[str, Any], file: Path, *, force: bool = False) -> None:
    """Write what is sensitive and what gives it away as a list for ``--sensitive``."""
    listed = body.get("associations", {}).get("companions", [])
    if not listed:
        raise ParameterError("No ordinary item gives a sensitive one away, or none is sensitive: leave --mark out.")
    items = dict.fromkeys([*(one["item"] for one in body["sensitive"]), *(one["item"] for one in listed)])
    write_whole(file, "".join(f"{item}\n" for item in items).encode(), force=force)


def show(title: str, body: dict[str, Any]) -> None:
    """Print the figures for a person: shape, risk, then what is sensitive."""
    kind = data_kind(body["kind"])
    described = DESCRIPTIONS[kind.name](body)
    out.print(title, markup=False, style="bold")
    for part in described.shape:
        out.print(part)
    out.print(f"\n{Inspection(body).title}")
    for risk in body["risk"]:
        if not risk["eligible"]:
            out.print(f"  {risk['known']:>2}  nobody has that many {kind.things}", style="dim")
            continue
        bar = "█" * round(40 * risk["risk"]) or "▏"
        interval = f" ± {50 * (risk['high'] - risk['low']):.1f} %" if risk["samples"] else ""
        alone = f"{100 * risk['unique']:.1f} % unique"
        out.print(f"  {risk['known']:>2}  [red]{bar:<40}[/] {100 * risk['risk']:5.1f} %{interval}  [dim]{alone}[/]")
    for part in described.details:
        out.print(part)
    if "better" in body:
        noisy = [one["item"] for one in body["better"] if one["better"] == "label-dp"]
        named = f": {', '.join(noisy[:5])}{' …' if len(noisy) > 5 else ''}" if noisy else ""
        many = f"{len(noisy)} of {counted(len(body['better']), 'sensitive item')}{named}"
        out.print(
            f"Noise (label-dp, epsilon 1) will serve estimates better than groups (degree, p 10) for {many}. This "
            "follows from exact counts: for you alone.",
            markup=False,
            soft_wrap=True,
        )
