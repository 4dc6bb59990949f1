"""The tables of a released table: the rows, and the role of each column.

A range of numbers is written ``[20-30]``, a group of a hierarchy by its label, anything at all ``*``; a missing
value is null, which in CSV is an empty cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.data.table import ROLES
from covey.errors import TamperedRelease
from covey.release.manifest import Manifest
from covey.release.table.model import PublishedColumn, TableRelease
from covey.release.tables import TEXT, Schema, Tables

TABLE = Schema(None)
COLUMNS = Schema({"column": TEXT, "role": TEXT, "kind": TEXT}, always_csv=True)
KINDS = ("categorical", "numeric")


def tables(manifest: Manifest) -> Mapping[str, Schema]:
    """The exact tables of a release."""
    return {"table": TABLE, "columns": replace(COLUMNS, bare=manifest.format == 1)}


def problem(manifest: Manifest) -> str:
    """Nothing but the tables is stated of a released table."""
    return f"states {sorted(manifest.facts)[0]!r}" if manifest.facts else ""


def to_tables(release: TableRelease, format: int) -> Mapping[str, Iterator[pa.RecordBatch]]:
    """The tables as covey writes them."""
    described = [[c.name for c in release.columns], [c.role for c in release.columns]]
    described.append([KINDS[column.numeric] for column in release.columns])
    columns = [pa.array(texts, TEXT) for texts in described]
    return {
        "table": iter([table_batch(release)]),
        "columns": iter([pa.RecordBatch.from_arrays(columns, names=["column", "role", "kind"])]),
    }


def table_batch(release: TableRelease) -> pa.RecordBatch:
    """The published rows in Arrow, as plain texts; missing values are null."""
    arrays = []
    for column in release.columns:
        labels = pa.array([label or None for label in column.labels], pa.string())
        arrays.append(labels.take(pa.array(column.codes)))
    return pa.RecordBatch.from_arrays(arrays, names=[column.name for column in release.columns])


def from_tables(found: Tables, manifest: Manifest) -> TableRelease:
    """The release that such tables are of."""
    described = found.table("columns").to_pylist()
    rows = pa.Table.from_batches(found.batches("table"))
    names = [row["column"] for row in described]
    if not names or len(set(names)) < len(names) or rows.column_names != names:
        raise TamperedRelease("The table of columns does not name the columns of the table.")
    for row in described:
        if row["role"] not in ROLES or row["kind"] not in KINDS:
            raise TamperedRelease(f"The column {row['column']!r} has an unknown role or kind.")
    columns = [
        _column(row["column"], row["role"], row["kind"] == "numeric", rows.column(row["column"]))
        for row in described
    ]
    return TableRelease(columns=tuple(columns), made=manifest.made)


def _column(name: str, role: str, numeric: bool, values: Any) -> PublishedColumn:
    encoded = pc.dictionary_encode(pc.fill_null(values.cast(TEXT), "")).combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0) if encoded.num_chunks else pa.array([], TEXT).dictionary_encode()
    labels = encoded.dictionary.to_pylist()
    order = sorted(range(len(labels)), key=labels.__getitem__)
    rename = np.zeros(max(len(labels), 1), np.int32)
    rename[order] = np.arange(len(labels), dtype=np.int32)
    return PublishedColumn(
        name=name,
        role=role,
        numeric=numeric,
        codes=rename[encoded.indices.to_numpy(zero_copy_only=False)],
        labels=tuple(labels[i] for i in order),
    )
