"""km-anonymity(k, m): who knows up to m items of a person finds at least k candidates (Liu & Wang 2010, Def. 1).

The adversary knows that the person is in the data and up to m of their items, at any level of the taxonomy.
"""

from __future__ import annotations

from dataclasses import dataclass

from covey.data.summary import Summary
from covey.guarantees.base import Guarantee, require_filled
from covey.parameters import parameter


@dataclass(frozen=True, slots=True)
class KmAnonymity(Guarantee):
    """Every set of at most m published labels that occurs at all occurs in at least k transactions.

    Examples
    --------
    >>> KmAnonymity(5, 2).text
    'km-anonymity(k=5, m=2)'
    """

    name = "km-anonymity"
    protects_sensitive = False
    bounds_knowledge = "m"

    k: int = parameter(
        at_least=2,
        suggests=5,
        label="People who fit (k)",
        says="Known items fit at least this many people, or transactions.",
    )
    m: int = parameter(
        at_least=1,
        infinite=True,
        suggests=2,
        label="Items known (m)",
        says="How many of a person's items an outsider may know; inf for any number.",
    )

    def require_feasible(self, data: Summary) -> None:
        """Raise when fewer than k transactions hold anything: every item would have to be suppressed."""
        require_filled(self, data, self.k)
