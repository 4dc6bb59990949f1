"""Reading records: attributes and items from two files joined by the person, or from one with a column of lists."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from covey.arrays import Ids
from covey.counting import counted
from covey.data import Baskets, Records, Table
from covey.data.csr import rows_from_pairs
from covey.data.persons import digests_of
from covey.errors import InputError, NearlyUnique, ParameterError, UnmatchedPersons
from covey.io.baskets import gather
from covey.io.columns import ITEM_NAMES, find, listed, usual
from covey.io.files import file_of
from covey.io.loading import open_rows
from covey.io.naming import NO_COLUMN, named, names_of
from covey.io.persons import WhoIsWho, warn_of_spellings
from covey.io.preparing import prepared
from covey.io.recognition import roles_of
from covey.io.rows import Rows
from covey.io.sensitive import Spec, named_among
from covey.io.table import columns_of, table_of, texts_of, used
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
    file = file_of(source)
    how: dict[str, Any] = {"separator": separator, "encoding": encoding, "what": "a table"}
    kept_apart = {"quasi": quasi, "sensitive": None, "other": other, "identifier": identifier}
    found = prepared(source, lambda table: used(table, kept_apart, person), rows, progress=progress, **how)
    if file is None:
        found = Rows.of(found.table())  # a stream can be read once
    held, dropped = found.names, columns_of(identifier)
    if baskets is None:
        lists = _column(held, item, "items", file)
        if name is not None:
            raise ParameterError(NO_COLUMN)
        joined = gather(found, roles_of(found.schema, WhoIsWho(item=lists, row_is_person=True), file))
        dropped += [lists, *([held[find(held, person, file)]] if person is not None else [])]
    else:
        if person is None:
            raise ParameterError(
                "Attributes and items are in two files: say which column names the person in both (--person)."
            )
        key = held[find(held, person, file)]
        codes, people = texts_of(found, [key], progress)[key]
        second = open_rows(baskets, **how)
        joined = _joined(second, person, item, codes, people, file, unmatched == "drop", progress)
        dropped.append(key)
        if name is not None:
            apart = second.names[find(second.names, person, second.file)]
            column = _column(second.names, item, "item", second.file, apart_from=apart)
            joined = named(joined, names_of(second.table(), column, name, second.file))
    kept = [name for name in held if name not in dropped]
    columns, items = ([], []) if sensitive is None else _named(sensitive, kept, joined, sensitive_missing)
    attributes = table_of(
        found,
        {
            "quasi": quasi,
            "sensitive": columns,
            # What someone names as sensitive is not published unchanged, whatever a release says of its original.
            "other": [name for name in columns_of(other) if name not in columns],
            "identifier": list(dict.fromkeys(dropped)),
        },
        WhoIsWho(row_is_person=True),
        categorical=columns_of(categorical),
        hierarchies=hierarchies,
        encoding=encoding,
        file=file,
        progress=progress,
    )
    _warn_of_unique(attributes)
    return Records(attributes, joined.with_sensitive(items) if items else joined)


def _warn_of_unique(attributes: Table) -> None:
    """Warn of every column in which most persons have a value of their own; of a few persons that says nothing."""
    for column in attributes.columns:
        alone = int((np.bincount(column.codes) == 1).sum())
        if attributes.n >= FEWEST and nearly_unique(alone / attributes.n):
            warnings.warn(NearlyUnique(column.name, alone, attributes.n), stacklevel=2)


def _joined(
    table: Rows,
    person: str,
    item: str | None,
    codes: Ids,
    people: list[str],
    file: str | None,
    drop: bool,
    progress: Progress,
) -> Baskets:
    """The items of the persons whose names are ``people[codes]``, one set each, from a table of persons and items."""
    times = np.bincount(codes, minlength=len(people))
    if "" in people and times[people.index("")]:
        problem = f"{int(times[people.index('')]):,} of {len(codes):,} rows name no person"
        raise InputError(problem, file=file, column=person, remedy="Drop them first.")
    if (times > 1).any():
        several = counted(int((times > 1).sum()), "person")
        problem = f"{several} with several rows of attributes, {people[int(times.argmax())]!r} has {int(times.max()):,}"
        raise InputError(problem, file=file, column=person, remedy="Keep one row for each person.")
    other = table.file
    key = table.names[find(table.names, person, other)]
    column = _column(table.names, item, "item", other, apart_from=key)
    texts = texts_of(table, [key, column], progress)
    buyers, buyer_names = texts[key]
    bought, labels = texts[column]
    if "" in labels:
        table.require_filled([(column, bought == labels.index(""))])
    warn_of_spellings(key, dict.fromkeys((*people, *buyer_names)))
    place = {people[code]: row for row, code in enumerate(codes.tolist())}
    at = np.array([place.get(name, -1) for name in buyer_names], np.int32)
    _require_joins(at, buyer_names, person, file, other, drop)
    rows = at[buyers]
    indptr, indices = rows_from_pairs(rows[rows >= 0], bought[rows >= 0], len(codes))
    made = replace(Baskets.build(indptr, indices, labels), names=digests_of(people[code].encode() for code in codes))
    return made.only(made.supports() > 0)


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


def _column(names: list[str], wanted: str | None, what: str, file: str | None, *, apart_from: str = "") -> str:
    """The column of items, named or with a usual name; of two columns the one that is not the person."""
    if wanted is not None:
        return names[find(names, wanted, file)]
    at = usual(names, ITEM_NAMES)
    if at is not None and names[at] != apart_from:
        return names[at]
    left = [name for name in names if name != apart_from]
    if apart_from and len(left) == 1:
        return left[0]
    raise InputError(
        f"it is unclear which column holds the {what}",
        file=file,
        remedy=f"Name it with --item. {listed(names)}."
        + ("" if apart_from else " Items in a second file are given with --baskets."),
    )


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
