"""l-diversity(l, k): k-anonymity whose classes also hold l well represented secrets.

Who finds the class of a person in the release still does not know the person's sensitive values
(Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, ICDE 2006).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.contracts import Check, Progress, Verdict, silent
from covey.data import Table
from covey.errors import Infeasible, ParameterError
from covey.parameters import call_text, choice, integer
from covey.verify.table_classes import check_table, require_feasible_table, row_kinds, shown

KINDS = ("distinct", "frequency")


@dataclass(frozen=True, slots=True)
class LDiversity:
    """Every class of equal rows has at least k members and l well represented values in each sensitive column.

    Parameters
    ----------
    l : int
        At least 2.
    k : int
        Least size of a class; l rows are needed in any case.
    kind : {"distinct", "frequency"}
        ``distinct``: at least l different values. ``frequency``: no value in more than 1/l of the class, which
        implies the former and bounds the chance of a right guess.

    Examples
    --------
    >>> LDiversity(3, k=10).text
    'l-diversity(l=3, k=10, kind=distinct)'
    """

    name: ClassVar[str] = "l-diversity"
    data: ClassVar[str] = "table"

    l: int  # noqa: E741
    k: int = 2
    kind: str = "distinct"

    def __post_init__(self) -> None:
        integer(self.name, "l", self.l, minimum=2)
        integer(self.name, "k", self.k, minimum=2)
        choice(self.name, "kind", self.kind, KINDS)

    @property
    def text(self) -> str:
        """The guarantee as written everywhere."""
        return call_text(self.name, {"l": self.l, "k": self.k, "kind": self.kind})

    def require_feasible(self, data: Any) -> None:
        """Raise when not even all rows as one class would do, or no column is sensitive."""
        if not isinstance(data, Table):
            raise ParameterError(f"{self.name} protects tables. Got {type(data).__name__} instead.")
        if not data.of_role("sensitive"):
            raise ParameterError(
                "l-diversity protects sensitive columns, and none is named. Give them with --sensitive."
            )
        require_feasible_table(data, self.k, self.text)
        for column in data.of_role("sensitive"):
            counts = np.bincount(column.codes)
            best = self._best(int((counts > 0).sum()), data.n / max(int(counts.max()), 1))
            if best < self.l:
                common = column.values[int(counts.argmax())] or "(missing)"
                remedy = f"The largest feasible l is {best}." if best >= 2 else "No l is feasible."
                raise Infeasible(
                    f"{self.text} cannot be kept: the column {column.name!r} has {int((counts > 0).sum())} "
                    f"values, of which {common!r} is in {int(counts.max()):,} of {data.n:,} rows. {remedy}",
                    witness=column.name,
                    best=best if best >= 2 else None,
                )

    def _best(self, distinct: int, inverse_share: float) -> int:
        return distinct if self.kind == "distinct" else int(inverse_share)

    def check(self, release: Any) -> Verdict:
        """Check from the published rows alone."""
        base = check_table(release, self.k)
        kind, size = row_kinds(release)
        checks = list(base.checks)
        reached: float | None = None
        sensitive = [column for column in release.columns if column.role == "sensitive"]
        if not sensitive:
            checks.append(
                Check(name="there is something to protect", passed=False, detail="no column is sensitive")
            )
        for column in sensitive:
            found = self._found(kind, size, column.codes)
            lowest = float(found.min()) if len(found) else 0.0
            reached = lowest if reached is None else min(reached, lowest)
            # A share of exactly 1/3 must count as l = 3, whatever rounding does to its inverse.
            bad = np.flatnonzero(found < self.l - 1e-9)
            detail = f"lowest l {lowest:.4g} over {len(size):,} classes"
            if len(bad):
                row = int(np.flatnonzero(kind == bad[0])[0])
                detail = f"{len(bad):,} of {len(size):,} classes fall short, such as {shown(release, row)}"
            name = f"every class keeps {self.l} well represented values of {column.name}"
            checks.append(Check(name=name, passed=not len(bad), detail=detail))
        return Verdict(guarantee=self.text, checks=tuple(checks), figures={**base.figures, "l": reached})

    def check_data(self, data: Any, *, progress: Progress = silent) -> Verdict:
        """Check a table as it stands: would publishing it unchanged keep the guarantee?"""
        return self.check(data)

    def _found(self, kind: Ints, size: Ints, codes: Ids) -> Floats:
        """The l that each class reaches."""
        values = int(codes.max(initial=0)) + 1
        cells, counts = np.unique(kind * values + codes, return_counts=True)
        if self.kind == "distinct":
            return np.bincount(cells // values, minlength=len(size)).astype(np.float64)
        most = np.zeros(len(size), np.int64)
        np.maximum.at(most, cells // values, counts)
        return size / np.maximum(most, 1)
