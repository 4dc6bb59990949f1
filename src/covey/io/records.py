"""Reading records: attributes and items from two files joined by the person, or from one with a column of lists."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from covey.arrays import Ids
from covey.counting import counted
from covey.data import Baskets, Records, Table
from covey.data.csr import rows_from_pairs
from covey.data.persons import digests_of
from covey.errors import InputError, NearlyUnique, ParameterError, UnmatchedPersons
from covey.io.baskets import gather
from covey.io.columns import ITEM_NAMES, find, listed, usual
from covey.io.loading import open_rows
from covey.io.naming import NO_COLUMN, named, names_of
from covey.io.persons import WhoIsWho, warn_of_spellings
from covey.io.preparing import complete, prepared
from covey.io.recognition import roles_of
from covey.io.rows import Coded, Rows, numbered
from covey.io.sensitive import Spec, named_among
from covey.io.table import columns_of, roles_of_columns, table_of, with_missing
from covey.parameters import choice
from covey.progress import Progress, silent
from covey.release.kinds import nearly_unique

UNMATCHED = ("error", "drop")

#: Of fewer persons nobody is surprised that all are different.
FEWEST = 20


def read_records(
    source: Any,
    *,
    baskets: Any = None,
    item: str | None = None,
    person: str | None = None,
    unmatched: str | None = None,
    quasi: Collection[str] | str | None = None,
    sensitive: Spec | None = None,
    sensitive_missing: str | None = None,
    identifier: Collection[str] | str | None = None,
    other: Collection[str] | str | None = None,
    categorical: Collection[str] | str = (),
    hierarchies: Any = None,
    name: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    progress: Progress = silent,
    **rows: Any,
) -> Records:
    """Read attributes and items of persons.

    `source` has the attributes, one row per person, as for `covey.read_table`. `baskets` is a second file or frame with
    the items, one line per person and item, which the column `person` joins; without it, the column `item` of `source`
    has lists of items. Persons with items but without attributes are refused, or left out with `unmatched` "drop";
    persons with attributes alone have no items. `sensitive` names columns and items. All other options are those of
    `covey.read_table`, and `name`, those of `covey.read`.

    Examples
    --------
    >>> people = {"who": ["ann", "bob"], "age": [30, 34]}
    >>> bought = {"who": ["bob", "bob", "ann"], "item": ["ale", "tea", "ale"]}
    >>> read_records(people, baskets=bought, person="who")
    Records(2 persons, quasi: age; 2 items, 3 entries)
    """
    if isinstance(source, Records):
        if sensitive is None:
            return source
        known = [column.name for column in source.attributes.columns]
        columns, items = _named(sensitive, known, source.baskets, sensitive_missing)
        return source.with_sensitive([*columns, *items])
    choice("read_records", "unmatched", unmatched or "error", UNMATCHED)
    how: dict[str, Any] = {"separator": separator, "encoding": encoding}
    found = prepared(source, rows, progress=progress, **how)
    file, held = found.file, found.names
    if file is None:
        held_in_memory = Rows.of(found.table())  # a stream can be read once
        found = replace(found, schema=held_in_memory.schema, read=held_in_memory.read)
    key = None if person is None else held[find(held, person, file)]
    lists = _column(found, item, "items") if baskets is None else None
    dropped = list(dict.fromkeys([*columns_of(identifier), *(one for one in (lists, key) if one is not None)]))
    if rows.get("missing") == "drop":
        given = {"quasi": quasi, "other": other, "identifier": dropped}
        found = _without_missing(found, list(roles_of_columns(held, file, given)))
    if lists is not None:
        if name is not None:
            raise ParameterError(NO_COLUMN)
        joined = gather(found, roles_of(found, WhoIsWho(item=lists, row_is_person=True), file))
    elif key is None:
        raise ParameterError(
            "Attributes and items are in two files: say which column names the person in both (--person)."
        )
    else:
        people = _trimmed(found, [key], progress)[key]
        joined = _joined(open_rows(baskets, **how), key, item, name, people, file, unmatched == "drop", progress)
    kept = [one for one in held if one not in dropped]
    columns, items = ([], []) if sensitive is None else _named(sensitive, kept, joined, sensitive_missing)
    attributes = table_of(
        found,
        {
            "quasi": quasi,
            "sensitive": columns,
            # What someone names as sensitive is not published unchanged, whatever a release says of its original.
            "other": [one for one in columns_of(other) if one not in columns],
            "identifier": dropped,
        },
        WhoIsWho(row_is_person=True, missing=rows.get("missing")),
        categorical=columns_of(categorical),
        hierarchies=hierarchies,
        encoding=encoding,
        progress=progress,
    )
    _warn_of_unique(attributes)
    return Records(attributes, joined.with_sensitive(items) if items else joined)


def _without_missing(rows: Rows, attributes: list[str]) -> Rows:
    """Return the rows that have a value in each of some columns."""
    columns = zip(attributes, rows.columns(attributes), strict=True)
    cells = {name: rows.cells(name, column) for name, column in columns}
    kept = complete(rows, cells, attributes, "drop")[0].kept
    if kept is None:
        return rows
    return replace(Rows.of(rows.table().take(pa.array(kept)), rows.file), markers=rows.markers)


def _warn_of_unique(attributes: Table) -> None:
    """Warn of every column in which most persons have a value of their own; of a few persons that says nothing."""
    for column in attributes.columns:
        alone = int((np.bincount(column.codes) == 1).sum())
        if attributes.n >= FEWEST and nearly_unique(alone / attributes.n):
            warnings.warn(NearlyUnique(column.name, alone, attributes.n), stacklevel=2)


def _joined(
    rows: Rows,
    person: str,
    item: str | None,
    name: str | None,
    people: Coded,
    file: str | None,
    drop: bool,
    progress: Progress,
) -> Baskets:
    """Return the items of each of the people, one set each, from the rows of a second file."""
    if (people.codes < 0).any():
        problem = f"{int((people.codes < 0).sum()):,} of {len(people.codes):,} rows name no person"
        raise InputError(problem, file=file, column=person, remedy="Drop them first.")
    times = np.bincount(people.codes)
    if (times > 1).any():
        several = counted(int((times > 1).sum()), "person")
        most = people.labels[int(times.argmax())]
        problem = f"{several} with several rows of attributes, {most!r} has {int(times.max()):,}"
        raise InputError(problem, file=file, column=person, remedy="Keep one row for each person.")
    key = rows.names[find(rows.names, person, rows.file)]
    column = _column(rows, item, "item", apart_from=key)
    beside = [] if name is None else [rows.names[find(rows.names, name, rows.file)]]
    coded = _trimmed(rows, [key, column, *beside], progress)
    buyers, bought = coded[key], coded[column]
    rows.require_filled([(column, bought.codes < 0)])
    warn_of_spellings(key, dict.fromkeys((*people.labels, *buyers.labels)))
    place = {label: row for row, label in enumerate(people.labels)}
    at = np.array([*(place.get(label, -1) for label in buyers.labels), -1], np.int32)
    _require_joins(at[:-1], buyers.labels, person, file, rows.file, drop)
    row_of = at[buyers.codes]
    known = row_of >= 0
    indptr, indices = rows_from_pairs(row_of[known], bought.codes[known], len(people.codes))
    made = Baskets.build(indptr, indices, bought.labels)
    made = replace(made, names=digests_of(label.encode() for label in people.labels))
    made = made.only(made.supports() > 0)
    return made if name is None else named(made, names_of(bought, coded[beside[0]], beside[0], rows.file))


def _trimmed(rows: Rows, names: list[str], progress: Progress) -> dict[str, Coded]:
    """Return columns as a table has them: numbers are texts, and there are no blanks around texts."""
    columns = zip(names, rows.columns(names, progress), strict=True)
    cells = {name: with_missing(rows.cells(name, column)) for name, column in columns}
    return {name: numbered(codes, pa.array(labels, pa.large_string())) for name, (codes, labels) in cells.items()}


def _require_joins(at: Ids, names: list[str], person: str, file: str | None, other: str | None, drop: bool) -> None:
    """Raise when no person with items has attributes, or some have none; warn instead where they are to be dropped."""
    strangers = np.flatnonzero(at < 0)
    if not len(strangers):
        return
    if len(strangers) == len(at):
        problem = f"none of the {len(at):,} persons with items has attributes ({names[0]!r} is the first)"
        where = f"{file or 'the attributes'} and {other or 'the items'}"
        remedy = f"Check that '{person}' names the same persons in {where}."
    elif drop:
        warnings.warn(UnmatchedPersons(person, len(at), len(at) - len(strangers)), stacklevel=2)
        return
    else:
        first = names[int(strangers[0])]
        problem = f"{len(strangers):,} of {len(at):,} persons with items have no attributes, {first!r} first"
        remedy = "Leave them out with --unmatched drop, or add their attributes."
    raise InputError(problem, file=other, column=person, remedy=remedy)


def _column(rows: Rows, wanted: str | None, what: str, *, apart_from: str = "") -> str:
    """Return the column of items, named or with a usual name; of two columns the one that is not the person."""
    names = rows.names
    if wanted is not None:
        return names[find(names, wanted, rows.file)]
    left = [name for name in names if name != apart_from]
    at = 0 if apart_from and len(left) == 1 else usual(left, ITEM_NAMES)
    if at is not None:
        return left[at]
    second = "" if apart_from else " Items in a second file are given with --baskets."
    remedy = f"Name it with --item. {listed(names)}.{second}"
    raise InputError(f"it is unclear which column holds the {what}", file=rows.file, remedy=remedy)


def _named(sensitive: Spec, columns: list[str], baskets: Baskets, missing: str | None) -> tuple[list[str], list[str]]:
    """The columns and the items that are named as sensitive."""
    wanted = named_among(sensitive, [*columns, *baskets.items], "column or item", missing, baskets.aliases)
    twice = [name for name in wanted if name in columns and name in set(baskets.items)]
    if twice:
        raise InputError(
            f"{twice[0]!r} is a column and an item",
            remedy="Rename one of them, so that it is clear which is sensitive.",
        )
    return [name for name in wanted if name in columns], [name for name in wanted if name not in columns]
