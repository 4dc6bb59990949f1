"""The roles of a file's columns: those that were given, and those that names and values suggest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from covey.data.kinds import data_kind
from covey.web.records.datasets import Dataset

#: The options that give roles to columns; columns can be sensitive besides.
ROLES = ("quasi", "sensitive", "other", "identifier")


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
    quasi, role = column_names(data.options.get("quasi")), _named(data)
    rest = "identifier" if quasi else "quasi"
    return [(name, role.get(name, "quasi" if name in quasi else rest)) for name in columns]


def _named(data: Dataset) -> dict[str, str]:
    """The columns that were given a role by name, apart from those that may be known."""
    role = dict.fromkeys(data.sensitive, "sensitive")
    role |= {name: key for key in ("other", "identifier") for name in column_names(data.options.get(key))}
    return role | ({data.options["person"]: "identifier"} if data.options.get("person") else {})


def guesses_of(data: Dataset) -> dict[str, dict[str, Any]]:
    """What is known of each column once the file was read: its `covey.io.table.roles.Guess` as plain data."""
    return {guess["column"]: guess for guess in data.shape.get("guesses", ())}


def columns_with_roles(data: Dataset) -> list[str]:
    """The columns that can be given a role; which hold items instead is known once the file was read."""
    known = guesses_of(data)
    return [name for name in data.columns if not known or name in known]


def proposed_roles(data: Dataset) -> list[tuple[str, str]]:
    """Each column and its role: as someone decided, else as it is guessed.

    Whoever lists the columns that may be known has decided about all; whoever gave a column another role, about it.
    """
    columns, known, named = columns_with_roles(data), guesses_of(data), _named(data)
    now = roles_of(columns, data)
    if data.options.get("quasi"):
        return now
    return [(name, role if name in named or name not in known else known[name]["role"]) for name, role in now]


def undecided(data: Dataset) -> list[str]:
    """Columns whose guessed role is another than the one they have, and nobody has decided."""
    if not data_kind(data.kind).has_columns:
        return []
    now = dict(roles_of(data.columns, data))
    return [name for name, role in proposed_roles(data) if role != now[name]]


def unconfirmed(data: Dataset) -> list[str]:
    """Columns that may be known as far as anybody said, but seem to name people."""
    known = guesses_of(data)
    return [name for name in undecided(data) if known[name]["role"] == "identifier"]


def values_of(data: Dataset) -> dict[str, int]:
    """How many different values each column has, as far as it is known."""
    return {name: guess["values"] for name, guess in guesses_of(data).items()}
