"""l-diversity(l, k): k-anonymity whose classes also hold l well represented secrets.

Who finds the class of a person in the release still does not know the person's sensitive values
(Machanavajjhala et al. 2006).
"""

from __future__ import annotations

from dataclasses import dataclass

from covey.counting import counted
from covey.data.summary import Summary
from covey.errors import Infeasible, ParameterError
from covey.guarantees.base import Guarantee, require_rows
from covey.parameters import parameter

KINDS = ("distinct", "frequency")


@dataclass(frozen=True, slots=True)
class LDiversity(Guarantee):
    """Every class of equal rows has at least k members and l well represented values in each sensitive column.

    Examples
    --------
    >>> LDiversity(3, k=10).text
    'l-diversity(l=3, k=10, kind=distinct)'
    """

    name = "l-diversity"
    needs_sensitive = True
    strength = "l"

    l: int = parameter(  # noqa: E741 - the paper's name
        at_least=2,
        suggests=2,
        label="Different sensitive values (l)",
        says="People who look alike have at least this many different values.",
    )
    k: int = parameter(
        2,
        at_least=2,
        suggests=5,
        label="People who look alike (k)",
        says="The smallest number of people, or rows, that look the same; l are needed in any case.",
    )
    kind: str = parameter(
        "distinct",
        one_of=KINDS,
        label="What counts as different",
        says="distinct: at least l different values. frequency: no value in more than 1/l of those who look alike, "
        "which bounds the chance of a right guess.",
    )

    @property
    def by_frequency(self) -> bool:
        """Whether the commonest value counts, rather than how many different ones there are."""
        return self.kind == "frequency"

    @property
    def ceiling(self) -> float:
        """The highest chance of finding a row: l rows are needed in any case."""
        return 1 / max(self.k, self.l)

    def traits(self) -> set[str]:
        """Return what counts as diverse."""
        return {self.kind}

    def words(self) -> dict[str, str]:
        """Return what is filled into its words."""
        return {**Guarantee.words(self), "hidden": f"{max(self.k, self.l)}"}

    @property
    def certainty(self) -> float | None:
        """1/l where values are counted; l different ones may be as unequal as they like."""
        return 1 / self.l if self.by_frequency else None

    def require_feasible(self, data: Summary) -> None:
        """Raise when not even all rows as one class would do, or no column is sensitive."""
        if not data.secrets:
            raise ParameterError(
                "l-diversity protects sensitive columns of a table, and none is named. Name them with --sensitive; "
                "for baskets with sensitive items, promise degree."
            )
        require_rows(self, data, self.k)
        for column in data.secrets:
            best = data.rows // max(column.holders, 1) if self.by_frequency else column.values
            if best < self.l:
                remedy = f"The largest feasible l is {best}." if best >= 2 else "No l is feasible."
                raise Infeasible(
                    f"{self.text} cannot be kept: the column {column.label!r} has {counted(column.values, 'value')}, "
                    f"of which {column.commonest!r} is in {column.holders:,} of {data.rows:,} {data.unit}. {remedy}",
                    witness=column.label,
                    best=best if best >= 2 else None,
                )
