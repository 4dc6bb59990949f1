"""coherence(h, k, p): up to p known public items neither single a person out nor give a private item away.

(h, k, p)-coherence of Xu et al. 2008 (Liu & Wang 2010, section 1). With h = 1 and p = m it is km-anonymity of the
public items.
"""

from __future__ import annotations

from dataclasses import dataclass

from covey.data.summary import Summary
from covey.errors import ParameterError
from covey.guarantees.base import Guarantee, require_filled, require_spelled_once
from covey.parameters import parameter


@dataclass(frozen=True, slots=True)
class Coherence(Guarantee):
    """Every set of at most p public items that occurs is in k transactions, few of which share a private item.

    Examples
    --------
    >>> Coherence(0.8, 5, 2).text
    'coherence(h=0.8, k=5, p=2)'
    """

    name = "coherence"
    needs_sensitive = True
    bounds_knowledge = "p"

    h: float = parameter(
        above=0,
        at_most=1,
        suggests=0.8,
        label="Largest share with one private item (h)",
        says="Of the people who fit, at most this share holds any one private item; 0.8 is 80 %.",
    )
    k: int = parameter(
        at_least=2,
        suggests=5,
        label="People who fit (k)",
        says="Known items fit at least this many people, or transactions.",
    )
    p: int = parameter(
        at_least=1,
        infinite=True,
        suggests=2,
        label="Items known (p)",
        says="How many of a person's public items an outsider may know; inf for any number.",
    )

    def words(self) -> dict[str, str]:
        """Return what is filled into its words; the share is never rounded, which would make it another guarantee."""
        return {**Guarantee.words(self), "most": f"{100 * self.h:.12g}%"}

    def require_private(self, data: Summary) -> None:
        """Raise when no private item is named, unless h is 1."""
        if self.h < 1 and not data.secrets:
            raise ParameterError(
                "coherence with h below 1 protects private items, and none is named. "
                "Give them with --sensitive (a file with one item per line, or a comma-separated list)."
            )

    def require_feasible(self, data: Summary) -> None:
        """Raise when no private item is named, one has two spellings, or too few transactions hold a public one."""
        self.require_private(data)
        require_spelled_once(self, data)
        require_filled(self, data, self.k)
