"""The tables of releases on disk: exact schemas, Parquet or CSV, one file or several parts.

What a table may hold is declared by a `Schema`. Anything else in a file, an extra column, another type, a name in the
file's own metadata, is refused here, before anything looks at the values.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from covey.errors import TamperedRelease
from covey.progress import Progress, silent
from covey.release.item_columns import joined, split

INT = pa.int64()
FLOAT = pa.float64()
TEXT = pa.string()
TEXTS = pa.list_(pa.string())

#: Rows per piece; a row group of a Parquet file.
PIECE = 1 << 19

_WRITERS = re.compile(r"parquet-cpp-arrow version \d{1,3}\.\d{1,3}\.\d{1,3}(-SNAPSHOT)?")


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table.

    Attributes
    ----------
    columns : mapping or None
        Type of each column; None for a table of texts whose columns another table names.
    always_csv : bool
        Whether it is CSV also in a release of Parquet files.
    """

    columns: Mapping[str, pa.DataType] | None
    always_csv: bool = False

    def nothing(self) -> dict[str, pa.Array]:
        """The columns of a table without rows."""
        return {name: pa.array([], kind) for name, kind in (self.columns or {}).items()}

    def problem(self, found: pa.Schema) -> str:
        """What `found` has that is not declared, or lacks, in words."""
        if found.metadata or any(column.metadata for column in found):
            return "it carries metadata"
        if self.columns is None:
            odd = [column.name for column in found if column.type != TEXT]
            return f"the column {odd[0]!r} does not hold text" if odd else ""
        if found.names != list(self.columns):
            return f"it has the columns {_few(found.names)} instead of {_few(self.columns)}"
        for column, wanted in zip(found, self.columns.values(), strict=True):
            # Parquet has no name of its own for what is in a list; each writer has its own.
            given = pa.list_(column.type.value_type) if pa.types.is_list(column.type) else column.type
            if given != wanted:
                return f"the column {column.name!r} is {column.type} instead of {wanted}"
        return ""


def _few(names: Iterable[str]) -> str:
    return ", ".join(str(name)[:40] for name in list(names)[:8])


@dataclass(frozen=True)
class Tables:
    """The tables of a release on disk, read strictly.

    Attributes
    ----------
    directory : Path
        Where the release is.
    schemas : mapping
        The tables it must consist of.
    files : mapping
        The files of each table, in order.
    """

    directory: Path
    schemas: Mapping[str, Schema]
    files: Mapping[str, list[Path]]

    @classmethod
    def of(cls, directory: Path, schemas: Mapping[str, Schema], names: Iterable[str]) -> Tables:
        """Find the files of each table among `names`; every name must be one, and no table may lack its own."""
        left, files = set(names), {}
        for table, schema in schemas.items():
            parts = sorted(name for name in left if name.startswith(f"{table}/"))
            single = [f"{table}.csv"] if schema.always_csv else [f"{table}.csv", f"{table}.parquet"]
            chosen = [name for name in single if name in left] or ([] if schema.always_csv else parts)
            if (
                parts
                and chosen == parts
                and parts != [f"{table}/part-{i:05d}.parquet" for i in range(len(parts))]
            ):
                raise TamperedRelease(f"The parts of the table {table} are not numbered 0, 1, 2 and so on.")
            if not chosen or (len(chosen) > 1 and chosen != parts):
                raise TamperedRelease(f"The release must hold the table {table} once.")
            left -= set(chosen)
            files[table] = [directory / name for name in chosen]
        if left:
            raise TamperedRelease(f"{sorted(left)[0]} is no file of a release of this kind.")
        found = cls(directory, schemas, files)
        if len({found.is_csv(table) for table, schema in schemas.items() if not schema.always_csv}) > 1:
            raise TamperedRelease("The tables are partly CSV and partly Parquet.")
        return found

    def is_csv(self, table: str) -> bool:
        """Whether a table is written as CSV."""
        return self.files[table][0].suffix == ".csv"

    @cached_property
    def csv(self) -> bool:
        """Whether the release is written as CSV."""
        return any(self.is_csv(table) for table, schema in self.schemas.items() if not schema.always_csv)

    def batches(self, table: str) -> Iterator[pa.RecordBatch]:
        """A table in pieces, each with exactly the declared columns."""
        schema = self.schemas[table]
        for path in self.files[table]:
            yield from (read_csv if path.suffix == ".csv" else read_parquet)(path, schema)

    def table(self, name: str) -> pa.Table:
        """A whole table that is small enough."""
        pieces = list(self.batches(name))
        return pa.Table.from_batches(pieces) if pieces else pa.table(self.schemas[name].nothing())


def read_parquet(path: Path, schema: Schema) -> Iterator[pa.RecordBatch]:
    """The rows of a Parquet file, in pieces; items come as codes of a dictionary."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        problem = schema.problem(file.schema_arrow) or _foreign(file.metadata, path)
        leaves = [file.schema.column(place) for place in range(file.metadata.num_columns)]
    if problem:
        raise TamperedRelease(f"{path.name} is not as covey writes it: {problem}.")
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    used = _Used(path)
    with pq.ParquetFile(path, read_dictionary=texts) as file:
        for batch in file.iter_batches(batch_size=PIECE):
            used.note(batch)
            yield batch
    used.require_all()


class _Used:
    """Which texts of a file's dictionaries its rows have: a text that no row has would be hidden from all readers."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._listed: dict[str, set[str]] = {}
        self._used: dict[str, set[str]] = {}

    def note(self, batch: pa.RecordBatch) -> None:
        """Take in the dictionaries of a piece."""
        for column, array in zip(batch.schema.names, batch.columns, strict=True):
            values = array.flatten() if pa.types.is_list(array.type) else array
            if not pa.types.is_dictionary(values.type):
                continue
            names = values.dictionary.to_pylist()
            codes = np.unique(values.indices.drop_null().to_numpy(zero_copy_only=False))
            self._listed.setdefault(column, set()).update(names)
            self._used.setdefault(column, set()).update(names[code] for code in codes.tolist())

    def require_all(self) -> None:
        """Raise when a dictionary lists what no row has."""
        for column, listed in self._listed.items():
            if listed != self._used[column]:
                raise TamperedRelease(
                    f"{self._path.name} is not as covey writes it: it hides a text in the column {column!r}."
                )


def _foreign(metadata: Any, path: Path) -> str:
    """What a Parquet file holds besides its rows: notes of its own, another writer's name, unaccounted bytes."""
    if metadata.metadata:
        return "it carries metadata"
    if not _WRITERS.fullmatch(metadata.created_by or ""):
        return f"it was written by {str(metadata.created_by)[:60]!r}"
    at = 4  # behind the magic number
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(column)
            start = chunk.data_page_offset
            if chunk.has_dictionary_page:
                start = min(start, chunk.dictionary_page_offset)
            if start != at:
                return "it holds bytes that belong to no column"
            at += chunk.total_compressed_size
    if at + metadata.serialized_size + 8 != path.stat().st_size:
        return "it holds bytes that belong to no column"
    return ""


def read_csv(path: Path, schema: Schema) -> Iterator[pa.RecordBatch]:
    """The rows of a CSV file, in pieces; a cell of items is split into its labels."""
    import pyarrow.csv as pacsv

    columns = schema.columns
    types = {} if columns is None else {n: TEXT if t == TEXTS else t for n, t in columns.items()}
    if columns is None:
        with path.open(encoding="utf-8", newline="") as stream:
            types = dict.fromkeys(_header(stream.readline()), TEXT)
    convert = pacsv.ConvertOptions(
        column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
    )
    # A single column with a missing value is an empty line, which must stay a row.
    parse = pacsv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)
    with pacsv.open_csv(path, convert_options=convert, parse_options=parse) as reader:
        for batch in reader:
            for place, name in enumerate(batch.schema.names):
                if columns is not None and columns.get(name) == TEXTS:
                    batch = batch.set_column(place, name, split(batch.column(place)))
            problem = schema.problem(batch.schema)
            if problem:
                raise TamperedRelease(f"{path.name} is not as covey writes it: {problem}.")
            yield batch


def _header(line: str) -> list[str]:
    import csv

    return next(csv.reader([line]), [])


def write_tables(
    tables: Mapping[str, Iterator[pa.RecordBatch]],
    schemas: Mapping[str, Schema],
    directory: Path,
    *,
    csv: bool,
    rows: int = 1,
    progress: Progress = silent,
) -> list[str]:
    """Write tables into `directory` and return the names of the files."""
    names = []
    for table, batches in tables.items():
        text = csv or schemas[table].always_csv
        names.append(f"{table}.{'csv' if text else 'parquet'}")
        with (directory / names[-1]).open("wb") as sink:
            write_table(batches, sink, csv=text, rows=rows, progress=progress)
    return sorted(names)


def write_table(
    batches: Iterator[pa.RecordBatch], sink: Any, *, csv: bool, rows: int = 1, progress: Progress = silent
) -> None:
    """Write one table to an open file."""
    import pyarrow.csv as pacsv
    import pyarrow.parquet as pq

    writer, written = None, 0
    try:
        for batch in batches:
            if csv:
                batch = _as_text(batch)
            if writer is None:
                # Without the stored Arrow schema readers see list<string>, not covey's dictionary codes.
                writer = (
                    pacsv.CSVWriter(sink, batch.schema)
                    if csv
                    else pq.ParquetWriter(sink, batch.schema, compression="zstd", store_schema=False)
                )
            writer.write_batch(batch)
            written += batch.num_rows
            progress("writing", min(written / max(rows, 1), 1.0))
    finally:
        if writer is not None:
            writer.close()


def _as_text(batch: pa.RecordBatch) -> pa.RecordBatch:
    for place, column in enumerate(batch.schema):
        if pa.types.is_list(column.type):
            batch = batch.set_column(place, column.name, joined(batch.column(place)))
    return batch


def first_difference(
    found: Tables, expected: Mapping[str, Iterator[pa.RecordBatch]], digests: Mapping[str, str] | None
) -> str:
    """Which table is not what covey would write of what was read from it, in words; nothing when all are.

    CSV is compared byte by byte, by its digest; Parquet value by value, since its bytes depend on the version of the
    library that wrote it. Without digests CSV is compared by value too.
    """
    for table, batches in expected.items():
        if found.is_csv(table) and digests is not None:
            sink = _Hashing()
            write_table(batches, pa.PythonFile(sink, "w"), csv=True)
            same = sink.hash.hexdigest() == digests[found.files[table][0].name]
        else:
            same = all(a.equals(b) for a, b in _aligned(found.batches(table), batches))
        if not same:
            return f"the table {table} is not in the form in which covey writes it"
    return ""


class _Hashing:
    """A file that keeps nothing but the digest of what is written to it."""

    closed = False

    def __init__(self) -> None:
        self.hash = hashlib.sha256()

    def write(self, data: Any) -> int:
        self.hash.update(data)
        return len(data)

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


def _aligned(
    left: Iterator[pa.RecordBatch], right: Iterator[pa.RecordBatch]
) -> Iterator[tuple[pa.Table, pa.Table]]:
    """The rows of two streams side by side, in pieces of equal length, items as plain texts."""
    held: list[Any] = [None, None]
    streams = (iter(left), iter(right))
    while True:
        for side in (0, 1):
            while held[side] is None or not held[side].num_rows:
                piece = next(streams[side], None)
                if piece is None:
                    break
                held[side] = plain(piece)
        left_rows, right_rows = (0 if one is None else one.num_rows for one in held)
        rows = min(left_rows, right_rows)
        if not rows:
            # An empty file has no pieces at all; what is left of a longer one stands against nothing.
            yield pa.table({"rows": [left_rows]}), pa.table({"rows": [right_rows]})
            return
        yield held[0].slice(0, rows), held[1].slice(0, rows)
        held = [one.slice(rows) for one in held]


def plain(batch: pa.RecordBatch) -> pa.Table:
    """A piece of a table with texts instead of codes of a dictionary."""
    arrays, names = [], []
    for column, array in zip(batch.schema, batch.columns, strict=True):
        if pa.types.is_list(array.type):
            array = array.cast(TEXTS)
        elif pa.types.is_dictionary(array.type):
            array = array.cast(TEXT)
        arrays.append(array)
        names.append(column.name)
    return pa.Table.from_arrays(arrays, names=names)
