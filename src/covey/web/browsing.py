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


def query(directory: Path, sensitive: str, present: Sequence[str], absent: Sequence[str]) -> dict[str, Any]:
    """Estimate how many transactions hold a sensitive item together with, or without, others."""
    release, _ = opened(directory)
    answer = release.estimate(sensitive or None, present=present, absent=absent)
    found = {"sensitive": sensitive, "transactions": release.n, "unit": release.unit, "matching": answer.matching}
    of_persons = None if answer.persons is None else release.persons
    return {**answer.to_dict(), **found, "persons": answer.persons, "of_persons": of_persons}


def questions(directory: Path) -> dict[str, list[str]]:
    """Return what a release can be asked: its sensitive items, and the most frequent ordinary ones."""
    release, _ = opened(directory)
    if not release.supports_queries():
        return {"sensitive": [], "items": []}
    frequent = np.argsort(-release.supports(), kind="stable")[:OFFERED]
    items = [release.items[i] for i in frequent]
    return {"sensitive": list(getattr(release, "sensitive_items", ())), "items": items}


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
    secrets = view.secrets()
    return {**about, "groups": [_shown(view, secrets, int(number)) for number in numbers[offset : offset + limit]]}


def _shown(view: View, secrets: Sequence[Secrets], number: int) -> dict[str, Any]:
    counts = []
    for labels, codes, group, times in secrets:
        here = group == number
        often = np.bincount(codes[here], times[here], len(labels))
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
    for labels, codes, group in view.entries():
        fits = np.array([text in label.casefold() for label in labels] or [False], np.bool_)
        found[group[fits[codes]]] = True
    return found


#: Labels, which of them each entry has, and the group of each entry; of sensitive ones also how many hold it.
Entries = tuple[Sequence[str], Any, Any]
Secrets = tuple[Sequence[str], Any, Any, Any]


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
    #: What is published, and what of that is sensitive.
    entries: Callable[[], list[Entries]]
    secrets: Callable[[], list[Secrets]] = list
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
    secrets = (release.sensitive_items, release.count_item, release.count_group)
    columns = () if people is None else people.columns
    items = release.transactions if people is None else release.items_alone()

    def members(number: int) -> list[list[str]]:
        start, stop = release.group_ptr[number : number + 2]
        return [_member(columns, items, row) for row in range(start, min(stop, start + MEMBERS))]

    return View(
        what="groups",
        members=members,
        sizes=sizes,
        risks=most / np.maximum(release.members(), 1),
        persons=release.group_persons if people is None else None,  # a row of records is a person
        entries=lambda: [_items(release.transactions, group), secrets],
        secrets=lambda: [(*secrets, release.count)],
        columns=() if people is None else (*(one.name for one in columns), "items"),
    )


@view_of.register
def _of_sets(release: SetsRelease) -> View:
    rows, ptr, _ = index = _by_class(kinds_of(release.transactions))
    sizes, classes, private = np.diff(ptr), _ranks(index), release.private
    secret = [] if private is None else [_items(private, classes)]
    return View(
        what="classes",
        members=lambda number: [] if private is None else _members((), private, rows[ptr[number] : ptr[number + 1]]),
        shared=lambda number: release.transactions.basket(int(rows[ptr[number]]))[:CELLS],
        sizes=sizes,
        risks=1 / sizes,
        unit="" if release.transactions.person is None else "persons",
        entries=lambda: [_items(release.transactions, classes), *secret],
        secrets=lambda: [(*one, np.ones(len(one[1]))) for one in secret],
    )


@view_of.register
def _of_chunks(release: ChunksRelease) -> View:
    def entries() -> list[Entries]:
        found = [_items(release.terms, np.arange(release.clusters))]
        chunk = np.repeat(np.arange(len(release.first)), np.diff(release.part_ptr))[release.parts.row_of_entries()]
        # A chunk that several clusters share is found in each of them.
        for step in range(int((release.last - release.first).max(initial=-1)) + 1):
            group = release.first[chunk] + step
            there = group <= release.last[chunk]
            found.append((release.parts.items, release.parts.indices[there], group[there]))
        return found

    def members(number: int) -> list[list[str]]:
        chunks = np.flatnonzero((release.first == number) & (release.last == number))
        rows = [row for chunk in chunks for row in range(*release.part_ptr[chunk : chunk + 2])]
        named = ", ".join(release.terms.basket(number)[:CELLS])
        return [*_members((), release.parts, rows), *([[f"in a few of them: {named}"]] if named else [])]

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
    rows, ptr, number_of = index = _by_class(table.classes())
    sizes, classes = np.diff(ptr), _ranks(index)
    persons = None if table.class_persons is None else table.class_persons[number_of]

    def named(column: Any, code: int) -> str:
        return f"{column.name} = {column.labels[code] or '(missing)'}"

    return View(
        what="classes",
        members=lambda number: _members(table.columns, items, rows[ptr[number] : ptr[number + 1]]),
        shared=lambda number: [named(one, one.codes[rows[ptr[number]]]) for one in table.of_role("quasi")],
        sizes=sizes,
        risks=np.minimum(_most_held(table)[number_of] / (sizes if persons is None else persons), 1.0),
        persons=persons,
        entries=lambda: [
            *((column.labels, column.codes, classes) for column in table.columns),
            *([] if items is None else [_items(items, classes)]),
        ],
        secrets=lambda: [
            ([named(one, code) for code in range(len(one.labels))], one.codes, classes, np.ones(len(classes)))
            for one in table.of_role("sensitive")
        ],
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
    one = np.ones(ratings.n, np.int64)
    row = np.repeat(np.arange(ratings.n), np.diff(ratings.indptr))
    return View(
        what="records",
        members=lambda number: [[f"{issue}: {rated:g}" for issue, rated in ratings.record(number).items()][:CELLS]],
        sizes=one,
        risks=one,
        entries=lambda: [(ratings.issues, ratings.indices, row)],
    )


def _by_class(number: Any) -> tuple[Any, Any, Any]:
    """Return rows sorted by class, the largest class first, where each class begins, and the number that it had."""
    sizes = np.bincount(number)
    largest = np.argsort(-sizes, kind="stable")
    rank = np.empty(len(sizes), np.int64)
    rank[largest] = np.arange(len(sizes))
    rows = np.argsort(rank[number], kind="stable")
    return rows, np.concatenate([[0], np.cumsum(sizes[largest])]), largest


def _ranks(index: Any) -> Any:
    """Return the class of each row."""
    found = np.empty(len(index[0]), np.int64)
    found[index[0]] = np.repeat(np.arange(len(index[1]) - 1), np.diff(index[1]))
    return found


def _items(sets: Any, group: Any) -> Entries:
    """Return the entries of transactions, given the group of each row."""
    return sets.items, sets.indices, group[sets.row_of_entries()]


def _members(columns: Sequence[Any], items: Any, rows: Sequence[int]) -> list[list[str]]:
    return [_member(columns, items, int(row)) for row in rows[:MEMBERS]]


def _member(columns: Sequence[Any], items: Any, row: int) -> list[str]:
    """Return what is published of a row: its items, or its cells and its items as one of them."""
    cells = [column.labels[column.codes[row]] for column in columns]
    own = [] if items is None else items.basket(row)[:CELLS]
    return own if not cells else cells if items is None else [*cells, " · ".join(own)]
