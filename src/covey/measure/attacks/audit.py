"""The audit of a release before it leaves: every attack is run, and one that gains too much stops it."""

from __future__ import annotations

from typing import Any

from covey.data.companions import companions
from covey.errors import AuditFailed, Infeasible
from covey.guarantees import guarantee
from covey.measure.attacks import AttackResult, run_attacks
from covey.measure.attacks.result import baseline_of, percent
from covey.parameters import number
from covey.progress import Progress, silent
from covey.release.base import Release
from covey.release.ratings import RatingsRelease

#: So many companions of sensitive items are named as a way out.
NAMED = 3


def audit(
    release: Release, original: Any, lift: float, *, recommended: str = "", seed: int = 0, progress: Progress = silent
) -> tuple[AttackResult, ...]:
    """Run all attacks and return what they achieved, if none has a lift above `lift`, which is at least 1.

    An attack counts when it is right more often than claim and baseline allow beyond the error of measurement, so
    that a lucky guess at a handful of people stops nothing. `recommended` is the method for such a promise.

    Raises
    ------
    AuditFailed
        An attack gains more.
    """
    number("audit", "lift", lift, minimum=1)
    found = tuple(run_attacks(release, original, seed, progress=progress))
    leaking = [result for result in found if result.beats_bar and result.lift > lift]
    if leaking:
        worst = max(leaking, key=lambda result: result.lift)
        bars = "nothing is claimed of this" if worst.claim is None else f"{percent(worst.claim)} is claimed"
        if worst.baseline is not None:
            bars += f", and {baseline_of(worst.baseline, worst.baseline_error)} is possible without the release"
        raise AuditFailed(
            f"The audit refused the release: {worst.attack} has a lift of {worst.lift:.2f}, and {lift:g} is allowed. "
            f"It is right in {worst.right} of its guesses, {bars}. {remedies(release, original, worst, recommended)}",
            results=found,
        )
    return found


def remedies(release: Release, original: Any, worst: AttackResult, recommended: str = "") -> str:
    """Return what would help, in words."""
    tries = "`covey explore` with --audit tries strengths and methods on this data."
    promise = guarantee(release.guarantee)
    if isinstance(release, RatingsRelease):
        return _less_exact(release)
    if not promise.bounds_certainty:
        return f"What may help: a stronger guarantee. {tries}"
    marked = original.as_baskets()
    if named := getattr(release, "sensitive_items", ()):
        marked = marked.with_sensitive(named)
    ways = "to leave some of the sensitive items out altogether"
    if recommended not in ("", release.method):
        ways = f"the method {recommended}, or {ways}"
    text = f"What may help: {ways}. {tries}"
    stronger = promise.having(**{promise.strength: getattr(promise, promise.strength) + 1})
    try:
        stronger.require_feasible(marked.summary())
        text += (
            f" With a larger {promise.strength} attackers are right less often, but the lift may rise, as less is "
            "claimed."
        )
    except Infeasible:
        pass
    telling = [one for one in companions(marked) if one.confidence > (worst.claim or 0.0)][:NAMED]
    if telling:
        text += (
            f" These ordinary items give sensitive ones away: {', '.join(map(str, telling))}. Leave them out, or "
            "mark them as sensitive too: attackers are then right less often, though the lift may rise, as less is "
            "known without the release."
        )
    return text


def _less_exact(release: RatingsRelease) -> str:
    """Return what would help where ratings are published exactly: a larger k leaves some out, and the rest exact."""
    scale = release.ratings.scale
    steps = [step for step in (release.rounded_from or scale).coarser_steps() if step > scale.step]
    if not steps:
        return "What may help: to leave some issues out. No coarser scale is left to round to."
    return (
        f"What may help: a coarser scale (--set round={steps[0]:g}), or to leave some issues out. A stronger guarantee "
        "need not: what it publishes stays exact. `covey inspect` shows what rounding changes."
    )
