"""Between a grouped release in memory and Arrow tables, in bounded pieces.

Labels travel as dictionary codes: no piece ever holds one string per entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from covey.errors import MissingDependency, ParameterError

if TYPE_CHECKING:
    from covey.release.grouped import GroupedRelease

#: Rows per piece; a row group of the Parquet file.
PIECE = 1 << 19

TRANSACTIONS_SCHEMA = pa.schema(
    [("group", pa.int64()), ("items", pa.list_(pa.dictionary(pa.int32(), pa.string())))]
)
SENSITIVE_SCHEMA = pa.schema([("group", pa.int64()), ("item", pa.string()), ("count", pa.int64())])


def transactions_batches(release: GroupedRelease, rows: int = PIECE) -> Iterator[pa.RecordBatch]:
    """The table (group, items) in pieces of `rows` rows; at least one piece, perhaps empty."""
    baskets = release.transactions
    labels = pa.array(baskets.items, pa.string())
    group_of = np.repeat(np.arange(release.groups), release.group_sizes())
    for start in range(0, max(baskets.n, 1), rows):
        stop = min(start + rows, baskets.n)
        offsets = baskets.indptr[start : stop + 1]
        codes = baskets.indices[offsets[0] : offsets[-1]] if stop > start else baskets.indices[:0]
        values = pa.DictionaryArray.from_arrays(pa.array(codes), labels)
        relative = pa.array(offsets - offsets[0], pa.int32())
        items = pa.ListArray.from_arrays(relative, values)
        yield pa.RecordBatch.from_arrays(
            [pa.array(group_of[start:stop]), items], schema=TRANSACTIONS_SCHEMA
        )


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

    def encode(self, values: Any) -> NDArray[np.int32]:
        """The ids of an Arrow array of labels; only its distinct labels become Python objects."""
        if not pa.types.is_dictionary(values.type):
            values = pc.dictionary_encode(values)
        rename = np.empty(len(values.dictionary), np.int32)
        for code, name in enumerate(values.dictionary.to_pylist()):
            if name not in self._ids:
                self._ids[name] = len(self.labels)
                self.labels.append(name)
            rename[code] = self._ids[name]
        return rename[values.indices.to_numpy(zero_copy_only=False)]


def as_frame(pieces: Iterable[Any], library: Literal["pandas", "polars", "arrow"]) -> Any:
    """Arrow pieces as a frame of the given library, labels as plain strings."""
    tables = [pa.table(piece) if isinstance(piece, pa.RecordBatch) else piece for piece in pieces]
    schema = pa.schema(
        [
            (f.name, pa.list_(pa.string()) if pa.types.is_list(f.type) else f.type)
            for f in tables[0].schema
        ]
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
