"""label-dp(epsilon): differential privacy for the sensitive items; ordinary items are public and stay exact.

Neighbours are two datasets that differ in whether one transaction (where persons are named: one person) has one given
sensitive item. For every set R of releases, P(R | D) <= e^epsilon · P(R | D'), for an adversary who knows all else.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

from covey.data.summary import Summary
from covey.errors import CoveyWarning, ParameterError
from covey.guarantees.base import Guarantee, require_spelled_once
from covey.parameters import parameter

#: Above this, e^epsilon is so large that hardly anything is guaranteed.
HARDLY_ANY = 20


@dataclass(frozen=True, slots=True)
class LabelDP(Guarantee):
    """Seeing the release changes the odds that somebody has a given sensitive item by at most e^epsilon.

    Examples
    --------
    >>> LabelDP().text, LabelDP(0.5, cap=3).text
    ('label-dp(epsilon=1)', 'label-dp(epsilon=0.5, cap=3)')
    >>> LabelDP(1, cap=3).per_item, LabelDP(1, cap=3).per_person(10), LabelDP(1).per_person(10)
    (2.0, 6.0, 10.0)
    """

    name = "label-dp"
    needs_sensitive = True
    strength = "epsilon"
    hides = ""

    epsilon: float = parameter(
        1.0,
        above=0,
        at_most=1000,
        label="How much may be learned (epsilon)",
        says="The release changes the odds of having a sensitive item by at most e^epsilon; smaller protects more.",
    )
    cap: int | None = parameter(
        None,
        at_least=1,
        label="Sensitive items of a person (cap)",
        says="The most sensitive items that count for one person; further ones are left out, drawn at random.",
    )

    def __post_init__(self) -> None:
        Guarantee.__post_init__(self)
        if self.epsilon > HARDLY_ANY:
            warnings.warn(
                CoveyWarning(
                    f"epsilon = {self.epsilon:g} lets the release change somebody's odds by a factor of "
                    f"{math.exp(min(self.epsilon, 700)):.3g}, which protects hardly anything; 0.5 to 2 is usual."
                ),
                stacklevel=4,
            )

    @property
    def per_item(self) -> float:
        """The epsilon for one sensitive item in the data; with a cap, adding one may displace another."""
        return float(self.epsilon if self.cap is None else 2 * self.epsilon)

    def per_person(self, items: int) -> float:
        """Return the epsilon for everything sensitive about one person, out of so many `items`."""
        return float(self.epsilon * (items if self.cap is None else min(2 * self.cap, items)))

    def traits(self) -> set[str]:
        """Return which sections of its words are meant."""
        return set() if self.cap is None else {"capped"}

    def words(self) -> dict[str, str]:
        """Return what is filled into its words."""
        factor = f"{math.exp(min(self.epsilon, 700)):.3g}"
        whole = f"{2 * (self.cap or 0) * self.epsilon:g}"
        return {"epsilon": f"{self.epsilon:g}", "factor": factor, "cap": str(self.cap), "whole": whole}

    def require_feasible(self, data: Summary) -> None:
        """Raise when no item is sensitive, or one has two spellings; how many hold it makes no difference."""
        if not data.secrets:
            raise ParameterError(
                "label-dp protects sensitive items, and none is named. "
                "Give them with --sensitive (a file with one item per line, or a comma-separated list)."
            )
        require_spelled_once(self, data)
