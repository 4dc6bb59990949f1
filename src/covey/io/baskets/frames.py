"""Baskets from and to objects in memory: data frames, Arrow tables, sparse matrices, lists of lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, Literal

import numpy as np

from covey.data import Baskets
from covey.errors import InputError, MissingDependency, ParameterError
from covey.io.arrow import MOST_IDS, rows_of_table
from covey.io.baskets.arrow import choose, gather
from covey.io.frames import as_arrow
from covey.io.persons import NOTHING_SAID, WhoIsWho

Library = Literal["pandas", "polars", "arrow"]


def from_memory(
    source: Any,
    *,
    transaction: str | None = None,
    item: str | None = None,
    items: Sequence[str] | None = None,
    said: WhoIsWho = NOTHING_SAID,
) -> Baskets:
    """Make baskets from an object in memory, which is never changed.

    Parameters
    ----------
    source : object
        Baskets, a pandas or polars data frame, an Arrow table, batch or reader (or anything that exports an
        Arrow stream), a scipy sparse matrix, a boolean or 0/1 numpy array, a mapping from transactions to
        items, or an iterable of iterables of items.
    transaction, item : str, optional
        The columns to use, for tables.
    items : sequence of str, optional
        The labels of the columns, for matrices; without it they are called 0, 1, 2 and so on.
    said : WhoIsWho
        Which column of a table names the person.
    """
    import scipy.sparse

    home = type(source).__module__.partition(".")[0]
    matrix = scipy.sparse.issparse(source) or (isinstance(source, np.ndarray) and source.ndim == 2)
    if items is not None and not matrix:
        raise ParameterError("The 'items' parameter names the columns of a matrix; this is none.")
    if isinstance(source, Baskets):
        return source
    if matrix:
        return from_matrix(source, items)
    if home == "pandas" and _all_sparse(source):
        return from_matrix(source.sparse.to_coo(), [str(name) for name in source.columns])
    baskets = _from_table(source, transaction, item, said)
    if baskets is not None:
        return baskets
    if said.person is not None:
        raise ParameterError("Only tables have a column that names the person; use Baskets.of(…, persons=[…]).")
    if transaction is not None or item is not None:
        raise ParameterError("Only tables have columns to name with 'transaction' and 'item'.")
    if isinstance(source, Mapping):
        source = source.values()
    if not isinstance(source, Iterable) or isinstance(source, bytes | bytearray):
        raise InputError(
            f"cannot read baskets from an object of type {type(source).__name__}",
            remedy="Give a path, a data frame, a sparse matrix or a list of lists.",
        )
    try:
        return Baskets.of(source)
    except TypeError as error:
        raise InputError(
            f"these are not transactions ({error})",
            remedy="Give a list of lists, for example [['wine', 'meat'], ['beer']].",
        ) from error


def from_matrix(matrix: Any, items: Sequence[str] | None = None) -> Baskets:
    """Make baskets from a two-dimensional sparse or numpy matrix; entries other than zero are items held.

    Examples
    --------
    >>> import scipy.sparse
    >>> held = scipy.sparse.csr_array([[1, 0, 1], [0, 0, 0]])
    >>> from_matrix(held, items=["wine", "beer", "meat"]).basket(0)
    ['meat', 'wine']
    """
    import scipy.sparse

    if isinstance(matrix, np.ndarray) and not np.isin(matrix, (0, 1)).all():
        raise InputError(
            "a numpy array of transactions must hold only 0 and 1",
            remedy="Give a list of lists of labels, or a scipy.sparse matrix.",
        )
    if matrix.ndim != 2:
        raise InputError(f"a matrix of transactions must have two dimensions, not {matrix.ndim}")
    if max(matrix.shape) > MOST_IDS:
        raise InputError(f"more than {MOST_IDS} rows or columns", remedy="Split the data.")
    rows = scipy.sparse.csr_array(matrix)
    if rows.dtype.kind == "f" and np.isnan(rows.data).any():
        bad = int(np.searchsorted(rows.indptr, np.flatnonzero(np.isnan(rows.data))[0], side="right"))
        raise InputError(f"row {bad} holds a missing value (NaN)", remedy="Fill it in first.")
    if not (rows.data != 0).all():
        rows = rows.copy()
        rows.eliminate_zeros()
    names = [str(j) for j in range(rows.shape[1])] if items is None else [str(name) for name in items]
    if len(names) != rows.shape[1]:
        raise ParameterError(f"The matrix has {rows.shape[1]} columns, but 'items' names {len(names)}.")
    twice, times = Counter(names).most_common(1)[0] if names else ("", 1)
    if times > 1:
        raise ParameterError(f"The 'items' parameter names {twice!r} {times} times.")
    return Baskets.build(rows.indptr.astype(np.int64), rows.indices.astype(np.int32), names)


def to_frame(baskets: Baskets, library: Library = "pandas") -> Any:
    """The baskets as a long table with the columns ``transaction`` (row number) and ``item``.

    Parameters
    ----------
    baskets : Baskets
        The data; transactions without items do not appear in a long table.
    library : {"pandas", "polars", "arrow"}
        What to make. Items are categorical, so that each label is stored once.

    Examples
    --------
    >>> from covey.data import Baskets
    >>> to_frame(Baskets.of([["wine", "meat"], ["beer"]]), "arrow").to_pylist()[2]
    {'transaction': 1, 'item': 'beer'}
    """
    if library not in ("pandas", "polars", "arrow"):
        raise ParameterError(
            f"The 'library' parameter of to_frame must be one of 'pandas', 'polars', 'arrow'. Got {library!r} instead."
        )
    import pyarrow as pa

    maker = _need(library) if library != "arrow" else None
    rows = np.repeat(np.arange(baskets.n, dtype=np.int64), baskets.lengths())
    labels = pa.DictionaryArray.from_arrays(pa.array(baskets.indices), pa.array(baskets.items, pa.string()))
    table = pa.table({"transaction": rows, "item": labels})
    if library == "pandas":
        return table.to_pandas()
    return maker.from_arrow(table) if maker is not None else table


def _all_sparse(frame: Any) -> bool:
    import pandas as pd

    types = getattr(frame, "dtypes", ())
    return (
        hasattr(frame, "columns") and len(frame.columns) > 0 and all(isinstance(type, pd.SparseDtype) for type in types)
    )


def _need(library: str) -> Any:
    try:
        return import_module(library)
    except ImportError as error:
        raise MissingDependency(f"{library} is not installed. Install it with: pip install 'covey[frames]'") from error


def _from_table(source: Any, transaction: str | None, item: str | None, said: WhoIsWho) -> Baskets | None:
    """The baskets of a data frame or an Arrow table, or None if `source` is none."""
    import pyarrow as pa

    if isinstance(source, pa.Array | pa.ChunkedArray):
        source = pa.table({"items": source})
    if transaction is not None and hasattr(source, "reset_index") and transaction in source.index.names:
        source = source if transaction in source.columns else source.reset_index(transaction)
    if said.person is not None and hasattr(source, "reset_index") and said.person in source.index.names:
        source = source if said.person in source.columns else source.reset_index(said.person)
    table = as_arrow(source)
    if table is None:
        return None
    return gather(rows_of_table(table), choose(table.schema, transaction, item, None, said), said)
