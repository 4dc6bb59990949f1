"""`covey demo`: the whole path in one command."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape

from covey.api.making import publish as make
from covey.cli.inspect import show
from covey.cli.options import JSON
from covey.cli.query import show_answer
from covey.cli.session import Stages, emit, out, watched
from covey.cli.verify import show_verdict
from covey.guarantees import guarantee
from covey.io.source import Source
from covey.local import Local
from covey.measure.reidentification import reidentification
from covey.parameters import choice
from covey.pipeline import Published
from covey.progress import silent
from covey.registry import method as make_method
from covey.release import read_release
from covey.synth import shop

DEFAULT = Path("demo-release")


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Where to put the release.")] = DEFAULT,
    p: Annotated[int, typer.Option("--p", help="Privacy degree to promise.")] = 5,
    source: Annotated[
        str, typer.Option("--data", help="journey (real, extra 'demo'), shop (generated), or auto.")
    ] = "auto",
    as_json: JSON = False,
) -> None:
    """Walk the whole path on a grocer's year of real baskets: risk, release, verification, a query.

    Households are protected, not single baskets. Without the extra `demo` a generated shop takes their place.
    """
    choice("demo", "data", source, ("auto", "journey", "shop"))
    promise = guarantee(f"degree(p={p})").text

    def look(stages: Stages) -> tuple[str, Any, dict[str, Any]]:
        title, baskets = load(source, stages)
        risk = {"known": 4, "samples": 20_000, "seed": 0}
        return title, baskets, Local().inspect(Source.of(baskets), progress=stages, **risk)

    title, baskets, before = watched(look)
    if not as_json:
        out.print("\n[bold]1. The data, and what it gives away[/]")
        show(title, before)
        known = before["risk"][-1]["known"]
        risk = reidentification(replace(baskets, person=None), known).risk
        out.print(
            f"\n  Someone who knows {known} items of one basket finds that basket with a chance of {100 * risk:.0f} %."
        )

    def release_it(stages: Stages) -> tuple[Published, Any, tuple[str, str], dict[str, int]]:
        # Only the default place is the demo's own; anything else that exists is left alone.
        published = make(baskets, output, promise, force=output == DEFAULT, progress=stages)
        rows = as_if_rows_were_persons(baskets, guarantee(promise))
        return published, read_release(output), best_question(baskets), rows

    published, release, (sensitive, item), rows = watched(release_it)
    answer = release.estimate(sensitive, present=[item])
    truth = count_both(baskets, sensitive, item)
    if as_json:
        asked = {"sensitive": sensitive, "present": [item], **answer.to_dict(), "truth": truth}
        emit({"data": title, "inspect": before, "release": published.to_dict(), "rows": rows, "query": asked})
        return
    counts = published.manifest.counts
    out.print(f"\n[bold]2. A release that keeps {promise}[/]")
    for line in (
        f"Similar households are put into groups, with all their baskets: {counts['persons']:,} households, "
        f"{counts['transactions']:,} baskets, {counts['groups']:,} groups.",
        "Ordinary items are published exactly, basket by basket. Sensitive ones are published only as counts per "
        "group,",
        f"and in every group at most 1 household in {p} has any given one. So someone who recognizes your "
        "baskets, even",
        f"all of them, is at most 1 in {p} sure of each sensitive item, if all households of the group look "
        "equally likely.",
        f"If baskets were counted instead (measured on groups by cahd), in {rows['above']:,} of {rows['groups']:,} "
        "groups more than",
        f"1 household in {p} would have the same sensitive item; at worst {rows['holders']:,} of {rows['persons']:,}.",
    ):
        out.print(f"  {line}", soft_wrap=True)
    show_verdict(published.verdict)
    out.print("\n[bold]3. A question, answered from the release alone[/]")
    out.print(f"  How many baskets have {sensitive} and {item}?", markup=False)
    show_answer(answer, f"{release.n:,} transactions")
    out.print(f"  the truth: {truth:,}")
    out.print(f"  {answer.persons:,} of {release.persons:,} households have {sensitive} (exact)", markup=False)
    out.print(f"\n[bold]4. What you publish[/] is in {escape(str(output))}/")
    for file in sorted(output.iterdir()):
        out.print(f"  {file.name:<22} {file.stat().st_size:>12,} bytes")
    command = command_name()
    out.print("\nQuery it yourself, verify it, or write a report:")
    for line in (
        f"{command} query {output} --sensitive '{sensitive}' --present '{item}'",
        f"{command} verify {output}",
        f"{command} report {output}",
    ):
        out.print(f"  {line}", markup=False, soft_wrap=True)


def command_name() -> str:
    """How to call covey from this shell: by name if it is on the path, else by where it is."""
    if shutil.which("covey"):
        return "covey"
    here = Path(sys.executable).with_name("covey")
    return str(here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here)


def load(source: str, stages: Stages) -> tuple[str, Any]:
    """The demo's baskets and what they are."""
    from covey.io.baskets.journey import available, complete_journey

    if source == "journey" or (source == "auto" and available()):
        stages("reading", 0.0)
        title = "A grocer's year: The Complete Journey, baskets of product types, by household"
        return title, complete_journey(households=True)
    stages("generating", 0.0)
    baskets = shop(transactions=20_000, customers=4_000, seed=1).baskets
    return "A generated shop (install the extra 'demo' for real baskets)", baskets


def as_if_rows_were_persons(baskets: Any, promise: Any) -> dict[str, int]:
    """What groups of single baskets, each of which keeps the promise, would leave open about households.

    How many groups there are, in how many of them more than 1 person in p has the same sensitive item, and in the worst
    one how many persons there are and have it.
    """
    made = make_method("cahd", seed=0).groups(replace(baskets, person=None), promise, silent)
    persons, secret = baskets.persons, baskets.split()[1]
    size = np.bincount(np.unique(made.group * persons + baskets.person) // persons, minlength=made.number)
    row = np.repeat(np.arange(baskets.n), secret.lengths())
    cell = made.group[row] * secret.d + secret.indices
    cells, holders = np.unique(np.unique(cell * persons + baskets.person[row]) // persons, return_counts=True)
    group = cells // secret.d
    above = holders * promise.p > size[group]
    worst = int(np.argmax(holders / size[group]))
    return {
        "groups": made.number,
        "above": len(np.unique(group[above])),
        "holders": int(holders[worst]),
        "persons": int(size[group[worst]]),
    }


def best_question(baskets: Any) -> tuple[str, str]:
    """The most frequent sensitive item, and the published item that it is most often bought with."""
    supports = baskets.supports()
    s = int(np.where(baskets.sensitive, supports, 0).argmax())
    matrix = baskets.to_scipy().astype(np.int64)
    together = np.asarray(matrix[matrix[:, [s]].nonzero()[0]].sum(axis=0)).ravel()
    return baskets.items[s], baskets.items[int(np.where(baskets.sensitive, -1, together).argmax())]


def count_both(baskets: Any, sensitive: str, item: str) -> int:
    """The true number of transactions that hold both items."""
    position = {name: i for i, name in enumerate(baskets.items)}
    matrix = baskets.to_scipy().astype(np.int64)
    return int(matrix[:, [position[sensitive]]].multiply(matrix[:, [position[item]]]).sum())
