"""CSV files of baskets: long (a row per transaction and item) and wide (a row per transaction, a column per item)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from covey.arrays import Bytes
from covey.data import Baskets
from covey.data.csr import rows_of_own_pairs
from covey.errors import InputError
from covey.io.baskets.recognition import Recognised
from covey.io.delimited import Cells, no_rows, records
from covey.io.encodings import byte_encoding
from covey.io.files import CHUNK, window
from covey.io.interning import Growing, Interner
from covey.io.persons import NOTHING_SAID, PersonColumn, WhoIsWho
from covey.io.quantities import Amounts, UsedQuantities, quantity_columns
from covey.io.suspicion import looks_named, person_columns, with_persons
from covey.io.token_keys import cell_keys
from covey.io.tokens import gather_flags
from covey.progress import Progress, silent


def read_long(
    path: Path,
    name: str,
    known: Recognised,
    *,
    said: WhoIsWho = NOTHING_SAID,
    amounts: Amounts | None = None,
    encoding: str = "utf-8",
    progress: Progress = silent,
    chunk: int = CHUNK,
) -> Baskets:
    """Read a long CSV file: transactions in the order of first sight; other columns are ignored, but for persons.

    With `amounts`, items are told apart by how many there were.
    """
    assert known.transaction is not None
    assert known.item is not None
    assert known.delimiter is not None
    tids, items, row_of, item_of = Interner("transactions"), Interner(), Growing(np.int32), Growing(np.int32)
    numbers = [known.columns.index(known.transaction), known.columns.index(known.item)]
    cells = Cells(known.delimiter, len(known.columns), name, byte_encoding(encoding), lines_hint(known.delimiter))
    people = person_columns(known.columns, (known.transaction, known.item), replace(said, person=known.person), name)
    said_of = [known.transaction, known.item, *(column.column for column in people)]
    used = None if amounts is None else UsedQuantities(amounts.among(known.columns, name), name)
    quantities = [] if used else quantity_columns(known.columns, said_of)
    pairs = [(tids, row_of), (items, item_of)]
    interner, out = pairs[0]
    plain = not (people or used or quantities) and len(known.delimiter) == 1
    take = _short_cells(cells, ord(known.delimiter), numbers, pairs) if plain else None
    with window(path, name, encoding=encoding, chunk=chunk, progress=progress) as view:
        for skip in records(view, cells, header=known.header, take=take):
            cells.require_filled(numbers, known.columns, skip)
            lines = cells.lines[skip:]
            for number, (interner, out) in zip(numbers, pairs, strict=True):
                starts, stops = cells.column(number, skip)
                interner.add(view.data, starts, stops, lines, out.room(len(starts)))
            for column in people:
                starts, stops = cells.column(known.columns.index(column.column), skip)
                rows = row_of.array[row_of.used - len(starts) : row_of.used]
                column.add(column.codes_of(view.data, starts, stops, lines), lines, rows, len(tids))
            if used is not None:
                used.add_cells(view.data, *cells.column(known.columns.index(used.column), skip), lines)
            for quantity in quantities:
                quantity.add_cells(view.data, *cells.column(known.columns.index(quantity.column), skip))
    count = len(tids)
    if not count:
        raise no_rows(name)
    labels = items.labels(name, byte_encoding(encoding))
    for quantity in quantities:
        quantity.tell()
    pairs.clear()
    del tids, interner  # the names of transactions may take as much memory as the entries
    if used is not None:
        return with_persons(used.baskets(row_of.finish(), item_of.finish(), labels, count), people, said)
    indptr, indices = rows_of_own_pairs(row_of.finish(), item_of.finish(), count)
    del row_of, item_of, out
    return with_persons(Baskets.build(indptr, indices, labels), people, said)


def _short_cells(
    cells: Cells, delimiter: int, numbers: list[int], pairs: list[tuple[Interner, Growing]]
) -> Callable[[Bytes, int], tuple[int, int]]:
    """The quick way through records whose cells in two columns are short and nothing special, for `records`."""
    wanted, keys = np.array(numbers, np.int64), np.empty((2, 0), np.int64)

    def take(data: Bytes, stop: int) -> tuple[int, int]:
        nonlocal keys
        if stop > 2 * keys.shape[1]:
            keys = np.empty((2, len(data) // 2 + 1), np.int64)
        end, taken = cell_keys(data, stop, delimiter, cells.columns, wanted, keys)
        for column, (interner, out) in zip(keys, pairs, strict=True):
            interner.add_keys(column[:taken], lambda places: cells.line + places, out.room(taken))
        return end, taken

    return take


def read_wide(
    path: Path,
    name: str,
    known: Recognised,
    *,
    said: WhoIsWho = NOTHING_SAID,
    encoding: str = "utf-8",
    progress: Progress = silent,
    chunk: int = CHUNK,
) -> Baskets:
    """Read a wide CSV file of 0, 1, true, false and empty cells; all columns but the id and the person are items."""
    assert known.delimiter is not None
    columns = known.columns
    skip = columns.index(known.transaction) if known.transaction is not None else -1
    labels = [column for column in columns if column not in (known.transaction, known.person)]
    item_of = np.array([labels.index(c) if c in labels else -1 for c in columns], np.int32)
    people = [] if known.person is None else [PersonColumn(known.person, name)]
    cells = Cells(known.delimiter, len(columns), name, byte_encoding(encoding), lines_hint(known.delimiter))
    ids, entries, ends = Interner("transactions"), Growing(np.int32), Growing(np.int64)
    ends.room(1)[:] = 0
    tally = np.zeros(2, np.int64)
    with window(path, name, encoding=encoding, chunk=chunk, progress=progress) as view:
        for header in records(view, cells, header=True):
            starts, stops = cells.starts[header * len(columns) :], cells.stops[header * len(columns) :]
            bad = gather_flags(
                view.data, starts, stops, item_of,
                entries.reserve(len(starts)), ends.reserve(cells.records)[1:], tally,
            )  # fmt: skip
            if bad >= 0:
                raise _no_flag(cells, view.data, bad + header * len(columns), columns, name)
            entries.used, ends.used = int(tally[0]), int(tally[1]) + 1
            for column in people:
                places = cells.column(columns.index(column.column), header)
                lines = cells.lines[header:]
                column.add(column.codes_of(view.data, *places, lines), lines)
            if skip >= 0:
                cells.require_filled([skip], columns, header)
                remedy = "Each transaction must be one row; merge the rows or give them different ids."
                if looks_named(columns[skip]):
                    remedy += f" If these are persons with several rows each, give --person '{columns[skip]}'."
                cells.require_once(view.data, skip, ids, header, "id", remedy)
    if tally[1] == 0:
        raise no_rows(name)
    return with_persons(Baskets.build(ends.finish(), entries.finish(), labels), people, said)


def lines_hint(delimiter: str) -> str:
    """What to do if a file is no table, but a transaction a line."""
    return f"If every line is one transaction, give --format fimi --separator {delimiter!r}."


def _no_flag(cells: Cells, data: Bytes, cell: int, columns: tuple[str, ...], name: str) -> InputError:
    column = columns[cell % len(columns)]
    return InputError(
        f"'{cells.text(data, cell, 'replace')}' is not 0, 1, true, false or empty",
        file=name,
        line=int(cells.lines[cell // len(columns)]),
        column=column,
        remedy=f"If '{column}' names the transaction, give --transaction '{column}', if it names the person, "
        f"--person '{column}'. If the file has a row "
        "per transaction and item, name both columns with --transaction and --item.",
    )
