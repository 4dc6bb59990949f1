"""What a comparison can measure, by name.

Of data: its shape, the re-identification risk, and the time to check survey ratings. Of a release: `seconds`, `count`,
`kept`, `risk`, and what its kind names as measures and attacks. Each takes (release, original) and returns a number or
an object with a mean, value or rate, or with an attribute of its own name.
"""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from covey.errors import InputError, ParameterError
from covey.guarantees.k_eps_l import KEpsL
from covey.measure.attacks import ATTACKS, attacked, run_attacks
from covey.measure.evaluation import MEASURES, evaluate
from covey.measure.facts import facts
from covey.measure.reidentification import reidentification
from covey.parameters import did_you_mean, integer, number, parse_call
from covey.report.trade import KEPT, kept_of
from covey.verify import kinds_checked
from covey.verify.k_eps_l import examine

#: Time is the best of so many runs, while they take less than so many seconds together.
REPEATS = 3
ENOUGH = 10.0

#: Respondents on whom an algorithm is run once before its time is taken.
FEW = 40


def again(work: Callable[[], Any], first: float) -> list[float]:
    """The time of a first run and of up to two more; other work on the machine only ever adds time."""
    times = [first]
    while len(times) < REPEATS and sum(times) < ENOUGH:
        times.append(once(work))
    return times


def once(work: Callable[[], Any]) -> float:
    """The seconds that one run takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def check_seconds(
    data: Any,
    *,
    k: int,
    epsilon: float,
    l: float | None = None,  # noqa: E741 - the paper's name
    algorithm: str = "auto",
    share: float = 1.0,
    seed: int = 0,
) -> float:
    """The time to decide k-eps-l on survey ratings as they are (Sun et al. 2010, section 5).

    Parameters
    ----------
    data : Ratings
        With its sensitive issues marked.
    k, epsilon, l
        As in the guarantee `k-eps-l`.
    algorithm : {"auto", "slicing", "pairwise"}
        How to search.
    share : float
        The part of the respondents to take, drawn without replacement; smaller parts are parts of larger ones.
    seed : int
        For drawing them.

    Raises
    ------
    Infeasible
        Fewer than k respondents are taken.

    Examples
    --------
    >>> from covey.synth import survey
    >>> check_seconds(survey(respondents=50, seed=1), k=2, epsilon=1, share=0.5) > 0
    True
    """
    able = kinds_checked(KEpsL.name)
    if data.kind not in able:
        raise InputError(
            f"check_seconds decides {KEpsL.name}, which is about {' or '.join(able)}; this data is {data.kind}",
            remedy=f'Set kind = "{able[0]}" for it.',
        )
    promise = KEpsL(k, epsilon, l)
    number("check_seconds", "share", share, minimum=0, maximum=1)
    integer("check_seconds", "seed", seed, minimum=0)
    order = np.random.default_rng(seed).permutation(data.n)
    part = data if share == 1 else data.take(np.sort(order[: round(data.n * share)]))
    promise.require_feasible(part.summary())
    # The algorithm chosen for many respondents may use loops that few do not need: the first time of several
    # runs then holds their loading, and the best of them does not.
    examine(KEpsL(1, epsilon, l), data.take(order[:FEW]), algorithm=algorithm)

    def work() -> None:
        examine(promise, part, algorithm=algorithm)

    return min(again(work, once(work)))


#: Where the value of a metric's result may stand, in order of preference.
VALUES = ("mean", "risk", "rate", "success", "success_rate")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured number."""

    value: float
    #: Of the number, where the metric samples.
    standard_error: float | None = None
    #: What else was found on the way, where somebody may want it.
    details: list[dict[str, Any]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The figure as plain data for JSON, which has no NaN."""
        plain = {"value": _finite(self.value), "standard_error": _finite(self.standard_error)}
        return {**plain, "details": self.details} if self.details else plain


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _reidentification(data: Any, *, known: int = 1, samples: int = 20_000, seed: int = 0) -> Any:
    return reidentification(facts(data), known, samples=samples, seed=seed)


def _size(needs: str, of: Callable[[Any], float] | None = None) -> Callable[[Any], float]:
    """A figure of data of the kinds that have the attribute it needs."""

    def size(data: Any) -> float:
        if not hasattr(data, needs):
            raise ParameterError(f"This cannot be measured of {data.kind}.")
        value: float = getattr(data, needs) if of is None else of(data)
        return value

    return size


OF_DATA: dict[str, Callable[..., Any]] = {
    "transactions": _size("n"),
    "items": _size("d"),
    "entries": _size("entries"),
    "longest": _size("lengths", lambda data: int(data.lengths().max(initial=0))),
    "mean_length": _size("entries", lambda data: data.entries / max(data.n, 1)),
    "reidentification": _reidentification,
    "check_seconds": check_seconds,
}


def _count(release: Any, original: Any, *, of: str) -> int:
    counts: dict[str, int] = release.counts()
    if of not in counts:
        raise ParameterError(
            f"A {release.kind} release has no count '{of}'.{did_you_mean(of, counts)} It has {', '.join(counts)}."
        )
    return counts[of]


def _kept(release: Any, original: Any, *, seed: int = 0, taxonomy: Any = None) -> Figure:
    """What is left of the original, by the most telling yardstick of its kind."""
    found = kept_of(evaluate(release, original, seed, taxonomy=taxonomy))
    if not found:
        raise ParameterError(f"There is no yardstick yet for what a {release.kind} release keeps.")
    return Figure(value=found[0].value, standard_error=found[0].error, details=[asdict(one) for one in found])


def _risk(release: Any, original: Any, *, seed: int = 0) -> Figure:
    """How often the best attack is right."""
    found = run_attacks(release, original, seed)
    best = max(found, key=lambda one: one.success_rate if one.targets else 0.0)
    details = [one.to_dict() for one in found]
    return Figure(value=best.success_rate, standard_error=(best.high - best.low) / 3.92, details=details)


def _of_release(kind: str, seconds: float = math.nan) -> dict[str, Callable[..., Any]]:
    """All that can be measured of a kind of release, by name, and the time that it took to make it."""
    every: dict[str, Callable[..., Any]] = {"seconds": lambda release, original: seconds, "count": _count}
    if kind in KEPT:
        every["kept"] = _kept
    if kind in ATTACKS:
        every["risk"] = _risk
    return {**every, **MEASURES.get(kind, {}), **ATTACKS.get(kind, {})}


def check_measure(text: str, kind: str | None) -> None:
    """Raise `ParameterError` unless `text` names something that can be measured with such parameters.

    Parameters
    ----------
    text : str
        A metric with its parameters.
    kind : str or None
        The kind of release that it is measured of; None for data without a method.
    """
    name, positional, named = parse_call(text)
    if positional:
        raise ParameterError(f"Write the parameters of the metric {text!r} by name, such as kl(r=4).")
    known = OF_DATA if kind is None else _of_release(kind)
    if name not in known:
        what = "of data without a method" if kind is None else f"of a {kind} release"
        raise ParameterError(
            f"There is no metric '{name}' {what}.{did_you_mean(name, known)} Known: {', '.join(sorted(known))}."
        )
    takes = inspect.signature(known[name]).parameters
    # A taxonomy is no text: metrics that take one get that of the data set. Nor is what attacks share.
    written = [key for key in list(takes)[1 if kind is None else 2 :] if key not in ("taxonomy", "study")]
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
    function = _of_release(release.kind, seconds)[name]
    if name in ATTACKS.get(release.kind, {}):
        release, original = attacked(release, original)
    if taxonomy is not None and "taxonomy" in inspect.signature(function).parameters:
        named = {**named, "taxonomy": taxonomy}
    return _figure(name, _call(function, (release, original), named, seed))


def _call(function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any], seed: int) -> Any:
    # The run's seed also draws the queries: two methods of one run are asked the same.
    if "seed" in inspect.signature(function).parameters and "seed" not in named:
        named = {**named, "seed": seed}
    return function(*arguments, **named)


def _figure(metric: str, result: Any) -> Figure:
    if isinstance(result, Figure):
        return result
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
    raise ParameterError(f"The metric returned {type(result).__name__}, which has no single value to compare.")
