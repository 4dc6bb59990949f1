"""What releases keep against what they risk: several strengths and methods over one file, and which to take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from covey.errors import ParameterError
from covey.explore.trials import Kept
from covey.guarantees.base import Guarantee
from covey.measure.attacks.result import right_of, title_of
from covey.parameters import did_you_mean, parameters_of
from covey.tabular import Figures

#: So many strengths are listed one by one.
FEW = 3
#: Strengths to try beside the one that is asked for.
LADDER = (2, 3, 5, 10, 20, 50)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One release that was tried."""

    #: What it promises, and who made it.
    guarantee: str
    method: str
    #: The value of the parameter that varies; more is stronger.
    strength: float
    #: What is left, by every yardstick of its kind, the most telling first.
    kept: tuple[Kept, ...] = ()
    #: What attacks achieved, as `covey.measure.attacks.AttackResult.to_dict` tells it.
    attacks: Sequence[Figures] = ()
    #: Why there is no release; empty where there is one.
    problem: str = ""
    #: With how many seeds it was made and attacked; `attacks` are those that gain most.
    seeds: int = 1

    def beside(self, others: Sequence[Sequence[Figures]]) -> Point:
        """This release, where attacks on it with other seeds are known, too: of each attack the one that gains most."""
        tried = [self.attacks, *(one for one in others if one)]  # nothing where no release could be made
        worst = [max(same, key=lambda one: (one["beats_bar"], one["lift"])) for same in zip(*tried, strict=True)]
        return replace(self, attacks=worst, seeds=len(tried))

    def by(self, measure: str) -> Kept | None:
        """What is left by one yardstick."""
        return next((one for one in self.kept if one.measure == measure), None)

    def attack(self, name: str = "") -> Figures | None:
        """What an attack achieved; without a name the one that gains most, or else is right most often."""
        tried = [one for one in self.attacks if one["targets"] and name in ("", one["attack"])]
        gaining = [one for one in tried if one["beats_bar"]]
        by = "lift" if gaining else "success_rate"
        return max(gaining or tried, key=lambda one: float(one[by]), default=None)

    @property
    def risk(self) -> float:
        """How often the best attack is right; 0 if none was tried."""
        best = self.attack()
        return 0.0 if best is None else float(best["success_rate"])

    @property
    def lift(self) -> float | None:
        """The lift of the best attack, None if it cannot be shown to gain from the release."""
        best = self.attack()
        return float(best["lift"]) if best is not None and best["beats_bar"] else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade:
    """Releases of one file side by side."""

    #: All that were tried.
    points: list[Point] = field(default_factory=list)
    #: The yardstick that all of them share, by its first value; None as long as nothing was measured.
    measure: Kept | None = None
    #: Which to take.
    recommended: Point | None = None
    #: The reason, in words.
    why: str = ""

    def kept(self, point: Point) -> Kept | None:
        """What is left of the original in one of the releases, by the shared yardstick."""
        return None if self.measure is None else point.by(self.measure.measure)

    def rows(self) -> list[dict[str, Any]]:
        """The points as plain data."""
        return [self._row(point) for point in self.points]

    def _row(self, point: Point) -> dict[str, Any]:
        kept, best = self.kept(point), point.attack()
        return {
            "guarantee": point.guarantee,
            "method": point.method,
            "strength": point.strength,
            "kept": None if kept is None else kept.value,
            "kept_error": None if kept is None else kept.error,
            "risk": None if best is None else best["success_rate"],
            "risk_low": None if best is None else best["low"],
            "risk_high": None if best is None else best["high"],
            "attack": None if best is None else best["attack"],
            "lift": point.lift,
            "seeds": point.seeds,
            "recommended": point is self.recommended,
            "measures": [asdict(one) for one in point.kept],
            "attacks": [dict(one) for one in point.attacks],
            "problem": point.problem or None,
        }


def asked_strengths(promise: Guarantee, strengths: Sequence[int] | str | None) -> tuple[str, list[int]]:
    """Which parameter varies, and its values in order.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> asked_strengths(guarantee("km-anonymity(k=5, m=2)"), "m=3,1,2")
    ('m', [1, 2, 3])
    """
    able = [one.name for one in parameters_of(type(promise)) if one.type == "integer"]
    parameter, given = promise.strength, strengths
    if isinstance(strengths, str):
        name, equals, rest = strengths.rpartition("=")
        parameter = name.strip() if equals else parameter
        if parameter not in able:
            raise ParameterError(
                f"{promise.name} has no whole number '{parameter}' to vary.{did_you_mean(parameter, able)} "
                f"It has {', '.join(able)}."
            )
        try:
            given = [int(part) for part in rest.split(",")]
        except ValueError:
            raise ParameterError(
                f"Strengths are whole numbers, such as --strengths 2,4,10 or --strengths {able[-1]}=2,4,10. "
                f"Got {strengths!r} instead."
            ) from None
    asked = getattr(promise, parameter)
    values = sorted({*LADDER, asked} if given is None else {*given} or {asked})
    for value in values:
        promise.having(**{parameter: value})  # raises what is wrong with it
    return parameter, [int(value) for value in values]


def weigh(points: Sequence[Point], asked: float, parameter: str, lift: float | None = None) -> Trade:
    """Set releases side by side, and recommend one.

    Recommended is, among those that promise at least what was asked, the one that keeps most; where others keep as
    much within the error of measurement, the one whose best attack is right least often.

    Parameters
    ----------
    points : sequence of Point
        What was tried; those that were not measured yet count for nothing.
    asked : float
        The strength that is wanted.
    parameter : str
        What varies.
    lift : float or None
        The highest lift that an attack may have; None asks for none.

    Examples
    --------
    >>> tried = [
    ...     Point(guarantee=f"k-anonymity(k={k})", method="m", strength=k, kept=(Kept(measure="x", label="", value=v),))
    ...     for k, v in ((2, 0.9), (5, 0.7), (10, 0.4))
    ... ]
    >>> weigh(tried, 5, "k").recommended.guarantee
    'k-anonymity(k=5)'
    """
    measured = [point for point in points if point.kept]
    shared = [one for one in (measured[0].kept if measured else ()) if all(point.by(one.measure) for point in measured)]
    if not shared:
        why = "" if measured else "No release could be made at any of these strengths."
        return Trade(points=list(points), why=why)
    measure = shared[0]
    able = [point for point in measured if point.strength >= asked]
    if not able:
        why = f"None of these promises {parameter} = {asked:g} or more yet, which is what was asked."
        return Trade(points=list(points), measure=measure, why=why)
    safe = [point for point in able if lift is None or (point.lift or 0.0) <= lift]
    if not safe:
        why = (
            f"No release is recommended: at every {parameter} >= {asked:g} that was tried, some attack gains more than "
            f"{lift:g} times what is claimed or possible without the release."
            + _weaker(measured, asked, parameter, lift)
        )
        return Trade(points=list(points), measure=measure, why=why)
    chosen, even = _chosen(safe, measure.measure)
    which = f"{parameter} = {asked:g} or more" + ("" if lift is None else f" and a lift of at most {lift:g}")
    why = _why(chosen, even, len(safe), which)
    return Trade(points=list(points), measure=measure, recommended=chosen, why=why)


def _weaker(measured: Sequence[Point], asked: float, parameter: str, lift: float | None) -> str:
    """What is known of weaker promises, where none that is strong enough is within the limit: lifts often rise."""
    weaker = [point for point in measured if point.strength < asked]
    within = sorted({point.strength for point in weaker if (point.lift or 0.0) <= (lift or 0.0)})
    if within:
        listed = ", ".join(f"{value:g}" for value in within)
        return f" Weaker promises stay within it, with one seed: {parameter} = {listed}."
    tried = {point.strength for point in weaker}
    left = [value for value in range(2, math.ceil(asked)) if value not in tried]
    if not left:
        return ""
    listed = ", ".join(map(str, left)) if len(left) <= FEW else f"{left[0]} to {left[-1]}"
    return f" Weaker strengths were not tried: {parameter} = {listed}. Ask for one of them with -g."


def _chosen(able: list[Point], measure: str) -> tuple[Point, int]:
    """Which to take, and how many keep as much as it does."""

    def held(point: Point) -> Kept:
        kept = point.by(measure)
        assert kept is not None  # the yardstick is one that all have
        return kept

    most = max(map(held, able), key=lambda kept: kept.gain)
    even = [point for point in able if held(point).gain >= most.gain - most.error]
    return min(even, key=lambda point: (point.risk, -point.strength, -held(point).gain)), len(even)


def _why(chosen: Point, even: int, of: int, which: str) -> str:
    among = f"Of the releases with {which}, this one keeps the most" if of > 1 else f"The only release with {which}"
    if even > 1:
        every = "both" if of == 2 else f"all {even}"
        keep = f"{every} keep equally much" if even == of else f"{even} keep the most, and equally much"
        among = (
            f"Of the releases with {which}, {keep}, within measurement error; in this one "
            "the best attack is right least often"
        )
    best = chosen.attack()
    if best is None:
        return f"{among}."
    gains = f", {chosen.lift:.2f} times what is claimed or possible without the release" if chosen.lift else ""
    name = title_of(best["attack"])
    most = "" if chosen.seeds == 1 else f"; no attack gains more with {chosen.seeds} seeds"
    return f"{among}. The best attack ({name}) is right in {right_of(best)} of its guesses{gains}{most}."
