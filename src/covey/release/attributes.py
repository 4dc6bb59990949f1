"""What releases of groups and of models have in common where they are made from records: attributes beside items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets, Records, Table
from covey.data.labels import plain, twins
from covey.data.records import like_values, with_values
from covey.errors import InputError, TamperedRelease
from covey.release.base import SECRET_COLUMNS, Release, Statement, counts_persons
from covey.release.table import TableRelease, table


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class WithAttributes(Release):
    """A release of transactions that, if they are records, has attributes of each person exactly, row by row."""

    #: The published items of each transaction; of records with the values of attributes, such as ``age=30``.
    transactions: Baskets
    #: In label order; of records the values of sensitive columns, such as ``illness=flu``, among them.
    sensitive_items: tuple[str, ...]
    attributes: TableRelease | None = None
    secret_columns: tuple[str, ...] = ()

    def column_facts(self) -> dict[str, object]:
        """Return the sensitive columns, if the release is one of records."""
        return {} if self.attributes is None else {SECRET_COLUMNS: list(self.secret_columns)}

    @property
    def made_from(self) -> str:
        """The kind of data that it was made from."""
        return "baskets" if self.attributes is None else "records"

    def named_columns(self) -> dict[str, dict[str, str]]:
        """The attributes of records, all of which are published as they were."""
        if self.attributes is None:
            return {}
        return {"table": {column.name: "An attribute, exactly as it was." for column in self.attributes.columns}}

    @property
    def unit(self) -> str:
        """What a row is, in the plural."""
        return "transactions" if self.attributes is None else "persons"

    def items_alone(self) -> Baskets:
        """The published items of each transaction, without the values of attributes."""
        if self.attributes is None:
            return self.transactions
        values = {f"{column.name}={label}" for column in self.attributes.columns for label in column.labels}
        return self.transactions.only(np.array([item not in values for item in self.transactions.items], np.bool_))

    def reading_options(self) -> Mapping[str, object]:
        """Return the roles with which records must be read to be compared; sensitive columns are published as other."""
        if self.attributes is None:
            return {}
        of_role = self.attributes.of_role
        return {
            "quasi": [column.name for column in of_role("quasi")],
            "categorical": [column.name for column in of_role("quasi") if not column.numeric],
            "other": [*(column.name for column in of_role("other")), *self.secret_columns],
        }

    def unprotected(self) -> list[tuple[str, float]]:
        """Return the attributes of records, all published as they were, each with its distinct values per person."""
        attributes = self.attributes
        if attributes is None:
            return []
        return [(column.name, len(column.labels) / max(attributes.n, 1)) for column in attributes.columns]


def misstated_columns(facts: Mapping[str, Any]) -> str:
    """Return what is wrong with the sensitive columns that a manifest states, in words; "" for nothing."""
    columns = facts.get(SECRET_COLUMNS, [])
    if not isinstance(columns, list) or not all(isinstance(name, str) and name for name in columns):
        return "does not name its sensitive columns as text"
    if SECRET_COLUMNS in facts and not counts_persons(facts):
        return "is about attributes, but does not count persons"
    return ""


def attributes_of(original: Baskets | Records, rows: Ints, made: Statement) -> dict[str, Any]:
    """Return what a release of records has besides: attributes of each person, and which columns are not published."""
    if not isinstance(original, Records):
        return {}
    columns = original.attributes.columns
    shown = Table(tuple(column for column in columns if column.role != "sensitive"))
    return {
        # Everybody is a class of their own, which is covered by the values as they are.
        "attributes": table(shown, np.arange(shown.n), shown.n, made=made, order=rows),
        "secret_columns": tuple(column.name for column in columns if column.role == "sensitive"),
    }


def with_attributes(baskets: Baskets, attributes: TableRelease, secret: list[str], counted: tuple[str, ...]) -> Baskets:
    """The published items with the values of attributes among them, if it is clear which is which."""
    names = [column.name for column in attributes.columns]
    if attributes.n != baskets.n:
        raise TamperedRelease(f"There are attributes of {attributes.n:,} persons, but items of {baskets.n:,}.")
    if attributes.of_role("sensitive") or twins(names, secret) or len(set(map(plain, secret))) < len(secret):
        raise TamperedRelease("A sensitive column is published next to single persons, or is named twice.")
    for label, _ in like_values((*baskets.items, *names), secret):
        raise TamperedRelease(f"{label!r} reads like a value of a sensitive column, beside single persons.")
    for label, _ in like_values(counted, names):
        raise TamperedRelease(f"{label!r} is counted, but reads like a value of a column that is published.")
    try:
        return with_values(baskets, attributes.columns)
    except InputError as error:
        raise TamperedRelease(f"An item and a column cannot be told apart: {error}") from None
