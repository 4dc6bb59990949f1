"""Read baskets from anything: files of every format and objects in memory."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Ids, Ints, offsets_of
from covey.data import Baskets
from covey.data.calendar import dates_of
from covey.data.csr import rows_from_pairs
from covey.errors import CoveyWarning, InputError, MissingDependency, ParameterError
from covey.io.columns import find, looks_named
from covey.io.delimited import require_separator
from covey.io.files import empty_file, file_of, text_blocks
from covey.io.frames import as_arrow
from covey.io.naming import NO_COLUMN, named, names_of
from covey.io.persons import NOTHING_STATED, PersonColumn, WhoIsWho, with_persons
from covey.io.preparing import asked, complete, elsewhere, queried
from covey.io.recognition import FLAGS, Recognised, opened, roles_of
from covey.io.rows import MOST_IDS, Coded, Rows, is_text, numbered, plain, stripped
from covey.io.sensitive import Choice, Spec, mark
from covey.io.trees import read_taxonomy
from covey.parameters import choice
from covey.progress import Progress, silent

Library = Literal["pandas", "polars", "arrow"]
_BLOCK = 1 << 22
#: What dates are rounded to.
ROUNDED = ("day", "month", "quarter", "year")
#: Above this share of different values, a kept column finds a transaction by itself.
_TELLING = 0.5


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
    stated = WhoIsWho(transaction=transaction, item=item, missing=rows.get("missing"), **who)
    file: dict[str, Any] = {"format": format, "separator": separator, "encoding": encoding}
    kept = [part.strip() for part in keep.split(",")] if isinstance(keep, str) else list(keep or ())
    more: dict[str, Any] = {"name": name, "keep": kept, "round_dates": round_dates}
    given, path = asked(rows), file_of(source)
    found, roles = None, None
    if round_dates is not None and keep is None:
        raise ParameterError("--round-dates is about the columns of --keep.")
    if path is not None and items is not None:
        raise ParameterError("The 'items' parameter names the columns of a matrix; a file has its own.")
    if path is None:
        if format is not None or separator is not None:
            raise ParameterError("The 'format' and 'separator' parameters are for files.")
        source = _from_memory(source, items, stated, is_table=bool(given or name or keep))
    about = {option: given[option] for option in ("sheet", "no_header") if option in given}
    is_table = bool(given.keys() - about or name or keep)
    if isinstance(source, Baskets):
        baskets = source
    elif (table := opened(source, stated, is_table=is_table, progress=progress, **file, **about)) is None:
        baskets = _read_fimi(str(path), separator, encoding, progress)
    else:
        found = queried(table, given, progress=progress, **file)
        roles = roles_of(found, stated, path, None if "query" in given else format)
        baskets = gather(found, roles, stated, progress, **more)
    progress("reading", 1.0)
    if sensitive is None:
        return baskets
    tree = None if taxonomy is None else read_taxonomy(taxonomy)
    column = None if roles is None else roles.item
    where = None if column is None or found is None else partial(elsewhere, found, item=column)
    return mark(baskets, Choice.of(sensitive, tree), sensitive_missing, column, where)


def gather(
    rows: Rows,
    roles: Recognised,
    stated: WhoIsWho = NOTHING_STATED,
    progress: Progress = silent,
    *,
    name: str | None = None,
    keep: Sequence[str] = (),
    round_dates: str | None = None,
) -> Baskets:
    """Read the entries of all rows; transactions are in the order of first sight."""
    if roles.layout != "long":
        if name is not None:
            raise ParameterError(NO_COLUMN)
        if keep:
            raise ParameterError("--keep is for a table with a row per transaction and item.")
        complete(rows, {}, (), None)
        return (_wide if roles.layout == "wide" else _lists)(rows, roles, stated, progress)
    tid, iid = str(roles.transaction), str(roles.item)
    called, *kept = (rows.names[find(rows.names, wanted, rows.file)] for wanted in (name or iid, *keep))
    if name is not None and called == iid:
        remedy = "Choose the one with names."
        raise InputError("the column holds the codes themselves", file=rows.file, column=called, remedy=remedy)
    used = list(dict.fromkeys((iid, tid, *roles.people, called)))
    if taken := [column for column in kept if column in used]:
        raise ParameterError(f"The column '{taken[0]}' is used already: leave it out of --keep.")
    columns = dict(zip((*used, *kept), rows.columns((*used, *kept), progress), strict=True))
    if not len(columns[iid]):
        raise rows.none()
    coded = {one: (rows.cells if one in kept else rows.labels)(one, column) for one, column in columns.items()}
    rows, coded = complete(rows, coded, (tid, iid), stated.missing, (iid,))
    own, item, row_of = coded[tid], coded[iid], coded[tid].codes
    people = [PersonColumn(column, rows, coded[column], own.codes) for column in roles.people]
    names = None if name is None else names_of(item, coded[called], called, rows.file)
    if kept:
        row_of, item = _with_kept(own, item, {column: coded[column] for column in kept}, round_dates)
        if names is not None:
            names |= {label: [label] for label in {*item.labels} - {*coded[iid].labels}}
    indptr, indices = rows_from_pairs(row_of, item.codes, len(own.texts))
    baskets = with_persons(Baskets.build(indptr, indices, item.labels), people, stated)
    return baskets if names is None else named(baskets, names)


def _with_kept(own: Coded, item: Coded, kept: Mapping[str, Coded], round_dates: str | None) -> tuple[Ids, Coded]:
    """Return transaction and item of each entry; each value of a kept column is an item ``column=value``."""
    choice("read", "round_dates", round_dates or "month", ROUNDED)
    rows, codes, texts, dated = [own.codes], [item.codes], [item.texts], False
    for name, column in kept.items():
        values, dates = _rounded(column.labels, round_dates or "month")
        dated = dated or dates
        held = np.flatnonzero(column.codes >= 0)
        rows.append(own.codes[held])
        codes.append(column.codes[held] + np.int32(sum(map(len, texts))))
        texts.append(pa.array([f"{name}={value}" for value in values], pa.large_string()))
        different, place = np.unique(values, return_inverse=True)
        visits = len(np.unique(rows[-1] * np.int64(len(different)) + place[column.codes[held]]))
        if visits > 1 and len(different) > _TELLING * visits:
            warnings.warn(
                f"The column '{name}' has {len(different):,} values in {visits:,} transactions: whoever knows one "
                "finds the transaction by it alone. Leave it out of --keep, or make it coarser with --query.",
                CoveyWarning,
                stacklevel=4,
            )
    if round_dates is not None and not dated:
        raise ParameterError(
            f"--round-dates {round_dates}: no column of --keep has dates whose day and month are certain, such as "
            "2011-12-31 or 31.12.2011."
        )
    return np.concatenate(rows), numbered(np.concatenate(codes), pa.concat_arrays(texts))


def _rounded(values: list[str], coarse: str) -> tuple[list[str], bool]:
    """Return texts, and whether they are dates, which are then rounded."""
    try:
        dates = dates_of([value.removesuffix("Z") for value in values])
    except InputError:  # in several formats
        dates = None
    if dates is None:
        return values, False
    if coarse == "quarter":
        return [f"{date[:4]}-Q{(int(date[5:7]) + 2) // 3}" for date in dates], True
    return [date[: {"day": 10, "month": 7, "year": 4}[coarse]] for date in dates], True


def _lists(rows: Rows, roles: Recognised, stated: WhoIsWho, progress: Progress) -> Baskets:
    """Read a table with a list of items in each row; rows of the same transaction are one."""
    name, tid = str(roles.item), roles.transaction
    others = list(dict.fromkeys(one for one in (tid, *roles.people) if one is not None))
    lists, *columns = rows.columns([name, *others], progress)
    if not len(lists):
        raise rows.none()
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
    coded = {one: rows.labels(one, column) for one, column in zip(others, columns, strict=True)}
    indptr, indices, own = offsets_of(sizes), items.codes, None
    if tid is not None:
        own = coded[tid].codes
        rows.require_filled([(tid, own < 0)])
        indptr, indices = rows_from_pairs(np.repeat(own, sizes), items.codes, len(coded[tid].texts))
    people = [PersonColumn(one, rows, coded[one], own) for one in roles.people]
    return with_persons(Baskets.build(indptr, indices, items.labels), people, stated)


def _wide(rows: Rows, roles: Recognised, stated: WhoIsWho, progress: Progress) -> Baskets:
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
    return with_persons(Baskets.build(indptr, indices, items), people, stated)


def _flags(column: pa.Array, rows: Rows, before: int, name: str) -> Ints:
    """Return the values of a 0/1 column; text may also be true, false or empty."""
    if is_text(column.type) or pa.types.is_dictionary(column.type):
        coded = plain(column).dictionary_encode()
        meant = [FLAGS.get(stripped(str(label)).lower(), -1) for label in coded.dictionary.to_pylist()]
        values: Ints = np.array([*meant, 0])[coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)]
    else:
        # An empty cell of a text file is no item, also where a query made it a number.
        values = pc.fill_null(pc.cast(column, pa.float64()), 0 if rows.first else -1).to_numpy()
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


def _from_memory(source: Any, items: Sequence[str] | None, stated: WhoIsWho, *, is_table: bool) -> Any:
    """Return an object in memory as baskets, or as a table that is still to be read."""
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
    for name in (stated.transaction, stated.person):  # levels of the index of a pandas frame, where they are named
        if name is not None and hasattr(source, "reset_index") and name in source.index.names:
            source = source if name in source.columns else source.reset_index(name)
    table = as_arrow(pa.table({"items": source}) if isinstance(source, pa.Array | pa.ChunkedArray) else source)
    if table is not None or (is_table and isinstance(source, Mapping)):
        return source if table is None else table
    if is_table or (stated.person, stated.transaction, stated.item) != (None, None, None):
        raise ParameterError(
            "Only tables have rows to be cleaned and columns to be named: give a file, a data frame or an Arrow "
            "table. Persons of other data are named by Baskets.of(…, persons=[…])."
        )
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
