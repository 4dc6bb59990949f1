"""Numbers with their nouns, and shares."""

from __future__ import annotations

import math
import re
from typing import SupportsIndex


def article(noun: str) -> str:
    """A noun with the article that it takes.

    Examples
    --------
    >>> article("row"), article("answer")
    ('a row', 'an answer')
    """
    return f"{'an' if noun[:1].lower() in (*'aeiou',) else 'a'} {noun}"


def counted(number: SupportsIndex, noun: str) -> str:
    """A number and its noun, in the singular where there is one of it.

    Examples
    --------
    >>> counted(1, "row"), counted(2_000, "row"), counted(3, "class"), counted(2, "sub-entry"), counted(0, "leaf")
    ('1 row', '2,000 rows', '3 classes', '2 sub-entries', '0 leaves')
    """
    if number == 1:
        return f"1 {noun}"
    if noun.endswith(("ry", "leaf")):
        return f"{number:,} {noun[:-1]}{'ies' if noun.endswith('y') else 'ves'}"
    return f"{number:,} {noun}{'es' if noun.endswith(('s', 'ch')) else 's'}"


def singular(plural: str) -> str:
    """What one of it is called: the same words, with the first plural in the singular.

    Examples
    --------
    >>> [singular(words) for words in ("sensitive entries", "classes of rows that look alike", "leaves", "empty")]
    ['sensitive entry', 'class of rows that look alike', 'leaf', 'empty']
    """
    endings = {"ries": "ry", "sses": "ss", "leaves": "leaf"}
    return re.sub(r"(ries|sses|leaves|s)\b", lambda found: endings.get(found[1], ""), plural, count=1)


def sizes(**numbers: SupportsIndex) -> str:
    """Several numbers, each with the noun that is its name.

    Examples
    --------
    >>> sizes(transactions=2_000, groups=1, sensitive_items=1)
    '2,000 transactions, 1 group, 1 sensitive item'
    """
    named = ((number, name.replace("_", " ")) for name, number in numbers.items())
    return ", ".join(f"1 {singular(name)}" if number == 1 else f"{number:,} {name}" for number, name in named)


def verb(number: SupportsIndex, plural: str) -> str:
    """A verb, given as it follows many, as it follows a number.

    Examples
    --------
    >>> verb(1, "are"), verb(2, "are"), verb(1, "have"), verb(0, "name"), verb(1, "name"), verb(1, "match")
    ('is', 'are', 'has', 'name', 'names', 'matches')
    """
    if number != 1:
        return plural
    regular = f"{plural}{'es' if plural.endswith('ch') else 's'}"
    return {"are": "is", "were": "was", "have": "has"}.get(plural, regular)


def times(number: int) -> str:
    """How often something is there.

    Examples
    --------
    >>> times(1), times(2_000)
    ('once', '2,000 times')
    """
    return "once" if number == 1 else f"{number:,} times"


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
