"""`covey verify`: does a release keep its promise?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from covey.api.checking import verify as run
from covey.cli.options import ENGINE, JSON, KIND, MASTER, PACKED, PERSON, SENSITIVE, TAXONOMY, TRACE, marks
from covey.cli.session import emit, out, watched
from covey.io.source import Source
from covey.verdict import Verdict


def verify(
    release: PACKED,
    original: Annotated[
        str | None,
        typer.Option("--original", help="The data it was made from: also check that nothing was invented."),
    ] = None,
    fingerprint: Annotated[
        str | None, typer.Option("--fingerprint", help="The fingerprint noted when the release was made.")
    ] = None,
    sensitive: SENSITIVE = None,
    kind: KIND = None,
    person: PERSON = None,
    taxonomy: TAXONOMY = None,
    trace: TRACE = None,
    engine: ENGINE = "local",
    master: MASTER = None,
    as_json: JSON = False,
) -> None:
    """Check a release from its published files alone and, given the original, that it is faithful to it.

    Exit code 0 when everything holds, 1 when something does not.
    """
    source = original_of(original, kind=kind, person=person)
    given: dict[str, Any] = {"sensitive": marks(sensitive), "taxonomy": taxonomy, "fingerprint": fingerprint}
    given |= {"engine": engine, "master": master, "trace": trace or ()}
    verdict = watched(lambda stages: run(release, source, progress=stages, **given))
    if as_json:
        emit({"path": str(release), **verdict.to_dict()})
    else:
        show_verdict(verdict)
        if verdict.holds and fingerprint is None and "fingerprint" in verdict.figures:
            out.print(f"fingerprint {verdict.figures['fingerprint']}")
        columns = verdict.figures.get("unprotected", ())
        show_unprotected((column["column"], column["distinct"]) for column in columns)
    raise typer.Exit(0 if verdict.holds else 1)


def original_of(original: str | None, *, kind: str | None, person: str | None) -> Source | None:
    """Return the original as a source, or None; without an original, no option may describe it."""
    if original is not None:
        return Source.of(original, kind=kind, person=person)
    if kind is not None or person is not None:
        raise typer.BadParameter("--kind and --person describe the original, but there is no --original.")
    return None


def show_verdict(verdict: Verdict) -> None:
    """Print every check with its outcome, and what follows from them."""
    show_checks(verdict)
    if verdict.holds:
        out.print(f"[bold green]{verdict.guarantee} holds.[/]")
        if verdict.figures.get("counts"):
            out.print(verdict.figures["counts"], markup=False, soft_wrap=True)
    else:
        out.print("[bold red]This release must not be trusted.[/]")


def show_checks(verdict: Verdict) -> None:
    """Print every check with its outcome."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=3, justify="right")
    grid.add_column(overflow="fold")
    for check in verdict.checks:
        mark = Text("✓", "green") if check.passed else Text("✗", "bold red")
        style = "dim" if check.passed else "red"
        grid.add_row(mark, Text.assemble(check.name, (f" ({check.detail})", style)))
    out.print(grid)


def show_unprotected(columns: Iterable[tuple[str, float]]) -> None:
    """Print which columns are published as they were; engines warn of those that tell rows apart."""
    listed = list(columns)
    if not listed:
        return
    names = ", ".join(name for name, _ in listed)
    out.print(f"Published unchanged: {names}. Someone who knows such a value may find the row.", markup=False)
