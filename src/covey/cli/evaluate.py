"""`covey evaluate`: what a release is still useful for, measured against its original."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from covey.cli.command import new_app, verb_command
from covey.cli.options import ORIGINAL
from covey.cli.session import show
from covey.measuring import evaluate
from covey.report.sections import evaluation_parts
from covey.results import Evaluation

app = new_app()


OPTIONS = {
    "original": ORIGINAL,
    "items": Annotated[int, typer.Option("--items", "-r", min=1, max=16, help="Published items per KL query.")],
    "queries": Annotated[int, typer.Option("--queries", min=1, help="KL queries of each workload.")],
    "known": Annotated[int, typer.Option("--known", min=1, max=16, help="Exposure for 1 up to this many known items.")],
    "top": Annotated[int, typer.Option("--top", min=1, help="How many frequent itemsets to look up.")],
}


@verb_command(app, evaluate, OPTIONS, "covey evaluate release --original sales.csv")
def present(found: Evaluation, given: Mapping[str, Any]) -> None:
    """Measure a release against its original: errors of estimates, what an attacker learns, patterns kept."""
    first, *rest = evaluation_parts(found)
    show({"path": str(given["release"]), **found}, [first], rest)
