"""k-km-anonymity(k, m): attributes and up to m items of a person leave at least k candidates (Poulis et al. 2013).

The adversary knows that the person is in the data, all quasi-identifying attributes of the person, and up to m items.
"""

from __future__ import annotations

from dataclasses import dataclass

from covey.data.summary import Summary
from covey.guarantees.base import Guarantee, require_filled, require_rows
from covey.parameters import parameter


@dataclass(frozen=True, slots=True)
class KKmAnonymity(Guarantee):
    """At least k persons share each published combination of attributes, and any m items that occur among them.

    Examples
    --------
    >>> KKmAnonymity(5, 2).text
    'k-km-anonymity(k=5, m=2)'
    """

    name = "k-km-anonymity"
    protects_sensitive = False
    bounds_knowledge = "m"

    k: int = parameter(
        at_least=2,
        suggests=5,
        label="People who fit (k)",
        says="Attributes and known items fit at least this many people.",
    )
    m: int = parameter(
        at_least=1,
        infinite=True,
        suggests=2,
        label="Items known (m)",
        says="How many of a person's items an outsider may know besides all attributes; inf for any number.",
    )

    def require_feasible(self, data: Summary) -> None:
        """Raise when there are fewer than k persons, or fewer than k hold an item."""
        require_rows(self, data, self.k)
        require_filled(self, data, self.k)
