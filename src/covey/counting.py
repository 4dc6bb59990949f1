"""Numbers with their nouns, and shares."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number and its noun, in the singular where there is one of it.

    Examples
    --------
    >>> counted(1, "row"), counted(2_000, "row"), counted(3, "class"), counted(2, "sub-entry")
    ('1 row', '2,000 rows', '3 classes', '2 sub-entries')
    """
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("ry"):
        return f"{number:,} {noun[:-1]}ies"
    return f"{number:,} {noun}{'es' if noun.endswith(('s', 'ch')) else 's'}"


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
