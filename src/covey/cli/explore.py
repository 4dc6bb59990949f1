"""`covey explore`: datasets × guarantees × methods × seeds, what is kept against what is risked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.text import Text

from covey.cli.command import command, new_app
from covey.cli.options import JOBS, KIND, PERSON, SENSITIVE, TAXONOMY, marks
from covey.cli.session import show, table, watched
from covey.counting import percent
from covey.errors import ParameterError
from covey.explore.choice import ENOUGH
from covey.explore.grid import Explored, explore_all
from covey.io.source import Source
from covey.measure.attacks.result import LIMIT
from covey.measure.kept import Kept
from covey.pipeline import taxonomy_of
from covey.tabular import Figures

app = new_app()


@command(
    app,
    "covey explore sales.csv -g 'degree(p=10)' --strengths 4,10,20 --sensitive secret.txt -o tried",
    "covey explore people.covey -g 'k-anonymity(k=5)' -m mondrian -m hilbert --seeds 3",
)
def explore(
    data: Annotated[list[str], typer.Argument(metavar="DATA...", help="Files or saved datasets.")],
    guarantees: Annotated[
        list[str],
        typer.Option("--guarantee", "-g", metavar="GUARANTEE", help="Such as 'degree(p=10)'; may be repeated."),
    ],
    methods: Annotated[
        list[str] | None,
        typer.Option("--method", "-m", metavar="METHOD", help="Such as cahd or 'cahd(alpha=5)'; all without it."),
    ] = None,
    strengths: Annotated[str, typer.Option(metavar="LIST", help="Values of the main parameter, such as 2,4,10.")] = "",
    sensitive: SENSITIVE = None,
    kind: KIND = None,
    person: PERSON = None,
    taxonomy: TAXONOMY = None,
    audit: Annotated[
        float, typer.Option(metavar="LIFT", min=1, help="Recommend none from which an attack gains more.")
    ] = LIMIT,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Tables, charts and finished trials; run again, it continues there."
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds; from 3 on, with standard errors.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="The first seed, for methods, queries and attacks.")] = 0,
    jobs: JOBS = None,
) -> None:
    """Try guarantees and methods, and show what each release would keep and risk; nothing is published.

    Recommended is, for each dataset and guarantee, the method that keeps most among those from which no attack gains
    more than the limit with any seed; where several keep as much, the one whose best attack is right least often.
    """
    sources = {Path(one).name: Source.of(one, sensitive=marks(sensitive), kind=kind, person=person) for one in data}
    if len(sources) < len(data):
        raise ParameterError("Two of the files have the same name. Rename one, so that the results tell them apart.")
    numbers, tree = _numbers(strengths), taxonomy_of(taxonomy)
    found = watched(
        lambda stages: explore_all(
            sources,
            guarantees,
            methods or (),
            strengths=numbers,
            taxonomy=tree,
            limit=audit,
            out=output,
            seeds=seeds,
            seed=seed,
            jobs=jobs,
            progress=stages,
        ),
        stopped=None if output is None else "Stopped. Finished trials are kept; run the same command to continue.",
    )
    show({"data": data, **found.to_dict()}, _lines(found, seeds))
    if all(measure is None for measure in found.measures.values()):
        raise typer.Exit(1)


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise ParameterError(
            f"Strengths are whole numbers, such as --strengths 2,4,10. Got {text!r} instead."
        ) from None


def _lines(found: Explored, seeds: int) -> Iterator[RenderableType]:
    """Yield the recommendation, and a table for each dataset."""
    for why in found.why:
        yield f"→ {why}"
    for name, measure in found.measures.items():
        points = [point for point in found.points if point["data"] == name]
        yield Text(f"\n{name}", "bold")
        if measure is not None:
            yardstick = "kept" if measure.share else "distortion"
            made = [point for point in points if point["kept"] is not None]
            heads = ("", "guarantee", "method", yardstick, "best attack", "right", "× claim", "× baseline", "CPU s")
            words = {"", "guarantee", "method", "best attack"}
            yield table(heads, (_cells(one, measure) for one in made), words, [one["recommended"] for one in made])
            spread = ", ± standard error" if seeds >= ENOUGH else ""
            less = "" if measure.share else "; less is better"
            yield Text(f"{yardstick}: {measure.label}{less}{spread}", "dim")
        for problem in dict.fromkeys(point["problem"] for point in points if point["problem"]):
            yield Text(f"left out: {problem}", "yellow")
    yield from found.files


def _cells(point: Figures, measure: Kept) -> list[str]:
    """Return a row of the table as texts."""
    kept, error = (replace(measure, value=point[name]) for name in ("kept", "kept_error"))
    spread = f" ± {error}" if point["risk_error"] and point["kept_error"] else ""
    right = "" if point["risk"] is None else percent(point["risk"])
    ratios = ("" if point[name] is None else f"{point[name]:.2f}" for name in ("against_claim", "against_baseline"))
    mark = "→" if point["recommended"] else ""
    words = (mark, point["guarantee"], point["method"])
    return [*words, f"{kept}{spread}", point["attack"] or "", right, *ratios, f"{point['seconds']:.2g}"]
