"""Whether what somebody asks for can be done, as far as that can be told before anything is started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from covey.errors import ParameterError
from covey.guarantees import guarantee as parse_guarantee
from covey.parameters import build, did_you_mean, scalar
from covey.registry import methods
from covey.web.server.offers import guarantee_names, ignored_text, ignores_sensitive
from covey.web.server.parameters import APART


def infeasible(guarantee: str, limits: Mapping[str, Any]) -> tuple[str | None, float | None]:
    """What stands against a guarantee in data with these limits, and the best that is possible; None if nothing is."""
    promise = parse_guarantee(guarantee)
    limit = limits.get(promise.name, {})
    if limit.get("blocked"):
        return str(limit["blocked"]), None
    for name, most in limit.get("largest", {}).items():
        value = getattr(promise, name)
        # Knowing more items than anybody has, or tolerating more than the scale allows, is possible all the same.
        if name in limit.get("hard", ()) and value > most:
            return (
                f"{promise.text} cannot be kept with this data: the largest feasible {name} is {most:g}.",
                most,
            )
    if (spread := _asked_spread(promise, limit)) is not None and promise.l > spread[1]:
        return (
            f"{promise.text} cannot be kept with this data: no choice of people has a larger l than {spread[1]:g}. "
            f"Without leaving people out, l = {spread[0]:g} can be kept.",
            spread[0],
        )
    return None, None


def warning(guarantee: str, limits: Mapping[str, Any]) -> str | None:
    """What a guarantee that is perhaps possible would cost in data with these limits; None if nothing is known."""
    promise = parse_guarantee(guarantee)
    spread = _asked_spread(promise, limits.get(promise.name, {}))
    if spread is None or promise.l <= spread[0]:
        return None
    return (
        f"l = {promise.l:g} is more than everybody together reaches: people will have to be left out, and it may turn "
        f"out to be impossible. l = {spread[0]:g} can be kept for sure."
    )


def _asked_spread(promise: Any, limit: Mapping[str, Any]) -> Sequence[float] | None:
    """Where a guarantee asks how far ratings spread: the spread over everybody, and the most of any people."""
    if "spread" not in limit or promise.l is None:
        return None
    found: Sequence[float] = limit["spread"][promise.nulls]
    return found


def checked_request(
    kind: str,
    guarantee: str,
    method: str | None,
    options: Mapping[str, Any],
    seed: int | None,
    *,
    sensitive: bool,
) -> tuple[str, str, dict[str, Any]]:
    """Check what is asked for before anything starts; returns guarantee and method as text, the options as values."""
    promise = parse_guarantee(guarantee)
    entries = methods(guarantee=promise.name, data=kind)
    if not entries:
        able = ", ".join(guarantee_names(kind))
        raise ParameterError(
            f"No method keeps {promise.name} for {kind}. What can be promised for it: {able}."
        )
    names = [entry.name for entry in entries]
    if method is not None and method not in names:
        raise ParameterError(
            f"The method {method} does not keep {promise.name} for {kind}.{did_you_mean(method, names)} "
            f"These do: {', '.join(names)}."
        )
    if sensitive and ignores_sensitive(promise.name, kind):
        raise ParameterError(ignored_text(promise.name))
    entry = next(entry for entry in entries if method in (None, entry.name))
    given = {name: scalar(value) if isinstance(value, str) else value for name, value in options.items()}
    given = {name: value for name, value in given.items() if value is not None and value != ""}
    apart = next((name for name in APART if name in given), None)
    if apart is not None:
        raise ParameterError(f"The {apart} is not an option of a method here; it is given by itself.")
    build(entry.load(), entry.name, [], {**given, **({} if seed is None else {"seed": seed})})
    return promise.text, entry.name, given
