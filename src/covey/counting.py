"""Numbers with their nouns."""

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
