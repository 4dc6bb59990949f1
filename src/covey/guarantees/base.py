"""What every guarantee is: parameters, one text form, and whether data of this size can keep it."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

from covey.counting import counted
from covey.data.labels import alike
from covey.data.summary import Summary
from covey.errors import Infeasible, InputError
from covey.parameters import Declared, call_text, parameters_of


class Guarantee(Declared):
    """What a release promises: a frozen dataclass of declared parameters.

    Whether a release keeps it is for `covey.verify` to say, which shares nothing with the methods.
    """

    __slots__ = ()

    #: Whether it says anything about what is marked as sensitive.
    protects_sensitive: ClassVar[bool] = True
    #: Whether it is pointless as long as nothing is marked as sensitive.
    needs_sensitive: ClassVar[bool] = False
    #: The parameter whose inverse is how sure anybody may be that somebody holds something sensitive; "" for none.
    bounds_certainty: ClassVar[str] = ""
    #: The parameter whose inverse is the highest chance of finding a row or, in groups, of naming a holder;
    #: "" for none.
    hides: ClassVar[str] = "k"
    #: The parameter that says how many items the attacker knows; "" for any number.
    bounds_knowledge: ClassVar[str] = ""
    #: The whole number that makes it stronger the larger it is, and that one would try first.
    strength: ClassVar[str] = "k"

    @property
    def certainty(self) -> float | None:
        """How sure anybody may be that somebody holds something sensitive; None where it says nothing of that."""
        return 1 / getattr(self, self.bounds_certainty) if self.bounds_certainty else None

    @property
    def text(self) -> str:
        """The guarantee as written everywhere, for example ``degree(p=10)``."""
        values = self.values()
        quiet = [p.name for p in parameters_of(type(self)) if p.brief and values[p.name] == p.default]
        return call_text(self.name, {name: value for name, value in values.items() if name not in quiet})

    @property
    def ceiling(self) -> float | None:
        """The highest chance of what an attacker is after: of finding a row or, in groups, of naming a holder."""
        return 1 / float(getattr(self, self.hides)) if self.hides else None

    @property
    def known(self) -> float:
        """Up to how many known items it holds."""
        return float(getattr(self, self.bounds_knowledge)) if self.bounds_knowledge else math.inf

    def traits(self) -> set[str]:
        """Return which sections of its words are meant besides those for every guarantee of this name."""
        return set() if self.known == math.inf else {"bounded"}

    def words(self) -> dict[str, str]:
        """Return what is filled into its words."""
        known, others = self.known, round(1 / (self.ceiling or 1)) - 1
        most = 0 if known == math.inf else int(known)
        return {
            **{name: f"{v:g}" if isinstance(v, float) else str(v) for name, v in self.values().items()},
            "others": f"{others} {'other' if others == 1 else 'others'}",
            "many": f"up to {most:,}" if most else "any number of",
            "known": counted(most, "item"),
            "s": "" if most == 1 else "s",
        }

    def essential(self) -> Self:
        """Return the same guarantee without parameters that ask for nothing."""
        return self

    def having(self, **values: Any) -> Any:
        """The same guarantee with other values of some parameters."""
        return type(self)(**{**self.values(), **values})

    def require_feasible(self, data: Summary) -> None:
        """Raise `covey.errors.Infeasible` when no release of this data can keep the guarantee."""
        raise NotImplementedError


def require_rows(promise: Guarantee, data: Summary, k: int, *, least: int = 2) -> None:
    """Raise when there are fewer than `k` rows to hide one among; k below `least` would promise nothing."""
    if data.rows >= k:
        return
    best = data.rows if data.rows >= least else None
    remedy = (
        f"The largest feasible k is {best:,}."
        if best
        else f"No k is feasible: hiding someone takes at least {least} {data.unit}."
    )
    raise Infeasible(
        f"{promise.text} cannot be kept: the data has only {counted(data.rows, data.unit[:-1])}, and everyone needs "
        f"{counted(k - 1, 'other')} like them. {remedy}",
        witness=counted(data.rows, data.unit[:-1]),
        best=best,
    )


def require_spelled_once(promise: Guarantee, data: Summary) -> None:
    """Raise when two sensitive items read the same: each would be counted by itself, and more could hold the two."""
    labels = [secret.label for secret in data.secrets]
    for label, first in zip(labels, alike(labels), strict=True):
        if label != labels[first]:
            raise InputError(
                f"the sensitive items {labels[first]!r} and {label!r} differ only in case, spaces or the way letters "
                f"are composed, and {promise.name} would count them as two",
                remedy="Give them one spelling: --query 'SELECT * REPLACE (plain(COLUMN) AS COLUMN) FROM data'.",
            )


def require_filled(promise: Guarantee, data: Summary, k: int) -> None:
    """Raise when so few rows hold an ordinary item that every label would be in fewer than k of them.

    Publishing nothing but empty rows would keep the promise, and serve nobody.
    """
    if not 0 < data.filled < k:
        return
    best = data.filled if data.filled >= 2 else None
    remedy = f"The largest feasible k is {best:,}." if best else "One of the transactions alone cannot be hidden."
    raise Infeasible(
        f"{promise.text} cannot be kept without suppressing everything: only {data.filled:,} of the {data.unit} "
        f"hold an item to publish. {remedy}",
        witness=counted(data.filled, data.unit[:-1]),
        best=best,
    )
