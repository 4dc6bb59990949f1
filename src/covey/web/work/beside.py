"""The original beside the release: who was published as what. For those who have the original, and never in a file."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from covey.attacks.company import company_of
from covey.data.kinds import data_kind
from covey.errors import CoveyError, ParameterError
from covey.lazy import load
from covey.web.work.browsing import CELLS, MEMBERS, View, fitting, opened, ordered, rows_with, shown
from covey.web.work.originals import read

#: Items of which it is said what became of them.
LISTED = 40

#: Originals that stay in memory between requests, and bytes of the largest file that is read for this.
KEPT, LARGEST = 1, 256 << 20

#: What became of something: published as it was, as something broader, not at all, or only counted in its group.
SAME, BROADER, LEFT, COUNTED = "same", "broader", "left", "counted"


#: An original, and the group of each of its rows, by the directory of its release.
_originals: OrderedDict[str, tuple[Any, Any]] = OrderedDict()


def beside(
    directory: str, source: Mapping[str, Any], offset: int, limit: int, order: str, search: str
) -> dict[str, Any]:
    """One page of the groups of a release, each with the rows of the original that are in it and what they became.

    Groups fit a search by what is published in them and by what the original has. Where nobody can tell which row was
    published as which, ``problem`` says so.
    """
    release, view = opened(directory)
    try:
        if view is None or view.home is None:
            raise ParameterError("Rows of this release belong to no group or class, so none is shown next to another.")
        data, group = _read(directory, source, release, view)
    except CoveyError as error:
        none = {"total": 0, "offset": 0, "groups": [], "items": [], "what": "", "unit": "", "counted": ""}
        return {"problem": str(error), **none}
    text = search.casefold()
    held = None
    if text:
        held = view.holding(text)
        held[np.unique(group[_rows_with(data, text)])] = True
    numbers = ordered(view, order, held)
    pairs = []
    for number in map(int, numbers[offset : offset + limit]):
        rows = np.flatnonzero(group == number)
        members = [_became(view, number, data, int(row)) for row in rows[:MEMBERS]]
        pairs.append({**shown(view, number), "rows": len(rows), "pairs": members})
    return {
        "problem": "",
        "what": view.what,
        "unit": view.unit,
        "counted": "" if getattr(data, "person", None) is None else "persons",
        "total": len(numbers),
        "offset": offset,
        "groups": pairs,
        "items": recoded(view, data, text),
    }


def _read(directory: str, source: Mapping[str, Any], release: Any, view: View) -> tuple[Any, Any]:
    if directory not in _originals:
        size = Path(source["path"]).stat().st_size
        if size > LARGEST:
            raise ParameterError(f"The original is too large to be shown here ({size / 2**20:,.0f} MiB).")
        data = read(source)
        if called := getattr(data, "called", None):  # as the release is shown
            data = data.renamed(called)
        home = company_of(release, data).home
        person = getattr(data, "person", None)
        if person is not None and len(home) != len(data):
            home = home[person]
        number = np.empty(int(view.home.max()) + 1, np.int64)
        number[view.home] = np.arange(len(view.home))
        _originals[directory] = data, number[home]
        while len(_originals) > KEPT:
            _originals.popitem(last=False)
    return _originals[directory]


def _columns(data: Any) -> tuple[Any, ...]:
    columns = data_kind(data.kind).columns
    return () if columns is None else load(columns)(data)


def _sets(data: Any) -> Any:
    """The sets of the data, or None where it has columns alone."""
    sets = getattr(data, "baskets", data)
    return sets if hasattr(sets, "basket") else None


def _rows_with(data: Any, text: str) -> Any:
    """The rows of an original that have a text in an item or value."""
    found = [np.zeros(0, np.int64)]
    for column in _columns(data):
        found.append(np.flatnonzero(fitting(column.labels, text)[column.codes]))
    if (sets := _sets(data)) is not None:
        found.append(rows_with(sets, text))
    return np.unique(np.concatenate(found))


def _became(view: View, number: int, data: Any, row: int) -> dict[str, Any]:
    """A row of the original and what is published of it: texts, each with what became of it."""
    before: list[tuple[str, str]] = []
    after: list[tuple[str, str]] = []
    for column in _columns(data):
        value = column.labels[column.codes[row]]
        _note(f"{column.name} ", value, view.became_value(number, column.name, value), before, after)
    if (sets := _sets(data)) is not None:
        for item in sets.basket(row)[:CELLS]:
            _note("", item, view.became(number, item), before, after)
    return {"original": before, "published": list(dict.fromkeys(after))}


def _note(
    name: str, value: str, became: str | None, before: list[tuple[str, str]], after: list[tuple[str, str]]
) -> None:
    what = COUNTED if became is None else LEFT if became == "" and value else SAME if became == value else BROADER
    before.append((f"{name}{value}", what))
    if what in (SAME, BROADER):
        after.append((f"{name}{became}", what))


def recoded(view: View, data: Any, text: str) -> list[dict[str, Any]]:
    """The items that are not published as they were everywhere, those with most losses first, and what they became."""
    sets = _sets(data)
    if sets is None:
        return []
    whole = sets if getattr(sets, "person", None) is None else sets.by_person()
    found = []
    for item, before in zip(whole.items, whole.supports().tolist(), strict=True):
        if text not in item.casefold() or not before:
            continue
        label = view.everywhere(item)
        left = before if label == "" else 0
        if label == item and view.supports is not None:
            left = before - view.supports.get(item, 0)
        if left or label != item:
            found.append({"item": item, "before": before, "left": left, "label": label})
    return sorted(found, key=lambda one: (-one["left"], -one["before"], one["item"]))[:LISTED]
