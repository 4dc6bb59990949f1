"""Read baskets from anything: files of every format and objects in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Ids, Ints, offsets_of
from covey.data import Baskets
from covey.data.csr import rows_from_pairs
from covey.errors import InputError, MissingDependency, ParameterError
from covey.io.columns import find, looks_named
from covey.io.delimited import require_separator, rows_of_text
from covey.io.files import empty_file, file_of, text_blocks
from covey.io.frames import as_arrow
from covey.io.loading import other_format
from covey.io.naming import named, names_of
from covey.io.persons import NOTHING_SAID, PersonColumn, WhoIsWho, with_persons
from covey.io.preparing import Used, asked, elsewhere, prepared, with_columns
from covey.io.recognition import FLAGS, Roles, recognise, roles_of
from covey.io.rows import MOST_IDS, Coded, Rows, is_text, plain, stripped
from covey.io.sensitive import AbsentNames, Choice, Spec, mark
from covey.io.trees import read_taxonomy
from covey.parameters import choice
from covey.progress import Progress, silent

Library = Literal["pandas", "polars", "arrow"]
_BLOCK = 1 << 22


def read(
    source: Any,
    *,
    format: str | None = None,
    transaction: str | None = None,
    item: str | None = None,
    items: Sequence[str] | None = None,
    person: str | None = None,
    unit: str | None = None,
    row_is_person: bool | None = None,
    name: str | None = None,
    keep: Sequence[str] | str | None = None,
    round_dates: str | None = None,
    sensitive: Spec | None = None,
    sensitive_missing: str | None = None,
    taxonomy: Any = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    progress: Progress = silent,
    **rows: Any,
) -> Baskets:
    """Read baskets from a file or make them from an object in memory, which is never changed.

    `source` is a file, plain or compressed with gzip or zstd: FIMI, CSV (long or wide), Parquet, JSON Lines, an Excel
    workbook, an SQLite or DuckDB database, also by an address such as ``sqlite:shop.db?table=sales``. Or a pandas or
    polars data frame, an Arrow table, batch or reader, a scipy sparse matrix, a boolean or 0/1 numpy array (`items`
    names its columns), a mapping from transactions to items, an iterable of iterables of items, or baskets.

    `sensitive` is a file with one label per line, labels separated by commas, or a collection. A label may be a
    pattern: ``glob:*TEST*``, ``re:^(beer|wine)`` or ``under:NODE`` with a node of `taxonomy`; in a text, ``@name`` is a
    file. Items with names may be named by their codes as well. `keep` are other columns that become items, such as
    ``Country=UK``. All other options, also those in `rows`, are those of ``covey prepare`` that are called so; format,
    columns and separator are recognised if not given.

    Wrong data is an `InputError` with file, line and remedy; nothing is skipped without a warning. `UnnamedPersons`
    warns of a column that seems to name persons although none is named, `NamelessRows` of transactions without a
    person, `NamedItems` of names that several items have, and `SpelledPersons` of spellings that differ in case only.

    Examples
    --------
    >>> read([["wine", "meat"], ["wine", "viagra"]], sensitive="viagra")
    Baskets(2 transactions, 3 items, 4 entries, 1 sensitive)
    """
    who: dict[str, Any] = {"person": person, "unit": unit, "row_is_person": row_is_person}
    said = WhoIsWho(transaction=transaction, item=item, missing=rows.get("missing"), **who)
    file: dict[str, Any] = {"format": format, "separator": separator, "encoding": encoding}
    path = file_of(source)
    source = _with_index(source, transaction, said.person)
    table: Rows | None = None
    if round_dates is not None and keep is None:
        raise ParameterError("--round-dates is about the columns of --keep.")
    if items is not None and path is not None:
        raise ParameterError("The 'items' parameter names the columns of a matrix; a file has its own.")
    if path is None and (format is not None or separator is not None):
        raise ParameterError("The 'format' and 'separator' parameters are for files.")
    if asked(rows) or name is not None or keep is not None or (path is not None and other_format(path, format)):
        table = prepared(source, partial(_used, said), rows, progress=progress, **file)
        baskets = _of_rows(table, said, progress, name, keep, round_dates)
    elif path is not None:
        known = recognise(path, transaction=transaction, item=item, person=said.person, **file)
        if known.format == "fimi":
            baskets = _read_fimi(path, known.delimiter, encoding, progress)
        elif known.format == "parquet":
            baskets = _of_rows(Rows.of_parquet(Path(path), path), said, progress)
        else:
            delimiter = str(known.delimiter)
            hint = f"If every line is one transaction, give --format fimi --separator {delimiter!r}."
            how: dict[str, Any] = {"header": known.header, "encoding": encoding, "hint": hint}
            read_rows = rows_of_text(Path(path), path, known.columns, delimiter, **how)
            said = replace(said, person=known.person)
            people = said.columns(known.columns if known.layout == "long" else (), (known.transaction, known.item))
            roles = Roles(layout=known.layout, transaction=known.transaction, item=known.item, people=tuple(people))
            baskets = gather(read_rows, roles, said, progress)
    else:
        baskets = _from_memory(source, items, said, progress)
    progress("reading", 1.0)
    if sensitive is None:
        return baskets
    wanted = Choice.of(sensitive, None if taxonomy is None else read_taxonomy(taxonomy))
    try:
        return mark(baskets, wanted, sensitive_missing)
    except AbsentNames as error:
        try:
            held = (table or prepared(source, lambda _: Used(), rows, **file)).table()
            found = elsewhere(held, error.names, _used(said, held).labels)
        except (InputError, ParameterError, ValueError):  # no table: nothing can be found
            found = None
        if found is None:
            raise
        told = f"{error.problem}: items were read from the column '{found[2]}', and '{found[1]}' holds {found[0]!r}"
        remedy = f"Read that one with --item '{found[1]}'."
        raise InputError(told, file=error.file, line=error.line, remedy=remedy, longest=100_000) from None


def _used(said: WhoIsWho, table: pa.Table) -> Used:
    """Return which columns of a table will be used."""
    roles = roles_of(table, said)
    if roles.layout != "long" or roles.transaction is None or roles.item is None:
        return Used()
    return Used(needed=(roles.transaction, roles.item), labels=(roles.item,))


def _of_rows(
    rows: Rows,
    said: WhoIsWho,
    progress: Progress,
    name: str | None = None,
    keep: Sequence[str] | str | None = None,
    round_dates: str | None = None,
) -> Baskets:
    """Return the baskets of rows whose columns have types."""
    if name is None and keep is None and not any(map(pa.types.is_dictionary, rows.schema.types)):
        return gather(rows, roles_of(rows.schema, said, rows.file), said, progress)
    table = rows.table()
    roles = roles_of(table, said, rows.file)
    if roles.layout == "wide" and rows.text:  # an empty cell of text is no item, also where a query made it a number
        table = pa.table([_no_item(column) for column in table.columns], table.column_names)
    long = roles.layout == "long" and roles.transaction is not None and roles.item is not None
    found = None if name is None else names_of(table, roles.item if long else None, name, rows.file)
    if keep is not None:
        if not long:
            raise ParameterError("--keep is for a table with a row per transaction and item.")
        table = with_columns(
            table,
            str(roles.transaction),
            str(roles.item),
            [part.strip() for part in keep.split(",")] if isinstance(keep, str) else list(keep),
            same=roles.people if said.person is not None else (),
            beside=None if name is None else table.column_names[find(table.column_names, name, rows.file)],
            round_dates=round_dates,
            file=rows.file,
        )
        roles = roles_of(table, replace(said, transaction=roles.transaction, item=roles.item), rows.file)
        found = None if name is None else names_of(table, roles.item, name, rows.file)
    line = rows.line if keep is None else None
    baskets = gather(replace(Rows.of(table, rows.file), line=line), roles, said, progress)
    return baskets if found is None else named(baskets, found)


def _no_item(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.fill_null(column, 0) if pa.types.is_integer(column.type) else column


def gather(rows: Rows, roles: Roles, said: WhoIsWho = NOTHING_SAID, progress: Progress = silent) -> Baskets:
    """Read the entries of all rows; transactions are in the order of first sight."""
    if roles.layout == "wide":
        return _wide(rows, roles, said, progress)
    assert roles.item is not None
    others = [name for name in (roles.transaction, *roles.people) if name is not None]
    held, *columns = rows.columns([roles.item, *others], progress)
    if not len(held):
        raise rows.none()
    item, sizes = (rows.labels(roles.item, held), None) if roles.layout == "long" else _listed(rows, roles.item, held)
    found = [rows.labels(name, column) for name, column in zip(others, columns, strict=True)]
    own = found.pop(0) if roles.transaction is not None else None
    ids = [] if own is None else [(str(roles.transaction), own.codes < 0)]
    rows.require_filled([*ids, (roles.item, item.codes < 0)] if sizes is None else ids)
    people = [
        PersonColumn(name, rows, one, None if own is None else own.codes)
        for name, one in zip(roles.people, found, strict=True)
    ]
    if own is None:
        assert sizes is not None
        return with_persons(Baskets.build(offsets_of(sizes), item.codes, item.labels), people, said)
    of_entries = own.codes if sizes is None else np.repeat(own.codes, sizes)
    indptr, indices = rows_from_pairs(of_entries, item.codes, len(own.texts))
    return with_persons(Baskets.build(indptr, indices, item.labels), people, said)


def _listed(rows: Rows, name: str, lists: pa.ChunkedArray) -> tuple[Coded, Ints]:
    """Return the items of all lists, and how many each list holds."""
    if lists.null_count:
        row = int(np.argmax(lists.is_null().to_numpy()))
        raise rows.wrong(row, name, "missing list (null)", "Give a transaction without items an empty list.")
    sizes = pc.list_value_length(lists).to_numpy().astype(np.int64)

    def row_of(position: int) -> int:
        return int(np.searchsorted(np.cumsum(sizes), position, side="right"))

    items = rows.labels(name, pa.chunked_array([one.flatten() for one in lists.chunks]), row_of)
    missing = np.flatnonzero(items.codes < 0)
    if len(missing):
        raise rows.wrong(row_of(int(missing[0])), name, "an item is missing or empty", "Leave it out of the list.")
    return items, sizes


def _wide(rows: Rows, roles: Roles, said: WhoIsWho, progress: Progress) -> Baskets:
    """Read a table with a 0/1 column per item, batch by batch: most cells are no entries."""
    others = [name for name in dict.fromkeys((roles.transaction, *roles.people)) if name is not None]
    items = [name for name in rows.names if name not in others]
    kept: list[list[pa.Array]] = [[] for _ in others]
    row_of: list[Ints] = []
    item_of: list[Ids] = []
    done = 0
    for batch in rows.batches([*others, *items], progress):
        for column, part in zip(batch.columns, kept, strict=False):
            part.append(column)
        for item, column in enumerate(batch.columns[len(others) :]):
            held = np.flatnonzero(_flags(column, rows, done, items[item]))
            row_of.append(held + done)
            item_of.append(np.full(len(held), item, np.int32))
        done += len(batch)
    if not done:
        raise rows.none()
    found = {name: rows.labels(name, pa.chunked_array(part)) for name, part in zip(others, kept, strict=True)}
    if roles.transaction is not None:
        remedy = "Each transaction must be one row; merge the rows or give them different ids."
        if looks_named(roles.transaction):
            remedy += f" If these are persons with several rows each, give --person '{roles.transaction}'."
        rows.require_once(found[roles.transaction], roles.transaction, "id", remedy)
    people = [PersonColumn(name, rows, found[name]) for name in roles.people]
    indptr, indices = rows_from_pairs(np.concatenate(row_of).astype(np.int32), np.concatenate(item_of), done)
    return with_persons(Baskets.build(indptr, indices, items), people, said)


def _flags(column: pa.Array, rows: Rows, before: int, name: str) -> Ints:
    """Return the values of a 0/1 column; text may also be true, false or empty."""
    if is_text(column.type) or pa.types.is_dictionary(column.type):
        coded = plain(column).dictionary_encode()
        meant = [FLAGS.get(stripped(str(label)).lower(), -1) for label in coded.dictionary.to_pylist()]
        values: Ints = np.array([*meant, 0])[coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)]
    else:
        values = column.fill_null(-1 if not pa.types.is_boolean(column.type) else None).to_numpy(zero_copy_only=False)
    bad = np.flatnonzero((values != 0) & (values != 1))
    if len(bad):
        shown = column[int(bad[0])].as_py()
        raise rows.wrong(
            before + int(bad[0]),
            name,
            "the cell is empty" if shown is None else f"'{shown}' is not 0, 1, true, false or empty",
            f"If '{name}' names the transaction, give --transaction '{name}', if it names the person, --person "
            f"'{name}'. If there is a row per transaction and item, name both columns with --transaction and --item.",
        )
    return values


def _read_fimi(name: str, separator: str | None, encoding: str, progress: Progress) -> Baskets:
    """Read a file with a transaction per line.

    An empty line is a transaction without items and is kept. With a separator other than blanks, items may hold
    blanks; blanks around an item and items that are empty (``a,,b``) are left out.
    """
    mark = " " if separator is None else separator
    require_separator(mark)
    lines = Rows(schema=pa.schema([]), read=lambda *_: (), file=name, line=lambda row: row + 1)
    parts: list[pa.Array] = []
    sizes: list[Ints] = []
    done = 0
    for block in text_blocks(Path(name), name, encoding, progress=progress, size=_BLOCK):
        block = block.replace(b"\r\n", b"\n")
        if b"\r" in block:
            raise InputError(
                "there is a carriage return in the middle of the line",
                file=name,
                line=done + block.count(b"\n", 0, block.index(b"\r")) + 1,
                remedy="Lines must end in a line feed; convert the line endings, for example with dos2unix.",
            )
        if mark == " ":
            block = block.replace(b"\t", b" ")
        edges = pa.py_buffer(np.array([0, len(block) - 1], np.int64))  # a list of Python would make Arrow import pandas
        whole = pa.Array.from_buffers(pa.large_string(), 1, [None, edges, pa.py_buffer(block)])
        rows = pc.split_pattern(whole, "\n").flatten()
        found = pc.split_pattern(rows, mark)
        sizes.append(np.from_dlpack(pc.list_value_length(found)).astype(np.int64))
        parts.append(found.flatten().dictionary_encode())
        done += len(rows)
    if not done:
        raise empty_file(name)
    coded, ends = lines.labels("items", pa.chunked_array(parts)), offsets_of(np.concatenate(sizes))
    filled = coded.codes >= 0
    return Baskets.build(offsets_of(filled)[ends], coded.codes[filled], coded.labels)


def _with_index(source: Any, *columns: str | None) -> Any:
    """Return a frame of pandas with levels of its index as columns where these are named."""
    for name in columns:
        if name is not None and hasattr(source, "reset_index") and name in source.index.names:
            source = source if name in source.columns else source.reset_index(name)
    return source


def _from_memory(source: Any, items: Sequence[str] | None, said: WhoIsWho, progress: Progress) -> Baskets:
    """Make baskets from an object in memory."""
    import scipy.sparse

    matrix = scipy.sparse.issparse(source) or (isinstance(source, np.ndarray) and source.ndim == 2)
    if items is not None and not matrix:
        raise ParameterError("The 'items' parameter names the columns of a matrix; this is none.")
    if isinstance(source, Baskets):
        return source
    if matrix:
        return _from_matrix(source, items)
    if _all_sparse(source):
        return _from_matrix(source.sparse.to_coo(), [str(name) for name in source.columns])
    table = as_arrow(pa.table({"items": source}) if isinstance(source, pa.Array | pa.ChunkedArray) else source)
    if table is not None:
        return _of_rows(Rows.of(table), said, progress)
    if said.person is not None:
        raise ParameterError("Only tables have a column that names the person; use Baskets.of(…, persons=[…]).")
    if said.transaction is not None or said.item is not None:
        raise ParameterError("Only tables have columns to name with 'transaction' and 'item'.")
    source = source.values() if isinstance(source, Mapping) else source
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


def _from_matrix(matrix: Any, items: Sequence[str] | None) -> Baskets:
    """Make baskets from a two-dimensional sparse or numpy matrix; entries other than zero are items held."""
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


def _all_sparse(frame: Any) -> bool:
    """Return whether something is a frame of pandas with sparse columns alone."""
    if not type(frame).__module__.startswith("pandas.") or not hasattr(frame, "columns"):
        return False
    import pandas as pd

    return len(frame.columns) > 0 and all(isinstance(kind, pd.SparseDtype) for kind in frame.dtypes)


def to_frame(baskets: Baskets, library: Library = "pandas") -> Any:
    """Return the baskets as a long table with the columns ``transaction`` (row number) and ``item``.

    Transactions without items do not appear in it. Items are categorical, so that each label is stored once.

    Examples
    --------
    >>> to_frame(Baskets.of([["wine", "meat"], ["beer"]]), "arrow").to_pylist()[2]
    {'transaction': 1, 'item': 'beer'}
    """
    choice("to_frame", "library", library, ("pandas", "polars", "arrow"))
    rows = np.repeat(np.arange(baskets.n, dtype=np.int64), baskets.lengths())
    labels = pa.DictionaryArray.from_arrays(pa.array(baskets.indices), pa.array(baskets.items, pa.string()))
    table = pa.table({"transaction": rows, "item": labels})
    if library == "arrow":
        return table
    try:
        made = import_module(library)
    except ImportError as error:
        raise MissingDependency(f"{library} is not installed. Install it with: pip install 'covey[frames]'") from error
    return table.to_pandas() if library == "pandas" else made.from_arrow(table)
