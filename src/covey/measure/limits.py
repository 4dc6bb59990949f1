"""How far the parameters of each guarantee can go in data, before anything is released."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from covey.data import Ratings
from covey.errors import CoveyError, Infeasible
from covey.guarantees import guarantee, guarantee_class
from covey.measure.profile import profile
from covey.parameters import Scalar, call_text, parameters_of
from covey.tabular import Figures

#: A value beyond anything that data allows; the error about it states the largest that it does.
BEYOND = 10**15


def limits(data: Any, names: Iterable[str]) -> dict[str, Figures]:
    """Return for each guarantee how far its parameters can go in this data, or what is missing.

    ``blocked`` is why not even the weakest form can be kept. ``largest`` are the largest sensible values; for those in
    ``hard`` anything above is infeasible; ``suggested`` are values to begin with that suit this data. Ratings have
    ``spread``, for each way to count missing ratings the l that surely can be kept and the largest of any choice of
    people; baskets with sensitive items have ``admissible_up_to``.

    Examples
    --------
    >>> from covey import Baskets
    >>> limits(Baskets.of([["a"], ["a"], ["a", "b"]]), ["k-anonymity"])["k-anonymity"]["largest"]
    {'k': 3.0}
    """
    found: dict[str, Figures] = {}
    scale = getattr(data, "scale", None)
    for name in names:
        cls = guarantee_class(name)
        usual = {one.name: one.suggests for one in parameters_of(cls) if one.suggests is not None}
        weakest = {key: 2 if isinstance(value, int) else value for key, value in usual.items()}
        bounds = {parameter: _largest(name, weakest, parameter, data) for parameter in usual}
        largest = {parameter: most for parameter, (most, _) in bounds.items() if most is not None}
        here: dict[str, Any] = {
            "blocked": _blocked(name, weakest, data),
            "largest": largest,
            "hard": [parameter for parameter, (most, hard) in bounds.items() if hard and most is not None],
        }
        known = {one.name for one in parameters_of(cls)}
        if scale is not None and "epsilon" in known:
            here["suggested"] = {"epsilon": scale.near}
        if cls.bounds_certainty:
            associations = profile(data).get("associations", {})
            here["admissible_up_to"] = associations.get("admissible_up_to", [])
        if "nulls" in known and data.sensitive.any():
            here["spread"] = {nulls: spread(data, zero=nulls == "zero") for nulls in ("zero", "omit")}
            largest["l"] = here["spread"]["zero"][0]
        found[name] = here
    return found


def spread(data: Ratings, *, zero: bool) -> list[float]:
    """Return how far sensitive ratings spread: over everybody, which is an l that can be kept, and at the very most.

    The most is for whatever people are left out: half the distance of the lowest from the highest rating, and where
    people who gave none deviate by the mean (`zero`), no more than the highest. Rounded so that they hold.
    """
    reached, most = np.inf, np.inf
    for issue in np.flatnonzero(data.sensitive):
        codes = data.codes[data.indices == issue].astype(np.float64)
        if not len(codes):
            return [0.0, 0.0]
        unrated = data.n - len(codes) if zero else 0
        squares = float(((codes - codes.mean()) ** 2).sum() + unrated * codes.mean() ** 2)
        reached = min(reached, math.sqrt(squares / (len(codes) + unrated)))
        most = min(most, float(codes.max() if unrated else (codes.max() - codes.min()) / 2))
    step = data.scale.step
    return [math.floor(reached * step * 100 + 1e-6) / 100, round(most * step, 9)]


def _blocked(name: str, weakest: dict[str, Scalar], data: Any) -> str | None:
    """Return why the data does not allow even the weakest form of a guarantee."""
    try:
        guarantee(call_text(name, weakest)).require_feasible(data.summary())
    except CoveyError as error:
        return str(error)
    return None


def _largest(name: str, weakest: dict[str, Scalar], parameter: str, data: Any) -> tuple[float | None, bool]:
    """Return the largest sensible value of a parameter, and whether the guarantee says that more is infeasible."""
    if not isinstance(weakest[parameter], int):
        scale = getattr(data, "scale", None)
        return (None if scale is None else round(scale.high - scale.low, 9)), False
    try:
        guarantee(call_text(name, {**weakest, parameter: BEYOND})).require_feasible(data.summary())
    except Infeasible as error:
        return (float(error.best), True) if isinstance(error.best, int | float) else (None, False)
    except CoveyError:
        return None, False
    if any(one.name == parameter and one.infinite for one in parameters_of(guarantee_class(name))):
        return float(data.lengths().max(initial=1)), False
    return (float(data.n), False) if parameter == "k" else (None, False)
