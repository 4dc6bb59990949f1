"""How well the rows of a table, or its persons, are told apart by someone who knows all their quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.release.table.model import number_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class RowExposure:
    """The probability of finding a row, which is 1 / (rows like it).

    Attributes
    ----------
    mean, worst : float
        The mean over all rows, and the highest.
    unique : float
        Share of rows with no other like them.
    """

    mean: float
    worst: float
    unique: float


def row_exposure(table: Any) -> RowExposure:
    """Count the rows that look alike in a table, or in a released one, which has the same columns.

    Where persons are counted, the company of a row is the persons whose rows look like it.

    Examples
    --------
    >>> from covey import Table
    >>> row_exposure(Table.of({"age": [30, 30, 40, 50]}))
    RowExposure(mean=0.75, worst=1.0, unique=0.5)
    """
    quasi = [column.codes for column in table.columns if column.role == "quasi"]
    kind = number_rows(quasi, table.n)
    rows = np.bincount(kind)
    sizes = getattr(table, "class_persons", None)  # a released table states them
    person = getattr(table, "person", None)
    if person is not None:
        persons = int(person.max(initial=0)) + 1
        sizes = np.bincount(np.unique(kind * persons + person) // persons, minlength=len(rows))
    elif sizes is None:
        sizes = rows
    return RowExposure(
        mean=float((rows / np.maximum(sizes, 1)).sum()) / max(table.n, 1),
        worst=1 / max(int(sizes.min(initial=table.n)), 1),
        unique=int(rows[sizes == 1].sum()) / max(table.n, 1),
    )
