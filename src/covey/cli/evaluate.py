"""`covey evaluate`: what a release is still useful for, measured against its original."""

from __future__ import annotations

from covey.cli.command import Given, new_app, verb_command
from covey.cli.options import ORIGINAL, option
from covey.cli.session import show
from covey.measuring import evaluate
from covey.report.sections import evaluation_parts
from covey.results import Evaluation

app = new_app()


OPTIONS = {
    "original": ORIGINAL,
    "items": option(int, "Published items per KL query.", "--items", "-r", min=1, max=16),
    "queries": option(int, "KL queries of each workload.", min=1),
    "known": option(int, "Exposure for 1 up to this many known items.", min=1, max=16),
    "top": option(int, "How many frequent itemsets to look up.", min=1),
}


@verb_command(app, evaluate, OPTIONS, "covey evaluate release --original sales.csv")
def present(found: Evaluation, given: Given) -> None:
    """Measure a release against its original: errors of estimates, what an attacker learns, patterns kept."""
    first, *rest = evaluation_parts(found)
    show({"path": str(given["release"]), **found}, [first], rest)
