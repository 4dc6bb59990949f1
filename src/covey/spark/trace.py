"""Traces of releases that were made on Spark: for the id of each row, its group or what it is published as.

A trace is a directory of Parquet files that only its owner can read. Rows without an id have none. Rows of one group
that are published alike, and equal sets, are not told apart: whichever is whose, the release is the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Ints
from covey.data import Baskets
from covey.data.equal_rows import equal_rows
from covey.errors import InputError, ParameterError, other_original
from covey.release.grouped import GroupedRelease
from covey.release.sets import SetsRelease
from covey.release.tables import INT, TEXT, TEXTS, Schema, read_parquet
from covey.release.trace import Trace
from covey.spark.batches import as_batch, coded
from covey.spark.parts import each

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: What the directory holds besides the folder of rows.
NAME, FORMAT, ROWS = "trace.json", "covey-trace/2", "rows"
#: Kind of release → columns of its trace.
SCHEMAS = {"grouped": Schema({"id": TEXT, "group": INT}), "sets": Schema({"id": TEXT, "items": TEXTS})}


def seal_trace(directory: Path, release: str) -> None:
    """State which release a trace is of, by the digest of its tables."""
    (directory / NAME).write_text(json.dumps({"format": FORMAT, "release": release}) + "\n")


def digest_of_parts(digests: Sequence[str]) -> str:
    """Return the digest of a release from those of its parts, which are without totals."""
    return digests[0] if len(digests) == 1 else hashlib.sha256(" ".join(digests).encode()).hexdigest()


def find_trace(given: Sequence[str | Path], release: str | None = None) -> Path | None:
    """Return the one of the given directories that is the trace of a release, or the first; None if there is none.

    Raises
    ------
    InputError
        One cannot be read, or none is of this release.
    """
    for path in map(Path, given):
        try:
            stated = json.loads((path / NAME).read_text())
            if stated["format"] == FORMAT and stated["release"] == (release or stated["release"]):
                return path
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError("is no trace of a release made on Spark", file=str(path)) from None
    if given:
        raise InputError("is the trace of another release", file=str(given[0]))
    return None


def require_named(named: bool) -> None:
    """Raise where rows have no id, so that they have no trace."""
    if not named:
        raise ParameterError(
            "The rows have no id, so there is no trace: name the column that identifies them (--transaction, "
            "transaction=), or leave --trace out."
        )


def trace_frame(spark: SparkSession, directory: Path, kind: str, items: tuple[str, ...]) -> DataFrame:
    """Return a trace as ``id: string`` and ``group: long`` or ``published: array<int>``, -1 for unknown items.

    Read by the strict reader on the executors: Spark's own believes statistics in a file, by which rows can be hidden.
    """
    files, schema = [str(path.absolute()) for path in _files(directory)], SCHEMAS[kind]

    def read(number: int) -> Iterator[Any]:
        known = pa.array(items, pa.string())
        for batch in read_parquet(Path(files[number]), schema):
            ids = pc.cast(batch.column("id"), pa.string())
            if kind == "grouped":
                yield as_batch({"id": ids, "group": batch.column("group")})
            else:
                yield as_batch({"id": ids, "published": coded(batch.column("items"), known)})

    return each(spark, len(files), read, f"id string, {'group long' if kind == 'grouped' else 'published array<int>'}")


def local_trace(directory: Path, release: Any, data: Baskets, ids: pa.Array) -> Trace:
    """Return the trace in a directory for the local engine, given the original with its sensitive items marked.

    The `ids` are those of its transactions, or of its persons where sets are published of persons.
    """
    pieces = [one for path in _files(directory) for one in read_parquet(path, SCHEMAS[release.kind])]
    table = pa.Table.from_batches(pieces).unify_dictionaries().combine_chunks()
    at = pc.index_in(ids, pc.cast(table.column("id"), pa.string()).combine_chunks())
    if at.null_count or len(at) != table.num_rows:
        raise other_original("its trace is about other rows")
    where = table.take(at).combine_chunks().to_batches()[0]
    if isinstance(release, SetsRelease):
        indptr, codes = coded(where.column("items"), pa.array(release.transactions.items, pa.string()))
        rows = original_rows(release, Baskets.build(indptr, codes, release.transactions.items), None)
    else:
        rows = original_rows(release, data.only(~data.sensitive), where.column("group").to_numpy())
    if rows is None:
        raise other_original("its trace is of another release")
    return Trace(rows=rows, person=data.person, names=data.names)


def original_rows(release: GroupedRelease | SetsRelease, published: Baskets, group: Ints | None) -> Ints | None:
    """Return an original row for each published one, given what is `published` of each, and its group if there are any.

    None where they are not the same rows.
    """
    ours, n = release.transactions, release.transactions.n
    known = {label: number for number, label in enumerate(published.items)}
    place = np.array([known.get(label, -1) for label in ours.items], np.int32)
    if n != published.n or (place < 0).any():
        return None
    indptr = np.concatenate([ours.indptr, ours.indptr[-1] + published.indptr[1:]])
    number = equal_rows(indptr, np.concatenate([place[ours.indices], published.indices]), max(published.d, 1))[0]
    if isinstance(release, GroupedRelease) and group is not None:
        stated = np.repeat(np.arange(release.groups), release.group_sizes())
        number += np.concatenate([stated, group]) * (int(number.max(initial=0)) + 1)
    here, there = np.argsort(number[:n], kind="stable"), np.argsort(number[n:], kind="stable")
    if not np.array_equal(number[:n][here], number[n:][there]):
        return None
    rows = np.empty(n, np.int64)
    rows[here] = there
    return rows


def _files(directory: Path) -> list[Path]:
    return sorted((directory / ROWS).iterdir())
