"""k-eps-l(k, epsilon, l): the similar are many and differ in what is sensitive (Sun et al. 2010, Def. 1 to 3).

The promise is about an adversary who knows roughly (within epsilon) how a person rated the non-sensitive issues,
and which of them the person rated, knows that the person is in the data, and looks for the sensitive ratings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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

    k: int = parameter(
        at_least=1,
        suggests=5,
        label="People with similar ratings (k)",
        says="At least this many people have similar ratings, each person included.",
    )
    epsilon: float = parameter(
        at_least=0,
        suggests=1.0,
        label="How similar (epsilon)",
        says="Ratings count as similar when they differ by at most this much.",
    )
    l: float | None = parameter(  # noqa: E741 - the paper's name
        None,
        at_least=0,
        suggests_if_sensitive=1,
        label="Disagreement on sensitive issues (l)",
        says="Least standard deviation of sensitive ratings among them; without it, none is asked for.",
    )
    nulls: str = parameter(
        "zero",
        one_of=NULLS,
        brief=True,
        label="People who gave no sensitive rating",
        says="zero: they count as deviating by the mean (the paper's reading). omit: they do not count.",
    )

    def traits(self) -> set[str]:
        """Return whether sensitive ratings must spread, and whether missing ones count as 0."""
        return {"alone"} if self.l is None else {"spread", "zero"} if self.nulls == "zero" else {"spread"}

    def essential(self) -> KEpsL:
        """Return the same guarantee without a spread of 0, which asks for nothing."""
        return replace(self, l=None) if self.l == 0 else self

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
