"""The tables of a released table: the rows, and the role of each column.

A range of numbers is written ``[20-30]``, a group of a hierarchy by its label, anything at all ``*``; a missing
value is null, which in CSV is an empty cell. Where persons are counted, the manifest states ``"unit": "person"``, and a
table of classes says how many each has; classes are numbered in the label order of their quasi-identifiers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Ints
from covey.data.hierarchy import MISSING, ROOT
from covey.data.labels import in_label_order
from covey.data.spans import ends_of
from covey.data.table import ROLES
from covey.errors import TamperedRelease
from covey.release.manifest import Manifest
from covey.release.persons import counts_persons, misstated
from covey.release.table.model import PublishedColumn, TableRelease, states_holders
from covey.release.tables import INT, TEXT, Schema, Tables

TABLE = Schema(None, row="Each row is one row of the original, in random order. An empty cell is a missing value.")
COLUMNS = Schema(
    {"column": TEXT, "role": TEXT, "kind": TEXT},
    always_csv=True,
    row="Each row describes one column of `table`, in their order.",
    says={
        "column": "Its name.",
        "role": "quasi (someone outside might know it), sensitive, or other.",
        "kind": "numeric (numbers and ranges) or categorical (labels).",
    },
    key=("column",),
)
CLASSES = Schema(
    {"class": INT, "rows": INT, "persons": INT},
    row="Each row is one class: all rows of `table` whose quasi-identifiers are published alike, in label order.",
    says={"class": "Its number.", "rows": "How many rows it has.", "persons": "How many persons these rows belong to."},
    key=("class",),
)
HOLDERS = Schema(
    {"class": INT, "column": TEXT, "value": TEXT, "persons": INT},
    row="Each row is one sensitive value in one class.",
    says={
        "class": "The class.",
        "column": "The sensitive column.",
        "value": "The value.",
        "persons": "How many persons hold it.",
    },
    refers={"class": "classes"},
)
KINDS = ("categorical", "numeric")


def tables(manifest: Manifest) -> Mapping[str, Schema]:
    """The exact tables of a release."""
    exact = {"table": TABLE, "columns": COLUMNS}
    if counts_persons(manifest.facts):
        exact["classes"] = CLASSES
        if states_holders(manifest.guarantee):
            exact["holders"] = HOLDERS
    return exact


def problem(manifest: Manifest) -> str:
    """Nothing is stated of a released table but whether persons are counted."""
    return misstated(manifest.facts)


def to_tables(release: TableRelease) -> Mapping[str, Iterator[pa.RecordBatch]]:
    """The tables as covey writes them."""
    described = ((column.name, column.role, KINDS[column.numeric]) for column in release.columns)
    made = {
        "table": iter([table_batch(release)]),
        "columns": iter([COLUMNS.batch(*zip(*described, strict=True))]),
    }
    if release.class_persons is not None:
        rows = np.bincount(release.classes())
        made["classes"] = iter([CLASSES.batch(np.arange(len(rows)), rows, release.class_persons)])
    if release.holders is not None:
        made["holders"] = iter([_holders_batch(release, release.holders)])
    return made


def _holders_batch(release: TableRelease, holders: Ints) -> pa.RecordBatch:
    """The table (class, column, value, persons), column by column."""
    kinds, names, values = [np.empty(0, np.int64)], [], []
    for column, kind, code, _ in release.held():
        labels = release.column(column).labels
        kinds.append(kind)
        names += [column] * len(kind)
        values += [labels[i] or None for i in code]
    return HOLDERS.batch(np.concatenate(kinds), names, values, holders)


def table_batch(release: TableRelease) -> pa.RecordBatch:
    """The published rows in Arrow, as plain texts; missing values are null."""
    arrays = []
    for column in release.columns:
        labels = pa.array([label or None for label in column.labels], pa.string())
        arrays.append(labels.take(pa.array(column.codes)))
    return pa.RecordBatch.from_arrays(arrays, names=[column.name for column in release.columns])


def from_tables(found: Tables, manifest: Manifest, *, ranges: bool = True) -> TableRelease:
    """The release that such tables are of; without `ranges`, all columns are published as they were."""
    described = found.table("columns").to_pylist()
    rows = pa.Table.from_batches(found.batches("table"))
    names = [row["column"] for row in described]
    if not names or len(set(names)) < len(names) or rows.column_names != names:
        raise TamperedRelease("The table of columns does not name the columns of the table.")
    for row in described:
        if row["role"] not in ROLES or row["kind"] not in KINDS:
            raise TamperedRelease(f"The column {row['column']!r} has an unknown role or kind.")
    columns = [
        _column(row["column"], row["role"], row["kind"] == "numeric", rows.column(row["column"])) for row in described
    ]
    for column in columns:
        _require_numbers(column, ranges and column.role == "quasi")
    release = TableRelease(columns=tuple(columns), made=manifest.made)
    if "classes" not in found.schemas:
        return release
    classes = int(release.classes().max(initial=-1)) + 1
    cells = sum(len(kind) for _, kind, _, _ in release.held())
    return replace(
        release,
        class_persons=_persons(found, "classes", classes),
        holders=_persons(found, "holders", cells) if "holders" in found.schemas else None,
    )


def _require_numbers(column: PublishedColumn, ranges: bool) -> None:
    """Refuse a column of numbers with anything but numbers and, if it may, ranges and ``*``, as covey writes them."""
    for label in column.labels if column.numeric else ():
        ends = ends_of(label)
        alone = label == MISSING or (ends is not None and ends[0] == ends[1])
        if not (alone or (ranges and (label == ROOT or ends is not None))):
            what = "number or range" if ranges else "number"
            raise TamperedRelease(
                f"The column {column.name!r} has {label[:60]!r}, which is no {what} as covey writes it."
            )


def _persons(found: Tables, table: str, wanted: int) -> Ints:
    """The numbers of persons of a table; whether they are possible is for the check of the promise to say."""
    persons = found.table(table).column("persons").combine_chunks()
    if persons.null_count or len(persons) != wanted:
        raise TamperedRelease(f"The table of {table} does not say of every one how many persons it has.")
    numbers: Ints = persons.to_numpy()
    return numbers


def _column(name: str, role: str, numeric: bool, values: Any) -> PublishedColumn:
    encoded = pc.dictionary_encode(pc.fill_null(values.cast(TEXT), "")).combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0) if encoded.num_chunks else pa.array([], TEXT).dictionary_encode()
    labels, place = in_label_order(encoded.dictionary.to_pylist())
    codes = place[encoded.indices.to_numpy(zero_copy_only=False)]
    return PublishedColumn(name=name, role=role, numeric=numeric, codes=codes, labels=labels)
