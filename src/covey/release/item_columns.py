"""Between a grouped release in memory and Arrow tables, in bounded pieces.

Labels travel as dictionary codes: no piece ever holds one string per entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Ids, Ints
from covey.contracts import Progress
from covey.data import Baskets
from covey.errors import MissingDependency, ParameterError, TamperedRelease

if TYPE_CHECKING:
    from covey.release.grouped.model import GroupedRelease

_RESERVED = re.compile(r"[%|\x00-\x1f\x7f]")

#: Rows per piece; a row group of the Parquet file.
PIECE = 1 << 19

ITEMS = pa.list_(pa.dictionary(pa.int32(), pa.string()))
SENSITIVE_SCHEMA = pa.schema([("group", pa.int64()), ("item", pa.string()), ("count", pa.int64())])


def item_batches(baskets: Baskets, groups: Ints | None = None, rows: int = PIECE) -> Iterator[pa.RecordBatch]:
    """The table (items), or (group, items), in pieces of `rows` rows; at least one piece, perhaps empty."""
    labels = pa.array(baskets.items, pa.string())
    for start in range(0, max(baskets.n, 1), rows):
        stop = min(start + rows, baskets.n)
        offsets = baskets.indptr[start : stop + 1]
        codes = baskets.indices[offsets[0] : offsets[-1]]
        values = pa.DictionaryArray.from_arrays(pa.array(codes), labels)
        items = pa.ListArray.from_arrays(pa.array(offsets - offsets[0], pa.int32()), values)
        if groups is None:
            yield pa.RecordBatch.from_arrays([items], names=["items"])
        else:
            yield pa.RecordBatch.from_arrays([pa.array(groups[start:stop]), items], names=["group", "items"])


def write_batches(
    batches: Iterator[pa.RecordBatch], labels: tuple[str, ...], path: Path, total: int, progress: Progress
) -> None:
    """Write a table with a column of items as Parquet or CSV, by the ending of `path`."""
    import pyarrow.csv as pacsv
    import pyarrow.parquet as pq

    csv = path.suffix == ".csv"
    escaped = pa.array([escape(label) for label in labels], pa.string())
    writer, written = None, 0
    try:
        for batch in batches:
            if csv:
                lists = batch.column("items")
                text = pa.ListArray.from_arrays(lists.offsets, escaped.take(lists.values.indices))
                joined = pc.binary_join(text, "|")
                batch = batch.set_column(batch.schema.get_field_index("items"), "items", joined)
            if writer is None and csv:
                writer = pacsv.CSVWriter(path, batch.schema)
            elif writer is None:
                # Without the stored Arrow schema readers see list<string>, not covey's dictionary codes.
                writer = pq.ParquetWriter(path, batch.schema, compression="zstd", store_schema=False)
            writer.write_batch(batch)
            written += batch.num_rows
            progress("writing", written / max(total, 1))
    finally:
        if writer is not None:
            writer.close()


def table_paths(directory: Path, files: Iterable[str], table: str) -> list[Path]:
    """The files that hold a table: one, or the parts in a folder of its name, in the order of their names."""
    return [directory / name for name in sorted(files) if name.split("/")[0].split(".")[0] == table]


def read_table(paths: list[Path]) -> Iterator[pa.RecordBatch]:
    """Read back a table from its files, in pieces."""
    if not paths:
        raise TamperedRelease("The manifest does not list all tables of the release.")
    for path in paths:
        yield from read_batches(path)


def read_batches(path: Path) -> Iterator[pa.RecordBatch]:
    """Read back what `write_batches` wrote, in pieces; labels of CSV files are still escaped."""
    import pyarrow.csv as pacsv
    import pyarrow.parquet as pq

    if path.suffix == ".parquet":
        with pq.ParquetFile(path, read_dictionary=["items.list.element"]) as file:
            yield from file.iter_batches(batch_size=PIECE)
        return
    types = {"group": pa.int64(), "items": pa.string()}
    convert = pacsv.ConvertOptions(column_types=types, strings_can_be_null=False)
    with pacsv.open_csv(path, convert_options=convert) as reader:
        for batch in reader:
            text = batch.column("items")
            # Splitting "" gives one empty label, but an empty cell is an empty basket.
            empty = pa.scalar([], pa.list_(pa.string()))
            lists = pc.if_else(pc.equal(text, ""), empty, pc.split_pattern(text, "|"))
            yield batch.set_column(batch.schema.get_field_index("items"), "items", lists)


def assemble_baskets(batches: Iterable[pa.RecordBatch], *, escaped: bool) -> tuple[Baskets, list[Any]]:
    """The baskets in a table with a column of items, and its pieces without that column."""
    codes = LabelCodes()
    rest: list[Any] = []
    lengths, indices = [np.zeros(1, np.int64)], [np.empty(0, np.int32)]
    for batch in batches:
        lists = batch.column("items")
        if lists.null_count or lists.flatten().null_count:
            raise TamperedRelease("A published transaction has a missing value.")
        lengths.append(np.diff(lists.offsets.to_numpy()).astype(np.int64))
        indices.append(codes.encode(lists.flatten()))
        rest.append(batch.drop_columns(["items"]))
    labels = [unescape(label) for label in codes.labels] if escaped else codes.labels
    indptr, entries = np.cumsum(np.concatenate(lengths)), np.concatenate(indices)
    read = len(entries)
    baskets = Baskets.build(indptr, entries, labels)
    if baskets.entries != read:
        raise TamperedRelease("A published transaction holds an item twice.")
    return baskets, rest


def sensitive_table(release: GroupedRelease) -> pa.Table:
    """The table (group, item, count), by group and then item."""
    labels = pa.array(release.sensitive_items, pa.string())
    items = pa.DictionaryArray.from_arrays(pa.array(release.count_item), labels).cast(pa.string())
    return pa.Table.from_arrays(
        [pa.array(release.count_group), items, pa.array(release.count)], schema=SENSITIVE_SCHEMA
    )


class LabelCodes:
    """Turns the labels of successive pieces into ids of one common list.

    Attributes
    ----------
    labels : list of str
        All labels so far, in order of first sight.
    """

    def __init__(self) -> None:
        self.labels: list[str] = []
        self._ids: dict[str, int] = {}

    def encode(self, values: Any) -> Ids:
        """The ids of an Arrow array of labels; only its distinct labels become Python objects."""
        if not pa.types.is_dictionary(values.type):
            values = pc.dictionary_encode(values)
        rename = np.empty(len(values.dictionary), np.int32)
        for code, name in enumerate(values.dictionary.to_pylist()):
            if name not in self._ids:
                self._ids[name] = len(self.labels)
                self.labels.append(name)
            rename[code] = self._ids[name]
        codes: Ids = rename[values.indices.to_numpy(zero_copy_only=False)]
        return codes


def as_frame(pieces: Iterable[Any], library: Literal["pandas", "polars", "arrow"]) -> Any:
    """Arrow pieces as a frame of the given library, labels as plain strings."""
    tables = [pa.table(piece) if isinstance(piece, pa.RecordBatch) else piece for piece in pieces]
    schema = pa.schema(
        [(f.name, pa.list_(pa.string()) if pa.types.is_list(f.type) else f.type) for f in tables[0].schema]
    )
    table = pa.concat_tables([t.cast(schema) for t in tables])
    if library == "arrow":
        return table
    try:
        if library == "pandas":
            return table.to_pandas()
        if library == "polars":
            import polars

            return polars.from_arrow(table)
    except ImportError:
        raise MissingDependency(f"{library} is not installed: pip install 'covey[frames]'.") from None
    raise ParameterError(f"Frames come from 'pandas', 'polars' or 'arrow'. Got {library!r} instead.")


def escape(label: str) -> str:
    """A label as it stands in a joined CSV cell: ``%``, ``|`` and control characters as ``%XX``.

    Examples
    --------
    >>> escape("50% off|today")
    '50%25 off%7Ctoday'
    """
    return _RESERVED.sub(lambda m: f"%{ord(m.group()):02X}", label)


def unescape(text: str) -> str:
    """The label that `escape` wrote."""
    return unquote(text)
