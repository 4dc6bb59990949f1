"""Arrow record batches to baskets: the common way of Parquet files and data frames.

Three layouts are understood: long (a row per transaction and item), lists (a row per transaction with a list
of items) and wide (a row per transaction and a boolean or 0/1 column per item).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Ids, Ints, offsets_of
from covey.data import Baskets
from covey.data.csr import rows_of_own_pairs
from covey.errors import InputError
from covey.io.arrow import Coded, Coder, Rows, is_text, stripped
from covey.io.baskets.columns import ITEM_NAMES, TRANSACTION_NAMES, both_named, find, long_columns, unclear, usual
from covey.io.persons import NOTHING_SAID, PersonColumn, WhoIsWho
from covey.io.suspicion import looks_named, person_columns, with_persons
from covey.progress import Progress, silent

#: What a cell of a 0/1 column may be.
FLAGS = {"1": 1, "true": 1, "0": 0, "false": 0, "": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Which columns play which part; `columns` are the ones that have to be read.

    `people` is the column that names persons or, when nobody has said which, those that may.
    """

    layout: str
    transaction: str | None
    item: str | None
    columns: tuple[str, ...]
    people: tuple[str, ...] = ()


def choose(
    schema: pa.Schema,
    transaction: str | None,
    item: str | None,
    file: str | None,
    said: WhoIsWho = NOTHING_SAID,
) -> Roles:
    """Tell the layout and the columns of a table from their names and types, and which ones name persons."""
    person = None if said.person is None else schema.names[find(schema.names, said.person, file)]
    roles = _choose(schema, transaction, item, file, person)
    said = replace(said, person=person)
    # Every column of a 0/1 table is an item unless it is said to be something else.
    known = () if roles.layout == "wide" else schema.names
    people = person_columns(known, (roles.transaction, roles.item), said)
    for name in people:
        find(schema.names, name, file)
    wanted = dict.fromkeys((*roles.columns, *people))
    return replace(roles, people=tuple(people), columns=tuple(wanted))


def _choose(
    schema: pa.Schema, transaction: str | None, item: str | None, file: str | None, person: str | None
) -> Roles:
    """Tell the layout and the columns of a table from their names and types.

    A list column, named or the first, is taken before anything else; then a transaction and an item column
    that are named or have usual names; then boolean columns, or at least two columns of numbers beside the
    transaction, as a 0/1 table; then two columns of any name.
    """
    names = list(schema.names)
    if not names:
        raise InputError("the table has no columns", file=file, remedy="Check how it was made.")
    lists = [field.name for field in schema if _is_list(field.type)]
    tid = None if transaction is None else names[find(names, transaction, file)]
    iid = None if item is None else names[find(names, item, file)]
    if iid in lists or (iid is None and lists):
        iid = lists[usual(lists, ITEM_NAMES) or 0] if iid is None else iid
        find(names, iid, file)
        return Roles(layout="lists", transaction=tid, item=iid, columns=(iid, tid) if tid is not None else (iid,))
    if iid is None and not both_named(names, tid, iid):
        fields = [field for field in schema if field.name != person]
        if tid is None and fields:
            usually = usual([fields[0].name], TRANSACTION_NAMES) == 0
            tid = fields[0].name if usually or not _is_number(fields[0].type) else None
        types = [field.type for field in fields if field.name != tid]
        numbers = len(names) > 2 and len(types) > 1 and all(_is_number(type) for type in types)
        if numbers or (types and all(pa.types.is_boolean(type) for type in types)):
            twice = [name for name, times in Counter(names).items() if times > 1]
            find(names, (twice or names)[0], file)  # every item must have one column
            return Roles(layout="wide", transaction=tid, item=None, columns=tuple(names))
    places = long_columns(names, transaction, item, file)
    if places is None:
        raise unclear(names, file)
    tid, iid = names[places[0]], names[places[1]]
    return Roles(layout="long", transaction=tid, item=iid, columns=(tid, iid))


def gather(rows: Rows, roles: Roles, said: WhoIsWho = NOTHING_SAID, progress: Progress = silent) -> Baskets:
    """Read the entries of all rows; transactions are in the order of first sight."""
    if roles.layout == "wide":
        return _wide(rows, roles, said, progress)
    assert roles.item is not None
    others = [name for name in (roles.transaction, *roles.people) if name is not None]
    if roles.layout == "lists":
        item, sizes, found = _listed(rows, roles.item, others, progress)
    else:
        item, *found = rows.coded([roles.item, *others], progress)
        sizes = None
    if (sizes is None and not len(item.codes)) or (sizes is not None and not len(sizes)):
        raise rows.none()
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
    indptr, indices = rows_of_own_pairs(of_entries, item.codes, len(own.texts))
    return with_persons(Baskets.build(indptr, indices, item.labels), people, said)


def _listed(rows: Rows, item: str, others: list[str], progress: Progress) -> tuple[Coded, Ints, list[Coded]]:
    """The items of all lists, how many each list holds, and other columns."""
    sizes = [np.empty(0, np.int64)]

    def row_of(position: int) -> int:
        return int(np.searchsorted(np.cumsum(np.concatenate(sizes)), position, side="right"))

    coder, coders = Coder(rows, item, row_of), [Coder(rows, name) for name in others]
    done = 0
    for batch in rows.batches([item, *others], progress):
        values, *columns = batch.columns
        if values.null_count:
            row = done + int(np.argmax(values.is_null().to_numpy(zero_copy_only=False)))
            raise rows.wrong(row, item, "missing list (null)", "Give a transaction without items an empty list.")
        sizes.append(pc.list_value_length(values).to_numpy(zero_copy_only=False).astype(np.int64))
        coder.add(values.flatten())
        for one, column in zip(coders, columns, strict=True):
            one.add(column)
        done += len(batch)
    items = coder.finish()
    missing = np.flatnonzero(items.codes < 0)
    if len(missing):
        raise rows.wrong(row_of(int(missing[0])), item, "an item is missing or empty", "Leave it out of the list.")
    return items, np.concatenate(sizes), [one.finish() for one in coders]


def _wide(rows: Rows, roles: Roles, said: WhoIsWho, progress: Progress) -> Baskets:
    """Read a table with a 0/1 column per item."""
    others = [name for name in dict.fromkeys((roles.transaction, *roles.people)) if name is not None]
    items = [name for name in roles.columns if name not in others]
    coders = {name: Coder(rows, name) for name in others}
    row_of: list[Ints] = []
    item_of: list[Ids] = []
    done = 0
    for batch in rows.batches([*others, *items], progress):
        for name, column in zip(others, batch.columns, strict=False):
            coders[name].add(column)
        for item, column in enumerate(batch.columns[len(others) :]):
            held = np.flatnonzero(_flags(column, rows, done, items[item]))
            row_of.append(held + done)
            item_of.append(np.full(len(held), item, np.int32))
        done += len(batch)
    if not done:
        raise rows.none()
    found = {name: coder.finish() for name, coder in coders.items()}
    if roles.transaction is not None:
        remedy = "Each transaction must be one row; merge the rows or give them different ids."
        if looks_named(roles.transaction):
            remedy += f" If these are persons with several rows each, give --person '{roles.transaction}'."
        rows.require_once(found[roles.transaction], roles.transaction, "id", remedy)
    people = [PersonColumn(name, rows, found[name]) for name in roles.people]
    indptr, indices = rows_of_own_pairs(np.concatenate(row_of).astype(np.int32), np.concatenate(item_of), done)
    return with_persons(Baskets.build(indptr, indices, items), people, said)


def _flags(column: pa.Array, rows: Rows, before: int, name: str) -> Ints:
    """The values of a 0/1 column; text may also be true, false or empty."""
    if is_text(column.type) or pa.types.is_dictionary(column.type):
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
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


def _is_list(type: pa.DataType) -> bool:
    of = pa.types
    tests = (of.is_list, of.is_large_list, of.is_fixed_size_list, of.is_list_view, of.is_large_list_view)
    return any(test(type) for test in tests)


def _is_number(type: pa.DataType) -> bool:
    return bool(pa.types.is_integer(type) or pa.types.is_floating(type) or pa.types.is_boolean(type))
