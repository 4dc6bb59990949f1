"""k-eps-l(k, epsilon, l): the similar are many and differ in what is sensitive (Sun et al. 2010, Def. 1 to 3).

The promise is about an adversary who knows roughly (within epsilon) how a person rated the non-sensitive issues,
and which of them the person rated, knows that the person is in the data, and looks for the sensitive ratings.
"""

from __future__ import annotations

from dataclasses import dataclass

from covey.data.summary import Summary
from covey.errors import InputError, ParameterError
from covey.guarantees.base import Guarantee, require_rows
from covey.parameters import parameter

NULLS = ("zero", "omit")


@dataclass(frozen=True, slots=True)
class KEpsL(Guarantee):
    """Every record is epsilon-proximate with k - 1 others, and in its group sensitive ratings spread by l.

    Examples
    --------
    >>> KEpsL(20, 1, 2).text
    'k-eps-l(k=20, epsilon=1, l=2)'
    """

    name = "k-eps-l"

    k: int = parameter(at_least=1, suggests=5, says="Records in every group.")
    epsilon: float = parameter(
        at_least=0,
        suggests=1.0,
        says="Two records are proximate when no ordinary issue separates them by more.",
    )
    l: float | None = parameter(  # noqa: E741 - the paper's name
        None,
        at_least=0,
        says="Least standard deviation of each sensitive issue in every group; without it, not checked.",
    )
    nulls: str = parameter(
        "zero",
        one_of=NULLS,
        brief=True,
        says="How members without a rating count in that deviation: zero, as deviating by the mean (the paper's "
        "reading), or omit, not at all.",
    )

    def require_feasible(self, data: Summary) -> None:
        """Raise when there are fewer than k respondents, none at all, or no sensitive issue where l is asked."""
        if not data.rows:
            raise InputError("the data has no respondents", remedy="Check that the file holds ratings.")
        if self.l is not None and not data.secrets:
            raise ParameterError(
                "l asks how much sensitive ratings differ, and no issue is named as sensitive. Give them with "
                "--sensitive (a file with one issue per line, or a comma-separated list), or leave l out."
            )
        require_rows(self, data, self.k, least=1)
