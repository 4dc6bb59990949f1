"""degree(p): nobody's sensitive item can be pinned on them with a probability above 1/p (Ghinita et al. 2008, Def. 3).

The promise is about an adversary who knows any published items of a person, knows that the person is in the
data, and holds every member of a group equally likely to own the group's sensitive items.
"""

from __future__ import annotations

from dataclasses import dataclass

from covey.data.summary import Summary
from covey.errors import Infeasible, ParameterError
from covey.guarantees.base import Guarantee, require_spelled_once
from covey.parameters import parameter


@dataclass(frozen=True, slots=True)
class Degree(Guarantee):
    """In every group of transactions each sensitive item occurs at most |group| / p times.

    Where persons are named, a group is one of persons, and at most |group| / p of them hold the item in any of their
    transactions.

    Examples
    --------
    >>> Degree(10).text
    'degree(p=10)'
    """

    name = "degree"
    needs_sensitive = True
    bounds_certainty = "p"
    strength = "p"
    hides = "p"

    p: int = parameter(
        at_least=2,
        suggests=10,
        label="One in how many (p)",
        says="In every group, at most 1 member in p has any given sensitive item.",
    )

    def require_feasible(self, data: Summary) -> None:
        """Raise when some sensitive item is in more than 1 / p of the rows or has two spellings, or there is none."""
        if not data.secrets:
            raise ParameterError(
                "degree protects sensitive items, and none is named. "
                "Give them with --sensitive (a file with one item per line, or a comma-separated list)."
            )
        require_spelled_once(self, data)
        worst = max(data.secrets, key=lambda secret: secret.holders)
        if self.p * worst.holders <= data.rows:
            return
        best = data.rows // worst.holders
        remedy = (
            f"The largest feasible p is {best}."
            if best >= 2
            else "It is in more than half of them, so no p is feasible: do not treat it as sensitive, or leave it out."
        )
        held = "in"
        if worst.column:
            held = "held by"
            remedy += (
                f" If it is no secret, leave it empty in the column {worst.column!r}: a missing value is not counted."
            )
        elif data.unit == "persons":
            held = "held by"
            if worst.holders > 1:
                use = f"Use p = {best}, or mark" if best >= 2 else "Or mark"
                remedy += f" {use} narrower items than {worst.label!r} instead."
        what = "value" if worst.column else "item"
        raise Infeasible(
            f"{self.text} cannot be kept: the sensitive {what} {worst.label!r} is {held} {worst.holders:,} of "
            f"{data.rows:,} {data.unit}, and p = {self.p} allows at most {data.rows // self.p:,}. {remedy}",
            witness=worst.label,
            best=best if best >= 2 else None,
        )
