"""The tables of released records: attributes and items, row i of both being the same person, and the columns' roles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa

from covey.errors import TamperedRelease
from covey.release.item_columns import assemble_baskets, item_batches
from covey.release.manifest import Manifest
from covey.release.records.model import RecordsRelease
from covey.release.table import files as table_files
from covey.release.tables import TEXTS, Schema, Tables

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
