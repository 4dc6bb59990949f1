"""The full answer to the satisfaction problem: not yes or no, but who, why, and what would hold."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.counting import counted
from covey.release.writing import replacing
from covey.verdict import Check, Verdict

#: What rounding may take from a variance before it counts as too low.
TOLERANCE = 1e-9

#: Group sizes at which the share of protected records is reported.
SIZES = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Satisfaction:
    """What `covey.verify.k_eps_l.examine` found.

    Attributes
    ----------
    guarantee : str
        What was asked.
    k, l
        Its parameters.
    size : int64 array
        Size of each record's group; 0 for records not looked at after an early stop.
    deviation : float array
        Lowest standard deviation of a sensitive issue in each group, in units of the scale; inf when l is not
        asked for.
    breaks_k, breaks_l : bool arrays
        Which records break which clause.
    worst : int32 array
        The issue with the lowest deviation, as a position in `issues`; -1 for none.
    issues : tuple of str
        The sensitive issues.
    users : tuple of str
        The records' names.
    trimmed : int64 array or None
        From the algorithm `slicing` only: sizes after the paper's trimming step.
    """

    guarantee: str
    k: int
    l: float | None  # noqa: E741 - the paper's name
    size: Ints
    deviation: Floats
    breaks_k: Mask
    breaks_l: Mask
    worst: Ids
    issues: tuple[str, ...]
    users: tuple[str, ...]
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
            return Check(name=name, passed=True, detail=detail)
        row = int(broken[np.argmin(self.size[broken])])
        where = "alone" if self.size[row] == 1 else f"in one of {self.size[row]:,}"
        detail = f"{len(broken):,} of {len(self.size):,} records are in smaller groups; {self.users[row]!r} is {where}"
        return Check(name=name, passed=False, detail=detail)

    def _check_l(self) -> Check:
        missing = "" if "nulls=omit" in self.guarantee else ", a missing rating counting as one step below the scale"
        name = f"in every group each sensitive issue has a standard deviation of at least {self.l:g}{missing}"
        broken = np.flatnonzero(self.breaks_l)
        if not len(broken):
            detail = f"{counted(len(self.issues), 'sensitive issue')}, lowest deviation {self.largest_l:.6g}"
            return Check(name=name, passed=True, detail=detail)
        row = int(broken[np.argmin(self.deviation[broken])])
        detail = (
            f"{len(broken):,} of {len(self.size):,} records are in groups that differ less; in "
            f"the group of {self.users[row]!r} it is {self.deviation[row]:.4g} for {self.issues[self.worst[row]]!r}"
        )
        return Check(name=name, passed=False, detail=detail)
