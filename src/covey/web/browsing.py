"""Looking into a release: its groups and classes as anybody can read them in the published files, and questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, singledispatch
from pathlib import Path
from typing import Any

import numpy as np

from covey.errors import ParameterError
from covey.measure.homes import kinds_of
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

#: How groups can be sorted.
ORDERS = ("", "largest", "smallest", "risk")

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
    facts = {"sensitive": sensitive, "transactions": release.n, "unit": release.unit}
    of_persons = None if answer.persons is None else release.persons
    return {
        "matching": answer.matching,
        "persons": answer.persons,
        **answer.to_dict(),
        **facts,
        "of_persons": of_persons,
    }


def questions(directory: Path) -> dict[str, list[str]]:
    """Return what a release can be asked: its sensitive items, and the most frequent ordinary ones."""
    release, _ = opened(directory)
    if not release.supports_queries():
        return {"sensitive": [], "items": []}
    frequent = np.argsort(-release.supports(), kind="stable")[:OFFERED]
    items = [release.items[i] for i in frequent]
    return {"sensitive": list(getattr(release, "sensitive_items", ())), "items": items}


def groups(directory: Path, offset: int, limit: int, order: str = "", search: str = "") -> dict[str, Any]:
    """Return one page of the groups of a release, or of the classes of rows that are published alike."""
    _, view = opened(directory)
    if view is None:
        return {"what": "", "unit": "", "total": 0, "offset": offset, "columns": (), "groups": []}
    numbers = _ordered(view, order, view.holding(search.casefold()) if search else None)
    return {
        "what": view.what,
        "unit": view.unit,
        "total": len(numbers),
        "offset": offset,
        "columns": view.columns,
        "groups": [_shown(view, int(number)) for number in numbers[offset : offset + limit]],
    }


def _shown(view: View, number: int) -> dict[str, Any]:
    persons = None if view.persons is None else int(view.persons[number])
    return {"number": number, "risk": float(view.risks[number]), "persons": persons, **view.show(number)}


def _ordered(view: View, order: str, fitting: Any = None) -> Any:
    """Return the numbers of the groups that fit, in an order of `ORDERS`; "" leaves them as they are."""
    numbers = np.arange(len(view.sizes)) if fitting is None else np.flatnonzero(fitting)
    if order not in ORDERS:
        raise ParameterError(f"Groups are sorted by {', '.join(filter(None, ORDERS))}. Got {order!r} instead.")
    sizes = view.sizes if view.persons is None else view.persons
    keys = {"": numbers, "largest": -sizes, "smallest": sizes, "risk": -view.risks}
    return numbers[np.argsort(keys[order][numbers] if order else numbers, kind="stable")]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How the groups of a release are shown.

    Attributes
    ----------
    what : str
        What they are called, in the plural.
    show : callable
        Group number → ``size``, ``members``, ``shared`` and ``sensitive``.
    sizes, risks : arrays
        Of each group: its published rows, and how sure somebody can be who knows that a person is in it: of a
        sensitive item or value where there are such, else of the person.
    persons : array or None
        Where persons are counted beside rows: how many each group has. Risks are theirs then.
    unit : str
        What a row is, in the plural, where it is not what the data calls a row.
    holding : callable
        Text → for each group, whether anything that is published in it has this text, in lower case.
    columns : tuple of str
        Of tables: the names of the cells of a member.
    """

    what: str
    show: Callable[[int], dict[str, Any]]
    sizes: Any
    risks: Any
    holding: Callable[[str], Any]
    persons: Any = None
    unit: str = ""
    columns: tuple[str, ...] = ()


@singledispatch
def view_of(release: object) -> View | None:
    """Return how the groups of a release are shown; None for a kind that has none."""
    return None


@view_of.register
def _of_grouped(release: GroupedRelease) -> View:
    columns = () if release.attributes is None else (*(one.name for one in release.attributes.columns), "items")
    sizes, most = release.group_sizes(), np.zeros(release.groups, np.int64)
    np.maximum.at(most, release.count_group, release.count)
    group = np.repeat(np.arange(release.groups), sizes)

    def holding(text: str) -> Any:
        found = _in_groups(group, _rows_with(release.transactions, text), release.groups)
        found[release.count_group[_fitting(release.sensitive_items, text)[release.count_item]]] = True
        return found

    return View(
        what="groups",
        show=lambda number: _group(release, number),
        sizes=sizes,
        risks=most / np.maximum(release.members(), 1),
        persons=release.group_persons if release.attributes is None else None,  # a row of records is a person
        holding=holding,
        columns=columns,
    )


@view_of.register
def _of_sets(release: SetsRelease) -> View:
    index = _by_class(kinds_of(release.transactions))
    sizes = np.diff(index[1])

    def holding(text: str) -> Any:
        rows = _rows_with(release.transactions, text)
        if release.private is not None:
            rows = np.union1d(rows, _rows_with(release.private, text))
        return _in_groups(_ranks(index), rows, len(sizes))

    return View(
        what="classes",
        show=lambda number: _set_class(release, index, number),
        sizes=sizes,
        risks=1 / sizes,
        unit="" if release.transactions.person is None else "persons",
        holding=holding,
    )


@view_of.register
def _of_chunks(release: ChunksRelease) -> View:
    def holding(text: str) -> Any:
        found = _in_groups(np.arange(release.clusters), _rows_with(release.terms, text), release.clusters)
        chunk = np.repeat(np.arange(len(release.first)), np.diff(release.part_ptr))
        for one in np.unique(chunk[_rows_with(release.parts, text)]):
            found[release.first[one] : release.last[one] + 1] = True
        return found

    return View(
        what="clusters",
        show=lambda number: _cluster(release, number),
        sizes=release.records,
        risks=1 / np.maximum(release.records, 1),
        unit="persons" if release.by_person else "",
        holding=holding,
    )


@view_of.register
def _of_table(release: TableRelease) -> View:
    return _classes(release)


@view_of.register
def _of_records(release: RecordsRelease) -> View:
    return _classes(release.attributes, release.baskets)


def _classes(table: Any, items: Any = None) -> View:
    """Classes of the rows of a table, to each of which items may belong."""
    index = _by_class(table.classes())
    sizes, classes = np.diff(index[1]), _ranks(index)
    persons = None if table.class_persons is None else table.class_persons[index[2]]
    members = sizes if persons is None else persons

    def holding(text: str) -> Any:
        rows = [np.flatnonzero(_fitting(column.labels, text)[column.codes]) for column in table.columns]
        rows += [] if items is None else [_rows_with(items, text)]
        return _in_groups(classes, np.concatenate(rows), len(sizes))

    return View(
        what="classes",
        show=lambda number: _table_class(table, index, number, items),
        sizes=sizes,
        risks=np.minimum(_most_held(table)[index[2]] / members, 1.0),
        persons=persons,
        holding=holding,
        columns=(*(column.name for column in table.columns), *(() if items is None else ("items",))),
    )


def _most_held(table: Any) -> Any:
    """For each class, how many of it hold its commonest sensitive value; 1 where nothing is sensitive.

    Where persons are counted and it is not published how many hold a value, as many may as there are rows with it.
    """
    most = np.ones(int(table.classes().max(initial=-1)) + 1)
    held = table.held()
    often = np.concatenate([rows for *_, rows in held]) if table.holders is None and held else table.holders
    if held:
        np.maximum.at(most, np.concatenate([group for _, group, *_ in held]), often)
    return most


@view_of.register
def _of_ratings(release: RatingsRelease) -> View:
    ratings = release.ratings
    one = np.ones(ratings.n, np.int64)

    def holding(text: str) -> Any:
        entries = np.flatnonzero(_fitting(ratings.issues, text)[ratings.indices])
        return _in_groups(np.arange(ratings.n), np.searchsorted(ratings.indptr, entries, side="right") - 1, ratings.n)

    return View(
        what="records",
        show=lambda number: _record(release, number),
        sizes=one,
        risks=one,
        holding=holding,
    )


def _by_class(number: Any) -> tuple[Any, Any, Any]:
    """Rows sorted by class, the largest class first, where each class begins, and the number that it had."""
    sizes = np.bincount(number)
    largest = np.argsort(-sizes, kind="stable")
    rank = np.empty(len(sizes), np.int64)
    rank[largest] = np.arange(len(sizes))
    rows = np.argsort(rank[number], kind="stable")
    return rows, np.concatenate([[0], np.cumsum(np.sort(sizes)[::-1])]), largest


def _ranks(index: Any) -> Any:
    """The class of each row."""
    found = np.empty(len(index[0]), np.int64)
    found[index[0]] = np.repeat(np.arange(len(index[1]) - 1), np.diff(index[1]))
    return found


def _fitting(labels: Sequence[str], text: str) -> Any:
    """Which of the labels have a text in lower case."""
    return np.array([text in label.casefold() for label in labels] or [False], np.bool_)


def _rows_with(sets: Any, text: str) -> Any:
    """The rows with an item that has a text in lower case."""
    entries = np.flatnonzero(_fitting(sets.items, text)[sets.indices])
    return np.searchsorted(sets.indptr, entries, side="right") - 1


def _in_groups(group: Any, rows: Any, total: int) -> Any:
    """For each group, whether one of the rows is in it."""
    found = np.zeros(total, np.bool_)
    found[group[rows]] = True
    return found


def _group(release: Any, number: int) -> dict[str, Any]:
    start, stop = release.group_ptr[number : number + 2]
    here = range(*np.searchsorted(release.count_group, [number, number + 1]))
    held = release.count
    counts = [(release.sensitive_items[release.count_item[i]], int(held[i])) for i in here]
    shown = range(start, min(stop, start + MEMBERS))
    if release.attributes is None:
        members = [release.transactions.basket(row)[:CELLS] for row in shown]
    else:
        columns, items = release.attributes.columns, release.items_alone().take(np.array(shown))
        members = [
            [*(column.labels[column.codes[row]] for column in columns), " · ".join(items.basket(place)[:CELLS])]
            for place, row in enumerate(shown)
        ]
    return {"size": int(stop - start), "members": members, "shared": [], "sensitive": counts}


def _cluster(release: Any, number: int) -> dict[str, Any]:
    chunks = np.flatnonzero((release.first == number) & (release.last == number))
    rows = [row for chunk in chunks for row in range(*release.part_ptr[chunk : chunk + 2])]
    members = [release.parts.basket(row)[:CELLS] for row in rows[:MEMBERS]]
    named = release.terms.basket(number)[:CELLS]
    members += [[f"in a few of them: {', '.join(named)}"]] if named else []
    return {"size": int(release.records[number]), "members": members, "shared": [], "sensitive": []}


def _set_class(release: Any, index: Any, number: int) -> dict[str, Any]:
    rows = index[0][index[1][number] : index[1][number + 1]]
    counts: list[tuple[str, int]] = []
    members: list[list[str]] = []
    if release.private is not None:
        secret = [release.private.basket(int(row)) for row in rows[:MEMBERS]]
        members = [part[:CELLS] for part in secret]
        names, often = np.unique([label for part in secret for label in part] or [""], return_counts=True)
        counts = [(str(name), int(count)) for name, count in zip(names, often, strict=True) if name]
    shared = release.transactions.basket(int(rows[0]))[:CELLS]
    return {"size": len(rows), "members": members, "shared": shared, "sensitive": counts}


def _table_class(release: Any, index: Any, number: int, items: Any) -> dict[str, Any]:
    rows = index[0][index[1][number] : index[1][number + 1]]
    members = [[column.labels[column.codes[row]] for column in release.columns] for row in rows[:MEMBERS]]
    if items is not None:
        for cells, row in zip(members, rows, strict=False):
            cells.append(" · ".join(items.basket(int(row))[:CELLS]))
    counts = []
    for column in release.of_role("sensitive"):
        codes, often = np.unique(column.codes[rows], return_counts=True)
        counts += [
            (f"{column.name} = {column.labels[code] or '(missing)'}", int(count))
            for code, count in zip(codes, often, strict=True)
        ]
    shared = [f"{c.name} = {c.labels[c.codes[rows[0]]] or '(missing)'}" for c in release.of_role("quasi")]
    return {"size": len(rows), "members": members, "shared": shared, "sensitive": counts}


def _record(release: Any, number: int) -> dict[str, Any]:
    record = release.ratings.record(number)
    secret = set(release.ratings.sensitive_issues())
    texts = [f"{issue}: {rating:g}" for issue, rating in record.items()]
    held = [(f"{issue}: {rating:g}", 1) for issue, rating in record.items() if issue in secret]
    return {"size": 1, "members": [texts[:CELLS]], "shared": [], "sensitive": held}
