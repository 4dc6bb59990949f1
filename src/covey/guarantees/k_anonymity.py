"""k-anonymity(k): every published row is identical to at least k - 1 others (PatternKa 2020, section 2).

The adversary knows everything about a person that the original says, and looks for the row published of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.contracts import Check, Progress, Verdict, silent
from covey.data import Baskets
from covey.errors import Infeasible
from covey.parameters import call_text, integer

#: A witness shows at most so many items of a set.
SHOWN = 8


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Every published row is identical to at least k - 1 others.

    Parameters
    ----------
    k : int
        How many rows must be alike, at least 2.

    Examples
    --------
    >>> KAnonymity(5).text
    'k-anonymity(k=5)'
    >>> KAnonymity(2).check_data(Baskets.of([["wine"], ["wine"], ["beer"]])).holds
    False
    """

    name: ClassVar[str] = "k-anonymity"
    #: In sets it treats all items alike; naming some as sensitive would promise too much.
    ignores_sensitive: ClassVar[bool] = True

    k: int

    def __post_init__(self) -> None:
        integer(self.name, "k", self.k, minimum=2)

    @property
    def text(self) -> str:
        """The guarantee as written everywhere."""
        return call_text(self.name, {"k": self.k})

    def require_feasible(self, data: Any) -> None:
        """Raise when there are rows, but fewer than k: no two of three rows make five alike."""
        if not isinstance(data, Baskets):
            from covey.verify.table_classes import require_feasible_table

            require_feasible_table(data, self.k, self.text)
            return
        if 0 < data.n < self.k:
            best = data.n if data.n >= 2 else None
            remedy = f"The largest feasible k is {best}." if best else "One row alone cannot be hidden."
            raise Infeasible(
                f"{self.text} cannot be kept: there are only {data.n:,} transactions. {remedy}",
                witness=f"{data.n} transactions",
                best=best,
            )

    def check(self, release: Any) -> Verdict:
        """Check from the published rows alone that each of them is there k times."""
        if release.kind == "table":
            from covey.verify.table_classes import check_table

            return check_table(release, self.k)
        return self._check_sets(release.transactions, "published")

    def check_data(self, data: Any, *, progress: Progress = silent) -> Verdict:
        """Check data as it stands: would publishing it unchanged keep the guarantee?"""
        if not isinstance(data, Baskets):
            from covey.verify.table_classes import check_table

            return check_table(data, self.k)
        return self._check_sets(data, "given")

    def _check_sets(self, sets: Baskets, how: str) -> Verdict:
        from covey.kernels.shared.set_classes import classes_of, set_hashes

        # Fresh words for each check: nobody can prepare sets whose hashes collide and make it slow.
        words = np.random.default_rng().integers(0, 2**64, max(sets.d, 1), np.uint64)
        hashes = set_hashes(sets.indptr, sets.indices, words)
        number, example = classes_of(sets.indptr, sets.indices, hashes, np.argsort(hashes, kind="stable"))
        sizes = np.bincount(number, minlength=len(example))
        rare = sizes < self.k
        if rare.any():
            # The first row among the rarest sets, so that the same release always has the same witness.
            row = int(example[sizes == sizes.min()].min())
            detail = (
                f"{int(sizes[rare].sum()):,} of {sets.n:,} transactions are {how} fewer than {self.k} times alike; "
                f"the worst: {_shown(sets, row)} is there {int(sizes.min())} times"
            )
        else:
            detail = (
                f"{len(sizes):,} different sets, the rarest {how} {int(sizes.min(initial=sets.n)):,} times"
            )
        return Verdict(
            guarantee=self.text,
            checks=(
                Check(
                    name=f"every transaction is {how} {self.k} times alike or more",
                    passed=not rare.any(),
                    detail=detail,
                ),
            ),
            figures={
                "k": int(sizes.min()) if len(sizes) else None,
                "classes": len(sizes),
                "violating": int(sizes[rare].sum()),
                "largest_class": int(sizes.max(initial=0)),
                "empty": int((sets.lengths() == 0).sum()),
            },
        )


def _shown(sets: Baskets, row: int) -> str:
    items = sets.basket(row)
    return "{" + ", ".join(items[:SHOWN]) + (" …" if len(items) > SHOWN else "") + "}"
