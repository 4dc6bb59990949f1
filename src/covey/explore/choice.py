"""Points of a grid, and which of them to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from covey.explore.trials import Trial, best_attack, gaining_attack
from covey.measure.attacks.result import LIMIT, ratios_of, right_of, title_of
from covey.measure.kept import Kept
from covey.tabular import Figures

#: Error bars are drawn, and means compared by their spread, from so many seeds on.
ENOUGH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The releases of one method for one guarantee and dataset, one for each seed."""

    data: str
    guarantee: str
    method: str
    #: The value of the guarantee's main parameter.
    strength: float
    trials: Sequence[Trial]

    @property
    def attack(self) -> Figures | None:
        """The attack that is right most often with any of the seeds."""
        return best_attack([one for trial in self.trials for one in trial.attacks])

    @property
    def gaining(self) -> Figures | None:
        """The attack that gains most with any of the seeds: releases differ, and an attacker may be lucky."""
        return gaining_attack([one for trial in self.trials for one in trial.attacks])

    @property
    def risk(self) -> tuple[float, float] | None:
        """How often the best attack is right on average, and its standard error, 0 with too few seeds."""
        found = [best for trial in self.trials if (best := best_attack(trial.attacks)) is not None]
        return _mean([float(one["success_rate"]) for one in found]) if found else None

    @property
    def lift(self) -> float | None:
        """The highest lift of an attack; None if none can be shown to gain from the release."""
        return None if self.gaining is None else float(self.gaining["lift"])

    @property
    def problem(self) -> str:
        """Why a release is missing; empty where all are there."""
        return next((trial.problem for trial in self.trials if trial.problem), "")

    def kept(self, measure: str) -> Kept | None:
        """Return what is left by a measure on average; its error is that of one release with too few seeds."""
        found = [kept for trial in self.trials if (kept := trial.by(measure)) is not None]
        if not found or self.problem:
            return None
        value, error = _mean([one.value for one in found])
        first = found[0]
        spread = error if len(found) >= ENOUGH else max(one.error for one in found)
        return Kept(measure=measure, label=first.label, value=value, error=spread, share=first.share)

    def to_dict(self, measure: str, recommended: bool) -> Figures:
        """Return what is kept and risked as plain data for JSON."""
        kept, risk, best = self.kept(measure), self.risk or (None, None), self.attack or {}
        against_claim, against_baseline = ratios_of(best) if best else (None, None)
        return {
            "data": self.data,
            "guarantee": self.guarantee,
            "method": self.method,
            "strength": self.strength,
            "kept": None if kept is None else kept.value,
            "kept_error": None if kept is None else kept.error,
            "risk": risk[0],
            "risk_error": risk[1],
            **{name: best.get(name) for name in ("attack", "claim", "baseline")},
            "against_claim": against_claim,
            "against_baseline": against_baseline,
            "lift": self.lift,
            "seconds": min(trial.seconds for trial in self.trials),  # the first one loads what is compiled
            "seeds": len(self.trials),
            "recommended": recommended,
            "problem": self.problem or None,
        }


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and its standard error; 0 with fewer than `ENOUGH` values."""
    mean = sum(values) / len(values)
    if len(values) < ENOUGH:
        return mean, 0.0
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, float((variance / len(values)) ** 0.5)


def shared_measure(points: Sequence[Point]) -> Kept | None:
    """Return the most telling measure that all releases of some points have; None where nothing was measured."""
    measured = [trial for point in points for trial in point.trials if trial.kept]
    first = measured[0].kept if measured else ()
    return next((one for one in first if all(trial.by(one.measure) for trial in measured)), None)


def recommend(points: Sequence[Point], limit: float = LIMIT) -> tuple[Point | None, str]:
    """Return the point of one dataset and guarantee to take, if any, and why.

    Of those from which no attack gains more than the limit with any seed it is the one that keeps most; where others
    keep as much within the error of measurement, the one whose best attack is right least often.

    Examples
    --------
    >>> kept = (Kept(measure="x", label="x", value=0.5),)
    >>> one = Point(data="d", guarantee="k-anonymity(k=2)", method="m", strength=2, trials=[Trial(kept=kept)])
    >>> recommend([one])
    (Point(...), 'Only m keeps k-anonymity(k=2) within the limit of 1.3.')
    """
    measure = shared_measure(points)
    name = "" if measure is None else measure.measure
    held = [(point, kept) for point in points if (kept := point.kept(name)) is not None]
    if not held:
        return None, next((point.problem for point in points if point.problem), "No release could be made.")
    promise = held[0][0].guarantee
    safe = [(point, kept) for point, kept in held if (point.lift or 0.0) <= limit]
    if not safe:
        closest = min((point for point, _ in held), key=lambda point: point.lift or 0.0)
        best: Figures = closest.gaining or {}
        return None, (
            f"No release with {promise} is recommended: some attack on each gains more than {limit:g} times what is "
            f"claimed or possible without the release. {closest.method} comes closest, with "
            f"{closest.lift:.2f} ({title_of(str(best['attack']))}, right in {right_of(best)} of its guesses). What may "
            "help: another strength, leaving out sensitive items, or marking the items that give them away as "
            "sensitive, too (`covey inspect` lists them)."
        )
    most = max((kept for _, kept in safe), key=lambda kept: kept.gain)
    even = [(point, kept) for point, kept in safe if kept.gain >= most.gain - most.error]
    chosen, _ = min(even, key=lambda one: ((one[0].risk or (0.0, 0.0))[0], -one[1].gain))
    if len(safe) == 1:
        why = f"Only {chosen.method} keeps {promise} within the limit of {limit:g}."
    elif len(even) == 1:
        why = f"{chosen.method} keeps most of those that keep {promise} within the limit of {limit:g}."
    else:
        others = f"{len(even)} methods for {promise} keep most, equal within the error of measurement"
        why = f"{others}; attacks on {chosen.method} are right least often."
    return chosen, why
