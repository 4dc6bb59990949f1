"""The few counts of data that decide whether a guarantee can be kept at all, wherever the data is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """One sensitive item, issue or column.

    Attributes
    ----------
    label : str
        What it is called.
    holders : int
        Rows that hold it; of a column, the rows that hold its commonest value.
    values : int
        How many different values it has; 1 for an item.
    commonest : str
        Of a column: its commonest value.
    column : str
        Of a value that is a secret by itself: the column that it stands in.
    """

    label: str
    holders: int
    values: int = 1
    commonest: str = ""
    column: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What guarantees ask about data before a release is made of it.

    Attributes
    ----------
    rows : int
        Transactions, respondents or rows of a table.
    filled : int
        Those with something in them that is not sensitive.
    unit : str
        What a row is called, in the plural.
    secrets : tuple of Secret
        What is marked as sensitive.
    """

    rows: int
    filled: int
    unit: str
    secrets: tuple[Secret, ...] = ()
