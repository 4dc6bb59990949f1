"""A release of records: each person with attributes as ranges or groups, and with fewer or coarser items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from covey.counting import sizes
from covey.data import Baskets
from covey.release.base import Release
from covey.release.table.model import TableRelease


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RecordsRelease(Release):
    """Published persons, in random order.

    Attributes
    ----------
    attributes : TableRelease
        The attributes of each person.
    baskets : Baskets
        The published labels of each person, in the same order; a set may be empty. What a label stands for may
        differ from class to class.
    made : Statement
        How it was made.
    """

    kind: ClassVar[str] = "records"

    attributes: TableRelease
    baskets: Baskets

    def __repr__(self) -> str:
        return (
            f"RecordsRelease({self.guarantee} by {self.method}: "
            f"{sizes(persons=self.n, classes=self.counts()['classes'], labels=self.baskets.d)})"
        )

    @property
    def n(self) -> int:
        """Number of persons."""
        return self.attributes.n

    def counts(self) -> dict[str, int]:
        """The figures that the manifest states; nothing about single persons."""
        table = self.attributes.counts()
        return {
            "persons": self.n,
            "columns": table["columns"],
            "classes": table["classes"],
            "items": self.baskets.d,
            "entries": self.baskets.entries,
            "empty": int((self.baskets.lengths() == 0).sum()),
        }

    def named_columns(self) -> dict[str, dict[str, str]]:
        """The published attributes, and what became of each."""
        return self.attributes.named_columns()

    def to_frame(self, *, library: Literal["pandas", "polars", "arrow"] = "pandas") -> Any:
        """One row per person: a column for each attribute, and last the list of items."""
        return self.frame_of("table", "items", library=library)
