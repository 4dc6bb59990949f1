"""How likely is it that somebody who knows r items of a person finds that person's transaction?

A transaction with at least r published items is drawn uniformly, then r of its items uniformly; the risk is the
mean of 1 / (number of transactions that hold all of them). Exact for r = 1, sampled above.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.data import Baskets
from covey.parameters import integer


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """The re-identification risk for one number of known items.

    Attributes
    ----------
    known : int
        How many items the attacker knows.
    risk : float
        Mean probability of picking the right transaction, 0 to 1.
    low, high : float
        95 % confidence interval; equal to `risk` when it is exact.
    unique : float
        Share of the cases in which the items point to one transaction only.
    samples : int
        Cases drawn; 0 when the figure is exact.
    eligible : int
        Transactions with at least `known` items.
    """

    known: int
    risk: float
    low: float
    high: float
    unique: float
    samples: int
    eligible: int

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def reidentification(baskets: Baskets, known: int, *, samples: int = 20_000, seed: int | None = 0) -> Risk:
    """Risk of an attacker who knows `known` quasi-identifier items of a random transaction.

    Parameters
    ----------
    baskets : Baskets
        Sensitive items are left out: the attacker does not know them.
    known : int
        Number of known items.
    samples : int
        Cases drawn when `known` is above 1.
    seed : int or None
        For the drawing.

    Examples
    --------
    >>> baskets = Baskets.of([["a", "b"], ["a", "c"], ["a", "b"]])
    >>> round(reidentification(baskets, 1).risk, 3)
    0.5
    >>> reidentification(baskets, 2).risk > 0.5
    True
    """
    from covey.kernels.csr import transpose
    from covey.kernels.risk import count_containing, mean_inverse_support, pick_items

    integer("reidentification", "known", known, minimum=1)
    integer("reidentification", "samples", samples, minimum=1)
    public = baskets.only(~baskets.sensitive) if baskets.sensitive.any() else baskets
    lengths = public.lengths()
    eligible = np.flatnonzero(lengths >= known)
    if not len(eligible):
        return Risk(known=known, risk=0.0, low=0.0, high=0.0, unique=0.0, samples=0, eligible=0)
    supports = public.supports()
    if known == 1:
        risk = float(mean_inverse_support(public.indptr, public.indices, supports)[eligible].mean())
        alone = mean_inverse_support(public.indptr, public.indices, np.where(supports == 1, 1, 1 << 62))
        unique = float(alone[eligible].mean())
        return Risk(known=1, risk=risk, low=risk, high=risk, unique=unique, samples=0, eligible=len(eligible))
    rng = np.random.default_rng(seed)
    rows = rng.choice(eligible, samples)
    sets = pick_items(public.indptr, public.indices, rows, rng.random((samples, known)))
    found = count_containing(*transpose(public.indptr, public.indices, public.d), sets)
    inverse = 1.0 / found
    risk = float(inverse.mean())
    margin = 1.96 * float(inverse.std(ddof=1)) / np.sqrt(samples) if samples > 1 else 1.0
    return Risk(
        known=known,
        risk=risk,
        low=max(0.0, risk - margin),
        high=min(1.0, risk + margin),
        unique=float((found == 1).mean()),
        samples=samples,
        eligible=len(eligible),
    )
