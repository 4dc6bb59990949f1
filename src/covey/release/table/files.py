"""The files of a released table: table.parquet or table.csv, and columns.csv with the role of each column.

A range of numbers is written ``[20-30]``, a group of a hierarchy by its label, anything at all ``*``; a missing
value is an empty cell.
"""

from __future__ import annotations

import csv as csv_module
from pathlib import Path
from typing import Any

import numpy as np

from covey.contracts import Progress
from covey.data.table import ROLES
from covey.errors import TamperedRelease
from covey.release.manifest import Manifest
from covey.release.table.model import PublishedColumn, TableRelease
from covey.verify.table_fidelity import compare

__all__ = ["arrow_table", "compare", "published_roles", "read", "write"]

COLUMNS = "columns.csv"
HEADER = ["column", "role", "kind"]


def arrow_table(release: TableRelease, *, plain: bool = False) -> Any:
    """The published table in Arrow, with dictionaries, or with plain strings; missing values are null."""
    import pyarrow as pa

    arrays = []
    for column in release.columns:
        labels = pa.array([label or None for label in column.labels], pa.string())
        codes = pa.array(column.codes)
        arrays.append(labels.take(codes) if plain else pa.DictionaryArray.from_arrays(codes, labels))
    return pa.Table.from_arrays(arrays, names=[column.name for column in release.columns])


def write(release: TableRelease, directory: Path, *, csv: bool, progress: Progress) -> list[str]:
    """Write the tables of `release` into `directory` and return the names of the files."""
    import pyarrow.csv as pacsv
    import pyarrow.parquet as pq

    name = f"table.{'csv' if csv else 'parquet'}"
    if csv:
        pacsv.write_csv(arrow_table(release, plain=True), directory / name)
    else:
        table = arrow_table(release, plain=True)
        pq.write_table(table, directory / name, compression="zstd", store_schema=False)
    with (directory / COLUMNS).open("w", newline="", encoding="utf-8") as stream:
        writer = csv_module.writer(stream, lineterminator="\n")
        writer.writerow(HEADER)
        for column in release.columns:
            writer.writerow([column.name, column.role, "numeric" if column.numeric else "categorical"])
    progress("writing", 1.0)
    return [COLUMNS, name]


def read(directory: Path, manifest: Manifest) -> TableRelease:
    """Read the tables back, whatever their digests."""
    csv = "table.csv" in manifest.files
    path = directory / f"table.{'csv' if csv else 'parquet'}"
    with (directory / COLUMNS).open(newline="", encoding="utf-8") as stream:
        described = list(csv_module.reader(stream))
    if not described or described[0] != HEADER or any(len(row) != len(HEADER) for row in described):
        raise TamperedRelease(f"{COLUMNS} does not have the columns {', '.join(HEADER)}.")
    table = _read_csv(path, [row[0] for row in described[1:]]) if csv else _read_parquet(path)
    if table.column_names != [row[0] for row in described[1:]]:
        raise TamperedRelease(f"{COLUMNS} does not name the columns of {path.name}.")
    columns = []
    for name, role, kind in described[1:]:
        if role not in ROLES or kind not in ("numeric", "categorical"):
            raise TamperedRelease(
                f"{COLUMNS} gives the column {name!r} the unknown role or kind {role}, {kind}."
            )
        columns.append(_column(name, role, kind == "numeric", table.column(name)))
    if not columns:
        raise TamperedRelease("The published table has no columns.")
    return TableRelease(
        columns=tuple(columns),
        guarantee=manifest.guarantee,
        method=manifest.method,
        options=dict(manifest.options),
    )


def published_roles(directory: Path) -> dict[str, list[str]] | None:
    """The columns of each role in a released table; None if `directory` is not one that can be read."""
    try:
        with (directory / COLUMNS).open(newline="", encoding="utf-8") as stream:
            rows = list(csv_module.reader(stream))
    except (OSError, UnicodeDecodeError, csv_module.Error):
        return None
    if not rows or rows[0] != HEADER or any(len(row) != len(HEADER) for row in rows):
        return None
    return {role: [name for name, given, _ in rows[1:] if given == role] for role in ROLES}


def _read_csv(path: Path, names: list[str]) -> Any:
    import pyarrow as pa
    import pyarrow.csv as pacsv

    convert = pacsv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        strings_can_be_null=False,
        quoted_strings_can_be_null=False,
    )
    # A single column with a missing value is an empty line, which must stay a row.
    parse = pacsv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)
    return pacsv.read_csv(path, convert_options=convert, parse_options=parse)


def _read_parquet(path: Path) -> Any:
    import pyarrow.parquet as pq

    return pq.read_table(path)


def _column(name: str, role: str, numeric: bool, values: Any) -> PublishedColumn:
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = pc.dictionary_encode(pc.fill_null(values.cast(pa.string()), "")).combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0) if encoded.num_chunks else pa.array([], pa.string()).dictionary_encode()
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
