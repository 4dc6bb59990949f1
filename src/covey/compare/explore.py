"""Strengths × methods over one file: what each release keeps, and what it risks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from covey.compare.cells import Job, check_jobs
from covey.compare.config import DataSpec
from covey.compare.run import run_jobs
from covey.errors import Infeasible
from covey.guarantees import guarantee as parse_guarantee
from covey.guarantees.base import Guarantee
from covey.io.source import Source
from covey.measure.profile import profile
from covey.parameters import integer, number
from covey.pipeline import plan, taxonomy_of
from covey.progress import Progress, silent
from covey.registry import methods
from covey.report.trade import Kept, Point, asked_strengths, weigh
from covey.threads import threads

#: Methods to try when none is named.
METHODS = 2
METRICS = ("kept", "risk")
#: A release is recommended to someone who limits the lift if attacks on it are within the limit with so many seeds.
SEEDS = 3
NAME = "data"


def explore_data(
    source: Source,
    guarantee: Any,
    using: Sequence[str] = (),
    *,
    strengths: Sequence[int] | str | None = None,
    taxonomy: Any = None,
    lift: float | None = None,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Make a release for every strength and method, and tell what it keeps and risks; nothing is written.

    Parameters
    ----------
    source : Source
        The original.
    guarantee : str or guarantee
        The promise that is wanted; one of its parameters varies around its value there.
    using : sequence of str
        Methods, with options where wanted; the first ones of the registry when empty.
    strengths : sequence of int, str or None
        Values of the parameter to try, also as text such as ``"2,4,10"``, or ``"m=1,2,3"`` for another than the main
        one. None takes those of `covey.report.trade.LADDER` that the data allows.
    taxonomy : Taxonomy, path or None
        How items may be generalized.
    lift : float or None
        The highest lift that an attack may have for a release to be recommended. Releases differ with the seed, so
        what would be recommended is made again with the next seeds, and of each attack the one that gains most counts.
    seed : int
        For methods, queries and attacks.
    jobs : int or None
        Processes; None takes every core, 1 works in this process.

    Returns
    -------
    dict
        ``parameter``, ``asked``, ``measure`` (what the points are measured by), ``points`` (see
        `covey.report.trade.Trade.rows`), ``recommended`` (its place among the points, or None), ``why``, and the
        ``price`` of each strength where that can be told beforehand.
    """
    promise = parse_guarantee(guarantee)
    parameter, values = asked_strengths(promise, strengths)
    if lift is not None:
        number("explore", "lift", lift, minimum=1)
    if jobs is not None:
        integer("explore", "jobs", jobs, minimum=1)
    tree = taxonomy_of(taxonomy)
    first = plan(source, promise, using[0] if using else None, taxonomy=tree)
    kind = first.source.decided.name
    chosen = tuple(using) or tried(promise, kind, taxonomy=tree is not None)
    data = first.read(progress=progress)
    asked = getattr(promise, parameter)
    if strengths is None:
        values = [value for value in values if value == asked or feasible(promise, parameter, value, data)]
    spec = DataSpec(name=NAME, title=NAME, kind=kind)
    work = [
        Job(data=spec, method=method, guarantee=promised, seed=seed, metrics=METRICS)
        for promised in (promise.having(**{parameter: value}).text for value in values)
        for method in dict.fromkeys(chosen)
    ]
    check_jobs(work)
    found: dict[str, dict[str, dict[str, Any]]] = {}

    def keep(job: Job, figures: dict[str, dict[str, Any]]) -> None:
        found[job.key] = figures
        progress("comparing", min(len(found) / len(work), 1.0))

    def do(some: list[Job]) -> None:
        run_jobs(some, min(jobs or threads(), len(some)), keep, {NAME: (data, tree)})

    progress("comparing", 0.0)
    do(work)
    points = [
        point_of(job, getattr(parse_guarantee(job.guarantee), parameter), found[job.key])
        for job in work
        if job.guarantee is not None and job.method is not None
    ]
    trade = weigh(points, asked, parameter, lift)
    judged: set[int] = set()
    while lift is not None and trade.recommended is not None:
        at = points.index(trade.recommended)
        if at in judged:
            break
        judged.add(at)
        again = [replace(work[at], seed=seed + more, metrics=("risk",)) for more in range(1, SEEDS)]
        do(again)
        points[at] = points[at].beside([found[job.key]["risk"].get("details", []) for job in again])
        trade = weigh(points, asked, parameter, lift)
    return {
        "guarantee": promise.text,
        "kind": kind,
        "parameter": parameter,
        "asked": asked,
        "strengths": list(values),
        "methods": list(dict.fromkeys(chosen)),
        "measure": None
        if trade.measure is None
        else {"name": trade.measure.measure, "label": trade.measure.label, "share": trade.measure.share},
        "points": trade.rows(),
        "recommended": next((at for at, one in enumerate(points) if one is trade.recommended), None),
        "why": trade.why,
        "price": price(promise, values, data) if parameter == promise.bounds_certainty else [],
    }


def tried(promise: Guarantee, kind: str, *, taxonomy: bool) -> tuple[str, ...]:
    """The methods to try when none is named, the recommended one first."""
    able = methods(guarantee=promise.name, data=kind, taxonomy=taxonomy)
    if not taxonomy:  # what generalizes would have nothing to go by
        able = tuple(one for one in able if not one.generalizes) or able
    return tuple(one.name for one in able[:METHODS])


def feasible(promise: Guarantee, parameter: str, value: int, data: Any) -> bool:
    """Whether data of this size and with these secrets allows a strength, as far as that can be told beforehand."""
    try:
        promise.having(**{parameter: value}).require_feasible(data.summary())
    except Infeasible:
        return False
    return True


def point_of(job: Job, strength: float, figures: Mapping[str, Mapping[str, Any]]) -> Point:
    """What became of one job."""
    kept, risk = (figures[metric] for metric in METRICS)
    return Point(
        guarantee=str(job.guarantee),
        method=str(job.method),
        strength=strength,
        kept=tuple(Kept(**one) for one in kept.get("details", ())),
        attacks=risk.get("details", []),
        problem=kept.get("problem") or "",
    )


def price(promise: Guarantee, values: Sequence[int], data: Any) -> list[dict[str, int]]:
    """How many of the frequent pairs of a sensitive and an ordinary item each strength allows to be told of at all."""
    told = profile(data).get("associations", {})
    pairs = told.get("admissible_up_to", [])
    name = promise.bounds_certainty
    return [
        {name: value, "pairs": len(pairs), "admissible": sum(most >= value for most in pairs)}
        for value in values
        if pairs
    ]
