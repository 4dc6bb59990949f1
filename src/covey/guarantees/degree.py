"""degree(p): nobody can be linked to a sensitive item with probability above 1/p (Ghinita et al. 2008, Def. 3).

The promise is about an adversary who knows any published items of a person, knows that the person is in the
data, and holds every member of a group equally likely to own the group's sensitive items.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from covey.contracts import Check, Progress, Verdict, silent
from covey.data import Baskets
from covey.errors import Infeasible, ParameterError
from covey.parameters import call_text, integer
from covey.release.grouped.model import GroupedRelease


@dataclass(frozen=True, slots=True)
class Degree:
    """In every group of transactions each sensitive item occurs at most |group| / p times.

    Parameters
    ----------
    p : int
        The privacy degree, at least 2.

    Examples
    --------
    >>> Degree(10).text
    'degree(p=10)'
    """

    name: ClassVar[str] = "degree"

    p: int

    def __post_init__(self) -> None:
        integer(self.name, "p", self.p, minimum=2)

    @property
    def text(self) -> str:
        """The guarantee as written everywhere."""
        return call_text(self.name, {"p": self.p})

    def require_feasible(self, data: Baskets) -> None:
        """Raise when some sensitive item is in more than n / p transactions, or when there is none."""
        if not data.sensitive.any():
            raise ParameterError(
                "degree protects sensitive items, and none is named. "
                "Give them with --sensitive (a file with one item per line, or a comma list)."
            )
        supports = np.where(data.sensitive, data.supports(), 0)
        worst = int(supports.argmax())
        support = int(supports[worst])
        if self.p * support <= data.n:
            return
        best = data.n // support
        label = data.items[worst]
        remedy = (
            f"The largest feasible p is {best}."
            if best >= 2
            else "It is in more than half of them, so no p is feasible: do not treat it as sensitive, or leave it out."
        )
        raise Infeasible(
            f"{self.text} cannot be kept: the sensitive item {label!r} is in {support:,} of {data.n:,} "
            f"transactions, and p = {self.p} allows at most {data.n // self.p:,}. {remedy}",
            witness=label,
            best=best if best >= 2 else None,
        )

    def check_data(self, data: Baskets, *, progress: Progress = silent) -> Verdict:
        """Ask the same of data as it stands: transactions with the same published items are one group.

        Nobody can tell these apart by what is not sensitive, and everybody can tell them from the others.
        """
        self.require_feasible(data)
        public, secret = data.split()
        raw, edges = public.indices.tobytes(), (4 * public.indptr).tolist()
        group_of: dict[bytes, int] = {}
        rows = (raw[start:stop] for start, stop in pairwise(edges))
        group = np.array([group_of.setdefault(row, len(group_of)) for row in rows], np.int64)
        sizes = np.bincount(group, minlength=len(group_of))
        cells, count = np.unique(
            np.repeat(group, secret.lengths()) * secret.d + secret.indices, return_counts=True
        )
        size = sizes[cells // secret.d]
        degrees = size / np.maximum(count, 1)
        violating = np.flatnonzero(self.p * count > size)
        lowest = float(degrees.min()) if len(degrees) else None
        detail = f"{len(sizes):,} groups of equal public items"
        if len(violating):
            worst = violating[np.argmin(degrees[violating])]
            alike = np.flatnonzero(group == cells[worst] // secret.d)
            shown = ", ".join(map(str, alike[:5])) + (" …" if len(alike) > 5 else "")
            detail = (
                f"{secret.items[cells[worst] % secret.d]!r} is in {count[worst]} of the {size[worst]} transactions "
                f"with the same public items (rows {shown})"
            )
        return Verdict(
            guarantee=self.text,
            checks=(
                Check(
                    name=f"transactions with the same public items keep {self.text}",
                    passed=not len(violating),
                    detail=detail,
                ),
            ),
            figures={"degree": lowest, "groups": len(sizes)},
        )

    def check(self, release: GroupedRelease) -> Verdict:
        """Check from the published tables alone that p · count <= size for every group and item."""
        sizes = release.group_sizes()
        # Counts are added up per group and item here, so that no split of one count can hide a violation.
        m = max(len(release.sensitive_items), 1)
        cells, at = np.unique(release.count_group * m + release.count_item, return_inverse=True)
        count = np.bincount(at, weights=release.count, minlength=len(cells)).astype(np.int64)
        size = sizes[cells // m]
        violating = np.flatnonzero(self.p * count > size)
        degrees = size / np.maximum(count, 1)
        achieved = float(degrees.min()) if len(degrees) else None
        if len(violating):
            worst = violating[np.argmin(degrees[violating])]
            detail = (
                f"{len(violating):,} of {len(count):,} group counts are too high; the worst: "
                f"{release.sensitive_items[cells[worst] % m]!r} occurs {count[worst]} times in "
                f"group {cells[worst] // m} of {size[worst]}, so p = {self.p} is not kept"
            )
        else:
            reached = f"lowest degree {achieved:.4g}" if achieved is not None else "no sensitive occurrence"
            detail = f"{release.groups:,} groups, {len(count):,} group counts, {reached}"
        leaked = sorted(set(release.sensitive_items) & set(release.transactions.items))
        apart = "no sensitive item among the published items"
        return Verdict(
            guarantee=self.text,
            checks=(
                Check(name=f"every group keeps {self.text}", passed=not len(violating), detail=detail),
                Check(
                    name="sensitive items are published as counts only",
                    passed=not leaked,
                    detail=f"{leaked[0]!r} stands in single transactions" if leaked else apart,
                ),
            ),
            figures={
                "degree": achieved,
                "groups": release.groups,
                "smallest_group": int(sizes.min()) if len(sizes) else 0,
                "largest_group": int(sizes.max()) if len(sizes) else 0,
            },
        )
