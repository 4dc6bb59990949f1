"""Arrow record batches to baskets: the common way of Parquet files and data frames.

Three layouts are understood: long (a row per transaction and item), lists (a row per transaction with a list
of items) and wide (a row per transaction and a boolean or 0/1 column per item).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Ints
from covey.data import Baskets
from covey.data.csr import rows_of_own_pairs
from covey.errors import InputError, ParameterError
from covey.io.arrow import Place, as_text, encode, encode_some, plain, spans
from covey.io.baskets.columns import ITEM_NAMES, TRANSACTION_NAMES, both_named, find, long_columns, unclear, usual
from covey.io.interning import MOST_IDS, Growing, Interner
from covey.io.persons import NOTHING_SAID, PersonColumn, WhoIsWho
from covey.io.quantities import NO_QUANTITIES, Amounts, QuantityColumn, UsedQuantities, quantity_columns
from covey.io.suspicion import person_columns, with_persons


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Which columns play which part; `columns` are the ones that have to be read.

    `people` is the column that names persons or, when nobody has said which, those that may. `quantity` is one that
    says how many of an item there were.
    """

    layout: str
    transaction: str | None
    item: str | None
    columns: tuple[str, ...]
    people: tuple[str, ...] = ()
    quantity: tuple[str, ...] = ()


def choose(
    schema: pa.Schema,
    transaction: str | None,
    item: str | None,
    file: str | None,
    said: WhoIsWho = NOTHING_SAID,
    amounts: Amounts | None = None,
) -> Roles:
    """Tell the layout and the columns of a table from their names and types, and which ones name persons."""
    person = None if said.person is None else schema.names[find(schema.names, said.person, file)]
    roles = _choose(schema, transaction, item, file, person)
    said = replace(said, person=person)
    # Every column of a 0/1 table is an item unless it is said to be something else.
    known = () if roles.layout == "wide" else schema.names
    people = [one.column for one in person_columns(known, (roles.transaction, roles.item), said, file)]
    for name in people:
        find(schema.names, name, file)
    taken = (roles.transaction, roles.item, *people)
    long = schema.names if roles.layout == "long" else ()
    quantity = [one.column for one in quantity_columns(long, taken) if schema.names.count(one.column) == 1]
    if amounts is not None:
        if roles.layout != "long":
            raise ParameterError(NO_QUANTITIES)
        quantity = [amounts.among(schema.names, file).column]
    wanted = dict.fromkeys((*roles.columns, *people, *quantity))
    return replace(roles, people=tuple(people), quantity=tuple(quantity), columns=tuple(wanted))


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
    lists = [name for name in names if _is_list(schema.field(names.index(name)).type)]
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
            for name in names:
                find(names, name, file)  # every item must have one column
            return Roles(layout="wide", transaction=tid, item=None, columns=tuple(names))
    places = long_columns(names, transaction, item, file)
    if places is None:
        raise unclear(names, file)
    tid, iid = names[places[0]], names[places[1]]
    return Roles(layout="long", transaction=tid, item=iid, columns=(tid, iid))


def gather(
    batches: Iterable[pa.RecordBatch],
    roles: Roles,
    file: str | None,
    report: Callable[[int], None] = lambda rows: None,
    said: WhoIsWho = NOTHING_SAID,
    amounts: Amounts | None = None,
) -> Baskets:
    """Collect the entries of all batches; `report` is told the number of rows that are done."""
    tids, items = Interner("transactions"), Interner("items")
    row_of, item_of, sizes = Growing(np.int32), Growing(np.int32), Growing(np.int64)
    people = [PersonColumn(name, file) for name in roles.people]
    used = None if amounts is None else UsedQuantities(replace(amounts, column=roles.quantity[0]), file)
    quantities = [] if used else [QuantityColumn(name) for name in roles.quantity]
    no_items = (roles.transaction, *roles.people)
    wide = [name for name in roles.columns if name not in no_items] if roles.layout == "wide" else []
    rows = 0
    for batch in batches:
        if rows + len(batch) > MOST_IDS:
            raise InputError(f"more than {MOST_IDS} rows", file=file, remedy="Split the data.")
        place = Place(file, rows)
        own = None
        if wide:
            _add_wide(batch, wide, place, row_of, item_of)
            if roles.transaction is not None:
                _refuse_twice(batch.column(roles.transaction), tids, place.of(roles.transaction))
        else:
            assert roles.item is not None
            values, counts = batch.column(roles.item), None
            if roles.layout == "lists":
                values, counts = _flatten(values, place.of(roles.item))
                sizes.room(len(counts))[:] = counts
            if roles.transaction is not None:
                own = np.empty(len(batch), np.int32)
                encode(batch.column(roles.transaction), tids, place.of(roles.transaction), own)
                entries_own = own if counts is None else np.repeat(own, counts)
                row_of.room(len(entries_own))[:] = entries_own
            here = Place(file, rows, counts, roles.item)
            encode(values, items, here, item_of.room(len(values)))
        for column in people:
            codes = encode_some(batch.column(column.column), column.ids, place.of(column.column))
            column.add(codes, np.zeros(len(batch), np.int64), own, len(tids))
        if used is not None:
            used.add_array(batch.column(used.column), place.of(used.column))
        for quantity in quantities:
            quantity.add_array(batch.column(quantity.column))
        rows += len(batch)
        report(rows)
    if rows == 0:
        raise InputError("the table has no rows", file=file, remedy="Check that it was written completely.")
    for quantity in quantities:
        quantity.tell()
    labels = wide or items.labels(file)
    if roles.layout == "lists" and roles.transaction is None:
        indptr = np.concatenate(([0], np.cumsum(sizes.finish())))
        return with_persons(Baskets.build(indptr, item_of.finish(), labels), people, said)
    count = rows if wide else len(tids)
    if used is not None:
        return with_persons(used.baskets(row_of.finish(), item_of.finish(), labels, count), people, said)
    del tids, items  # the names of transactions may take as much memory as the entries
    indptr, indices = rows_of_own_pairs(row_of.finish(), item_of.finish(), count)
    del row_of, item_of
    return with_persons(Baskets.build(indptr, indices, labels), people, said)


def _flatten(array: pa.Array, place: Place) -> tuple[pa.Array, Ints]:
    """The items of all lists, and how many each list holds."""
    if array.null_count:
        position = int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])
        raise place.wrong(position, "missing list (null)", "Give a transaction without items an empty list.")
    return array.flatten(), pc.list_value_length(array).to_numpy(zero_copy_only=False)


def _add_wide(batch: pa.RecordBatch, names: list[str], place: Place, row_of: Growing, item_of: Growing) -> None:
    for item, name in enumerate(names):
        column, here = batch.column(name), place.of(name)
        if column.null_count:
            plain(column, here)
        values = column.to_numpy(zero_copy_only=False)
        bad = np.flatnonzero((values != 0) & (values != 1))
        if len(bad):
            raise here.wrong(
                int(bad[0]),
                f"{values[bad[0]]} is neither 0 nor 1",
                "If the table has a row per transaction and item, give --transaction NAME --item NAME.",
            )
        held = np.flatnonzero(values)
        row_of.room(len(held))[:] = held + place.before
        item_of.room(len(held))[:] = item


def _refuse_twice(array: Any, ids: Interner, place: Place) -> None:
    """Raise for the first row whose id was seen before."""
    values = plain(array, place)
    buffer, starts, stops = spans(as_text(values, place, np.arange(len(values))))
    again = ids.first_again(buffer, starts, stops, np.arange(place.row(0), place.row(0) + len(starts)))
    if again is not None:
        at, known = again
        problem = f"the id '{ids.token(known).decode()}' of row {ids.line(known)} occurs again"
        raise place.wrong(at, problem, "Each transaction must be one row; merge the rows.")


def _is_list(type: pa.DataType) -> bool:
    of = pa.types
    tests = (of.is_list, of.is_large_list, of.is_fixed_size_list, of.is_list_view, of.is_large_list_view)
    return any(test(type) for test in tests)


def _is_number(type: pa.DataType) -> bool:
    return bool(pa.types.is_integer(type) or pa.types.is_floating(type) or pa.types.is_boolean(type))
