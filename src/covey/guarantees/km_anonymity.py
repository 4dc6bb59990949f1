"""km-anonymity(k, m): who knows up to m items of a person finds at least k candidates (Liu & Wang 2010, Def. 1).

The adversary knows that the person is in the data and up to m of their items, at any level of the taxonomy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from covey.contracts import Check, Progress, Verdict, silent
from covey.data import Baskets
from covey.parameters import call_text, integer
from covey.verify.rare_labels import find_offence, require_enough


@dataclass(frozen=True, slots=True)
class KmAnonymity:
    """Every set of at most m published labels that occurs at all occurs in at least k transactions.

    Parameters
    ----------
    k : int
        How many transactions must share any such set, at least 2.
    m : int or inf
        How many labels the adversary knows; ``inf`` is as many as the longest transaction has.

    Examples
    --------
    >>> KmAnonymity(5, 2).text
    'km-anonymity(k=5, m=2)'
    >>> KmAnonymity(2, 2).check_data(Baskets.of([["ale", "tea"], ["ale"], ["tea"]])).holds
    False
    """

    name: ClassVar[str] = "km-anonymity"
    #: In sets it treats all items alike; naming some as sensitive would promise too much.
    ignores_sensitive: ClassVar[bool] = True

    k: int
    m: float

    def __post_init__(self) -> None:
        integer(self.name, "k", self.k, minimum=2)
        if self.m != math.inf:
            integer(self.name, "m", self.m, minimum=1)

    @property
    def text(self) -> str:
        """The guarantee as written everywhere."""
        return call_text(self.name, {"k": self.k, "m": self.m})

    def require_feasible(self, data: Baskets) -> None:
        """Raise when fewer than k transactions hold anything: every item would have to be suppressed."""
        require_enough(self.text, data, self.k)

    def check(self, release: Any) -> Verdict:
        """Check from the published transactions alone."""
        return self._check(release.transactions)

    def check_data(self, data: Baskets, *, progress: Progress = silent) -> Verdict:
        """Ask the same of data as it stands.

        A taxonomy makes no difference: knowing a coarser label than an item never leaves fewer candidates.
        """
        return self._check(data)

    def _check(self, baskets: Baskets) -> Verdict:
        offence = find_offence(self.name, "m", baskets, None, self.k, self.m)
        size = "any" if self.m == math.inf else f"at most {int(self.m)}"
        detail = f"{baskets.n:,} transactions, {baskets.d:,} labels"
        return Verdict(
            guarantee=self.text,
            checks=(
                Check(
                    name=f"every set of {size} labels that occurs is in at least {self.k} transactions",
                    passed=offence is None,
                    detail=detail if offence is None else offence.describe(),
                ),
            ),
            figures={"labels": baskets.d, "offence": None if offence is None else offence.to_dict()},
        )
