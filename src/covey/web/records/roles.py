"""The roles of a table's columns: those that were given, and those that its values suggest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from covey.data.kinds import data_kind
from covey.web.records.datasets import Dataset

#: The options that give roles to columns; columns can be sensitive besides.
ROLES = ("quasi", "sensitive", "other", "identifier")

#: Text with at least this share of different values names people, in tables of at least so many rows.
DIFFERENT, ENOUGH = 0.95, 10


def column_names(given: Any) -> list[str]:
    """Names of columns that were given as a list, or as text with commas.

    Examples
    --------
    >>> column_names("age, sex,"), column_names(["age"]), column_names(None)
    (['age', 'sex'], ['age'], [])
    """
    if isinstance(given, str):
        return [part.strip() for part in given.split(",") if part.strip()]
    return list(given or ())


def roles_of(columns: Sequence[str], data: Dataset) -> list[tuple[str, str]]:
    """Each column and its role, as the data is configured."""
    quasi = column_names(data.options.get("quasi"))
    role = dict.fromkeys(data.sensitive, "sensitive")
    role |= {name: key for key in ("other", "identifier") for name in column_names(data.options.get(key))}
    rest = "identifier" if quasi else "quasi"
    return [(name, role.get(name, "quasi" if name in quasi else rest)) for name in columns]


def proposed_roles(data: Dataset) -> list[tuple[str, str]]:
    """Each column and its role; columns that seem to name people are proposed to be left out."""
    named = [*unconfirmed(data), data.options.get("person")]
    return [(name, "identifier" if name in named else role) for name, role in roles_of(data.columns, data)]


def unconfirmed(data: Dataset) -> list[str]:
    """Columns that may be known as far as anybody said, but seem to name people.

    Whoever lists the columns that may be known has decided; so has whoever gave the column any other role.
    """
    if not data_kind(data.kind).by_roles or data.options.get("quasi"):
        return []
    rows, role = data.shape.get("rows", 0), dict(roles_of(data.columns, data))
    return [
        column["name"]
        for column in data.shape.get("columns", ())
        if role.get(column["name"]) == "quasi"
        and not column["numeric"]
        and rows >= ENOUGH
        and column["values"] >= DIFFERENT * rows
    ]


def values_of(data: Dataset) -> dict[str, int]:
    """How many different values each column has, as far as it is known."""
    found: dict[str, int] = data.shape.get("values") or {
        column["name"]: column["values"] for column in data.shape.get("columns", ())
    }
    return found
