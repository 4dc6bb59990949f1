"""`covey verify`: does a release keep its promise?"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from covey.cli.options import (
    ENGINE,
    JSON,
    MASTER,
    RELEASE,
    SENSITIVE,
    TAXONOMY,
    on_spark,
)
from covey.cli.reading import READING, Source, reads
from covey.cli.session import Stages, emit, out, run, use_json
from covey.verdict import Verdict


@reads("baskets", "ratings", "table")
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
    engine: ENGINE = "local",
    master: MASTER = None,
    as_json: JSON = False,
    *,
    reading: dict[str, Any],
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
            progress=stages,
            **reading,
        )

    def work() -> Verdict:
        if not on_spark(engine, master):
            return check(
                release,
                source,
                sensitive=None if source else sensitive,
                taxonomy=taxonomy,
                fingerprint=fingerprint,
                progress=stages,
            )
        from covey.engines.spark import verify as distribute

        return distribute(
            release, original, sensitive=sensitive, fingerprint=fingerprint, master=master, progress=stages,
            **{name: reading[name] for name in READING["baskets"]},
        )  # fmt: skip

    with stages.shown():
        verdict = run(work)
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
