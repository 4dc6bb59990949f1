"""A release of a table: each row with its quasi-identifiers as ranges or groups of the hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from covey.arrays import Ids, Ints
from covey.counting import counted, sizes
from covey.errors import InputError
from covey.release.base import Release
from covey.release.persons import BY_PERSON

#: What became of a column, by its role.
ROLES_SAY = {
    "quasi": "A quasi-identifier: a value, a range such as [20-30], a broader group, or * for anything.",
    "sensitive": "Sensitive; published as it was.",
    "other": "Published as it was.",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PublishedColumn:
    """One column as it is published.

    Attributes
    ----------
    name, role : str
        The role is ``quasi``, ``sensitive`` or ``other``.
    numeric : bool
        Whether its values are numbers and ranges such as ``[20-30]``, rather than labels.
    codes : int32 array
        The value of each row as a position in `labels`.
    labels : tuple of str
        The distinct published values in label order; ``""`` is the missing value.
    """

    name: str
    role: str
    numeric: bool
    codes: Ids
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class TableRelease(Release):
    """A published table, rows in random order.

    Attributes
    ----------
    columns : tuple of PublishedColumn
        All equally long.
    class_persons : int64 array or None
        Where persons are counted: how many each class has; all rows of a person are in one class.
    holders : int64 array or None
        With l-diversity of the kind frequency: how many persons hold each sensitive value of each class, in the order
        of `TableRelease.held`.
    made : Statement
        How it was made.
    """

    kind: ClassVar[str] = "table"

    columns: tuple[PublishedColumn, ...]
    class_persons: Ints | None = None
    holders: Ints | None = None

    def __repr__(self) -> str:
        whose = "" if self.persons is None else f" of {counted(self.persons, 'person')}"
        return (
            f"TableRelease({self.guarantee} by {self.method}: {counted(self.n, 'row')}{whose}, "
            f"{sizes(columns=len(self.columns), classes=int(self.classes().max(initial=-1)) + 1)})"
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.columns[0].codes)

    @property
    def persons(self) -> int | None:
        """Number of persons, as far as it is stated; None where rows are counted."""
        return None if self.class_persons is None else sum(self.class_persons.tolist())

    def of_role(self, role: str) -> tuple[PublishedColumn, ...]:
        """The columns with a role, in order."""
        return tuple(column for column in self.columns if column.role == role)

    def column(self, name: str) -> PublishedColumn:
        """The column of this name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError(f"the release has no column {name!r}")

    def classes(self) -> Ints:
        """A number for each row, equal for rows whose quasi-identifiers are published alike. O(n log n).

        Classes are numbered in the label order of their quasi-identifiers, the first column first.
        """
        return number_rows([column.codes for column in self.of_role("quasi")], self.n)

    def held(self) -> list[tuple[str, Ints, Ids, Ints]]:
        """For each sensitive column: its name, and the classes, the values held in them, and in how many rows."""
        kind, found = self.classes(), []
        for column in self.of_role("sensitive"):
            width = max(len(column.labels), 1)
            cells, rows = np.unique(kind * width + column.codes, return_counts=True)
            found.append((column.name, cells // width, (cells % width).astype(np.int32), rows))
        return found

    def distinct_rows(self) -> list[tuple[str, ...]]:
        """The distinct published quasi-identifiers, sorted; for small releases."""
        columns = self.of_role("quasi")
        _, first = np.unique(self.classes(), return_index=True)
        return sorted(tuple(c.labels[c.codes[row]] for c in columns) for row in first)

    def counts(self) -> dict[str, int]:
        """The figures that the manifest states; nothing about single rows."""
        return {
            "rows": self.n,
            **({} if self.persons is None else {"persons": self.persons}),
            "columns": len(self.columns),
            "classes": int(self.classes().max(initial=-1)) + 1,
        }

    def facts(self) -> dict[str, str]:
        """What classes are made of, if not of rows."""
        return {} if self.class_persons is None else dict(BY_PERSON)

    def named_columns(self) -> dict[str, dict[str, str]]:
        """The published columns, and what became of each."""
        return {"table": {column.name: ROLES_SAY[column.role] for column in self.columns}}

    def to_frame(self, *, library: Literal["pandas", "polars", "arrow"] = "pandas") -> Any:
        """The published table as a frame, exactly as it stands in the files."""
        return self.frame_of("table", library=library)


def states_holders(guarantee: str) -> bool:
    """Whether a promise is about how many persons hold a value, so that a release which counts persons must say it.

    Examples
    --------
    >>> states_holders("l-diversity(l=2, k=3, kind=frequency)"), states_holders("k-anonymity(k=3)")
    (True, False)
    """
    return guarantee.startswith("l-diversity(") and "kind=frequency" in guarantee


def roles_of(release: Any) -> dict[str, list[str]]:
    """The roles with which the original must be read to be compared with a release of a table, or of records."""
    table: TableRelease = getattr(release, "attributes", release)
    return {role: [column.name for column in table.of_role(role)] for role in ("quasi", "sensitive", "other")}


def unprotected_columns(release: Any) -> list[tuple[str, float]]:
    """The columns that are published as they were, and how many different values they have for each row."""
    table: TableRelease = getattr(release, "attributes", release)
    return [(column.name, len(column.labels) / max(table.n, 1)) for column in table.columns if column.role != "quasi"]


def number_rows(codes: list[Ids], n: int) -> Ints:
    """A number for each row, equal for rows with equal codes in every column; 0 up, without gaps.

    Examples
    --------
    >>> number_rows([np.array([0, 0, 1]), np.array([5, 5, 5])], 3).tolist()
    [0, 0, 1]
    """
    number = np.zeros(n, np.int64)
    for column in codes:
        # Both factors are at most n, or the number of labels; their product fits for any table in memory.
        key = number * (int(column.max(initial=0)) + 1) + column
        number = np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return number


def commonest(like: Ints, value: Ids) -> Ints:
    """How many rows of each class have its most frequent value."""
    values = int(value.max(initial=0)) + 1
    pair, count = np.unique(like * values + value, return_counts=True)
    most = np.zeros(int(like.max(initial=-1)) + 1, np.int64)
    np.maximum.at(most, pair // values, count)
    return most
