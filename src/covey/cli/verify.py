"""`covey verify`: does a release keep its guarantee?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import typer
from rich.console import RenderableType
from rich.text import Text

from covey.checking import verify
from covey.cli.command import Given, new_app, verb_command
from covey.cli.options import option
from covey.cli.session import check_lines, show, unprotected_lines
from covey.counting import counted
from covey.verdict import Verdict

app = new_app()


OPTIONS = {
    "fingerprint": option(str | None, "The fingerprint noted when the release was made.", metavar="HEX"),
    "rewrite": option(Path | None, "Write a fresh copy of a release that holds.", metavar="OUT"),
    "force": option(bool, "Replace the release that --rewrite finds; it is moved to OUT.1.", "--force"),
}
EXAMPLES = ("covey verify release", "covey verify release --original sales.csv --fingerprint 1a5249f2bd65eef2")


@verb_command(app, verify, OPTIONS, *EXAMPLES)
def present(verdict: Verdict, given: Given) -> None:
    """Check a release from its published files alone and, given the original, that it is faithful to it.

    Exit code 0 when everything holds, 1 when something does not.
    """
    columns = verdict.figures.get("unprotected", ())
    kept_as = unprotected_lines(column["column"] for column in columns)
    body = {"path": str(given["release"]), **verdict.to_dict()}
    result = [*verdict_lines(verdict, compared=given["original"] is not None)]
    if given["rewrite"] and verdict.holds:
        result.append(f"A fresh copy is in {given['rewrite']}.")
    show(body, result, [*check_lines(verdict.checks), *kept_as])
    raise typer.Exit(0 if verdict.holds else 1)


def verdict_lines(verdict: Verdict, *, compared: bool) -> Iterator[RenderableType]:
    """Yield whether a release holds, and the checks that failed."""
    made = counted(len(verdict.checks), "check")
    if "bytes_not_compared" in verdict.figures:
        yield Text(f"Bytes not compared: {verdict.figures['bytes_not_compared']}", "yellow")
    if verdict.holds:
        against = "the published files and the original" if compared else "the published files alone"
        yield Text(f"{verdict.outcome}. {made} of {against} passed.", "bold green")
        if verdict.figures.get("counts"):
            yield str(verdict.figures["counts"])
        if "fingerprint" in verdict.figures:
            yield f"fingerprint {verdict.figures['fingerprint']}"
        return
    failed = verdict.failures()
    yield Text(f"This release must not be trusted: {len(failed)} of {made} failed.", "bold red")
    yield from check_lines(failed)
