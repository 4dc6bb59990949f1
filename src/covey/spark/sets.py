"""Transactions on Spark: rows of item numbers, with labels and supports on the driver."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from covey.arrays import Ints, Mask
from covey.data.labels import sensitive_mask
from covey.data.summary import Secret, Summary

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Sets:
    """The transactions of a source that `covey.spark.read` has read, or the sets of its persons."""

    #: ``row: long``, ``items: array<int>``, ascending, and where they are known ``id: string`` and ``person: string``.
    #: A row's number is a hash of its id or, without one, of its items, its person and how many equal rows come before
    #: it: the same data has the same rows, whatever the partitions. By chance two rows can have the same number.
    rows: DataFrame
    #: Labels in label order; an item's number is its position here. As many as there are different items, and kept on
    #: the driver.
    items: tuple[str, ...]
    #: How many rows hold each item.
    supports: Ints
    #: Which items are sensitive.
    sensitive: Mask
    #: Number of rows, and of those without any item.
    n: int
    empty: int
    #: What a row is, in the plural.
    unit: str = "transactions"
    #: Where persons are named: the sets of persons, each with all items of their transactions; the id is the name.
    people: Sets | None = None

    @property
    def d(self) -> int:
        """Number of items."""
        return len(self.items)

    @property
    def entries(self) -> int:
        """Number of (row, item) entries."""
        return int(self.supports.sum())

    @property
    def persons(self) -> int | None:
        """Number of persons; None as long as they are not named."""
        return None if self.people is None else self.people.n

    @property
    def named(self) -> bool:
        """Whether the rows have ids."""
        return "id" in self.rows.columns

    def by_person(self) -> Sets:
        """The sets of persons; as they are when no persons are named."""
        return self if self.people is None else self.people

    def sensitive_items(self) -> list[str]:
        """Labels of the sensitive items, in label order."""
        return [self.items[i] for i in np.flatnonzero(self.sensitive)]

    def with_sensitive(self, names: Collection[str]) -> Sets:
        """The same sets with exactly these items sensitive; unknown names are an error."""
        people = None if self.people is None else self.people.with_sensitive(names)
        return replace(self, sensitive=sensitive_mask(self.items, names), people=people)

    def public(self) -> Column:
        """What of a row's items is not sensitive, as an expression."""
        from pyspark.sql import functions as sf

        secret = sf.array(*(sf.lit(int(i)) for i in np.flatnonzero(self.sensitive))).cast("array<int>")
        return sf.array_except("items", secret)

    def summary(self) -> Summary:
        """What guarantees ask before a release is made; one pass over the rows if there are sensitive items."""
        from pyspark.sql import functions as sf

        filled = self.n - self.empty
        if self.sensitive.any():
            filled = self.rows.where(sf.size(self.public()) > 0).count()
        return Summary(
            rows=self.n,
            filled=filled,
            unit=self.unit,
            secrets=tuple(
                Secret(label=self.items[i], holders=int(self.supports[i])) for i in np.flatnonzero(self.sensitive)
            ),
        )

    def persist(self) -> Sets:
        """Keep the rows in the executors' memory, and on their disks what does not fit."""
        from pyspark import StorageLevel

        for sets in (self, self.people):
            if sets is not None:
                sets.rows.persist(StorageLevel.MEMORY_AND_DISK)
        return self

    def unpersist(self) -> None:
        """Release what `persist` keeps."""
        for sets in (self, self.people):
            if sets is not None:
                sets.rows.unpersist()
