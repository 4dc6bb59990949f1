"""Reading records: attributes and items from two files joined by the person, or from one with a column of lists."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Mapping
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
from covey.io.baskets.columns import ITEM_NAMES, find, listed, usual
from covey.io.baskets.reading import read
from covey.io.files import file_of
from covey.io.frames import as_arrow, table_of
from covey.io.naming import NO_COLUMN, Naming
from covey.io.persons import warn_of_spellings
from covey.io.rows.loading import load_rows, other_format
from covey.io.rows.preparing import prepare
from covey.io.sensitive import Spec, named_among
from covey.io.table.reading import columns_of, opened, read_table, texts_of, used
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

    Parameters
    ----------
    source : path, Records, pandas, polars or Arrow table, or mapping of columns
        The attributes, one row per person, as for `covey.read_table`.
    baskets : path, pandas, polars or Arrow table, or mapping of columns, optional
        The items, one line per person and item. Left out, `source` has a column with lists of items.
    item : str, optional
        The column with the item, or with the lists; recognised by usual names if not given.
    person : str, optional
        The column that names the person in both files, which it joins; it is not published.
    unmatched : {"error", "drop"}, optional
        What becomes of persons with items but without attributes: refused with their number, or left out. Persons
        with attributes alone have no items.
    sensitive : path, str or collection of str, optional
        Sensitive columns and items; labels and patterns as for `covey.read`.
    sensitive_missing : {"error", "warn"}, optional
        What to do when the data lacks some of them.
    quasi, identifier, other, categorical, hierarchies, separator, encoding
        As for `covey.read_table`.
    name : str, optional
        The column of `baskets` with the names of items, as for `covey.read`.
    **rows
        How the rows with attributes are prepared, as for `covey.read`.

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
    if unmatched not in (None, *UNMATCHED):
        raise ParameterError(f"The 'unmatched' option is one of {', '.join(UNMATCHED)}. Got {unmatched!r} instead.")
    file = file_of(source)
    kept_apart = {"quasi": quasi, "sensitive": None, "other": other, "identifier": identifier}
    ready = prepare(
        source,
        lambda table: used(table, kept_apart, person),
        options=rows,
        separator=separator,
        encoding=encoding,
        progress=progress,
    )
    source = ready.source if isinstance(ready.source, str | os.PathLike) else _whole(ready.source)
    separator = None if ready.changed else separator
    if isinstance(baskets, str | os.PathLike) and other_format(baskets) is not None:
        baskets = load_rows(os.fspath(baskets), format=other_format(baskets))
    how: dict[str, Any] = {"separator": separator, "encoding": encoding}
    held = opened(source, **how).names
    dropped = columns_of(identifier)
    if baskets is None:
        lists = _column(held, item, "items", file)
        if name is not None:
            raise ParameterError(NO_COLUMN)
        joined = read(source, item=lists, row_is_person=True, encoding=encoding, separator=separator)
        dropped += [lists, *([held[find(held, person, file)]] if person is not None else [])]
    else:
        if person is None:
            raise ParameterError(
                "Attributes and items are in two files: say which column names the person in both (--person)."
            )
        key = held[find(held, person, file)]
        codes, people = texts_of(opened(source, **how), [key], progress)[key]
        joined = _joined(baskets, person, item, codes, people, file, unmatched == "drop", how, progress)
        dropped.append(key)
        if name is not None:
            joined = _naming(baskets, person, item, name, how).named(joined)
    kept = [name for name in held if name not in dropped]
    columns, items = ([], []) if sensitive is None else _named(sensitive, kept, joined, sensitive_missing)
    attributes = read_table(
        source,
        quasi=quasi,
        sensitive=columns,
        identifier=list(dict.fromkeys(dropped)),
        # What someone names as sensitive is not published unchanged, whatever a release says of its original.
        other=[name for name in columns_of(other) if name not in columns],
        categorical=categorical,
        hierarchies=hierarchies,
        row_is_person=True,
        separator=separator,
        encoding=encoding,
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
    source: Any,
    person: str,
    item: str | None,
    codes: Ids,
    people: list[str],
    file: str | None,
    drop: bool,
    how: dict[str, Any],
    progress: Progress,
) -> Baskets:
    """The items of the persons whose names are ``people[codes]``, one set each, from a table of persons and items."""
    times = np.bincount(codes, minlength=len(people))
    if "" in people and times[people.index("")]:
        missing = int(times[people.index("")])
        raise InputError(
            f"{missing:,} of {len(codes):,} rows name no person",
            file=file,
            column=person,
            remedy="Drop them first.",
        )
    if (times > 1).any():
        several = int((times > 1).sum())
        raise InputError(
            f"{counted(several, 'person')} with several rows of attributes, "
            f"{people[int(times.argmax())]!r} has "
            f"{int(times.max()):,}",
            file=file,
            column=person,
            remedy="Keep one row for each person.",
        )
    other = file_of(source)
    table = opened(source, **how)
    key = table.names[find(table.names, person, other)]
    column = _column(table.names, item, "item", other, apart_from=key)
    texts = texts_of(table, [key, column], progress)
    buyers, buyer_names = texts[key]
    bought, labels = texts[column]
    if "" in labels and (bought == labels.index("")).any():
        line = int(np.flatnonzero(bought == labels.index(""))[0])
        raise InputError(f"row {line} has no item", file=other, column=column, remedy="Fill it in, or drop it.")
    row_of = np.empty(len(codes), np.int32)
    row_of[codes] = np.arange(len(codes), dtype=np.int32)
    warn_of_spellings(key, dict.fromkeys((*people, *buyer_names)))
    place = {name: int(row_of[code]) for code, name in enumerate(people)}
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
    if drop and len(strangers) < len(at):
        warnings.warn(UnmatchedPersons(person, len(at), len(at) - len(strangers)), stacklevel=2)
        return
    where = f"{file or 'the attributes'} and {other or 'the items'}"
    if len(strangers) == len(at):
        raise InputError(
            f"none of the {len(at):,} persons with items has attributes ({names[0]!r} is the first)",
            file=other,
            column=person,
            remedy=f"Check that '{person}' names the same persons in {where}.",
        )
    raise InputError(
        f"{len(strangers):,} of {len(at):,} persons with items have no attributes, {names[int(strangers[0])]!r} first",
        file=other,
        column=person,
        remedy="Leave them out with --unmatched drop, or add their attributes.",
    )


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


def _naming(baskets: Any, person: str, item: str | None, wanted: str, how: dict[str, Any]) -> Naming:
    """What the column beside that of the items calls them."""
    table, file = opened(baskets, **how), file_of(baskets)
    column = _column(table.names, item, "item", file, apart_from=table.names[find(table.names, person, file)])
    beside = table.names[find(table.names, wanted, file)]
    texts = texts_of(table, {column, beside}, silent)
    called = {name: pa.DictionaryArray.from_arrays(pa.array(codes), labels) for name, (codes, labels) in texts.items()}
    return Naming.of_column(pa.table(called), [column], beside, file)


def _named(sensitive: Spec, columns: list[str], baskets: Baskets, missing: str | None) -> tuple[list[str], list[str]]:
    """The columns and the items that are named as sensitive."""
    named = named_among(sensitive, [*columns, *baskets.items], "column or item", missing, baskets.aliases)
    twice = [name for name in named if name in columns and name in set(baskets.items)]
    if twice:
        raise InputError(
            f"{twice[0]!r} is a column and an item",
            remedy="Rename one of them, so that it is clear which is sensitive.",
        )
    return [name for name in named if name in columns], [name for name in named if name not in columns]


def _whole(source: Any) -> Any:
    """What is in memory as a table that can be read twice: a stream of Arrow can not."""
    table = table_of(source.values(), source) if isinstance(source, Mapping) else as_arrow(source)
    return table.read_all() if isinstance(table, pa.RecordBatchReader) else table if table is not None else source
