"""Measuring time: the best of a few runs, after one that only loads compiled code."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from covey.errors import InputError
from covey.guarantees.k_eps_l import KEpsL
from covey.parameters import integer, number
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
