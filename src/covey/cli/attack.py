"""`covey attack`: what adversaries achieve against a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from covey.api.measuring import attack as run
from covey.cli.options import JSON, KIND, ORIGINAL, PERSON, RELEASE, SENSITIVE, TRACE, marks
from covey.cli.session import emit, out, watched
from covey.counting import counted
from covey.errors import ParameterError
from covey.io.source import Source
from covey.measure.attacks import AttackResult
from covey.measure.attacks.result import bar_of, baseline_of, compared, percent


def attack(
    release: RELEASE,
    original: ORIGINAL,
    beside: Annotated[
        Path | None,
        typer.Option(
            "--with",
            metavar="OTHER",
            help="Another release about the same people: measure what the two give away together instead.",
        ),
    ] = None,
    beside_original: Annotated[
        str | None,
        typer.Option(
            "--with-original",
            metavar="DATA",
            help="What the other release was made from, if not from the same original; both must name --person.",
        ),
    ] = None,
    sensitive: SENSITIVE = None,
    trace: TRACE = None,
    kind: KIND = None,
    person: PERSON = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="For drawing targets.")] = 0,
    as_json: JSON = False,
) -> None:
    """Attack a release in every way covey knows, and compare with the claim and with what needs no release.

    The original tells whether a guess was right, and what someone who knows the population guesses without the
    release: the baseline. Lift is success over the claim or the baseline, whichever is higher; 1 is the ideal. With
    another release (--with), the attacks are those that need both, and chance is what the first one gives away alone.
    Exit code 0 whatever the attacks achieve.
    """
    if beside is None and beside_original is not None:
        raise ParameterError("Name the release that was made from it, too: --with.")
    given = {"kind": kind, "person": person, "sensitive": marks(sensitive)}
    source = Source.of(original, **given)
    other = None if beside_original is None else Source.of(beside_original, **given)
    found = watched(
        lambda stages: run(
            release, source, beside=beside, beside_original=other, trace=trace or (), seed=seed, progress=stages
        )
    )
    if as_json:
        emit({"path": str(release), **({} if beside is None else {"with": str(beside)}), **found})
    else:
        show(found["guarantee"], found.results, two=beside is not None)


def show(guarantee: str, results: list[AttackResult], *, two: bool = False) -> None:
    """Print what each attack achieved, in a table and in words."""
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for heading in ("attack", "right", "95 % interval", "chance", "claimed", "baseline", "lift", "guesses"):
        table.add_column(heading, justify="left" if heading == "attack" else "right")
    for result in results:
        colour = "red" if result.beats_bar else "green"
        table.add_row(
            result.attack,
            f"[{colour}]{percent(result.success_rate)}[/]",
            f"{percent(result.low)} to {percent(result.high)}",
            percent(result.chance),
            "" if result.claim is None else percent(result.claim),
            "" if result.baseline is None else baseline_of(result.baseline, result.baseline_error),
            f"{result.lift:.2f}" if bar_of(result.claim, result.baseline) else "",
            f"{result.targets:,}",
        )
    out.print(f"[bold]{guarantee}[/]")
    out.print(table)
    for result in results:
        out.print(f"\n[bold]{result.attack}:[/] ", end="")
        out.print(result.explanation, markup=False)
    beaten = [result for result in results if result.beats_bar]
    if not beaten:
        none = "Neither of these attacks on two releases" if two else "No attack"
        unclaimed = [result.attack for result in results if bar_of(result.claim, result.baseline) is None]
        few = min((result.targets for result in results if result.lift > 1), default=0)
        told = f"{counted(few, 'guess')} tell"
        out.print(
            f"\n{none} can be shown to gain more than is promised, or than is possible without the release."
            + (f" Lifts above 1 are within the error of measurement: {told} no more." if few else "")
            + (
                f" Of {' and '.join(unclaimed)} nothing is claimed: see above how often each is right."
                if unclaimed
                else ""
            ),
            soft_wrap=True,
        )
        if two:
            out.print("`covey attack` on each release alone runs the others.")
        return
    worst, top = max(beaten, key=lambda result: result.lift), max(results, key=lambda result: result.success_rate)
    most = f"Right most often is {top.attack}, in {top.right} of its guesses. "
    out.print(
        f"\nThe attack that gains most, {worst.attack}, is right in {worst.right} of its guesses. "
        f"{compared(worst.success_rate, worst.claim, worst.baseline, worst.baseline_error)} "
        + (most if top.success_rate > worst.success_rate else "")
        + (
            "`covey anonymize --like` keeps people who are in both releases together."
            if two
            else "`covey anonymize --audit LIFT` refuses releases above a lift, and says what would help."
        ),
        soft_wrap=True,
        markup=False,
    )
