"""`covey explore`: strengths × methods, what is kept against what is risked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from covey.api.measuring import explore as run
from covey.cli.options import DATA, JOBS, JSON, SENSITIVE, TAXONOMY, marks
from covey.cli.outputs import FORCE, require_outputs
from covey.cli.reading import reads
from covey.cli.session import emit, out, watched
from covey.compare.style import MARKS as PLOTS
from covey.compare.style import require_plot, save_plot
from covey.counting import percent
from covey.io.source import Source
from covey.measure.attacks.result import share_right
from covey.results import Exploration


@reads
def explore(
    data: DATA,
    guarantee: Annotated[
        str, typer.Option("--guarantee", "-g", help="The promise that is wanted, such as 'degree(p=10)'.")
    ],
    methods: Annotated[
        list[str] | None,
        typer.Option("--method", "-m", help="A method to try, such as cahd or 'cahd(alpha=5)'; may be repeated."),
    ] = None,
    strengths: Annotated[
        list[str] | None,
        typer.Option(
            "--strengths",
            metavar="LIST",
            help="Values to try, such as 2,4,10, or m=1,2,3 for another parameter than the main one; may be repeated.",
        ),
    ] = None,
    sensitive: SENSITIVE = None,
    taxonomy: TAXONOMY = None,
    audit: Annotated[
        float | None,
        typer.Option(
            "--audit", metavar="LIFT", min=1, help="Recommend none from which an attack gains more, with three seeds."
        ),
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Also draw it, as .png or .svg.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="For methods, queries and attacks.")] = 0,
    jobs: JOBS = None,
    force: FORCE = False,
    as_json: JSON = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Try several strengths and methods, and show what each release would keep and risk; nothing is published.

    Recommended is, among the releases that promise at least what was asked, the one that keeps most; where several
    keep as much within the error of measurement, the one whose best attack is right least often.
    """
    if plot is not None:
        require_plot(plot)
    require_outputs([(plot, PLOTS)], inputs=[data, reading, sensitive, taxonomy], force=force)
    source = Source.of(data, sensitive=marks(sensitive), **reading)
    asked: dict[str, Any] = {
        "strengths": ",".join(strengths) if strengths else None,
        "taxonomy": taxonomy,
        "audit": audit,
        "seed": seed,
        "jobs": jobs,
    }
    found = watched(lambda stages: run(source, guarantee, methods or (), progress=stages, **asked))
    if plot is not None:
        save_plot(found.plot(), plot, force=force)
    if as_json:
        emit({"data": data, **found, "files": [] if plot is None else [str(plot)]})
    else:
        show(found, seed)
        if plot is not None:
            out.print(str(plot), markup=False, soft_wrap=True)
    if found["measure"] is None:
        raise typer.Exit(1)


def show(found: Exploration, seed: int) -> None:
    """Print a row per release, what was left out, and the recommendation."""
    measure, parameter = found["measure"], found["parameter"]
    price = {one[parameter]: one for one in found["price"]}
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    yardstick = "kept" if measure is None or measure["share"] else "distortion"
    heads = ["", parameter, "method", yardstick, "best attack", "right", "lift", *(["pairs allowed"] if price else [])]
    for head in heads:
        table.add_column(head, justify="left" if head in ("", "method", "best attack") else "right")
    for point in found["points"]:
        if point["kept"] is None:
            continue
        kept = percent(point["kept"], fine=True) if measure["share"] else f"{point['kept']:.3g}"
        tried = point["attack"] is not None
        row = ["→" if point["recommended"] else "", f"{point['strength']:g}", point["method"], kept]
        lift = "—" if point["lift"] is None else f"{point['lift']:.2f}"
        right = (point["risk"], point["risk_low"], point["risk_high"])
        row += [point["attack"], share_right(*right), lift] if tried else ["", "", ""]
        told = price.get(int(point["strength"]))
        row += [f"{told['admissible']} of {told['pairs']}"] if told else []
        table.add_row(*row, style="bold" if point["recommended"] else "")
    out.print(f"[bold]{found['guarantee']}[/] and other strengths")
    out.print(table)
    if measure is not None:
        less = "" if measure["share"] else "; less is better"
        out.print(f"{yardstick}: {measure['label']}{less}", style="dim")
    if any(point["attack"] and point["lift"] is None for point in found["points"]):
        out.print("lift —: no attack can be shown to gain from the release", style="dim")
    if price:
        out.print(
            "pairs allowed: frequent pairs of a sensitive and an ordinary item that the promise allows a release to "
            "show",
            style="dim",
        )
    for problem in dict.fromkeys(point["problem"] for point in found["points"] if point["problem"]):
        out.print(f"left out: {problem}", markup=False, style="yellow")
    if found["why"]:
        name = lifts = ""
        if found["recommended"] is not None:
            point = found["points"][found["recommended"]]
            name = f"→ {point['guarantee']} by {point['method']}. "
            most = "; the lift is the highest of three" if point["seeds"] > 1 else ""
            lifts = f" Lifts differ with the seed{most}; --seed {seed} makes this release again."
        out.print(f"{name}{found['why']}{lifts}", markup=False)
