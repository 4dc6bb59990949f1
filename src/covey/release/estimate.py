"""Answers of a release: estimates of counts, and one figure from several draws (`covey.combine`)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from covey.errors import ParameterError


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The answer to a count query, reconstructed from groups (Ghinita et al. 2008, eq. 2) or chunks.

    Only `lower` and `upper` bound the truth. The standard error is the spread when sensitive items are dealt at random
    within each group; where an item really goes with what is asked for, the truth lies further off.

    Attributes
    ----------
    estimate : float
        Expected count when every member of a group is equally likely to hold its sensitive items, or every record of
        the clusters of a chunk its sub-records.
    standard_error : float
        The spread under random dealing (of a sum of hypergeometric variables, one per group); no error bar of the
        truth.
    lower, upper : int
        The count lies between these whatever the truth is. Of chunks they are not always the closest such numbers.
    matching : int or None
        Of groups: transactions that match the predicate on published items; exact.
    persons : int or None
        Persons who hold the sensitive item in any of their transactions, whatever else is in them; exact. None where
        the release does not count persons. Transactions are not linked, so nothing can be said of predicates by person.
    """

    estimate: float
    standard_error: float
    lower: int
    upper: int
    matching: int | None = None
    persons: int | None = None

    def to_dict(self) -> dict[str, float | int]:
        """The answer as plain data for JSON."""
        found = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """A figure over several draws.

    Attributes
    ----------
    estimate : float
        The mean over the draws.
    spread : float
        How far one more draw lies from that mean, typically: the standard deviation between draws, times
        √(1 + 1 / draws). It says how much the dealing leaves open, and nothing of what equal chances get wrong.
    draws : int
        How many there were.
    """

    estimate: float
    spread: float
    draws: int


def combine(values: Iterable[float]) -> Combined:
    """One figure from the same figure computed on each of several draws.

    Examples
    --------
    >>> combine([4, 5, 6])
    Combined(estimate=5.0, spread=1.1547005383792515, draws=3)
    """
    found = np.array(list(values), np.float64)
    if len(found) < 2:
        raise ParameterError(f"A spread needs the figures of at least 2 draws. Got {len(found)}.")
    spread = float(found.std(ddof=1)) * math.sqrt(1 + 1 / len(found))
    return Combined(estimate=float(found.mean()), spread=spread, draws=len(found))
