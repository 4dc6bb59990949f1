"""Releases of records: attributes as ranges and broader groups, and items as broader labels or left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa

from covey.arrays import Ints
from covey.counting import sizes
from covey.data import Baskets, Table
from covey.errors import TamperedRelease
from covey.release.base import Release, Statement, Words
from covey.release.item_columns import assemble_baskets, item_batches
from covey.release.manifest import Manifest
from covey.release.table import COLUMNS, TABLE, TableRelease, table
from covey.release.tables import TEXTS, Schema, Tables
from covey.release.trace import Trace, remember

USE = """\
Row i of `items` belongs to row i of `table`. In `table`, a range such as `[20-30]` stands for any value in it, a
broader group for any value below it, and `*` for any value at all. Items may have been replaced by broader labels or
left out, never added. In DuckDB:

```sql
SELECT count(*) FROM $table POSITIONAL JOIN $items WHERE list_contains($labels, 'A LABEL')
```"""

WORDS = Words(
    row="person",
    group="class",
    groups="classes of persons with the same attributes",
    counts={
        "persons": "persons",
        "columns": "columns",
        "classes": "classes of persons with the same attributes",
        "items": "different labels of items",
        "entries": "labels of items in all",
        "empty": "persons without a published item",
    },
    use=USE,
)

ITEMS = Schema(
    {"items": TEXTS},
    row="Row i is the same person as row i of `table`.",
    says={"items": "Published labels: items as they were, or broader ones; what one stands for may differ by class."},
)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RecordsRelease(Release):
    """Published persons, in random order.

    Attributes and labels are in the same order; a set of labels may be empty. What a label stands for may differ from
    class to class.
    """

    kind: ClassVar[str] = "records"
    data_kinds: ClassVar[tuple[str, ...]] = ("records",)
    words: ClassVar[Words] = WORDS
    framed: ClassVar[tuple[str, ...]] = ("table", "items")

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

    @classmethod
    def schemas(cls, manifest: Manifest) -> Mapping[str, Schema]:
        """Return the exact tables."""
        return {"table": TABLE, "columns": COLUMNS, "items": ITEMS}

    @classmethod
    def from_tables(cls, found: Tables, manifest: Manifest) -> Self:
        """Read the release from its tables."""
        attributes = TableRelease.from_tables(found, manifest)
        baskets, _ = assemble_baskets(found.batches("items"))
        if baskets.n != attributes.n:
            raise TamperedRelease(f"There are attributes of {attributes.n:,} persons, but items of {baskets.n:,}.")
        return cls(attributes=attributes, baskets=baskets, made=manifest.made)

    def tables(self) -> Mapping[str, Iterator[pa.RecordBatch]]:
        """Return the tables as they are written."""
        return {**self.attributes.tables(), "items": item_batches(self.baskets)}

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

    def reading_options(self) -> Mapping[str, object]:
        """Return the roles with which the original must be read to be compared."""
        return self.attributes.reading_options()

    def unprotected(self) -> list[tuple[str, float]]:
        """Return the attributes published as they were, each with its number of distinct values per person."""
        return self.attributes.unprotected()


def records(
    attributes: Table,
    items: Baskets,
    group: Ints,
    groups: int,
    *,
    made: Statement,
    seed: int | None,
    rows: Ints | None = None,
) -> RecordsRelease:
    """Make a release from the class of each person, and from the items that each is to be published with.

    `attributes` are those of the original, and each class is published as what covers it; `items` is what each person
    is published with. Every number in ``range(groups)`` is used. Without a seed, the system's entropy decides.
    `rows` are the original rows of the given ones, where these are in another order.
    """
    order = np.random.default_rng(seed).permutation(attributes.n)
    release = RecordsRelease(
        attributes=table(attributes, group, groups, made=made, order=order),
        baskets=items.only(items.supports() > 0).take(order),
        made=made,
    )
    remember(release, Trace(rows=order if rows is None else rows[order]))
    return release
