"""`covey verify`: does a release keep its promise?"""

from __future__ import annotations

from typing import Annotated

import typer

from covey.cli.options import (
    CATEGORICAL,
    ENCODING,
    FORMAT,
    HIERARCHY,
    IDENTIFIER,
    ITEM,
    JSON,
    KIND,
    NULL,
    OTHER,
    QUASI,
    RATING,
    RELEASE,
    SCALE,
    SENSITIVE,
    SEPARATOR,
    TAXONOMY,
    TRANSACTION,
    USER,
    Source,
)
from covey.cli.session import Stages, emit, out, run, use_json
from covey.contracts import Verdict


def verify(
    release: RELEASE,
    original: Annotated[
        str | None,
        typer.Option("--original", help="The data it was made from: also check nothing was invented."),
    ] = None,
    fingerprint: Annotated[
        str | None, typer.Option("--fingerprint", help="The fingerprint noted when the release was made.")
    ] = None,
    sensitive: SENSITIVE = None,
    taxonomy: TAXONOMY = None,
    format: FORMAT = None,
    transaction: TRANSACTION = None,
    item: ITEM = None,
    separator: SEPARATOR = None,
    encoding: ENCODING = "utf-8",
    kind: KIND = None,
    quasi: QUASI = None,
    identifier: IDENTIFIER = None,
    other: OTHER = None,
    categorical: CATEGORICAL = None,
    hierarchy: HIERARCHY = None,
    user: USER = None,
    rating: RATING = None,
    scale: SCALE = None,
    null: NULL = None,
    as_json: JSON = False,
) -> None:
    """Check a release from its published files alone and, given the original, that it is faithful to it.

    Exit code 0 when everything holds, 1 when something does not.
    """
    use_json(as_json)
    from covey.pipeline import verify as check

    stages = Stages()
    source = None
    if original is not None:
        source = Source(
            data=original,
            sensitive=sensitive,
            format=format,
            transaction=transaction,
            item=item,
            separator=separator,
            encoding=encoding,
            kind=kind,
            quasi=quasi,
            identifier=identifier,
            other=other,
            categorical=categorical,
            hierarchy=hierarchy,
            progress=stages,
            user=user,
            rating=rating,
            scale=scale,
            null=null,
        )
    with stages.shown():
        verdict = run(
            lambda: check(
                release,
                source,
                sensitive=None if source else sensitive,
                taxonomy=taxonomy,
                fingerprint=fingerprint,
                progress=stages,
            )
        )
    if as_json:
        emit({"path": str(release), **verdict.to_dict()})
    else:
        show_verdict(verdict)
    raise typer.Exit(0 if verdict.holds else 1)


def show_verdict(verdict: Verdict) -> None:
    """Print every check with its outcome, and what follows from them."""
    show_checks(verdict)
    if verdict.holds:
        out.print(f"[bold green]{verdict.guarantee} holds.[/]")
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
