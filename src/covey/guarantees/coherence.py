"""coherence(h, k, p): up to p known public items neither single a person out nor give a private item away.

(h, k, p)-coherence of Xu et al. 2008 (Liu & Wang 2010, section 1). With h = 1 and p = m it is km-anonymity of the
public items.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.contracts import Check, Progress, Verdict, silent
from covey.data import Baskets
from covey.errors import ParameterError
from covey.parameters import call_text, integer, number
from covey.verify.rare_labels import find_offence, require_enough


@dataclass(frozen=True, slots=True)
class Coherence:
    """Every set of at most p public items that occurs is in k transactions, few of which share a private item.

    Parameters
    ----------
    h : float
        The largest share of those transactions that may hold any one private item, above 0 and at most 1.
    k : int
        How many transactions must share any such set, at least 2.
    p : int or inf
        How many public items the adversary knows.

    Examples
    --------
    >>> Coherence(0.8, 5, 2).text
    'coherence(h=0.8, k=5, p=2)'
    """

    name: ClassVar[str] = "coherence"

    h: float
    k: int
    p: float

    def __post_init__(self) -> None:
        number(self.name, "h", self.h, minimum=0, maximum=1)
        if not self.h > 0:
            raise ParameterError(
                f"The 'h' parameter of {self.name} must be a number > 0 and <= 1. Got {self.h!r} instead."
            )
        integer(self.name, "k", self.k, minimum=2)
        if self.p != math.inf:
            integer(self.name, "p", self.p, minimum=1)

    @property
    def text(self) -> str:
        """The guarantee as written everywhere."""
        return call_text(self.name, {"h": self.h, "k": self.k, "p": self.p})

    def require_feasible(self, data: Baskets) -> None:
        """Raise when no private item is named, unless h is 1, or fewer than k transactions hold a public one."""
        self._require_private(data)
        require_enough(self.text, data.split()[0], self.k)

    def _require_private(self, data: Baskets) -> None:
        if self.h < 1 and not data.sensitive.any():
            raise ParameterError(
                "coherence with h below 1 protects private items, and none is named. "
                "Give them with --sensitive (a file with one item per line, or a comma list)."
            )

    def check(self, release: Any) -> Verdict:
        """Check from the published transactions alone, public and private part."""
        private = release.private if release.private is not None else _nothing(release.transactions.n)
        return self._check(release.transactions, private)

    def check_data(self, data: Baskets, *, progress: Progress = silent) -> Verdict:
        """Ask the same of data as it stands, its sensitive items being the private ones."""
        self._require_private(data)
        return self._check(*data.split())

    def _check(self, public: Baskets, private: Baskets) -> Verdict:
        aligned = public.n == private.n
        offence = find_offence(self.name, "p", public, private, self.k, self.p, self.h) if aligned else None
        both = sorted(set(public.items) & set(private.items))
        size = "any" if self.p == math.inf else f"at most {int(self.p)}"
        detail = f"{public.n:,} transactions, {public.d:,} public and {private.d:,} private items"
        if not aligned:
            detail = f"{public.n:,} public but {private.n:,} private rows"
        share = f", at most {self.h:.4g} of them with one private item" if self.h < 1 else ""
        return Verdict(
            guarantee=self.text,
            checks=(
                Check(
                    name=f"every set of {size} public items that occurs is in at least {self.k} "
                    f"transactions{share}",
                    passed=aligned and offence is None,
                    detail=detail if offence is None else offence.describe(),
                ),
                Check(
                    name="no private item stands among the public ones",
                    passed=not both,
                    detail=f"{both[0]!r} stands in both parts" if both else "the two parts share no item",
                ),
            ),
            figures={"labels": public.d, "offence": None if offence is None else offence.to_dict()},
        )


def _nothing(n: int) -> Baskets:
    return Baskets(
        indptr=np.zeros(n + 1, np.int64),
        indices=np.empty(0, np.int32),
        items=(),
        sensitive=np.zeros(0, np.bool_),
    )
