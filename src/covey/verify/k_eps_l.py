"""k-eps-l(k, epsilon, l): the satisfaction problem (Sun et al. 2010), of releases and of data as it stands."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from covey.counting import counted
from covey.data import Ratings
from covey.guarantees.k_eps_l import KEpsL
from covey.parameters import choice, number
from covey.progress import Progress, silent
from covey.release.ratings import RatingsRelease
from covey.verdict import Check, Verdict
from covey.verify.neighbourhoods import ALGORITHMS, neighbourhoods
from covey.verify.rating_rounding import check_grid
from covey.verify.satisfaction import TOLERANCE, Satisfaction

#: A scale with fewer ratings is asked about each distance that it knows.
MOST_DISTANCES = 12


def check(promise: KEpsL, release: RatingsRelease) -> Verdict:
    """Check from the published ratings alone."""
    data = release.ratings
    if data.n == 0:
        nothing = Check(name=f"every record keeps {promise.text}", passed=True, detail="no record is published")
        return Verdict(guarantee=promise.text, checks=(nothing,))
    if promise.k > data.n or (promise.l is not None and not data.sensitive.any()):
        problem = f"{counted(data.n, 'record')}, {counted(int(data.sensitive.sum()), 'sensitive issue')}"
        failed = Check(name=f"{promise.text} is possible", passed=False, detail=problem)
        return Verdict(guarantee=promise.text, checks=(failed,))
    verdict = examine(promise, data).verdict()
    verdict = replace(verdict, checks=(*check_grid(release), *verdict.checks))
    total = data.entries + release.suppressed_ratings
    share = data.entries / total if total else 1.0
    return replace(verdict, figures={**verdict.figures, "ratings_kept": share})


def check_ratings(promise: KEpsL, data: Ratings, *, progress: Progress = silent) -> Verdict:
    """Check unpublished data: does it keep the guarantee as it is?

    Examples
    --------
    >>> survey = Ratings.of([[1, 6, 1], [2, 5, 1], [1, 5, 4]], issues=["a", "b", "s"], scale="1:6",
    ...                     sensitive=["s"])
    >>> check_ratings(KEpsL(3, 1, 1), survey).holds
    True
    """
    return examine(promise, data, progress=progress).verdict()


def examine(
    promise: KEpsL,
    data: Ratings,
    *,
    algorithm: str = "auto",
    first: bool = False,
    progress: Progress = silent,
) -> Satisfaction:
    """Answer the satisfaction problem in full: who breaks which clause, and what does hold.

    Parameters
    ----------
    promise : KEpsL
        What is asked.
    data : Ratings
        With its sensitive issues marked.
    algorithm : {"auto", "slicing", "pairwise"}
        How to search; the answer is the same.
    first : bool
        Stop at the first violator found; the answer then covers the records looked at.
    """
    choice("check", "algorithm", algorithm, ALGORITHMS)
    promise.require_feasible(data.summary())
    # The variance that is asked for, in squared steps, less what rounding may take away.
    least = -np.inf if promise.l is None else (promise.l / data.scale.step) ** 2 * (1 - TOLERANCE) - TOLERANCE

    def broken(size: Any, variance: Any) -> bool:
        return bool((size < promise.k).any() or (variance < least).any())

    found = neighbourhoods(
        data,
        data.scale.steps(promise.epsilon),
        spread=promise.l is not None,
        zero=promise.nulls == "zero",
        algorithm=algorithm,
        stop=broken if first else None,
        progress=progress,
    )
    return Satisfaction(
        guarantee=promise.text,
        k=promise.k,
        l=promise.l,
        size=found.size,
        deviation=np.sqrt(found.variance) * data.scale.step,
        breaks_k=(found.size < promise.k) & (found.size > 0),
        breaks_l=found.variance < least,
        worst=found.worst,
        issues=tuple(data.sensitive_issues()),
        users=data.users,
        trimmed=found.trimmed,
    )


def curve(data: Ratings, epsilons: list[float] | None = None, *, progress: Progress = silent) -> list[dict[str, float]]:
    """The largest k that holds at each epsilon; by default at every distance of a short scale, at round ones of a long.

    Examples
    --------
    >>> survey = Ratings.of([[1, 6], [2, 5], [1, 5]], issues=["a", "b"], scale="1:6")
    >>> [point["k"] for point in curve(survey, [0, 1, 6])]
    [1, 3, 3]
    """
    scale = data.scale
    if epsilons is None:
        apart = scale.step if scale.levels < MOST_DISTANCES else scale.near
        epsilons = [round(step * apart, 9) for step in range(math.ceil(scale.r / apart - 1e-9) + 1)]
    points: list[dict[str, float]] = []
    for at, epsilon in enumerate(epsilons):
        progress("curve", at / len(epsilons))
        steps_apart = scale.steps(number("curve", "epsilon", epsilon, minimum=0))
        # One record that is alone settles k = 1; no search need go on.
        found = neighbourhoods(data, steps_apart, spread=False, stop=lambda size, _: bool((size == 1).any()))
        points.append({"epsilon": epsilon, "k": int(found.size[found.size > 0].min(initial=data.n))})
    return points
