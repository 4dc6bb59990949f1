"""Answers of a release: estimates of counts, and one figure from several draws (`covey.combine`)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from covey.errors import InputError, ParameterError
from covey.parameters import did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The answer to a count query, reconstructed from groups (Ghinita et al. 2008, eq. 2) or chunks.

    Only `lower` and `upper` bound the truth. The standard error is the spread when sensitive items are dealt at random
    within each group; where an item really goes with what is asked for, the truth lies further off.

    """

    #: Expected count when every member of a group is equally likely to hold its sensitive items, or every record of
    #: the clusters of a chunk its sub-records.
    estimate: float
    #: The spread under random dealing (of a sum of hypergeometric variables, one per group); no error bar of the truth.
    standard_error: float
    #: The count lies between these whatever the truth is. Of chunks they are not always the closest such numbers.
    lower: int
    upper: int
    #: Of groups: transactions that match the predicate on published items; exact.
    matching: int | None = None
    #: Persons who hold the sensitive item in any of their transactions, whatever else is in them; exact. None where
    #: the release does not count persons. Transactions are not linked, so predicates cannot be answered by person.
    persons: int | None = None

    def to_dict(self) -> dict[str, float | int]:
        """The answer as plain data for JSON."""
        found = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in found.items() if value is not None}


def positions(
    items: Sequence[str], present: Collection[str], absent: Collection[str], sensitive: Collection[str] = ()
) -> tuple[list[int], list[int]]:
    """Return the positions in `items` of those that must be present, and of those that must be absent."""
    position, found = {name: i for i, name in enumerate(items)}, []
    for names in (present, absent):
        if isinstance(names, str):
            raise ParameterError(f"Give items as a list, such as [{names!r}], not as the text {names!r}.")
        for name in names:
            if name not in position:
                remedy = did_you_mean(name, items).strip()
                if name in sensitive:
                    remedy = "It is sensitive: ask for it with --sensitive (one sensitive item per query)."
                raise InputError(f"the release has no item {name!r}", remedy=remedy)
        found.append(sorted({position[name] for name in names}))
    both = sorted(set(present) & set(absent))
    if both:
        raise ParameterError(f"The item {both[0]!r} cannot be both present and absent.")
    return found[0], found[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """A figure over several draws."""

    #: The mean over the draws.
    estimate: float
    #: How far one more draw typically lies from that mean: the standard deviation between draws, times
    #: √(1 + 1 / draws). It covers what the dealing leaves open, and not the error of assuming equal chances.
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
