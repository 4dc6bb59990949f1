"""Transactions on Spark: different sets of item numbers, and how often each occurs."""

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
    """The different sets of a source that `covey.spark.read` has read."""

    #: ``items: array<int>``, ascending, and ``weight: long``; no set stands twice.
    frame: DataFrame
    #: Labels in label order; an item's number is its position here. As many as there are different items, and kept on
    #: the driver.
    items: tuple[str, ...]
    #: How many transactions hold each item.
    supports: Ints
    #: Which items are sensitive.
    sensitive: Mask
    #: Number of transactions, or of persons, and of those without any item.
    n: int
    empty: int
    #: Where persons are named: ``items: array<int>`` and ``person: long``, a row per transaction.
    owned: DataFrame | None = None
    #: Where persons are named: the sets of persons, each with all items of their transactions. Their `owned` has a row
    #: per person.
    people: Sets | None = None

    @property
    def d(self) -> int:
        """Number of items."""
        return len(self.items)

    @property
    def entries(self) -> int:
        """Number of (transaction, item) entries."""
        return int(self.supports.sum())

    @property
    def persons(self) -> int | None:
        """Number of persons; None as long as nobody has said who they are."""
        return None if self.people is None else self.people.n

    def by_person(self) -> Sets:
        """The sets of persons; as they are when no persons are named."""
        return self if self.people is None else self.people

    def rows(self) -> DataFrame:
        """A row per transaction, or per person: ``row: long`` and ``items: array<int>``.

        The row's number is that of the person or, where nobody is named, a hash of its items and of how many equal
        ones come before it: whatever the partitions, the same data has the same rows. Two rows can have the same
        number by chance, unless it is a person's; order by (row, items).
        """
        from pyspark.sql import functions as sf

        if self.owned is not None:
            return self.owned.select(sf.col("person").alias("row"), "items")
        copies = sf.explode(sf.sequence(sf.lit(1).cast("long"), sf.col("weight")))
        return self.frame.select("items", copies.alias("copy")).select(
            sf.xxhash64("items", "copy").alias("row"), "items"
        )

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

        return sf.array_except("items", self._flags())

    def secret(self) -> Column:
        """What of a row's items is sensitive, as an expression."""
        from pyspark.sql import functions as sf

        return sf.array_intersect("items", self._flags())

    def _flags(self) -> Column:
        from pyspark.sql import functions as sf

        return sf.array(*(sf.lit(int(i)) for i in np.flatnonzero(self.sensitive))).cast("array<int>")

    def summary(self) -> Summary:
        """What guarantees ask before a release is made; one pass over the sets if there are sensitive items."""
        from pyspark.sql import functions as sf

        filled = self.n - self.empty
        if self.sensitive.any():
            public = sf.when(sf.size(self.public()) > 0, sf.col("weight"))
            found = self.frame.agg(sf.sum(public)).first()
            assert found is not None
            filled = int(found[0] or 0)
        return Summary(
            rows=self.n,
            filled=filled,
            unit="transactions" if self.owned is None else "persons",
            secrets=tuple(
                Secret(label=self.items[i], holders=int(self.supports[i])) for i in np.flatnonzero(self.sensitive)
            ),
        )

    def persist(self) -> Sets:
        """Keep the sets in the executors' memory, and on their disks what does not fit."""
        from pyspark import StorageLevel

        for frame in self._frames():
            frame.persist(StorageLevel.MEMORY_AND_DISK)
        return self

    def unpersist(self) -> None:
        """Let go of what `persist` keeps."""
        for frame in self._frames():
            frame.unpersist()

    def _frames(self) -> list[DataFrame]:
        """What is read again and again."""
        own = [self.frame] if self.owned is None else [self.owned, self.frame]
        return own if self.people is None else [*own, *self.people._frames()]
