"""The few counts of data that decide whether a guarantee can be kept at all, wherever the data is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """One sensitive item, issue or column."""

    label: str
    #: Rows that hold it; of a column, the rows that hold its commonest value.
    holders: int
    #: How many different values it has; 1 for an item.
    values: int = 1
    #: Of a column: its commonest value.
    commonest: str = ""
    #: Of a value that is a secret by itself: the column that it stands in.
    column: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What guarantees ask about data before a release is made of it."""

    #: Transactions, respondents or rows of a table.
    rows: int
    #: Those with something in them that is not sensitive.
    filled: int
    #: What a row is called, in the plural.
    unit: str
    #: What is marked as sensitive.
    secrets: tuple[Secret, ...] = ()
