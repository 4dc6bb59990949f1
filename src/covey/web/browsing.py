"""Looking into a release: its groups and classes as anybody can read them in the published files, and questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, singledispatch
from pathlib import Path
from typing import Any

import numpy as np

from covey.measure.study import kinds_of
from covey.release import read_release
from covey.release.chunks import ChunksRelease
from covey.release.grouped import GroupedRelease
from covey.release.manifest import NAME
from covey.release.ratings import RatingsRelease
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease
from covey.release.table import TableRelease

#: Members of a group that are shown, and things shown of one member.
MEMBERS, CELLS = 30, 60

#: How many of the most frequent published items are offered for questions.
OFFERED = 200


def opened(directory: Path) -> tuple[Any, View | None]:
    """Return a release and the view of its groups; the last ones stay in memory."""
    return _opened(directory, (directory / NAME).stat().st_mtime_ns)


@lru_cache(maxsize=2)
def _opened(directory: Path, changed: int) -> tuple[Any, View | None]:
    release = read_release(directory)
    return release, view_of(release)


def questions(directory: Path) -> tuple[Sequence[str], list[str]]:
    """Return the sensitive items of a release, and the most frequent ordinary ones; none if it has no answers."""
    release, _ = opened(directory)
    if not release.supports_queries():
        return (), []
    frequent = np.argsort(-release.supports(), kind="stable")[:OFFERED]
    return getattr(release, "sensitive_items", ()), [release.items[i] for i in frequent]


def query(directory: Path, sensitive: str, present: Sequence[str], absent: Sequence[str]) -> dict[str, Any]:
    """Estimate how many transactions hold a sensitive item together with, or without, others."""
    release, _ = opened(directory)
    answer = release.estimate(sensitive or None, present=present, absent=absent)
    about = {"sensitive": sensitive, "transactions": release.n, "unit": release.unit, "of_persons": release.persons}
    return {**answer.to_dict(), **about, "matching": answer.matching, "persons": answer.persons}


def groups(directory: Path, offset: int, limit: int, order: str = "", search: str = "") -> dict[str, Any]:
    """Return one page of the groups of a release, or of the classes of rows that are published alike.

    They are in the order of the release, or ``largest`` or ``smallest`` first, or by ``risk``.
    """
    _, view = opened(directory)
    if view is None:
        return {"what": "", "unit": "", "total": 0, "offset": offset, "columns": (), "groups": []}
    numbers = np.flatnonzero(_holding(view, search.casefold())) if search else np.arange(len(view.sizes))
    sizes = view.sizes if view.persons is None else view.persons
    key = {"largest": -sizes, "smallest": sizes, "risk": -view.risks}.get(order)
    if key is not None:
        numbers = numbers[np.argsort(key[numbers], kind="stable")]
    about = {"what": view.what, "unit": view.unit, "columns": view.columns, "total": len(numbers), "offset": offset}
    return {**about, "groups": [_shown(view, int(number)) for number in numbers[offset : offset + limit]]}


def _shown(view: View, number: int) -> dict[str, Any]:
    counts = []
    for (labels, codes, group), times in view.secrets:
        here = group == number
        often = np.bincount(codes[here], None if times is None else times[here], len(labels))
        counts += [(labels[code], int(often[code])) for code in np.flatnonzero(often).tolist()]
    return {
        "number": number,
        "size": int(view.sizes[number]),
        "persons": None if view.persons is None else int(view.persons[number]),
        "risk": float(view.risks[number]),
        "members": view.members(number),
        "shared": view.shared(number),
        "sensitive": counts,
    }


def _holding(view: View, text: str) -> Any:
    """Return for each group whether anything that is published in it has a text in lower case."""
    found = np.zeros(len(view.sizes), np.bool_)
    for labels, codes, group in [*view.entries, *(entries for entries, _ in view.secrets)]:
        fits = np.array([text in label.casefold() for label in labels] or [False], np.bool_)
        found[group[fits[codes]]] = True
    return found


#: Labels, which of them each entry has, and the group of each entry.
Entries = tuple[Sequence[str], Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How the groups of a release are shown."""

    #: What they are called, in the plural.
    what: str
    #: Group number → what is published of each of its first members.
    members: Callable[[int], list[list[str]]]
    #: Published rows of each group, and how sure somebody can be who knows that a person is in it: of a sensitive item
    #: or value where there are such, else of the person.
    sizes: Any
    risks: Any
    #: What is published, and what of that is sensitive, with how many hold each entry (None is one).
    entries: Sequence[Entries]
    secrets: Sequence[tuple[Entries, Any]] = ()
    #: Group number → what all its members have in common.
    shared: Callable[[int], list[str]] = lambda number: []
    #: Where persons are counted beside rows: how many each group has. Risks are theirs then.
    persons: Any = None
    #: What a row is, in the plural, where it is not what the data calls a row.
    unit: str = ""
    #: Of tables: the names of the cells of a member.
    columns: tuple[str, ...] = ()


@singledispatch
def view_of(release: object) -> View | None:
    """Return how the groups of a release are shown; None for a kind that has none."""
    return None


@view_of.register
def _of_grouped(release: GroupedRelease) -> View:
    sizes, most, people = release.group_sizes(), np.zeros(release.groups, np.int64), release.attributes
    np.maximum.at(most, release.count_group, release.count)
    group = np.repeat(np.arange(release.groups), sizes)
    columns = () if people is None else people.columns
    items = release.transactions if people is None else release.items_alone()
    return View(
        what="groups",
        members=_first_members(group, columns, items),
        sizes=sizes,
        risks=most / np.maximum(release.members(), 1),
        persons=release.group_persons if people is None else None,  # a row of records is a person
        entries=[_items(release.transactions, group)],
        secrets=[((release.sensitive_items, release.count_item, release.count_group), release.count)],
        columns=() if people is None else (*(one.name for one in columns), "items"),
    )


@view_of.register
def _of_sets(release: SetsRelease) -> View:
    classes, _ = _largest_first(kinds_of(release.transactions))
    sizes, private = np.bincount(classes), release.private
    first = np.unique(classes, return_index=True)[1]
    return View(
        what="classes",
        members=_first_members(classes, (), private) if private is not None else lambda number: [],
        shared=lambda number: release.transactions.basket(int(first[number]))[:CELLS],
        sizes=sizes,
        risks=1 / sizes,
        unit="" if release.transactions.person is None else "persons",
        entries=[_items(release.transactions, classes)],
        secrets=[] if private is None else [(_items(private, classes), None)],
    )


@view_of.register
def _of_chunks(release: ChunksRelease) -> View:
    chunk = np.repeat(np.arange(len(release.first)), np.diff(release.part_ptr))
    entries, chunk_of_entry = (
        [_items(release.terms, np.arange(release.clusters))],
        chunk[release.parts.row_of_entries()],
    )
    # A chunk that several clusters share is found in each of them.
    for step in range(int((release.last - release.first).max(initial=-1)) + 1):
        group = release.first[chunk_of_entry] + step
        there = group <= release.last[chunk_of_entry]
        entries.append((release.parts.items, release.parts.indices[there], group[there]))
    own = np.where(release.first == release.last, release.first, -1)[chunk]
    pieces = _first_members(own, (), release.parts)

    def members(number: int) -> list[list[str]]:
        named = ", ".join(release.terms.basket(number)[:CELLS])
        return [*pieces(number), *([[f"in a few of them: {named}"]] if named else [])]

    return View(
        what="clusters",
        members=members,
        sizes=release.records,
        risks=1 / np.maximum(release.records, 1),
        unit="persons" if release.by_person else "",
        entries=entries,
    )


@view_of.register
def _of_table(release: TableRelease) -> View:
    return _classes(release)


@view_of.register
def _of_records(release: RecordsRelease) -> View:
    return _classes(release.attributes, release.baskets)


def _classes(table: Any, items: Any = None) -> View:
    """Return the classes of the rows of a table, to each of which items may belong."""
    classes, order = _largest_first(table.classes())
    sizes, first = np.bincount(classes), np.unique(classes, return_index=True)[1]
    persons = None if table.class_persons is None else table.class_persons[order]

    def named(column: Any, code: int) -> str:
        return f"{column.name} = {column.labels[code] or '(missing)'}"

    secrets = [
        (([named(one, code) for code in range(len(one.labels))], one.codes, classes), None)
        for one in table.of_role("sensitive")
    ]
    return View(
        what="classes",
        members=_first_members(classes, table.columns, items),
        shared=lambda number: [named(one, one.codes[first[number]]) for one in table.of_role("quasi")],
        sizes=sizes,
        risks=np.minimum(_most_held(table)[order] / (sizes if persons is None else persons), 1.0),
        persons=persons,
        entries=[
            *((column.labels, column.codes, classes) for column in table.columns),
            *([] if items is None else [_items(items, classes)]),
        ],
        secrets=secrets,
        columns=(*(column.name for column in table.columns), *(() if items is None else ("items",))),
    )


def _most_held(table: Any) -> Any:
    """Return for each class how many of it hold its commonest sensitive value; 1 where nothing is sensitive.

    Where persons are counted and it is not published how many hold a value, as many may as there are rows with it.
    """
    most = np.ones(int(table.classes().max(initial=-1)) + 1)
    held = list(table.held())
    often = np.concatenate([rows for *_, rows, _ in held]) if table.holders is None and held else table.holders
    if held:
        np.maximum.at(most, np.concatenate([group for _, group, *_ in held]), often)
    return most


@view_of.register
def _of_ratings(release: RatingsRelease) -> View:
    ratings = release.ratings
    one, row = np.ones(ratings.n, np.int64), np.repeat(np.arange(ratings.n), np.diff(ratings.indptr))
    return View(
        what="records",
        members=lambda number: [[f"{issue}: {rated:g}" for issue, rated in ratings.record(number).items()][:CELLS]],
        sizes=one,
        risks=one,
        entries=[(ratings.issues, ratings.indices, row)],
    )


def _largest_first(classes: Any) -> tuple[Any, Any]:
    """Return the class of each row, numbered anew from the largest on, and the number that each had."""
    order = np.argsort(-np.bincount(classes), kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[classes], order


def _items(sets: Any, group: Any) -> Entries:
    """Return the entries of transactions, given the group of each row."""
    return sets.items, sets.indices, group[sets.row_of_entries()]


def _first_members(group: Any, columns: Sequence[Any], items: Any) -> Callable[[int], list[list[str]]]:
    """Return what lists the first members of a group: their items, or their cells and their items as one of them."""

    def member(row: int) -> list[str]:
        cells = [column.labels[column.codes[row]] for column in columns]
        own = [] if items is None else items.basket(row)[:CELLS]
        return own if not cells else cells if items is None else [*cells, " · ".join(own)]

    return lambda number: [member(row) for row in np.flatnonzero(group == number)[:MEMBERS].tolist()]
