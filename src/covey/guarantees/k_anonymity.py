"""k-anonymity(k): every published row is identical to at least k-1 others (paper 004, section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from covey.contracts import Verdict
from covey.data import Table
from covey.errors import ParameterError
from covey.parameters import call_text, integer


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Every published row is identical to at least k-1 others.

    Parameters
    ----------
    k : int
        At least 2.

    Examples
    --------
    >>> KAnonymity(5).text
    'k-anonymity(k=5)'
    """

    name: ClassVar[str] = "k-anonymity"

    k: int

    def __post_init__(self) -> None:
        integer(self.name, "k", self.k, minimum=2)

    @property
    def text(self) -> str:
        """The guarantee as written everywhere."""
        return call_text(self.name, {"k": self.k})

    def require_feasible(self, data: Any) -> None:
        """Raise when there are fewer than k rows."""
        from covey.guarantees.k_anonymity_table import require_feasible_table

        if not isinstance(data, Table):
            raise ParameterError(f"{self.name} is checked on tables. Got {type(data).__name__} instead.")
        require_feasible_table(data, self.k, self.text)

    def check(self, release: Any) -> Verdict:
        """Check from the published rows alone."""
        from covey.guarantees.k_anonymity_table import check_table

        return check_table(release, self.k)
