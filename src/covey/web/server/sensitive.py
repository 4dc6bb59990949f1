"""What is sensitive in a dataset: searching its items, and marking them one by one or by a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from covey.data.kinds import data_kind
from covey.errors import InputError
from covey.parameters import did_you_mean
from covey.web.records.datasets import Dataset, Item, Items, MarkedList, UnknownName
from covey.web.records.roles import ROLES, column_names, values_of
from covey.web.server.datasets import Datasets
from covey.web.server.pool import WorkerPool
from covey.web.server.problems import Conflict
from covey.web.server.reading import COLUMN_LISTS


class SensitiveItems:
    """Items of baskets, issues of ratings or columns of tables that are sensitive, or could be."""

    def __init__(self, datasets: Datasets, pool: WorkerPool) -> None:
        self._datasets, self._pool = datasets, pool

    def search(self, id: str, text: str = "", *, limit: int = 50, marked: bool = False) -> Items:
        """What can be marked as sensitive and fits a text or pattern, the most frequent first; or only the marked."""
        dataset = self._datasets.get(id)
        if data_kind(dataset.kind).by_roles:
            values = values_of(dataset)
            found = [
                Item(item=name, support=values.get(name, 0), sensitive=name in dataset.sensitive)
                for name in dataset.columns
                if text.casefold() in name.casefold() and (not marked or name in dataset.sensitive)
            ]
            return Items(total=len(found), items=found[:limit])
        page = self._pool.ask(
            "search_items",
            folder=self._folder(id),
            search=text,
            sensitive=dataset.sensitive,
            limit=limit,
            only=marked,
            taxonomy=self._datasets.entry(id).taxonomy_path,
        )
        return Items(total=page["total"], items=[Item(**row) for row in page["items"]])

    def mark(self, id: str, labels: Sequence[str]) -> Dataset:
        """Mark exactly these items, issues or columns as sensitive."""
        entry = self._datasets.entry(id)
        dataset = entry.dataset
        by_roles = data_kind(dataset.kind).by_roles
        if by_roles:
            checked = _known_columns(dataset, labels)
        else:
            checked = self._pool.ask("check_labels", folder=self._folder(id), kind=dataset.kind, labels=list(labels))
        options = _without(dataset.options, checked)
        with self._datasets.restoring(entry):
            if by_roles or options != dataset.options:
                self._datasets.change(entry, save=False, sensitive=checked)
                return self._datasets.configure(id, options=options)
            with self._datasets.changed:
                entry.revision += 1  # what was found out is about what was sensitive before
                return self._datasets.change(entry, sensitive=checked)

    def give_roles(self, id: str, roles: Mapping[str, str]) -> Dataset:
        """Give columns their roles, all at once; single items that are sensitive stay so."""
        entry = self._datasets.entry(id)
        dataset = entry.dataset
        by_role = {role: [name for name in dataset.columns if roles.get(name) == role] for role in ROLES}
        kept = {key: value for key, value in dataset.options.items() if key not in ROLES}
        by_role["quasi"] = [name for name in by_role["quasi"] if name != kept.get("person")]
        named = {role: names for role, names in by_role.items() if names and role != "sensitive"}
        items = [name for name in dataset.sensitive if name not in dataset.columns]
        with self._datasets.restoring(entry):
            self._datasets.change(entry, save=False, sensitive=[*by_role["sensitive"], *items])
            return self._datasets.configure(id, options={**kept, **named})

    def mark_fitting(self, id: str, search: str) -> Dataset:
        """Mark everything that fits a text or pattern, besides what is marked."""
        entry = self._datasets.entry(id)
        if data_kind(entry.dataset.kind).by_roles:
            raise Conflict("The columns of a table are marked by their roles.")
        found = self._pool.ask("fitting_labels", folder=self._folder(id), search=search, taxonomy=entry.taxonomy_path)
        return self.mark(id, list(dict.fromkeys([*entry.dataset.sensitive, *found])))

    def mark_list(self, id: str, text: str, *, skip_unknown: bool = False) -> MarkedList:
        """Mark the items or issues of a list, one a line, besides those that are.

        When the data lacks some of them nothing is marked, unless `skip_unknown`.
        """
        entry = self._datasets.entry(id)
        if data_kind(entry.dataset.kind).by_roles:
            raise Conflict("The columns of a table are marked by their roles.")
        found = self._pool.ask("match_list", folder=self._folder(id), text=text, taxonomy=entry.taxonomy_path)
        if not found["known"] and not found["unknown"]:
            raise InputError("the list names nothing", remedy="Write one name per line.")
        marked = bool(found["known"]) and (skip_unknown or not found["unknown"])
        if marked:
            self.mark(id, list(dict.fromkeys([*entry.dataset.sensitive, *found["known"]])))
        unknown = [UnknownName(label=label, near=near) for label, near in found["unknown"]]
        return MarkedList(dataset=entry.dataset, known=len(found["known"]), marked=marked, unknown=unknown)

    def _folder(self, id: str) -> str:
        self._datasets.ready_entry(id)
        return str(self._datasets.folder_of(id))


def _known_columns(dataset: Dataset, names: Sequence[str]) -> list[str]:
    """The names, each once, if they are columns."""
    for name in names:
        if name not in dataset.columns:
            near = did_you_mean(name, dataset.columns).strip()
            near = near or f"The columns are {', '.join(dataset.columns)}."
            raise InputError(f"there is no column {name!r}", remedy=near)
    return list(dict.fromkeys(names))


def _without(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The options without columns that become sensitive: a column has one role, and this ends what it was before."""
    changed = {
        role: [part for part in column_names(options[role]) if part not in names]
        for role in COLUMN_LISTS
        if any(part in names for part in column_names(options.get(role)))
    }
    return {**options, **changed}
