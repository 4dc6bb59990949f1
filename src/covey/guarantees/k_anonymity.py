"""k-anonymity(k): every published row is identical to at least k - 1 others (PatternKa 2020, section 2).

The adversary knows everything about a person that the original says, and looks for the row published of it. In a
table only the quasi-identifiers count.
"""

from __future__ import annotations

from dataclasses import dataclass

from covey.data.summary import Summary
from covey.guarantees.base import Guarantee, require_rows
from covey.parameters import parameter


@dataclass(frozen=True, slots=True)
class KAnonymity(Guarantee):
    """Every published row is identical to at least k - 1 others.

    Examples
    --------
    >>> KAnonymity(5).text
    'k-anonymity(k=5)'
    """

    name = "k-anonymity"
    protects_sensitive = False

    k: int = parameter(
        at_least=2,
        suggests=5,
        label="People who look alike (k)",
        says="The smallest number of people, or rows, that look the same, each one included.",
    )

    def require_feasible(self, data: Summary) -> None:
        """Raise when there are rows, but fewer than k: no two of three rows make five alike."""
        if data.rows:
            require_rows(self, data, self.k)
