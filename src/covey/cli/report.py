"""`covey report`: one HTML file about a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from covey.api.measuring import write_report
from covey.cli.options import JSON, KIND, PACKED, PERSON, SENSITIVE, TAXONOMY, TRACE, marks
from covey.cli.outputs import FORCE, require_outputs
from covey.cli.session import emit, out, watched
from covey.cli.verify import original_of
from covey.report.page import MARKS


def report(
    release: PACKED,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write; by default OUT.html, or OUT.internal.html with --original.",
        ),
    ] = None,
    original: Annotated[
        str | None,
        typer.Option(
            "--original",
            help="The data it was made from: adds risk, utility and attacks. Do not share such a report outside.",
        ),
    ] = None,
    sensitive: SENSITIVE = None,
    kind: KIND = None,
    person: PERSON = None,
    taxonomy: TAXONOMY = None,
    trace: TRACE = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed for everything that is sampled.")] = 0,
    force: FORCE = False,
    as_json: JSON = False,
) -> None:
    """Write one self-contained HTML file: the promise, its proof, its cost, and what attackers achieve.

    Exit code 0 when everything holds, 1 when something does not; the report is written in both cases.
    """
    # Two names: the report for inside the house must not take the place of the one that may be shared.
    target = output or Path(f"{release.resolve()}{'.internal' if original else ''}.html")
    read_here = [release, original, taxonomy, sensitive]
    require_outputs([(target, MARKS)], inputs=read_here, force=force)
    source = original_of(original, kind=kind, person=person)
    given: dict[str, Any] = {"sensitive": marks(sensitive), "taxonomy": taxonomy, "seed": seed, "force": force}
    given |= {"trace": trace or ()}
    found = watched(lambda stages: write_report(release, target, source, progress=stages, **given))
    verdict = found.verdict
    if as_json:
        emit({"report": str(target), **verdict.to_dict(), **({"found": found.measured()} if original else {})})
    else:
        out.print(str(target), markup=False, soft_wrap=True)
        if not verdict.holds:
            out.print("[bold red]This release must not be trusted.[/]")
    raise typer.Exit(0 if verdict.holds else 1)
