"""Reading baskets from anything: one function for files of every format and objects in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from covey.data import Baskets
from covey.errors import InputError, ParameterError
from covey.io.arrow import rows_of_parquet
from covey.io.baskets.arrow import FLAGS, Roles, choose, gather
from covey.io.baskets.columns import find
from covey.io.baskets.fimi import read_fimi
from covey.io.baskets.frames import from_memory
from covey.io.baskets.recognition import Recognised, recognise
from covey.io.delimited import rows_of_text
from covey.io.naming import Naming
from covey.io.persons import WhoIsWho
from covey.io.rows.cleaning import Used
from covey.io.rows.keeping import ROUNDED, with_columns
from covey.io.rows.preparing import Prepared, explaining, prepare
from covey.io.sensitive import Choice, Spec, mark
from covey.io.suspicion import person_columns
from covey.io.trees import read_taxonomy
from covey.parameters import choice
from covey.progress import Progress, silent


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
    """Read baskets from a file or make them from an object in memory.

    Parameters
    ----------
    source : path or object
        A file, plain or compressed with gzip or zstd: FIMI, CSV (long or wide), Parquet, JSON Lines, an Excel workbook,
        an SQLite or DuckDB database, also by an address such as ``sqlite:shop.db?table=sales``. Or a pandas or
        polars data frame, an Arrow table, batch or reader, a scipy sparse matrix, an iterable of iterables of
        items, or baskets.
    format : {"fimi", "csv-long", "csv-wide", "parquet"}, optional
        The format of a file; recognised by content and name if not given.
    transaction, item : str, optional
        The columns of a table to use; recognised by usual names if not given.
    items : sequence of str, optional
        The labels of the columns of a matrix.
    person : str, optional
        The column that names the person, who may have several transactions and is protected as one.
    unit : {"person", "row"}, optional
        What is counted once persons are named.
    row_is_person : bool, optional
        Says that every transaction is a different person, whatever columns look like.
    name : str, optional
        The column with the names of items, if the item column holds codes, in a table with a row per transaction and
        item. Codes without a name stay; the code is added to names that several items have.
    keep : str or collection of str, optional
        Other columns that become items of the transaction, such as ``Country=UK``, in a table with a row per
        transaction and item.
    round_dates : {"day", "month", "quarter", "year"}, optional
        What dates in these columns are rounded to; month if not given.
    sensitive : path, str or collection of str, optional
        The sensitive items: a file with one label per line, labels separated by commas, or a collection. A label may be
        a pattern: ``glob:*TEST*``, ``re:^(beer|wine)`` or ``under:NODE``; in a text, ``@name`` is a file. Items with
        names may be named by their codes as well.
    sensitive_missing : {"error", "warn"}, optional
        What to do when the data lacks some of them.
    taxonomy : Taxonomy or path, optional
        Where the nodes of ``under:`` are.
    separator : str, optional
        What stands between items (FIMI: blanks) or cells (CSV: recognised).
    encoding : str
        How text files are encoded.
    **rows
        How rows are prepared: ``missing``, ``missing_marker``, ``query``, ``no_header``, ``sheet``, as the options of
        the command line that are called so.

    Raises
    ------
    InputError
        With file, line and remedy if the data is wrong; nothing is ever skipped silently.

    Warns
    -----
    UnnamedPersons
        Nobody has said who the persons are, and a column looks as if it did.
    NamedItems
        A column names the items, and not every item has a name of its own.
    NamelessRows
        Transactions without a person were left out.
    SpelledPersons
        Names of persons differ only in case or spaces.

    Examples
    --------
    >>> read([["wine", "meat"], ["wine", "viagra"]], sensitive="viagra")
    Baskets(2 transactions, 3 items, 4 entries, 1 sensitive)
    """
    said = WhoIsWho.of(person, rows.get("missing"), unit, row_is_person)
    file: dict[str, Any] = {"format": format, "separator": separator, "encoding": encoding}
    used = _used(transaction, item, said)
    columns: dict[str, Any] = {"transaction": transaction, "item": item, "person": said.person}

    def typed(table: pa.Table) -> pa.Table:
        if rows.get("query") is None:
            return _with_flags(table, recognise(source, **columns, **file))
        try:  # the columns that are named may be those of the result
            return _with_flags(table, recognise(source, **file))
        except InputError:
            return table

    ready = prepare(
        source,
        used,
        options=rows,
        progress=progress,
        as_rows=name is not None or keep is not None,
        typed=typed,
        **file,
    )
    naming = None
    if keep is not None:
        ready = replace(ready, source=_with_kept(ready, transaction, item, said, name, keep, round_dates))
    elif round_dates is not None:
        raise ParameterError("--round-dates is about the columns of --keep.")
    with ready.named():
        if name is not None:
            naming = Naming.of_column(ready.source, used(ready.source).labels, name, ready.name)
        if not isinstance(ready.source, str | os.PathLike):
            if not ready.changed and (format is not None or separator is not None):
                raise ParameterError("The 'format' and 'separator' parameters are for files.")
            baskets = from_memory(ready.source, transaction=transaction, item=item, items=items, said=said)
        elif items is not None:
            raise ParameterError("The 'items' parameter names the columns of a matrix; a file has its own.")
        else:
            baskets = _from_file(ready.source, transaction, item, said, progress, file)
    if naming is not None:
        baskets = naming.named(baskets)
    progress("reading", 1.0)
    if sensitive is None:
        return baskets
    tree = None if taxonomy is None else read_taxonomy(taxonomy)
    named = Choice.of(sensitive, tree)
    with explaining(source, used, options=rows, **file):
        return mark(baskets, named, sensitive_missing)


def _with_kept(
    ready: Prepared,
    transaction: str | None,
    item: str | None,
    said: WhoIsWho,
    name: str | None,
    keep: Sequence[str] | str,
    round_dates: str | None,
) -> pa.Table:
    """The rows with those of the kept columns."""
    roles = choose(ready.source.schema, transaction, item, ready.name, said)
    if roles.layout != "long" or roles.transaction is None or roles.item is None:
        raise ParameterError("--keep is for a table with a row per transaction and item.")
    choice("read", "round_dates", round_dates or "month", ROUNDED)
    columns = [part.strip() for part in keep.split(",")] if isinstance(keep, str) else list(keep)
    names = ready.source.column_names
    how = {"round_dates": round_dates, "file": ready.name}
    return with_columns(
        ready.source,
        roles.transaction,
        roles.item,
        columns,
        same=roles.people if said.person is not None else (),
        beside=None if name is None else names[find(names, name, ready.name)],
        **how,
    )


def _used(transaction: str | None, item: str | None, said: WhoIsWho) -> Callable[[pa.Table], Used]:
    """Which columns of a table will be used."""

    def used(table: pa.Table) -> Used:
        roles = choose(table.schema, transaction, item, None, said)
        named = [name for name in (roles.transaction, roles.item) if name is not None]
        long = roles.layout == "long"
        labels = (named[1],) if long else ()
        return Used(needed=tuple(named) if long else (), labels=labels)

    return used


def _with_flags(table: pa.Table, known: Recognised) -> pa.Table:
    """The text of a CSV file with a 0/1 column per item as numbers in these columns; any other file as it is."""
    if known.format != "csv-wide":
        return table
    for place, name in enumerate(table.column_names):
        column = table.column(place).combine_chunks()
        flags = [FLAGS.get(label.lower()) for label in column.dictionary.to_pylist()]
        if name not in (known.transaction, known.person) and None not in flags:
            numbers = pa.array(flags, pa.int8()).take(column.indices)
            table = table.set_column(place, name, numbers.fill_null(0))
    return table


def _from_file(
    source: str | os.PathLike[str],
    transaction: str | None,
    item: str | None,
    said: WhoIsWho,
    progress: Progress,
    file: dict[str, Any],
) -> Baskets:
    known = recognise(source, transaction=transaction, item=item, person=said.person, **file)
    path, name, encoding = Path(source), os.fspath(source), file["encoding"]
    if known.format == "fimi":
        return read_fimi(path, name, separator=known.delimiter, encoding=encoding, progress=progress)
    if known.format == "parquet":
        rows = rows_of_parquet(path, name)
        return gather(rows, choose(rows.schema, transaction, item, name, said), said, progress)
    delimiter = str(known.delimiter)
    rows = rows_of_text(
        path,
        name,
        known.columns,
        delimiter,
        header=known.header,
        encoding=encoding,
        hint=f"If every line is one transaction, give --format fimi --separator {delimiter!r}.",
    )
    said = replace(said, person=known.person)
    taken = (known.transaction, known.item)
    people = person_columns(known.columns if known.layout == "long" else (), taken, said)
    columns = known.columns if known.layout == "wide" else dict.fromkeys(name for name in (*taken, *people) if name)
    roles = Roles(
        layout=known.layout,
        transaction=known.transaction,
        item=known.item,
        columns=tuple(columns),
        people=tuple(people),
    )
    return gather(rows, roles, said, progress)
