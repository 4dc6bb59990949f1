"""`covey attack`: what adversaries achieve against a release."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import RenderableType
from rich.text import Text

from covey.cli.command import Given, new_app, verb_command
from covey.cli.options import ORIGINAL, option
from covey.cli.session import show, table
from covey.counting import counted
from covey.measure.attacks import AttackResult
from covey.measure.attacks.result import bar_of, compared, title_of
from covey.measuring import attack
from covey.results import Attacks

app = new_app()


OPTIONS = {
    "original": ORIGINAL,
    "with_": option(
        Path | None,
        "Another release about the same people: measure what the two give away together instead.",
        "--with",
        metavar="OTHER",
    ),
    "with_original": option(
        str | None,
        "What the other release was made from, if not from the same original; both must name --person.",
        metavar="DATA",
    ),
}
EXAMPLES = ("covey attack release --original sales.csv", "covey attack june --original june.csv --with july")


@verb_command(app, attack, OPTIONS, *EXAMPLES)
def present(found: Attacks, given: Given) -> None:
    """Attack a release in every way covey knows, and compare with the claim and with what needs no release.

    The original tells whether a guess was right, and what someone who knows the population guesses without the
    release: the baseline. Lift is success over the claim or the baseline, whichever is higher; 1 is the ideal. With
    another release (--with), the attacks are those that need both, and chance is what the first one gives away alone.
    Exit code 0 whatever the attacks achieve.
    """
    results, two = found.results, given["with_"] is not None
    body = {"path": str(given["release"]), **({"with": str(given["with_"])} if two else {}), **found}
    result: list[RenderableType] = [Text(found["guarantee"], "bold"), _summary(results, two=two)]
    result.append(table(found.heads, found.rows(), ["attack"]))
    more = ["`covey attack` on each release alone runs the others."] if two else []
    show(body, result, [*_explanations(results), *more])


def _explanations(results: list[AttackResult]) -> Iterator[RenderableType]:
    for result in results:
        yield Text.assemble((f"{result.attack} ({title_of(result.attack)}): ", "bold"), result.explanation)


def _summary(results: list[AttackResult], *, two: bool) -> str:
    """Return which attack gains most, or that none does."""
    beaten = [result for result in results if result.beats_bar]
    if not beaten:
        none = "Neither of these attacks on two releases" if two else "No attack"
        text = f"{none} can be shown to gain more than is promised, or than is possible without the release."
        if few := min((result.targets for result in results if result.lift > 1), default=0):
            text += f" Lifts above 1 are within the error of measurement: {counted(few, 'guess')} tell no more."
        if unclaimed := [result.attack for result in results if bar_of(result.claim, result.baseline) is None]:
            text += f" Of {' and '.join(unclaimed)} nothing is claimed: the table has how often each is right."
        return text
    worst, top = max(beaten, key=lambda result: result.lift), max(results, key=lambda result: result.success_rate)
    most = f" Right most often is {top.attack}, in {top.right} of its {counted(top.targets, 'guess')}."
    return (
        f"The attack that gains most, {worst.attack}, is right in {worst.right} of its "
        f"{counted(worst.targets, 'guess')}. "
        f"{compared(worst.success_rate, worst.claim, worst.baseline, worst.baseline_error)}"
        + (most if top.success_rate > worst.success_rate else "")
        + (
            " `covey anonymize --like` keeps people who are in both releases together."
            if two
            else " `covey anonymize --audit LIFT` refuses releases above a lift, and says what would help."
        )
    )
