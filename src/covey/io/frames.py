"""Data frames of any library as Arrow tables; a column that has no Arrow type becomes text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from covey.data.labels import require_text
from covey.errors import InputError

_CONTAINERS = (Mapping, set, frozenset, list, tuple, np.ndarray, np.void)


def as_arrow(source: Any) -> pa.Table | pa.RecordBatchReader | None:
    """Return a frame of pandas or polars, a mapping of columns, or an Arrow stream, as Arrow; None for others."""
    home = type(source).__module__.partition(".")[0]
    if isinstance(source, pa.RecordBatch):
        return pa.Table.from_batches([source])
    if isinstance(source, pa.Table | pa.RecordBatchReader):
        return source
    if home == "pandas" and hasattr(source, "columns"):
        places = range(len(source.columns))
        return table_of([_dense(source.iloc[:, place]) for place in places], source.columns)
    if home == "polars" and hasattr(source, "collect"):
        source = source.collect()
    if home == "polars" and hasattr(source, "get_columns"):
        return table_of([_of_polars(column) for column in source.get_columns()], source.columns)
    if hasattr(source, "__arrow_c_stream__") and not hasattr(source, "to_list"):
        return pa.RecordBatchReader.from_stream(source)
    return None


def table_of(columns: Iterable[Any], names: Iterable[Any]) -> pa.Table:
    """Return a table of columns in memory."""
    called = [str(name) for name in names]
    require_text(called, "column name")
    arrays = [array_of(values, name) for values, name in zip(columns, called, strict=True)]
    for array, name in zip(arrays, called, strict=True):
        if len(array) != len(arrays[0]):
            problem = f"{len(array)} values, but {len(arrays[0])} in column '{called[0]}'"
            raise InputError(problem, column=name, remedy="The columns of a table must be equally long.")
    return pa.table(arrays, names=called)


def array_of(values: Any, name: str) -> pa.Array | pa.ChunkedArray:
    """Return a column as an Arrow array; values of several types become text, each by itself."""
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    if isinstance(values, str | bytes | bytearray | Mapping) or not isinstance(values, Iterable):
        remedy = "Give a list with a value per row."
        raise InputError(f"{type(values).__name__} is not a column", column=name, remedy=remedy)
    values = values if hasattr(values, "__len__") else list(values)
    try:
        array = pa.array(values, from_pandas=True)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return _each_as_text(values, name)
    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    # periods and intervals of pandas
    return _each_as_text(values, name) if isinstance(kind, pa.BaseExtensionType) else array


def _dense(column: Any) -> Any:
    """Return a column of pandas, with its zeros if it is sparse."""
    import pandas as pd

    return column.sparse.to_dense() if isinstance(column.dtype, pd.SparseDtype) else column


def _of_polars(column: Any) -> Any:
    try:
        if str(column.dtype) != "Object":  # which would be handed over as addresses in memory
            return column.to_arrow()
    except (pa.ArrowException, TypeError, ValueError):
        pass
    return _each_as_text(column.to_list(), column.name)


def _each_as_text(values: Iterable[Any], name: str) -> pa.Array:
    texts = [_text(value, row, name) for row, value in enumerate(values, 1)]
    require_text([text for text in texts if text is not None], "text", name)
    return pa.array(texts, pa.large_string())


def _text(value: Any, row: int, name: str) -> str | None:
    """Return a value as text; None for None, NaN, and what pandas has instead."""
    kind: Any = type(value)
    if value is None or kind.__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, float | np.floating) and value != value:
        return None
    mute = kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__
    try:
        if isinstance(value, bytes):
            return value.decode()
        if not isinstance(value, _CONTAINERS) and not mute:
            return str(value)
    except (TypeError, ValueError):  # not UTF-8, or more digits than Python writes
        pass
    raise InputError(
        f"row {row} holds a value of type {kind.__name__} that cannot be turned into text",
        column=name,
        remedy="Turn the column into text first, or leave it out.",
    )
