"""`covey report`: one HTML file about a release."""

from __future__ import annotations

from pathlib import Path

import typer

from covey.cli.command import Given, new_app, verb_command
from covey.cli.options import FORCE, option
from covey.cli.session import check_lines, show
from covey.cli.verify import verdict_lines
from covey.measuring import report_path, write_report
from covey.report.findings import Findings

app = new_app()

OPTIONS = {
    "output": option(
        Path | None,
        "File to write; by default RELEASE.html, or RELEASE.internal.html with --original.",
        "--output",
        "-o",
        metavar="FILE",
    ),
    "title": option(str, "Title, if the release states none."),
    "force": FORCE,
}


@verb_command(app, write_report, OPTIONS, "covey report release --original sales.csv -o report.html", name="report")
def present(found: Findings, given: Given) -> None:
    """Write one self-contained HTML file: the guarantee, its checks, its cost, and what attackers achieve.

    With --original it has risk, utility and attacks; do not share such a report outside. Exit code 0 when everything
    holds, 1 when something does not; the report is written in both cases.
    """
    verdict, original = found.verdict, given["original"]
    target = given["output"] or report_path(given["release"], original)
    body = {"report": str(target), **verdict.to_dict(), **({"found": found.measured()} if original else {})}
    failed = [] if verdict.holds else verdict_lines(verdict, compared=original is not None)
    show(body, [str(target), *failed], check_lines(verdict.checks))
    raise typer.Exit(0 if verdict.holds else 1)
