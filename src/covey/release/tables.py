"""The tables of releases on disk: exact schemas, Parquet or CSV, one file or several parts.

What a table may hold is declared by a `Schema`. Anything else in a file, an extra column, another type, a name in the
file's own metadata, is refused here, before anything looks at the values.
"""

from __future__ import annotations

import csv as csv_module
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from covey.arrays import Ints
from covey.errors import TamperedRelease
from covey.progress import Progress, silent
from covey.release.item_columns import PIECE, in_label_order_alone, joined, split

INT = pa.int64()
FLOAT = pa.float64()
TEXT = pa.string()
TEXTS = pa.list_(pa.string())

#: Bytes of CSV per piece; a longer line cannot be read.
BLOCK = 1 << 26


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table.

    `columns` has the type of each column; it is None for a table of texts whose columns another table names. `row` and
    `says` explain rows and columns to those who receive a release. `key` are the columns that tell rows apart. `refers`
    has the columns that name a row of another table by its column of the same name, and that table.
    """

    columns: Mapping[str, pa.DataType] | None
    always_csv: bool = False
    row: str = ""
    says: Mapping[str, str] = field(default_factory=dict)
    key: tuple[str, ...] = ()
    refers: Mapping[str, str] = field(default_factory=dict)

    def batch(self, *columns: Any) -> pa.RecordBatch:
        """A piece of the table from its columns, each as an Arrow array or as values of the column's type."""
        assert self.columns is not None
        typed = zip(columns, self.columns.values(), strict=True)
        arrays = [column if isinstance(column, pa.Array) else pa.array(column, type) for column, type in typed]
        return pa.RecordBatch.from_arrays(arrays, names=list(self.columns))


@dataclass(frozen=True)
class Tables:
    """The tables of a release on disk, read strictly."""

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
            if parts and chosen == parts and parts != [f"{table}/part-{i:05d}.parquet" for i in range(len(parts))]:
                raise TamperedRelease(f"The parts of the table {table} are not numbered 0, 1, 2 and so on.")
            if not chosen or (len(chosen) > 1 and chosen != parts):
                raise TamperedRelease(f"The release must hold the table {table} once.")
            left -= set(chosen)
            files[table] = [directory / name for name in chosen]
        if left:
            raise TamperedRelease(f"{sorted(left)[0]} is not a file of this kind of release.")
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
        for path in self.files[table]:
            yield from self.of_file(table, path)

    def of_file(self, table: str, path: Path) -> Iterator[pa.RecordBatch]:
        """One file of a table in pieces."""
        return (read_csv if self.is_csv(table) else read_parquet)(path, self.schemas[table])

    def table(self, name: str) -> pa.Table:
        """A whole table that is small enough."""
        pieces = list(self.batches(name))
        columns = self.schemas[name].columns or {}
        return pa.Table.from_batches(pieces, None if pieces else pa.schema(list(columns.items())))

    def columns(self, table: str, *names: str) -> list[Any]:
        """Columns of a small table, in which no value may be missing: numbers as numpy arrays, texts as Arrow's."""
        whole = self.table(table)
        found = [whole.column(name).combine_chunks() for name in names]
        for name, column in zip(names, found, strict=True):
            if column.null_count:
                raise TamperedRelease(f"The column {name} of the table {table} has a missing value.")
        return [column.to_numpy() if pa.types.is_integer(column.type) else column for column in found]

    def persons(self, table: str, rows: int) -> Ints:
        """The stated numbers of persons; whether they are possible is for the check of the guarantee to decide."""
        (persons,) = self.columns(table, "persons")
        if len(persons) != rows:
            raise TamperedRelease(f"The table {table} does not state how many persons each has.")
        numbers: Ints = persons
        return numbers


def read_parquet(path: Path, schema: Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a Parquet file in pieces; items come as codes of a dictionary.

    Columns, types and metadata must be those that covey writes. Whether its bytes are, `rewritten` can tell.
    """
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(path)
    columns = dict.fromkeys(metadata.schema.names, TEXT) if schema.columns is None else schema.columns
    strange = _strange(metadata, columns)
    if not strange:
        coded = [f"{name}.list.element" if type == TEXTS else name for name, type in columns.items()]
        with pq.ParquetFile(path, metadata=metadata, read_dictionary=coded) as file:
            for number in range(metadata.num_row_groups):
                rows = file.read_row_group(number)
                yield from rows.to_batches(PIECE) or [pa.RecordBatch.from_pylist([], rows.schema)]
    if strange:
        raise TamperedRelease(f"{path.name} is not as covey writes it: {strange}.")


def _strange(metadata: Any, columns: Mapping[str, pa.DataType]) -> str:
    """Return what the footer of a Parquet file says that covey would not have written, in words, or nothing."""
    if metadata.metadata:
        return "it carries metadata"
    expected, found = _written_schema(columns), metadata.schema
    # The first comparison is of Parquet's types, the second of what groups of columns are called and numbered.
    named = found.to_arrow_schema().equals(expected.to_arrow_schema(), check_metadata=True)
    if not (named and found.equals(expected)):
        names = ", ".join(name[:40] for name in metadata.schema.names[:8])
        return f"its columns ({names}) are not those of this table, or of another type"
    return ""


def _written_schema(columns: Mapping[str, pa.DataType]) -> Any:
    """Return the Parquet schema of a file with these columns as covey writes it."""
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.ParquetWriter(sink, pa.schema(list(columns.items())), store_schema=False).close()
    return pq.read_metadata(pa.BufferReader(sink.getvalue())).schema


def read_csv(path: Path, schema: Schema) -> Iterator[pa.RecordBatch]:
    """The rows of a CSV file, in pieces; a cell of items is split into its labels."""
    import pyarrow.csv as pacsv

    types = schema.columns
    if types is None:
        with path.open(encoding="utf-8", newline="") as stream:
            types = dict.fromkeys(next(csv_module.reader(stream), []), TEXT)
    convert = pacsv.ConvertOptions(
        column_types={name: TEXT if type == TEXTS else type for name, type in types.items()},
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    # A single column with a missing value is an empty line, which must stay a row.
    parse = pacsv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)
    with pacsv.open_csv(path, pacsv.ReadOptions(block_size=BLOCK), parse, convert) as reader:
        if reader.schema.names != list(types):
            raise TamperedRelease(f"{path.name} does not have the columns {', '.join(types)}.")
        yield _with_items(pa.RecordBatch.from_pylist([], reader.schema), types)
        for batch in reader:
            yield _with_items(batch, types)


def _with_items(batch: pa.RecordBatch, types: Mapping[str, pa.DataType]) -> pa.RecordBatch:
    for place, (name, type) in enumerate(types.items()):
        if type == TEXTS:
            batch = batch.set_column(place, name, split(batch.column(place)))
    return batch


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
    batches: Iterable[pa.RecordBatch], sink: Any, *, csv: bool, rows: int = 1, progress: Progress = silent
) -> None:
    """Write one table to an open file, whose bytes follow from its rows alone, however they are cut and coded."""
    import pyarrow.csv as pacsv
    import pyarrow.parquet as pq

    writer, written = None, 0
    try:
        for batch in batches if csv else row_groups(batches):
            for place, column in enumerate(batch.schema):
                one = batch.column(place)
                if csv and pa.types.is_list(column.type):
                    batch = batch.set_column(place, column.name, joined(one))
                elif pa.types.is_list(column.type):
                    batch = batch.set_column(place, column.name, in_label_order_alone(one))
                elif pa.types.is_dictionary(column.type):
                    batch = batch.set_column(place, column.name, one.dictionary_decode())
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


def row_groups(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Cut a table into row groups of `PIECE` rows; an empty table has one."""
    pieces = list(batches)
    if len(pieces) > 1:
        filled = [piece for piece in pieces if piece.num_rows] or pieces[:1]
        pieces = pa.Table.from_batches(filled).unify_dictionaries().combine_chunks().to_batches() or pieces[:1]
    for piece in pieces:
        for start in range(0, max(piece.num_rows, 1), PIECE):
            yield piece.slice(start, PIECE)


class Written(NamedTuple):
    """What is known of a file that was written again: its SHA-256 and its size."""

    digest: str
    size: int


def write_again(batches: Iterable[pa.RecordBatch], *, csv: bool) -> Written:
    """Write a file again, and return what is known of it."""
    sink = pa.BufferOutputStream()
    write_table(batches, sink, csv=csv)
    content = sink.getvalue()
    return Written(hashlib.sha256(content).hexdigest(), content.size)
