"""`covey check`: does unpublished data already keep a guarantee, and who breaks it?

`covey.verify.check_data` answers; a guarantee with a fuller answer has a view of its own in `VIEWS`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import RenderableType

from covey.cli.command import command, new_app
from covey.cli.options import DATA, FORCE, GUARANTEE, KIND, PERSON, SENSITIVE, TAXONOMY, marks, require_files
from covey.cli.session import Stages, mode, said, show, warn, watched
from covey.cli.verify import check_lines
from covey.data import Ratings
from covey.errors import ParameterError
from covey.explore.survey import ways
from covey.guarantees import guarantee as parse
from covey.guarantees.base import Guarantee
from covey.io.source import Source
from covey.measure.uniqueness import uniqueness
from covey.pipeline import Dataset, taxonomy_of
from covey.report.charts import MARKS as PLOTS
from covey.report.charts import new_figure, require_format, save_plot, styled
from covey.report.uniqueness import telling
from covey.staging import replacing
from covey.tabular import Figures
from covey.verdict import Verdict
from covey.verify import VIOLATORS, check_data, k_eps_l, kinds_checked
from covey.verify import violators as list_of_violators

app = new_app()


@command(app, "covey check survey.csv --sensitive income -g 'k-eps-l(k=20, epsilon=1, l=1)'")
def check(
    data: DATA,
    guarantee: GUARANTEE,
    sensitive: SENSITIVE = None,
    kind: KIND = None,
    person: PERSON = None,
    taxonomy: TAXONOMY = None,
    violators: Annotated[
        Path | None, typer.Option("--violators", metavar="FILE", help="Write a CSV file with everyone who breaks it.")
    ] = None,
    first: Annotated[bool, typer.Option("--first", help="Stop at the first violator.")] = False,
    algorithm: Annotated[
        Literal["auto", "slicing", "pairwise"],
        typer.Option("--algorithm", help="For k-eps-l; the answer is the same."),
    ] = "auto",
    curve: Annotated[
        bool | None,
        typer.Option(
            "--curve/--no-curve", help="For k-eps-l: the largest k at each epsilon; by default on small data."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the curves, as .png or .svg."),
    ] = None,
    force: FORCE = False,
) -> None:
    """Check whether the data as it is keeps a guarantee, how many break it, and what would hold.

    Exit code 0 when it holds, 1 when it does not. Nothing is written but what --violators and --plot ask for.
    """
    promise = parse(guarantee)
    require_files([(violators, ()), (plot, PLOTS)], inputs=[data, sensitive, taxonomy], force=force)
    source = Source.of(data, sensitive=marks(sensitive), kind=kind, person=person)
    source = source.as_kind(kinds_checked(promise.name)[0]).along(taxonomy_of(taxonomy))
    view = VIEWS.get(promise.name)
    if view is None:
        _require_able(promise.name, {"--plot": plot is not None, "--first": first}, violators)
    if plot is not None:
        require_format(plot)
    asked = {"violators": violators, "first": first, "algorithm": algorithm, "curve": curve, "plot": plot}

    def work(stages: Stages) -> tuple[Verdict, dict[str, Any]]:
        found = source.read(progress=stages)
        if view is not None:
            return view(promise, found, stages, force=force, **asked)
        verdict = check_data(promise, found, progress=stages)
        return verdict, {} if violators is None else _list_violators(promise, found, violators, force)

    verdict, body = watched(work)
    body = {"data": data, **verdict.to_dict(), **body}
    show(body, _result(verdict, body), _details(verdict, body))
    raise typer.Exit(0 if verdict.holds else 1)


def _require_able(guarantee: str, given: dict[str, bool], violators: Path | None) -> None:
    """Refuse options that only a guarantee with a fuller answer has, and to list violators where there is no list."""
    for option, wanted in given.items():
        if wanted:
            raise ParameterError(f"{option} works with {' and '.join(VIEWS)} only, not with {guarantee}.")
    able = list(dict.fromkeys([*VIEWS, *(name for name, _ in VIOLATORS)]))
    if violators is not None and guarantee not in able:
        raise ParameterError(
            f"--violators works with {', '.join(able[:-1])} and {able[-1]}, not with {guarantee}. "
            "Leave it out: covey names the worst case anyway."
        )


def _list_violators(promise: Guarantee, data: Dataset, path: Path, force: bool) -> dict[str, Any]:
    """Write everyone who breaks the guarantee, and return where."""
    written = -1
    with replacing(path, force=force) as new, new.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        for line in list_of_violators(promise, data):
            writer.writerow(line)
            written += 1
    return {"violators_written": written, "violators_file": str(path)}


#: So many ways to publish ratings are printed.
SHOWN = 4

#: Above this many respondents the curve over epsilon has to be asked for.
CURVE_UP_TO = 50_000


def examine_ratings(
    promise: Any,
    ratings: Ratings,
    stages: Stages,
    *,
    violators: Path | None,
    first: bool,
    algorithm: str,
    curve: bool | None,
    plot: Path | None,
    force: bool,
) -> tuple[Verdict, dict[str, Any]]:
    """Return the answer for ratings in full: verdict, curves, and files where asked for."""
    answer = k_eps_l.examine(promise, ratings, algorithm=algorithm, first=first, progress=stages)
    body: dict[str, Any] = {"scale": ratings.scale.text, "sensitive": ratings.sensitive_issues()}
    if not first:
        body["uniqueness"] = uniqueness(ratings)
    small = not first and (ratings.n <= CURVE_UP_TO or plot is not None)
    if small if curve is None else curve:
        body["curve"] = k_eps_l.curve(ratings, progress=stages)
    if violators is not None:
        body["violators_written"] = answer.write_violators(violators, force=force)
        body["violators_file"] = str(violators)
    if plot is not None:
        draw(plot, answer, body.get("curve", []), force=force)
        body["plot_file"] = str(plot)
    verdict: Verdict = answer.verdict()
    if not verdict.holds and not first:
        body["ways"] = [way.to_dict() | {"text": str(way)} for way in ways(ratings, promise, progress=stages)]
    return verdict, body


#: Guarantees with a fuller answer than a verdict.
VIEWS: dict[str, Callable[..., tuple[Verdict, dict[str, Any]]]] = {"k-eps-l": examine_ratings}


def _result(verdict: Verdict, body: Figures) -> Iterator[RenderableType]:
    """Yield whether the data keeps the guarantee, what breaks it, and what would hold."""
    figures = verdict.figures
    if verdict.holds:
        yield said(f"The data keeps {verdict.guarantee}.", "bold green")
    else:
        yield said(f"The data does not keep {verdict.guarantee}.", "bold red")
        yield from check_lines(verdict.failures())
    if not figures.get("complete", True):
        yield f"  stopped at the first violator, after {figures['examined']:,} of {figures['records']:,} records"
    if "largest_k" in figures:
        largest = f"  what holds at this epsilon: k = {figures['largest_k']:,}"
        if figures.get("largest_l") is not None:
            largest += f", l = {figures['largest_l']:.6g}"
        yield largest
    for key in ("violators_file", "plot_file"):
        if key in body:
            yield f"  wrote {body[key]}"
    if body.get("ways"):
        yield "What `covey anonymize` could publish, together with the rounding and epsilon that it needs:"
        for way in body["ways"][:SHOWN]:
            yield f"  {way['text']}"
        yield said("A larger epsilon is a weaker promise: others are alike who differ by more.", "dim")
    told = telling({"after": body["uniqueness"]}, whose="records") if "uniqueness" in body else None
    if told is not None:
        if told.warns and verdict.holds and not mode.json:
            warn(told.text)
        else:
            yield told.text


def _details(verdict: Verdict, body: Figures) -> Iterator[RenderableType]:
    """Yield every check, and the curves."""
    yield from check_lines(verdict.checks)
    for title, key, x, y in (
        ("share of records in groups of at least k", "protected", "k", "share"),
        ("largest k at each epsilon", "curve", "epsilon", "k"),
    ):
        points = verdict.figures.get(key) or body.get(key)
        if points:
            share = y == "share"
            listed = ", ".join(f"{p[x]:g}: {100 * p[y]:.1f} %" if share else f"{p[x]:g}: {p[y]:,}" for p in points)
            yield f"  {title}: {listed}"


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
