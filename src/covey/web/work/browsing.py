"""Looking into a release: questions, groups and labels, from the published files alone."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from covey.errors import ParameterError
from covey.kernels.shared.set_classes import classes_of, set_hashes
from covey.lazy import load
from covey.release import read_release
from covey.release.kinds import release_kind
from covey.release.manifest import NAME

#: Members of a group that are shown, and things shown of one member.
MEMBERS, CELLS = 30, 60

#: Releases that stay in memory between requests.
KEPT = 2

#: How many of the most frequent published items are offered for questions.
OFFERED = 200

_releases: OrderedDict[tuple[str, int], tuple[Any, Any]] = OrderedDict()


def opened(directory: str) -> tuple[Any, Any]:
    """A release and the view of its groups, kept for the next request."""
    key = (directory, (Path(directory) / NAME).stat().st_mtime_ns)
    if key not in _releases:
        release = read_release(directory)
        browse = release_kind(release.kind).browse
        _releases[key] = release, None if browse is None else load(browse)(release)
        while len(_releases) > KEPT:
            _releases.popitem(last=False)
    _releases.move_to_end(key)
    return _releases[key]


def query(directory: str, sensitive: str, present: Sequence[str], absent: Sequence[str]) -> dict[str, Any]:
    """Estimate how many transactions hold a sensitive item together with, or without, others."""
    release, _ = opened(directory)
    if not hasattr(release, "estimate"):
        raise ParameterError(
            f"Estimates come from groups and chunks, and this is a {release.kind} release: read its tables as they are."
        )
    asked = {"present": list(present), "absent": list(absent)}
    answer = release.estimate(sensitive or None, **asked)
    second = release.assisted(sensitive, **asked) if hasattr(release, "assisted") else None
    return {
        "sensitive": sensitive,
        "present": list(present),
        "absent": list(absent),
        **answer.to_dict(),
        "assisted": second.estimate if second is not None and second.weight > 0 else None,
        "transactions": release.n,
    }


def labels(directory: str, search: str, limit: int) -> dict[str, Any]:
    """Published items that hold a text, the most frequent first, with their exact supports."""
    release, _ = opened(directory)
    sets = getattr(release, "transactions", release)
    if not hasattr(sets, "supports"):
        return {"total": 0, "items": []}
    supports = sets.supports()
    text = search.casefold()
    fitting = [i for i in np.argsort(-supports, kind="stable") if text in sets.items[i].casefold()]
    found = [{"item": sets.items[i], "support": int(supports[i]), "sensitive": False} for i in fitting[:limit]]
    return {"total": len(fitting), "items": found}


def questions(directory: str) -> dict[str, list[str]]:
    """What a release can be asked: its sensitive items, and the most frequent ordinary ones."""
    release, _ = opened(directory)
    if not hasattr(release, "estimate"):
        return {"sensitive": [], "items": []}
    frequent = np.argsort(-release.supports(), kind="stable")[:OFFERED]
    items = [release.items[i] for i in frequent]
    return {"sensitive": list(getattr(release, "sensitive_items", ())), "items": items}


def groups(directory: str, offset: int, limit: int) -> dict[str, Any]:
    """One page of the groups of a release, or of the classes of rows that are published alike."""
    _, view = opened(directory)
    if view is None:
        return {"what": "rows", "total": 0, "offset": offset, "columns": [], "groups": []}
    numbers = range(min(offset, view.total), min(offset + limit, view.total))
    found = [{"number": number, **view.show(number)} for number in numbers]
    return {
        "what": view.what,
        "total": view.total,
        "offset": offset,
        "columns": list(view.columns),
        "groups": found,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How the groups of a release are shown.

    Attributes
    ----------
    what : str
        What they are called, in the plural.
    total : int
        How many there are.
    show : callable
        Group number → ``size``, ``members``, ``shared`` and ``sensitive``.
    columns : tuple of str
        Of tables: the names of the cells of a member.
    """

    what: str
    total: int
    show: Callable[[int], dict[str, Any]]
    columns: tuple[str, ...] = ()


def of_grouped(release: Any) -> View:
    """Groups with their counts."""
    columns = () if release.attributes is None else (*(one.name for one in release.attributes.columns), "items")
    return View(what="groups", total=release.groups, show=lambda number: _group(release, number), columns=columns)


def of_sets(release: Any) -> View:
    """Classes of transactions that are published alike."""
    index = _by_class(_set_numbers(release.transactions))
    return View(what="classes", total=len(index[1]) - 1, show=lambda number: _set_class(release, index, number))


def of_chunks(release: Any) -> View:
    """Clusters with the sub-records of their own chunks, and their terms."""
    return View(what="clusters", total=release.clusters, show=lambda number: _cluster(release, number))


def of_table(release: Any) -> View:
    """Classes of rows that are published alike."""
    index = _by_class(release.classes())
    return View(
        what="classes",
        total=len(index[1]) - 1,
        show=lambda number: _table_class(release, index, number),
        columns=tuple(column.name for column in release.columns),
    )


def of_records(release: Any) -> View:
    """Classes of persons with the same attributes, with the items of each."""
    index = _by_class(release.attributes.classes())
    return View(
        what="classes",
        total=len(index[1]) - 1,
        show=lambda number: _record_class(release, index, number),
        columns=(*(column.name for column in release.attributes.columns), "items"),
    )


def of_ratings(release: Any) -> View:
    """Single records."""
    return View(what="records", total=release.ratings.n, show=lambda number: _record(release, number))


def _by_class(number: Any) -> tuple[Any, Any]:
    """Rows sorted by class, the largest class first, and where each class begins."""
    sizes = np.bincount(number)
    rank = np.empty(len(sizes), np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    rows = np.argsort(rank[number], kind="stable")
    return rows, np.concatenate([[0], np.cumsum(np.sort(sizes)[::-1])])


def _set_numbers(sets: Any) -> Any:
    words = np.random.default_rng().integers(0, 2**64, max(sets.d, 1), np.uint64)
    hashes = set_hashes(sets.indptr, sets.indices, words)
    return classes_of(sets.indptr, sets.indices, hashes, np.argsort(hashes, kind="stable"))[0]


def _group(release: Any, number: int) -> dict[str, Any]:
    start, stop = release.group_ptr[number : number + 2]
    here = range(*np.searchsorted(release.count_group, [number, number + 1]))
    counts = [(release.sensitive_items[release.count_item[i]], int(release.count[i])) for i in here]
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


def _table_class(release: Any, index: Any, number: int) -> dict[str, Any]:
    rows = index[0][index[1][number] : index[1][number + 1]]
    members = [[column.labels[column.codes[row]] for column in release.columns] for row in rows[:MEMBERS]]
    counts = []
    for column in release.of_role("sensitive"):
        codes, often = np.unique(column.codes[rows], return_counts=True)
        counts += [
            (f"{column.name} = {column.labels[code] or '(missing)'}", int(count))
            for code, count in zip(codes, often, strict=True)
        ]
    shared = [f"{c.name} = {c.labels[c.codes[rows[0]]] or '(missing)'}" for c in release.of_role("quasi")]
    return {"size": len(rows), "members": members, "shared": shared, "sensitive": counts}


def _record_class(release: Any, index: Any, number: int) -> dict[str, Any]:
    found = _table_class(release.attributes, index, number)
    rows = index[0][index[1][number] : index[1][number + 1]]
    sets = [" · ".join(release.baskets.basket(int(row))[:CELLS]) for row in rows[:MEMBERS]]
    members = [[*cells, items] for cells, items in zip(found["members"], sets, strict=True)]
    return {**found, "members": members}


def _record(release: Any, number: int) -> dict[str, Any]:
    record = release.ratings.record(number)
    secret = set(release.ratings.sensitive_issues())
    texts = [f"{issue}: {rating:g}" for issue, rating in record.items()]
    held = [(f"{issue}: {rating:g}", 1) for issue, rating in record.items() if issue in secret]
    return {"size": 1, "members": [texts[:CELLS]], "shared": [], "sensitive": held}
