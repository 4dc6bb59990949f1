"""What the releases of one method keep and risk on average, and which method to take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import Any

from covey.explore.trials import Trial, best_attack, gaining_attack
from covey.measure.attacks.result import LIMIT, ratios_of, title_of
from covey.measure.kept import Kept
from covey.tabular import Figures

#: Error bars are drawn, and means compared by their spread, from so many seeds on.
ENOUGH = 3


def shared_measure(trials: Iterable[Trial]) -> Kept | None:
    """Return the most telling measure that all releases have; None where nothing was measured."""
    measured = [trial for trial in trials if trial.kept]
    first = measured[0].kept if measured else ()
    return next((one for one in first if all(trial.by(one.measure) for trial in measured)), None)


def point_of(trials: Sequence[Trial], measure: Kept | None, **about: Any) -> dict[str, Any]:
    """Return what the releases of one method, one for each seed, keep and risk, as plain data for JSON.

    Errors are standard errors over the seeds; with too few seeds that of `kept` is the one of a single release.
    `attack` is right most often with any of the seeds, and `lift` is that of the attack that gains most with any:
    releases differ, and an attacker may be lucky.
    """
    attacks = [one for trial in trials for one in trial.attacks]
    best, gaining = best_attack(attacks) or {}, gaining_attack(attacks)
    right = [float(attack["success_rate"]) for trial in trials if (attack := best_attack(trial.attacks))]
    problem = next((trial.problem for trial in trials if trial.problem), None)
    kept = [one for trial in trials if measure and not problem and (one := trial.by(measure.measure))]
    error = (
        _error([one.value for one in kept]) if len(kept) >= ENOUGH else max((one.error for one in kept), default=None)
    )
    against_claim, against_baseline = ratios_of(best) if best else (None, None)
    return {
        **about,
        "kept": fmean(one.value for one in kept) if kept else None,
        "kept_error": error,
        "risk": fmean(right) if right else None,
        "risk_error": _error(right) if right else None,
        **{name: best.get(name) for name in ("attack", "claim", "baseline")},
        "against_claim": against_claim,
        "against_baseline": against_baseline,
        "gaining": None if gaining is None else gaining["attack"],
        "lift": None if gaining is None else float(gaining["lift"]),
        "seconds": min(trial.seconds for trial in trials),  # the first one loads what is compiled
        "seeds": len(trials),
        "problem": problem,
    }


def _error(values: Sequence[float]) -> float:
    """Return the standard error of the mean; 0 with fewer than `ENOUGH` values."""
    return stdev(values) / len(values) ** 0.5 if len(values) >= ENOUGH else 0.0


def recommend(points: Sequence[Figures], measure: Kept | None, limit: float = LIMIT) -> tuple[Figures | None, str]:
    """Return the point of one dataset and guarantee to take, if any, and why.

    Of those from which no attack gains more than the limit with any seed it is the one that keeps most; where others
    keep as much within the error of measurement, the one whose best attack is right least often.

    Examples
    --------
    >>> kept = Kept(measure="x", label="x", value=0.5)
    >>> one = point_of([Trial(kept=(kept,))], kept, guarantee="k-anonymity(k=2)", method="m")
    >>> recommend([one], kept)[1]
    'Only m keeps k-anonymity(k=2) within the limit of 1.3.'
    """
    held = [point for point in points if point["kept"] is not None]
    if measure is None or not held:
        return None, next((str(point["problem"]) for point in points if point["problem"]), "No release could be made.")
    guarantee = held[0]["guarantee"]
    safe = [point for point in held if (point["lift"] or 0.0) <= limit]
    if not safe:
        closest = min(held, key=lambda point: point["lift"])
        attack = f"“{title_of(closest['gaining'])}”, {closest['gaining']}"
        return None, (
            f"No release with {guarantee} is recommended: some attack on each gains more than {limit:g} times what is "
            f"claimed or possible without the release. {closest['method']} comes closest, with {closest['lift']:.2f} "
            f"({attack}). What may help: another strength, leaving out sensitive items, or "
            "marking the items that give them away as sensitive, too (`covey inspect` lists them)."
        )
    gain = {point["method"]: point["kept"] if measure.share else -point["kept"] for point in safe}
    most = max(safe, key=lambda point: gain[point["method"]])
    even = [point for point in safe if gain[point["method"]] >= gain[most["method"]] - most["kept_error"]]
    chosen = min(even, key=lambda point: (point["risk"] or 0.0, -gain[point["method"]]))
    if len(safe) == 1:
        why = f"Only {chosen['method']} keeps {guarantee} within the limit of {limit:g}."
    elif len(even) == 1:
        why = f"{chosen['method']} keeps most of those that keep {guarantee} within the limit of {limit:g}."
    else:
        others = f"{len(even)} methods for {guarantee} keep most, equal within the error of measurement"
        why = f"{others}; attacks on {chosen['method']} are right least often."
    return chosen, why
