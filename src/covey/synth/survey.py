"""A generated survey: respondents of a few persuasions who rate issues on a scale, and skip some."""

from __future__ import annotations

import numpy as np

from covey.data import Ratings, Scale
from covey.errors import ParameterError
from covey.parameters import integer, number
from covey.progress import Progress, silent


def survey(
    *,
    respondents: int = 10_000,
    issues: int = 20,
    sensitive: int = 1,
    levels: int = 6,
    profiles: int = 30,
    noise: float = 0.3,
    answered: float = 1.0,
    seed: int | None = None,
    progress: Progress = silent,
) -> Ratings:
    """Draw a survey.

    Every respondent has one of `profiles`, a typical rating per issue; each rating is the typical one or, with
    probability `noise`, one beside it. Sensitive issues are rated at random, whatever the profile.

    Parameters
    ----------
    sensitive : int
        How many issues are sensitive: the last ones.
    levels : int
        Ratings are 1 .. levels.
    profiles : int
        Number of persuasions; 0 draws every rating at random, so that nobody resembles anybody.
    noise, answered : float
        Share of ratings beside the typical one, and of ratings that are given at all, 0 to 1.

    Examples
    --------
    >>> survey(respondents=100, issues=4, seed=1)
    Ratings(100 respondents, 4 issues, 400 ratings on 1:6, 1 sensitive)
    """
    integer("survey", "respondents", respondents, minimum=1)
    integer("survey", "issues", issues, minimum=1)
    integer("survey", "sensitive", sensitive, minimum=0)
    if sensitive >= issues:
        raise ParameterError(
            f"A survey of {issues} issues can have at most {issues - 1} sensitive ones. Got {sensitive}."
        )
    integer("survey", "levels", levels, minimum=1)
    integer("survey", "profiles", profiles, minimum=0)
    number("survey", "noise", noise, minimum=0, maximum=1)
    number("survey", "answered", answered, minimum=0, maximum=1)
    rng = np.random.default_rng(seed)
    profile = rng.integers(0, max(profiles, 1), respondents)
    codes = np.empty((respondents, issues), np.int16)
    for issue in range(issues):
        progress("generating", issue / issues)
        if profiles == 0 or issue >= issues - sensitive:
            codes[:, issue] = rng.integers(1, levels + 1, respondents)
            continue
        typical = rng.integers(1, levels + 1, profiles)[profile]
        beside = rng.choice(np.array([-1, 1]), respondents) * (rng.random(respondents) < noise)
        codes[:, issue] = np.clip(typical + beside, 1, levels)
    given = np.ones(codes.shape, np.bool_) if answered == 1 else rng.random(codes.shape) < answered
    rows, columns = np.nonzero(given)
    width = len(str(issues))
    labels = [f"issue {i + 1:0{width}d}" for i in range(issues)]
    return Ratings.build(
        rows,
        columns,
        codes[given],
        users=[str(i + 1) for i in range(respondents)],
        labels=labels,
        scale=Scale(1.0, float(levels)),
        sensitive=labels[issues - sensitive :] if sensitive else (),
    )
