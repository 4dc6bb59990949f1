"""`covey report`: one HTML file about a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from covey.cli.command import command, new_app
from covey.cli.options import (
    DRAWN,
    FORCE,
    KIND,
    OPTIONAL_ORIGINAL,
    PERSON,
    RELEASE,
    SENSITIVE,
    TAXONOMY,
    TRACE,
    require_files,
)
from covey.cli.session import check_lines, show, watched
from covey.cli.verify import original_of, verdict_lines
from covey.measuring import report_path, write_report
from covey.report.page import MARKS

app = new_app()


@command(app, "covey report release --original sales.csv -o report.html")
def report(
    release: RELEASE,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write; by default RELEASE.html, or RELEASE.internal.html with --original.",
        ),
    ] = None,
    original: OPTIONAL_ORIGINAL = None,
    sensitive: SENSITIVE = None,
    kind: KIND = None,
    person: PERSON = None,
    taxonomy: TAXONOMY = None,
    trace: TRACE = None,
    title: Annotated[str, typer.Option(help="Title, if the release states none.")] = "",
    seed: DRAWN = 0,
    force: FORCE = False,
) -> None:
    """Write one self-contained HTML file: the guarantee, its checks, its cost, and what attackers achieve.

    With --original it has risk, utility and attacks; do not share such a report outside. Exit code 0 when everything
    holds, 1 when something does not; the report is written in both cases.
    """
    source = original_of(original, kind=kind, person=person, sensitive=sensitive)
    target = output or report_path(release, source)
    require_files([(target, MARKS)], inputs=[release, original, taxonomy, sensitive], force=force)
    found = watched(
        lambda stages: write_report(
            release,
            source,
            target,
            taxonomy=taxonomy,
            trace=trace or (),
            title=title,
            seed=seed,
            force=force,
            progress=stages,
        )
    )
    verdict = found.verdict
    body = {"report": str(target), **verdict.to_dict(), **({"found": found.measured()} if original else {})}
    failed = [] if verdict.holds else verdict_lines(verdict, compared=source is not None)
    show(body, [str(target), *failed], check_lines(verdict.checks))
    raise typer.Exit(0 if verdict.holds else 1)
