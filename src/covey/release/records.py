"""Releases of records: attributes as ranges and broader groups, and items as broader labels or left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa

from covey.arrays import Ints
from covey.counting import sizes
from covey.data import Baskets, Table
from covey.errors import TamperedRelease
from covey.release.base import Release, Statement
from covey.release.item_columns import assemble_baskets, item_batches
from covey.release.kinds import ReleaseKind, in_every_room
from covey.release.manifest import Manifest
from covey.release.table import files as table_files
from covey.release.table.model import TableRelease
from covey.release.table.publish import table
from covey.release.tables import TEXTS, Schema, Tables

USE = """\
Row i of `items` belongs to row i of `table`. In `table`, a range such as `[20-30]` stands for any value in it, a
broader group for any value below it, and `*` for any value at all. Items may have been replaced by broader labels or
left out, never added. In DuckDB:

```sql
SELECT count(*) FROM $table POSITIONAL JOIN $items WHERE list_contains($labels, 'A LABEL')
```"""

RECORDS = ReleaseKind(
    name="records",
    made_from=("records",),
    files="covey.release.records",
    row="person",
    group="class",
    groups="classes of persons with the same attributes",
    counts={
        "persons": "persons, all that were read",
        "columns": "columns",
        "classes": "classes of persons with the same attributes",
        "items": "different labels of items",
        "entries": "labels of items in all",
        "empty": "persons without a published item",
    },
    use=USE,
    hints="covey.release.table.model:roles_of",
    unprotected="covey.release.table.model:unprotected_columns",
    measures={"loss": "covey.measure.record_loss:record_loss"},
    attacks={
        "linkage": "covey.measure.attacks.sets:linkage_of_records",
        "whole": "covey.measure.attacks.sets:whole_of_records",
    },
    company="covey.measure.attacks.company:of_records",
    **in_every_room("records"),
)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RecordsRelease(Release):
    """Published persons, in random order.

    Attributes and labels are in the same order; a set of labels may be empty. What a label stands for may differ from
    class to class.
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


ITEMS = Schema(
    {"items": TEXTS},
    row="Row i is the same person as row i of `table`.",
    says={"items": "Published labels: items as they were, or broader ones; what one stands for may differ by class."},
)


def tables(manifest: Manifest) -> Mapping[str, Schema]:
    """The exact tables of a release."""
    return {"table": table_files.TABLE, "columns": table_files.COLUMNS, "items": ITEMS}


def problem(manifest: Manifest) -> str:
    """Nothing is stated of released records: a row is a person, always."""
    return f"states {min(manifest.facts)!r}" if manifest.facts else ""


def to_tables(release: RecordsRelease) -> Mapping[str, Iterator[pa.RecordBatch]]:
    """The tables as covey writes them."""
    return {**table_files.to_tables(release.attributes), "items": item_batches(release.baskets)}


def from_tables(found: Tables, manifest: Manifest) -> RecordsRelease:
    """The release that such tables are of."""
    attributes = table_files.from_tables(found, manifest)
    baskets, _ = assemble_baskets(found.batches("items"))
    if baskets.n != attributes.n:
        raise TamperedRelease(f"There are attributes of {attributes.n:,} persons, but items of {baskets.n:,}.")
    return RecordsRelease(attributes=attributes, baskets=baskets, made=manifest.made)


def records(
    attributes: Table, items: Baskets, group: Ints, groups: int, *, made: Statement, seed: int | None
) -> RecordsRelease:
    """Make a release from the class of each person, and from the items that each is to be published with.

    `attributes` are those of the original, and each class is published as what covers it; `items` is what each person
    is published with. Every number in ``range(groups)`` is used. Without a seed, the system's entropy decides.
    """
    order = np.random.default_rng(seed).permutation(attributes.n)
    return RecordsRelease(
        attributes=table(attributes, group, groups, made=made, order=order),
        baskets=items.only(items.supports() > 0).take(order),
        made=made,
    )
