"""`covey demo`: the whole path in one command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from covey.cli.inspect import examine, show
from covey.cli.options import JSON
from covey.cli.session import Stages, emit, out, run, use_json
from covey.cli.verify import show_verdict


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUT", help="Where to put the release.")
    ] = Path("demo-release"),
    p: Annotated[int, typer.Option("--p", help="Privacy degree to promise.")] = 10,
    source: Annotated[
        str, typer.Option("--data", help="journey (real, extra 'demo'), shop (generated), or auto.")
    ] = "auto",
    as_json: JSON = False,
) -> None:
    """Walk the whole path on a grocer's year of real baskets: risk, release, verification, a query.

    Without the extra `demo` a generated shop takes their place.
    """
    use_json(as_json)
    from covey.parameters import choice

    choice("demo", "data", source, ("auto", "journey", "shop"))
    stages = Stages()
    with stages.shown():
        title, baskets = run(lambda: load(source, stages))
        before = run(lambda: examine(baskets, 4, 20_000, 0, stages))
    if not as_json:
        out.print("\n[bold]1. The data, and what it gives away[/]")
        show(title, before)
    promise = f"degree(p={p})"
    with stages.shown():
        published = run(lambda: publish(baskets, output, promise, stages))
        release, question = run(lambda: (reload(output), best_question(baskets)))
    sensitive, item = question
    answer = release.estimate(sensitive, present=[item])
    truth = count_both(baskets, sensitive, item)
    if as_json:
        asked = {"sensitive": sensitive, "present": [item], **answer.to_dict(), "truth": truth}
        emit({"data": title, "inspect": before, "release": published.to_dict(), "query": asked})
        return
    counts = published.manifest.counts
    out.print(f"\n[bold]2. A release that keeps {promise}[/]")
    out.print(
        f"  {counts['transactions']:,} transactions in {counts['groups']:,} groups; every published item is exact,"
    )
    out.print(f"  {counts['sensitive_entries']:,} sensitive entries are published as counts per group only")
    show_verdict(published.verdict)
    out.print("\n[bold]3. A question to the release alone[/]")
    out.print(f"  How many baskets hold {sensitive} and {item}?", markup=False)
    out.print(
        f"  from the release: about [bold]{answer.estimate:,.1f}[/] ± {answer.standard_error:,.1f}", end=""
    )
    out.print(f", certainly {answer.lower:,} to {answer.upper:,}")
    out.print(f"  the truth:        {truth:,}")
    out.print(f"\n[bold]4. What leaves the building[/] is in {output}/")
    for name in ("manifest.json", *sorted(published.manifest.files)):
        out.print(f"  {name:<22} {(output / name).stat().st_size:>12,} bytes")
    out.print("\nAsk it something yourself:")
    out.print(
        f"  covey query {output} --sensitive '{sensitive}' --present '{item}'", markup=False, soft_wrap=True
    )
    out.print(f"  covey verify {output}", markup=False)


def load(source: str, stages: Stages) -> tuple[str, Any]:
    """The demo's baskets and what they are."""
    from covey.io.journey import available, complete_journey

    if source == "journey" or (source == "auto" and available()):
        stages("reading", 0.0)
        return "A grocer's year: The Complete Journey, baskets of product types", complete_journey()
    from covey.synth import shop

    stages("generating", 0.0)
    return "A generated shop (install the extra 'demo' for real baskets)", shop(
        transactions=20_000, seed=1
    ).baskets


def publish(baskets: Any, output: Path, promise: str, stages: Stages) -> Any:
    """Make the release, replacing that of an earlier demo."""
    from covey.pipeline import publish as make

    return make(baskets, output, promise, force=True, progress=stages)


def reload(output: Path) -> Any:
    """The release as a recipient would read it."""
    from covey.release import read_release

    return read_release(output)


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
