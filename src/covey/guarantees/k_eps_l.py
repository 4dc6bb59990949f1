"""k-eps-l(k, epsilon, l): the similar are many and differ in what is sensitive (Sun et al. 2010, Def. 1 to 3).

The promise is about an adversary who knows roughly (within epsilon) how a person rated the non-sensitive issues,
and which of them the person rated, knows that the person is in the data, and looks for the sensitive ratings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from covey.contracts import Check, Progress, Verdict, silent
from covey.data import Ratings
from covey.errors import Infeasible, InputError, ParameterError
from covey.parameters import call_text, choice, integer, number
from covey.verify.neighbourhoods import ALGORITHMS, neighbourhoods
from covey.verify.satisfaction import TOLERANCE, Satisfaction

NULLS = ("zero", "omit")


@dataclass(frozen=True, slots=True)
class KEpsL:
    """Every record is epsilon-proximate with k - 1 others, and in its group sensitive ratings spread by l.

    Parameters
    ----------
    k : int
        Records in every group, at least 1.
    epsilon : float
        Two records are proximate when no non-sensitive issue separates them by more.
    l : float or None
        The least standard deviation of each sensitive issue in every group; None asks for k alone.
    nulls : {"zero", "omit"}
        How members without a rating count in that deviation: ``zero`` as deviating by the mean (the paper's
        reading), ``omit`` not at all.

    Examples
    --------
    >>> KEpsL(20, 1, 2).text
    'k-eps-l(k=20, epsilon=1, l=2)'
    >>> survey = Ratings.of([[1, 6, 1], [2, 5, 1], [1, 5, 4]], issues=["a", "b", "s"], scale="1:6",
    ...                     sensitive=["s"])
    >>> KEpsL(3, 1, 1).check_data(survey).holds
    True
    """

    name: ClassVar[str] = "k-eps-l"
    data: ClassVar[str] = "ratings"

    k: int
    epsilon: float
    l: float | None = None  # noqa: E741 - the paper's name
    nulls: str = "zero"

    def __post_init__(self) -> None:
        integer(self.name, "k", self.k, minimum=1)
        number(self.name, "epsilon", self.epsilon, minimum=0)
        if self.l is not None:
            number(self.name, "l", self.l, minimum=0)
        choice(self.name, "nulls", self.nulls, NULLS)

    @property
    def text(self) -> str:
        """The guarantee as written everywhere."""
        nulls = self.nulls if self.nulls != NULLS[0] else None
        return call_text(self.name, {"k": self.k, "epsilon": self.epsilon, "l": self.l, "nulls": nulls})

    def require_feasible(self, data: Ratings) -> None:
        """Raise when there are fewer than k respondents, none at all, or no sensitive issue where l is asked."""
        if not data.n:
            raise InputError("the data has no respondents", remedy="Check that the file holds ratings.")
        if self.l is not None and not data.sensitive.any():
            raise ParameterError(
                "l asks how much sensitive ratings differ, and no issue is named as sensitive. Give them with "
                "--sensitive (a file with one issue per line, or a comma list), or leave l out."
            )
        if self.k > data.n:
            raise Infeasible(
                f"{self.text} cannot be kept: there are only {data.n:,} respondents. "
                f"The largest possible k is {data.n:,}.",
                witness=f"{data.n} respondents",
                best=data.n,
            )

    def examine(
        self, data: Ratings, *, algorithm: str = "auto", first: bool = False, progress: Progress = silent
    ) -> Satisfaction:
        """Answer the satisfaction problem in full: who breaks which clause, and what does hold.

        Parameters
        ----------
        data : Ratings
            With its sensitive issues marked.
        algorithm : {"auto", "slicing", "pairwise"}
            How to search; the answer is the same.
        first : bool
            Stop at the first violator found; the answer then covers the records looked at.
        """
        choice("check", "algorithm", algorithm, ALGORITHMS)
        self.require_feasible(data)

        def broken(size: Any, variance: Any) -> bool:
            return bool((size < self.k).any() or (variance < self._least_variance(data)).any())

        found = neighbourhoods(
            data,
            data.scale.steps(self.epsilon),
            spread=self.l is not None,
            zero=self.nulls == "zero",
            algorithm=algorithm,
            stop=broken if first else None,
            progress=progress,
        )
        return Satisfaction(
            guarantee=self.text,
            k=self.k,
            l=self.l,
            size=found.size,
            deviation=np.sqrt(found.variance) * data.scale.step,
            breaks_k=(found.size < self.k) & (found.size > 0),
            breaks_l=found.variance < self._least_variance(data),
            worst=found.worst,
            issues=tuple(data.sensitive_issues()),
            users=data.users,
            trimmed=found.trimmed,
        )

    def _least_variance(self, data: Ratings) -> float:
        """The variance that is asked for, in squared steps, less what rounding may take away."""
        if self.l is None:
            return -np.inf
        return (self.l / data.scale.step) ** 2 * (1 - TOLERANCE) - TOLERANCE

    def check_data(self, data: Ratings, *, progress: Progress = silent) -> Verdict:
        """Check unpublished data: does it keep the guarantee as it is?"""
        return self.examine(data, progress=progress).verdict()

    def check(self, release: Any) -> Verdict:
        """Check from the published ratings alone."""
        data: Ratings = release.ratings
        if data.n == 0:
            nothing = Check(
                name=f"every record keeps {self.text}", passed=True, detail="no record is published"
            )
            return Verdict(guarantee=self.text, checks=(nothing,))
        if self.k > data.n or (self.l is not None and not data.sensitive.any()):
            problem = f"{data.n:,} records, {int(data.sensitive.sum()):,} sensitive issues"
            failed = Check(name=f"{self.text} is possible", passed=False, detail=problem)
            return Verdict(guarantee=self.text, checks=(failed,))
        verdict = self.examine(data).verdict()
        total = data.entries + release.suppressed_ratings
        share = data.entries / total if total else 1.0
        return replace(verdict, figures={**verdict.figures, "ratings_kept": share})


def curve(
    data: Ratings, epsilons: list[float] | None = None, *, progress: Progress = silent
) -> list[dict[str, float]]:
    """The largest k that holds at each epsilon; by default at every distance the scale knows, at most a dozen.

    Examples
    --------
    >>> survey = Ratings.of([[1, 6], [2, 5], [1, 5]], issues=["a", "b"], scale="1:6")
    >>> [point["k"] for point in curve(survey, [0, 1, 6])]
    [1, 3, 3]
    """
    scale = data.scale
    if epsilons is None:
        steps = np.unique(np.linspace(0, scale.levels, min(scale.levels + 1, 12)).astype(np.int64))
        epsilons = [round(float(step) * scale.step, 9) for step in steps]
    points: list[dict[str, float]] = []
    for at, epsilon in enumerate(epsilons):
        progress("curve", at / len(epsilons))
        steps_apart = scale.steps(number("curve", "epsilon", epsilon, minimum=0))
        # One record that is alone settles k = 1; no search need go on.
        found = neighbourhoods(data, steps_apart, spread=False, stop=lambda size, _: bool((size == 1).any()))
        points.append({"epsilon": epsilon, "k": int(found.size[found.size > 0].min(initial=data.n))})
    return points
