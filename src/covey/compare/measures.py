"""What a comparison can measure, by name.

Of data: its shape, the re-identification risk, and the time to check survey ratings. Of a release: `seconds`,
`count`, and every function of `covey.metrics` or `covey.attacks` that is named like its module, takes (release,
original) and returns a number or an object with a mean, value or rate, or with an attribute of its own name. A new
metric needs no line here.
"""

from __future__ import annotations

import inspect
import math
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from covey.compare.timing import check_seconds
from covey.errors import ParameterError
from covey.parameters import did_you_mean, parse_call

#: Where the value of a metric's result may stand, in order of preference.
VALUES = ("mean", "risk", "rate", "success", "success_rate")

HOMES = ("covey.metrics", "covey.attacks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured number.

    Attributes
    ----------
    value : float
        The number.
    standard_error : float or None
        Of the number, where the metric samples.
    """

    value: float
    standard_error: float | None = None

    def to_dict(self) -> dict[str, float | None]:
        """The figure as plain data for JSON, which has no NaN."""
        return {"value": _finite(self.value), "standard_error": _finite(self.standard_error)}


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _reidentification(data: Any, *, known: int = 1, samples: int = 20_000, seed: int = 0) -> Any:
    from covey.metrics.reidentification import reidentification

    return reidentification(data, known, samples=samples, seed=seed)


OF_DATA: dict[str, Callable[..., Any]] = {
    "transactions": lambda data: data.n,
    "items": lambda data: data.d,
    "entries": lambda data: data.entries,
    "longest": lambda data: int(data.lengths().max()) if data.n else 0,
    "mean_length": lambda data: data.entries / max(data.n, 1),
    "reidentification": _reidentification,
    "check_seconds": check_seconds,
}


def _count(release: Any, original: Any, *, of: str) -> int:
    counts: dict[str, int] = release.counts()
    if of not in counts:
        raise ParameterError(
            f"A {release.kind} release has no count '{of}'.{did_you_mean(of, counts)} "
            f"It has {', '.join(counts)}."
        )
    return counts[of]


def known_measures(*, of_data: bool) -> list[str]:
    """The names that may be measured of data, or of a release."""
    if of_data:
        return sorted(OF_DATA)
    return sorted({"seconds", "count", "reidentification", *_functions()})


def _functions() -> dict[str, str]:
    found: dict[str, str] = {}
    for home in HOMES:
        try:
            package = import_module(home)
        except ModuleNotFoundError:
            continue
        for module in pkgutil.iter_modules(package.__path__):
            found.setdefault(module.name, f"{home}.{module.name}")
    found.pop("reidentification", None)
    return found


def _release_function(name: str) -> Callable[..., Any] | None:
    if name == "count":
        return _count
    if name == "reidentification":
        return lambda release, original, **options: _reidentification(release.transactions, **options)
    modules = _functions()
    if name not in modules:
        return None
    module = import_module(modules[name])
    function = getattr(module, name, None)
    return function if callable(function) else None


def check_measure(text: str, *, of_data: bool) -> None:
    """Raise `ParameterError` unless `text` names something that can be measured with such parameters."""
    name, positional, named = parse_call(text)
    function = OF_DATA.get(name) if of_data else _release_function(name)
    if positional:
        raise ParameterError(f"Write the parameters of the metric {text!r} by name, such as kl(r=4).")
    if name == "seconds" and not of_data:
        if named:
            raise ParameterError("The metric seconds takes no parameters.")
        return
    if function is None:
        known = known_measures(of_data=of_data)
        what = "of data without a method" if of_data else "of a release"
        raise ParameterError(
            f"There is no metric '{name}' {what}.{did_you_mean(name, known)} Known: {', '.join(known)}."
        )
    takes = inspect.signature(function if name != "reidentification" else _reidentification).parameters
    # A taxonomy is no text: metrics that take one get that of the data set.
    what_is_measured = 1 if of_data or name == "reidentification" else 2
    written = [key for key in list(takes)[what_is_measured:] if key != "taxonomy"]
    for key in named:
        if key not in written:
            allowed = ", ".join(written) or "none"
            raise ParameterError(f"The metric {name} has no parameter '{key}'. It takes {allowed}.")
    for key, parameter in takes.items():
        needed = parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty
        if needed and key not in named:
            raise ParameterError(f"The metric {name} needs the parameter '{key}', as in {name}({key}=…).")


def measure_data(text: str, data: Any, *, seed: int) -> Figure:
    """Measure one thing of a data set."""
    name, _, named = parse_call(text)
    return _figure(name, _call(OF_DATA[name], (data,), named, seed))


def measure_release(
    text: str, release: Any, original: Any, *, seconds: float, seed: int, taxonomy: Any = None
) -> Figure:
    """Measure one thing of a release against its original, along the taxonomy if the metric takes one."""
    name, _, named = parse_call(text)
    if name == "seconds":
        return Figure(value=seconds)
    if name == "reidentification":
        return _figure(name, _call(_reidentification, (release.transactions,), named, seed))
    function = _release_function(name)
    if function is None:
        raise ParameterError(f"There is no metric '{name}' of a release.")
    if taxonomy is not None and "taxonomy" in inspect.signature(function).parameters:
        named = {**named, "taxonomy": taxonomy}
    return _figure(name, _call(function, (release, original), named, seed))


def _call(function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any], seed: int) -> Any:
    # The run's seed also draws the queries: two methods of one run are asked the same.
    if "seed" in inspect.signature(function).parameters and "seed" not in named:
        named = {**named, "seed": seed}
    return function(*arguments, **named)


def _figure(metric: str, result: Any) -> Figure:
    if isinstance(result, int | float):
        return Figure(value=float(result))
    # `value` first: an object may count something under its own name and still be asked for a share.
    for name in ("value", metric, *VALUES):
        value = getattr(result, name, None)
        if isinstance(value, int | float):
            error = getattr(result, "standard_error", None)
            low, high = getattr(result, "low", None), getattr(result, "high", None)
            if error is None and low is not None and high is not None:
                error = (high - low) / 3.92
            return Figure(value=float(value), standard_error=None if error is None else float(error))
    raise ParameterError(
        f"The metric returned {type(result).__name__}, which has no single value to compare."
    )
