"""`covey anonymize`: from a file to a verified release."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from covey.cli.options import (
    DATA,
    ENGINE,
    JSON,
    KIND,
    MASTER,
    PERSON,
    SEED,
    SENSITIVE,
    TAXONOMY,
    marks,
    parse_about,
    parse_settings,
)
from covey.cli.session import emit, out, warn, watched
from covey.cli.verify import show_unprotected, show_verdict
from covey.counting import percent, sizes
from covey.engine import engine as choose_engine
from covey.errors import ParameterError
from covey.explore.planning import plan_with
from covey.io.source import Source
from covey.pipeline import cut_short
from covey.release.about import About
from covey.release.persons import data_of
from covey.report.uniqueness import telling
from covey.tabular import Figures


def anonymize(
    data: DATA,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Directory to write the release to.")],
    guarantee: Annotated[str, typer.Option("--guarantee", "-g", help="What to promise, such as 'degree(p=10)'.")],
    method: Annotated[
        str | None, typer.Option("--method", "-m", help="Which method; `covey methods` lists them. auto compares all.")
    ] = None,
    sensitive: SENSITIVE = None,
    kind: KIND = None,
    person: PERSON = None,
    taxonomy: TAXONOMY = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="An option of the method, such as alpha=5; may be repeated."),
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Write CSV instead of Parquet.")] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Replace an existing release, even a damaged one; it is moved to OUT.1, or the next free number.",
        ),
    ] = False,
    audit: Annotated[
        float | None,
        typer.Option(
            "--audit",
            metavar="LIFT",
            min=1,
            help="Run all attacks first; write nothing if one has a higher lift. See `covey attack`.",
        ),
    ] = None,
    keep: Annotated[
        float | None,
        typer.Option(
            "--keep-at-least",
            metavar="SHARE",
            min=0,
            max=1,
            help="Write nothing that keeps less, such as 0.2: of the most frequent combinations with a sensitive item "
            "those whose count is right; for other kinds what `covey explore` measures.",
        ),
    ] = None,
    like: Annotated[
        Path | None,
        typer.Option(
            "--like",
            metavar="EARLIER",
            help="An earlier release: people who are in both stay together, as far as the promise "
            "allows. Methods that make groups or classes only.",
        ),
    ] = None,
    like_trace: Annotated[
        Path | None,
        typer.Option(
            "--like-trace", metavar="FILE", help="The trace of the earlier release, if DATA does not keep it."
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            "--trace",
            metavar="FILE",
            help="Write which row was published where, to verify and measure exactly; as secret as the data. A saved "
            "dataset keeps it without, unless FILE is none.",
        ),
    ] = None,
    said: Annotated[
        list[str] | None,
        typer.Option(
            "--about",
            metavar="KEY=TEXT",
            help="What the release says of itself: title=…, license=… (a name such as CC-BY-4.0, or an address), "
            "contact=… (an e-mail or web address, or `Name <address>`). May be repeated.",
        ),
    ] = None,
    seed: SEED = None,
    engine: ENGINE = "local",
    master: MASTER = None,
    as_json: JSON = False,
) -> None:
    """Make a release that keeps a guarantee, verify it, and write it whole or not at all."""
    where = choose_engine(engine, master=master)
    about = About(**parse_about(said))
    asked: dict[str, Any] = {"taxonomy": taxonomy, "seed": seed, "like": like, "like_trace": like_trace}
    source = Source.of(data, sensitive=marks(sensitive), kind=kind, person=person)
    made = plan_with(source, guarantee, method, engine=where.name, about=about, **asked, **parse_settings(settings))
    if keep is not None and engine != "local":
        raise ParameterError("--keep-at-least measures releases in memory: it needs the engine local.")
    asked = {"csv": csv, "force": force, "lift": audit, **({} if keep is None else {"keep": keep})}
    untraced = trace is not None and str(trace) == "none"
    if where.name != "spark" or trace is not None:
        asked |= {"trace": None if untraced else trace, "keep_trace": not untraced}
    published = watched(lambda stages: where.publish(made, output, progress=stages, **asked))
    if as_json:
        emit(published.to_dict())
        return
    counts = dict(published.manifest.counts)
    if data_of(published.manifest.facts) == "records":  # each person's items together, not what was read
        counts.pop("transactions", None)
    out.print(f"[bold]{escape(str(output))}[/]: {sizes(**counts)}, by {published.manifest.method}")
    show_verdict(published.verdict)
    if published.compared:
        show_compared(published.compared)
    if published.cost is not None:
        out.print(str(published.cost), markup=False, soft_wrap=True)
        if published.cost.advice:
            out.print(f"More would be kept by {', or by '.join(published.cost.advice)}.", markup=False)
    if (told := telling(published.uniqueness)) is not None:
        (warn if told.tone == "warn" else out.print)(told.text)
    if published.audit:
        worst = max(published.audit, key=lambda result: float(result.lift))
        out.print(
            f"Audit: the highest lift is {worst.lift:.2f} ({worst.attack}); {audit:g} is allowed. "
            "`covey report` shows the figures."
        )
    show_unprotected(published.unprotected)
    if published.left_out:
        columns = ", ".join(published.left_out)
        out.print(f"Not published, because no option names them: {columns}.", markup=False, soft_wrap=True)
    for note in cut_short(published.manifest):
        warn(note)
    if not published.audit:
        out.print(
            "Attacks were not measured: `covey attack` measures them. What it cost in all: `covey evaluate`.",
            soft_wrap=True,
        )
    if published.spent is not None:
        out.print(
            f"epsilon spent on each sensitive item by all releases from this dataset: {published.spent:g} (copies of "
            "it and later data about the same people are not counted)",
            soft_wrap=True,
        )
    out.print(f"fingerprint {published.manifest.fingerprint}")


def show_compared(compared: Sequence[Figures]) -> None:
    """Print what `--method auto` compared, the method that it took first, and what that cost."""
    made = [one for one in compared if not one["problem"]]
    seconds = sum(one["seconds"] for one in made)
    out.print(f"auto compared {len(made)} methods, which took {seconds:.2g} s of CPU time without their measurement:")
    for one in sorted(compared, key=lambda one: (bool(one["problem"]), not one.get("recommended"))):
        told = one["problem"]
        if not told:
            risk = "no attack" if one["risk"] is None else f"best attack right in {percent(one['risk'])}"
            told = f"{risk}; {one['label']}: {one['kept']:.3g}" if one["kept"] is not None else risk
        out.print(f"  {'→' if one.get('recommended') else ' '} {one['method']}: {told}", markup=False, soft_wrap=True)
