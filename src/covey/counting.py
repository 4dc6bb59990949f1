"""Format numbers with their nouns, shares, and values with their errors."""

from __future__ import annotations

import math
from typing import SupportsIndex

#: Plurals that are not the noun and an "s".
PLURALS = {"class": "classes", "entry": "entries", "sub-entry": "sub-entries", "leaf": "leaves", "guess": "guesses"}
SINGULARS = {plural: noun for noun, plural in PLURALS.items()}


def counted(number: SupportsIndex, noun: str) -> str:
    """Return a number and its noun, in the plural unless the number is 1.

    Examples
    --------
    >>> counted(1, "row"), counted(2_000, "row"), counted(3, "smaller class"), counted(0, "leaf")
    ('1 row', '2,000 rows', '3 smaller classes', '0 leaves')
    """
    *before, last = noun.split(" ")
    plural = " ".join([*before, PLURALS.get(last, f"{last}s")])
    return f"{number:,} {noun if number == 1 else plural}"


def sizes(**numbers: SupportsIndex) -> str:
    """Return several numbers, each with the plural noun that is its name.

    Examples
    --------
    >>> sizes(transactions=2_000, groups=1, sensitive_items=1)
    '2,000 transactions, 1 group, 1 sensitive item'
    """
    named = ((number, name.replace("_", " ")) for name, number in numbers.items())
    return ", ".join(counted(number, SINGULARS.get(name, name.removesuffix("s"))) for number, name in named)


def percent(share: float, *, fine: bool = False) -> str:
    """A share as people read it; `fine` keeps a decimal where releases are compared by it.

    Examples
    --------
    >>> [percent(s) for s in (0, 1e-12, 0.00012, 0.0345, 0.2, 1)]
    ['0 %', '0 %', '0.01 %', '3.5 %', '20 %', '100 %']
    >>> percent(0.9997)  # nearly all is not all
    '99.9 %'
    >>> percent(0.2234, fine=True)
    '22.3 %'
    """
    value = 100 * share
    if value < 0.0005:
        return "0 %"
    if 99.5 <= value < 99.9995:
        return f"{min(value, 99.9):.1f} %"
    if value >= 9.95:
        return f"{value:.1f} %" if fine else f"{value:.0f} %"
    return f"{value:.1f} %" if value >= 0.1 else f"{value:.1g} %"


def give_or_take(value: float, error: float) -> str:
    """A value with its error: two digits of the error count, and the value has as many decimals.

    Examples
    --------
    >>> give_or_take(0.12345, 0.01496), give_or_take(1234.5, 99.6), give_or_take(0.25, 0.0)
    ('0.123 ± 0.015', '1,234 ± 100', '0.25')
    """
    if not 0 < error < math.inf:
        return f"{value:.3g}"
    # The error is rounded first: 0.0996 is 0.10, one decimal less.
    decimals = max(1 - math.floor(math.log10(float(f"{error:.1e}"))), 0)
    return f"{value:,.{decimals}f} ± {error:,.{decimals}f}"
