"""k-eps-l(k, epsilon, l): the satisfaction problem (Sun et al. 2010), of releases and of data as it stands."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.counting import counted
from covey.data import Ratings
from covey.errors import Infeasible
from covey.guarantees.k_eps_l import KEpsL
from covey.parameters import choice, number
from covey.progress import Progress, silent
from covey.release.ratings import RatingsRelease
from covey.staging import replacing
from covey.verdict import Check, Verdict
from covey.verify.neighbourhoods import ALGORITHMS, neighbourhoods
from covey.verify.ratings_fidelity import check_grid

#: What rounding may take from a variance before it counts as too low.
TOLERANCE = 1e-9

#: Group sizes at which the share of protected records is reported.
SIZES = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Satisfaction:
    """What `examine` found."""

    #: What was checked, and its parameters.
    guarantee: str
    k: int
    l: float | None  # noqa: E741 - the paper's name
    #: Size of each record's group; 0 for records not looked at after an early stop.
    size: Ints
    #: Lowest standard deviation of a sensitive issue in each group, in units of the scale; inf without l.
    deviation: Floats
    #: Which records break which clause.
    breaks_k: Mask
    breaks_l: Mask
    #: The issue with the lowest deviation, as a position in `issues`; -1 for none.
    worst: Ids
    #: The sensitive issues, and the records' names.
    issues: tuple[str, ...]
    users: tuple[str, ...]
    #: From the algorithm `slicing` only: sizes after the paper's trimming step.
    trimmed: Ints | None = None

    @property
    def holds(self) -> bool:
        """Whether no record looked at breaks a clause."""
        return not bool(self.breaks_k.any() or self.breaks_l.any())

    @property
    def complete(self) -> bool:
        """Whether all records were looked at."""
        return bool((self.size > 0).all())

    @property
    def largest_k(self) -> int:
        """The largest k that holds at this epsilon."""
        return int(self.size[self.size > 0].min(initial=len(self.size)))

    @property
    def largest_l(self) -> float | None:
        """The largest l that holds at this epsilon, rounded down; None when l was not asked for."""
        if self.l is None:
            return None
        lowest = float(self.deviation[self.size > 0].min(initial=np.inf))
        return float(np.floor(lowest * 1e6 + 1e-3) / 1e6)

    def protected(self, sizes: Iterable[int] = SIZES) -> list[dict[str, float]]:
        """The share of the records whose group has at least k members, for each k."""
        seen = np.sort(self.size[self.size > 0])
        wanted = sorted({*(k for k in sizes if len(seen) and k <= seen[-1]), self.k})
        below = np.searchsorted(seen, wanted)
        total = max(len(seen), 1)
        return [{"k": k, "share": (len(seen) - int(b)) / total} for k, b in zip(wanted, below, strict=True)]

    def violators(self) -> Ints:
        """Positions of the records that break a clause."""
        return np.flatnonzero(self.breaks_k | self.breaks_l)

    def write_violators(self, path: str | Path, *, force: bool = False) -> int:
        """Write a CSV with a line per violating record; returns how many there are.

        A file that exists is replaced with `force` only.
        """
        rows = self.violators()
        with replacing(Path(path), force=force) as new, new.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(["user", "breaks", "group_size", "lowest_deviation", "issue"])
            for row in rows.tolist():
                clauses = "k" * bool(self.breaks_k[row]) + "l" * bool(self.breaks_l[row])
                deviation = "" if self.l is None else f"{self.deviation[row]:.6g}"
                issue = self.issues[self.worst[row]] if self.worst[row] >= 0 else ""
                clause = "+".join(clauses)
                writer.writerow([self.users[row], clause, int(self.size[row]), deviation, issue])
        return len(rows)

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data for JSON."""
        body: dict[str, Any] = {
            "records": len(self.size),
            "examined": int((self.size > 0).sum()),
            "violators": len(self.violators()),
            "break_k": int(self.breaks_k.sum()),
            "break_l": int(self.breaks_l.sum()),
            "break_both": int((self.breaks_k & self.breaks_l).sum()),
            "complete": self.complete,
            "protected": self.protected(),
        }
        if self.complete:
            body |= {"largest_k": self.largest_k, "largest_l": self.largest_l}
        if self.trimmed is not None and self.complete:
            body["smallest_trimmed"] = int(self.trimmed.min())
        return body

    def verdict(self) -> Verdict:
        """The answer as checks, one per clause, with a witness."""
        checks = [self._check_k()]
        if self.l is not None:
            checks.append(self._check_l())
        return Verdict(guarantee=self.guarantee, checks=tuple(checks), figures=self.to_dict())

    def _check_k(self) -> Check:
        name = f"every record is proximate to at least {counted(self.k - 1, 'other')}"
        broken = np.flatnonzero(self.breaks_k)
        if not len(broken):
            detail = f"{counted(len(self.size), 'record')}, smallest group {self.largest_k:,}"
            return Check.ok(name, detail)
        row = int(broken[np.argmin(self.size[broken])])
        where = "alone" if self.size[row] == 1 else f"in one of {self.size[row]:,}"
        detail = f"{len(broken):,} of {len(self.size):,} records are in smaller groups; {self.users[row]!r} is {where}"
        return Check.failed(name, detail)

    def _check_l(self) -> Check:
        missing = "" if "nulls=omit" in self.guarantee else ", a missing rating counting as one step below the scale"
        name = f"in every group each sensitive issue has a standard deviation of at least {self.l:g}{missing}"
        broken = np.flatnonzero(self.breaks_l)
        if not len(broken):
            detail = f"{counted(len(self.issues), 'sensitive issue')}, lowest deviation {self.largest_l:.6g}"
            return Check.ok(name, detail)
        row = int(broken[np.argmin(self.deviation[broken])])
        detail = (
            f"{len(broken):,} of {len(self.size):,} records are in groups that differ less; in "
            f"the group of {self.users[row]!r} it is {self.deviation[row]:.4g} for {self.issues[self.worst[row]]!r}"
        )
        return Check.failed(name, detail)


#: A scale with fewer ratings is asked about each distance that it knows.
MOST_DISTANCES = 12


def check(promise: KEpsL, release: RatingsRelease) -> Verdict:
    """Check from the published ratings alone."""
    data = release.ratings
    if data.n == 0:
        nothing = Check.ok(f"every record keeps {promise.text}", "no record is published")
        return Verdict(guarantee=promise.text, checks=(nothing,))
    if promise.k > data.n or (promise.l is not None and not data.sensitive.any()):
        problem = f"{counted(data.n, 'record')}, {counted(int(data.sensitive.sum()), 'sensitive issue')}"
        failed = Check.failed(f"{promise.text} is possible", problem)
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
    try:
        return examine(promise, data, progress=progress).verdict()
    except Infeasible as error:
        failed = Check.failed(f"every record is proximate to at least {counted(promise.k - 1, 'other')}", str(error))
        return Verdict(guarantee=promise.text, checks=(failed,))


def examine(
    promise: KEpsL,
    data: Ratings,
    *,
    algorithm: str = "auto",
    first: bool = False,
    progress: Progress = silent,
) -> Satisfaction:
    """Answer the satisfaction problem in full: who breaks which clause, and what does hold.

    `algorithm` is "auto", "slicing" or "pairwise", which changes the time and not the answer. With `first` the search
    stops at the first violator, and the answer covers the records looked at.
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
