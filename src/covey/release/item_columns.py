"""Columns of items: between baskets in memory and lists of labels in Arrow, Parquet and CSV, in bounded pieces.

Labels travel as dictionary codes: no piece ever holds one string per entry. In CSV the items of a transaction are
joined by ``|``; in a label, ``%``, ``|`` and control characters are written as ``%`` and two hexadecimal digits.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from covey.arrays import Ids, Ints, offsets_of
from covey.data import Baskets
from covey.data.labels import in_label_order
from covey.errors import TamperedRelease

_RESERVED = re.compile(r"[%|\x00-\x1f\x7f]")

#: Rows per piece; a row group of a Parquet file.
PIECE = 1 << 19


def item_batches(
    baskets: Baskets, columns: Mapping[str, Ints | Ids] = MappingProxyType({}), *, held: bool = False
) -> Iterator[pa.RecordBatch]:
    """The table (items), after some `columns`, in pieces; at least one piece, perhaps empty.

    All items are named, or only those that are `held` by a row.
    """
    named = baskets.supports() > 0 if held else np.ones(baskets.d, np.bool_)
    rename = None if named.all() else np.cumsum(named, dtype=np.int32) - np.int32(1)
    labels = pa.array([baskets.items[i] for i in np.flatnonzero(named)], pa.string())
    for start in range(0, max(baskets.n, 1), PIECE):
        offsets = baskets.indptr[start : start + PIECE + 1]
        codes = baskets.indices[offsets[0] : offsets[-1]]
        values = pa.DictionaryArray.from_arrays(pa.array(codes if rename is None else rename[codes]), labels)
        items = pa.ListArray.from_arrays(pa.array(offsets - offsets[0], pa.int32()), values)
        before = [pa.array(column[start : start + PIECE], pa.int64()) for column in columns.values()]
        yield pa.RecordBatch.from_arrays([*before, items], names=[*columns, "items"])


def assemble_baskets(batches: Iterable[pa.RecordBatch]) -> tuple[Baskets, dict[str, Ints]]:
    """The baskets in a table with a column of items, and its other columns, which are numbers; nothing is missing."""
    codes = LabelCodes()
    lengths: list[Ids | Ints] = [np.empty(0, np.int32)]
    indices = [np.empty(0, np.int32)]
    columns: dict[str, list[Ints]] = {}
    for batch in batches:
        lists = batch.column("items")
        entries = lists.flatten()
        if entries.null_count or any(column.null_count for column in batch.columns):
            raise TamperedRelease("A published row has a missing value.")
        lengths.append(np.diff(lists.offsets.to_numpy()))
        indices.append(codes.encode(entries))
        for name in batch.schema.names:
            if name != "items":
                columns.setdefault(name, []).append(batch.column(name).to_numpy())
    require_named(codes.labels)
    indptr, found = offsets_of(np.concatenate(lengths)), np.concatenate(indices)
    baskets = Baskets.build(indptr, found, codes.labels)
    if baskets.entries != len(found):
        raise TamperedRelease("A published row holds an item twice.")
    return baskets, {name: np.concatenate(pieces) for name, pieces in columns.items()}


def require_named(labels: Container[str]) -> None:
    """Raise when an item has no name: no data has such, where an empty cell is a missing item."""
    if "" in labels:
        raise TamperedRelease("A published item has no name.")


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
            values = values.dictionary_encode()
        indices = values.indices.to_numpy(zero_copy_only=False)
        names = values.dictionary.to_pylist()
        rename = np.full(len(names), -1, np.int32)
        used = np.zeros(len(names), np.bool_)  # a dictionary may list labels that these rows do not have
        used[indices] = True
        for code in np.flatnonzero(used).tolist():
            name = names[code]
            if name not in self._ids:
                self._ids[name] = len(self.labels)
                self.labels.append(name)
            rename[code] = self._ids[name]
        codes: Ids = rename[indices]
        return codes

    def in_label_order(self) -> tuple[tuple[str, ...], Ids]:
        """The labels in label order, and the place of each id among them."""
        return in_label_order(self.labels)


def in_label_order_alone(lists: Any) -> Any:
    """A column of items over a dictionary of those labels alone that it holds, in label order."""
    values = lists.flatten()
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    codes = values.indices.to_numpy(zero_copy_only=False)
    used = np.zeros(len(values.dictionary), np.bool_)
    used[codes] = True
    labels = [label for label, held in zip(values.dictionary.to_pylist(), used.tolist(), strict=True) if held]
    place = np.zeros(len(used), np.int32)
    ordered, rank = in_label_order(labels)
    place[used] = rank
    offsets = lists.offsets.to_numpy()
    whole = pa.DictionaryArray.from_arrays(pa.array(place[codes]), pa.array(ordered, pa.string()))
    return pa.ListArray.from_arrays(pa.array(offsets - offsets[0], pa.int32()), whole)


def joined(lists: Any) -> Any:
    """A column of items as a column of text, for CSV."""
    import pyarrow.compute as pc

    values = lists.values
    if not pa.types.is_dictionary(values.type):
        values = pc.dictionary_encode(values)
    escaped = pa.array([escape(label) for label in values.dictionary.to_pylist()], pa.string())
    return pc.binary_join(pa.ListArray.from_arrays(lists.offsets, escaped.take(values.indices)), "|")


def split(texts: Any) -> Any:
    """The column of items that `joined` wrote as text."""
    import pyarrow.compute as pc

    # Splitting "" gives one empty label, but an empty cell is an empty basket.
    empty = pa.scalar([], pa.list_(pa.string()))
    lists = pc.if_else(pc.equal(texts, ""), empty, pc.split_pattern(texts, "|"))
    values = pc.dictionary_encode(lists.values)
    labels = pa.array(map(unquote, values.dictionary.to_pylist()), pa.string())
    return pa.ListArray.from_arrays(lists.offsets, labels.take(values.indices))


def escape(label: str) -> str:
    """A label as it stands in a joined CSV cell: ``%``, ``|`` and control characters as ``%XX``.

    Examples
    --------
    >>> escape("50% off|today")
    '50%25 off%7Ctoday'
    """
    return _RESERVED.sub(lambda m: f"%{ord(m.group()):02X}", label)
