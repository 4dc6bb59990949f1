"""`covey check`: does unpublished data already keep a guarantee, and who breaks it?"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import RenderableType
from rich.text import Text

from covey.cli.command import command, new_app
from covey.cli.options import DATA, FORCE, GUARANTEE, KIND, PERSON, SENSITIVE, TAXONOMY, marks, require_files
from covey.cli.session import Stages, check_lines, mode, show, warn, watched
from covey.data import Ratings
from covey.errors import ParameterError
from covey.explore.survey import ways
from covey.guarantees import guarantee as parse
from covey.guarantees.k_eps_l import KEpsL
from covey.io.source import Source
from covey.measure.uniqueness import uniqueness
from covey.pipeline import taxonomy_of
from covey.report.charts import MARKS as PLOTS
from covey.report.charts import new_figure, require_format, save_plot, styled
from covey.report.uniqueness import telling
from covey.staging import replacing
from covey.tabular import Figures
from covey.verdict import Verdict
from covey.verify import VIOLATORS, check_data, k_eps_l, kinds_checked
from covey.verify import violators as list_of_violators

app = new_app()

#: So many ways to publish ratings are printed.
SHOWN = 4
#: Above this many respondents the curve over epsilon has to be asked for.
CURVE_UP_TO = 50_000


@command(app, "covey check survey.csv --sensitive income -g 'k-eps-l(k=20, epsilon=1, l=1)'")
def check(
    data: DATA,
    guarantee: GUARANTEE,
    sensitive: SENSITIVE = None,
    kind: KIND = None,
    person: PERSON = None,
    taxonomy: TAXONOMY = None,
    violators: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a CSV file with everyone who breaks it.")
    ] = None,
    first: Annotated[bool, typer.Option("--first", help="Stop at the first violator.")] = False,
    algorithm: Annotated[
        Literal["auto", "slicing", "pairwise"],
        typer.Option(help="For k-eps-l; the answer is the same."),
    ] = "auto",
    curve: Annotated[
        bool | None,
        typer.Option(
            "--curve/--no-curve", help="For k-eps-l: the largest k at each epsilon; by default on small data."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the curves, as .png or .svg."),
    ] = None,
    force: FORCE = False,
) -> None:
    """Check whether the data as it is keeps a guarantee, and name what breaks it.

    For k-anonymity, km-anonymity, l-diversity and k-eps-l it counts what breaks it; for k-eps-l it also finds what
    would hold.
    Exit code 0 when it holds, 1 when it does not. Nothing is written but what --violators and --plot ask for.
    """
    promise = parse(guarantee)
    require_files([(violators, ()), (plot, PLOTS)], inputs=[data, sensitive, taxonomy], force=force)
    source = Source.of(data, sensitive=marks(sensitive), kind=kind, person=person)
    source = source.as_kind(kinds_checked(promise.name)[0]).along(taxonomy_of(taxonomy))
    if violators is not None:
        _require_one_of(promise.name, "--violators", dict.fromkeys([KEpsL.name, *(name for name, _ in VIOLATORS)]))
    if first or plot is not None:
        _require_one_of(promise.name, "--first" if first else "--plot", [KEpsL.name])
    if plot is not None:
        require_format(plot)

    def work(stages: Stages) -> tuple[Verdict, dict[str, Any]]:
        found = source.read(progress=stages)
        if not isinstance(promise, KEpsL):
            verdict = check_data(promise, found, progress=stages)
            return verdict, {} if violators is None else _write(violators, list_of_violators(promise, found), force)
        answer = k_eps_l.examine(promise, found, algorithm=algorithm, first=first, progress=stages)
        verdict, body = answer.verdict(), _of_ratings(found, first=first)
        if curve or (curve is None and not first and (found.n <= CURVE_UP_TO or plot is not None)):
            body["curve"] = k_eps_l.curve(found, progress=stages)
        if violators is not None:
            written = answer.write_violators(violators, force=force)
            body |= {"violators_written": written, "violators_file": str(violators)}
        if plot is not None:
            draw(plot, answer, body.get("curve", []), force=force)
            body["plot_file"] = str(plot)
        if not verdict.holds and not first:
            body["ways"] = [way.to_dict() | {"text": str(way)} for way in ways(found, promise, progress=stages)]
        return verdict, body

    verdict, body = watched(work)
    body = {"data": data, **verdict.to_dict(), **body}
    show(body, _result(verdict, body), _details(verdict, body))
    raise typer.Exit(0 if verdict.holds else 1)


def _require_one_of(guarantee: str, option: str, able: Iterable[str]) -> None:
    """Refuse an option that does not work with a guarantee."""
    if guarantee not in able:
        raise ParameterError(f"{option} works with {', '.join(able)} only, not with {guarantee}. Leave it out.")


def _write(path: Path, lines: Iterable[tuple[object, ...]], force: bool) -> dict[str, Any]:
    """Write a heading and everyone who breaks the guarantee; return how many, and where."""
    written = -1
    with replacing(path, force=force) as new, new.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        for line in lines:
            writer.writerow(line)
            written += 1
    return {"violators_written": written, "violators_file": str(path)}


def _of_ratings(ratings: Ratings, *, first: bool) -> dict[str, Any]:
    """Return what is known of ratings beside the verdict."""
    body: dict[str, Any] = {"scale": ratings.scale.text, "sensitive": ratings.sensitive_issues()}
    return body if first else {**body, "uniqueness": uniqueness(ratings)}


def _result(verdict: Verdict, body: Figures) -> Iterator[RenderableType]:
    """Yield whether the data keeps the guarantee, what breaks it, and what would hold."""
    figures = verdict.figures
    if verdict.holds:
        yield Text(f"The data keeps {verdict.guarantee}.", "bold green")
    else:
        yield Text(f"The data does not keep {verdict.guarantee}.", "bold red")
        yield from check_lines(verdict.failures())
    if not figures.get("complete", True):
        yield f"  stopped at the first violator, after {figures['examined']:,} of {figures['records']:,} records"
    if "largest_k" in figures:
        largest_l = figures.get("largest_l")
        also = "" if largest_l is None else f", l = {largest_l:.6g}"
        yield f"  what holds at this epsilon: k = {figures['largest_k']:,}{also}"
    for key in ("violators_file", "plot_file"):
        if key in body:
            yield f"  wrote {body[key]}"
    if body.get("ways"):
        yield "What `covey anonymize` could publish, together with the rounding and epsilon that it needs:"
        yield from (f"  {way['text']}" for way in body["ways"][:SHOWN])
        yield Text("A larger epsilon is a weaker promise: others are alike who differ by more.", "dim")
    if "uniqueness" in body and (found := telling({"after": body["uniqueness"]}, whose="records")) is not None:
        if found.warns and verdict.holds and not mode.json:
            warn(found.text)
        else:
            yield found.text


def _details(verdict: Verdict, body: Figures) -> Iterator[RenderableType]:
    """Yield every check, and the curves."""
    yield from check_lines(verdict.checks)
    if shares := verdict.figures.get("protected"):
        listed = ", ".join(f"{one['k']:g}: {100 * one['share']:.1f} %" for one in shares)
        yield f"  share of records in groups of at least k: {listed}"
    if points := body.get("curve"):
        listed = ", ".join(f"{one['epsilon']:g}: {one['k']:,}" for one in points)
        yield f"  largest k at each epsilon: {listed}"


def draw(path: Path, answer: k_eps_l.Satisfaction, points: list[dict[str, float]], *, force: bool = False) -> None:
    """Draw the share of protected records over k, and k over epsilon."""
    sizes = sorted(answer.size[answer.size > 0].tolist())
    shares = [1 - i / len(sizes) for i in range(len(sizes))]
    figure, ((share, largest),) = new_figure(1, 2)
    with styled():
        share.step(sizes, shares, where="post")
        share.set(xscale="log", xlabel="k", ylabel="share of records in groups of at least k", ylim=(0, 1.05))
        largest.plot([p["epsilon"] for p in points], [p["k"] for p in points], marker="o")
        largest.set(yscale="log", xlabel="epsilon", ylabel="largest k that holds")
        figure.suptitle(answer.guarantee)
    save_plot(figure, path, force=force)
