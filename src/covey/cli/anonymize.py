"""`covey anonymize`: from a file to a verified release."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from covey.cli.options import DATA, ENGINE, JSON, MASTER, SEED, SENSITIVE, TAXONOMY, marks, parse_settings
from covey.cli.outputs import require_outputs
from covey.cli.reading import reads
from covey.cli.session import emit, out, warn, watched
from covey.cli.verify import show_unprotected, show_verdict
from covey.counting import sizes
from covey.engines import engine as choose_engine
from covey.io.source import Source
from covey.pipeline import cut_short, plan
from covey.project import MARKS, project_of, read_project
from covey.release.about import About
from covey.release.persons import data_of
from covey.release.writing import replacing, require_outside_releases
from covey.report.uniqueness import telling


@reads
def anonymize(
    data: DATA,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Directory to write the release to.")],
    guarantee: Annotated[
        str | None, typer.Option("--guarantee", "-g", help="What to promise, such as 'degree(p=10)'.")
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", "-m", help="Which method; `covey methods` lists them.")
    ] = None,
    sensitive: SENSITIVE = None,
    taxonomy: TAXONOMY = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="An option of the method, such as alpha=5; may be repeated."),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(
            "--project",
            metavar="FILE",
            help="Choices saved before: reading, sensitive items, taxonomy, promise, method. What is given here goes "
            "before what is saved there.",
        ),
    ] = None,
    save_project: Annotated[
        Path | None,
        typer.Option("--save-project", metavar="FILE", help="Save the choices of this command, for the next file."),
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
    like: Annotated[
        Path | None,
        typer.Option(
            "--like",
            metavar="EARLIER",
            help="An earlier release: people who are in both stay together, as far as the promise "
            "allows. Methods that make groups or classes only.",
        ),
    ] = None,
    like_original: Annotated[
        str | None,
        typer.Option(
            "--like-original",
            metavar="DATA",
            help="What the earlier release was made from, if not from this data; both must name --person.",
        ),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="What the release is called, in its README.")] = None,
    license: Annotated[
        str | None,
        typer.Option("--license", help="Under which licence it may be used: a name such as CC-BY-4.0, or an address."),
    ] = None,
    contact: Annotated[
        str | None,
        typer.Option("--contact", help="Whom to ask: an e-mail or web address, or `Name <address>`."),
    ] = None,
    seed: SEED = None,
    engine: ENGINE = "local",
    master: MASTER = None,
    as_json: JSON = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Make a release that keeps a guarantee, verify it, and write it whole or not at all."""
    where = choose_engine(engine, master=master)
    about = About(title=title, license=license, contact=contact)
    read_here = [data, reading, sensitive, taxonomy, like, like_original]
    require_outputs([(save_project, MARKS)], inputs=read_here, force=None)
    if save_project is not None:
        require_outside_releases(save_project, output)
    marked, set_here = marks(sensitive), parse_settings(settings)
    further: dict[str, Any] = {"taxonomy": taxonomy, "seed": seed, "like": like, "like_original": like_original}
    if project is not None:
        saved = read_project(project)
        asked = {"guarantee": guarantee, "method": method, "sensitive": marked, "about": about}
        made = saved.plan(data, **asked, **reading, **further, **set_here)
        audit = saved.audit if audit is None else audit
    elif guarantee is None:
        raise typer.BadParameter("say what to promise with --guarantee, or name a --project that does.")
    else:
        source = Source.of(data, sensitive=marked, **reading)
        made = plan(source, guarantee, method, about=about, **further, **set_here)
    with ExitStack() as beside:  # both the release and the project, or none
        if save_project is not None:
            choices = project_of(made, sensitive=sensitive, taxonomy=taxonomy, audit=audit, before=project)
            new = beside.enter_context(replacing(save_project, make_folder=True, marks=MARKS, force=None))
            new.write_text(choices.to_toml(), encoding="utf-8", newline="")
        published = watched(
            lambda stages: where.publish(made, output, csv=csv, force=force, lift=audit, progress=stages)
        )
    if as_json:
        emit(published.to_dict())
        return
    counts = dict(published.manifest.counts)
    if data_of(published.manifest.facts) == "records":  # each person's items together, not what was read
        counts.pop("transactions", None)
    out.print(f"[bold]{escape(str(output))}[/]: {sizes(**counts)}, by {published.manifest.method}")
    show_verdict(published.verdict)
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
    out.print(f"fingerprint {published.manifest.fingerprint}")
