"""What can be marked as sensitive in data, how often it occurs, and what would be marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.data.kinds import data_kind
from covey.errors import InputError
from covey.io.sensitive import nearest, searched
from covey.io.source import Source
from covey.measure.inspection import labels
from covey.pipeline import taxonomy_of
from covey.progress import Progress, silent
from covey.tabular import Tabular


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedItem:
    """An item, issue or column; its support counts baskets, ratings, or different values."""

    item: str
    support: int
    sensitive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemList(Tabular):
    """The items that fit, the most frequent first; `total` counts all items, `marked` those that are sensitive."""

    heads: ClassVar = ("item", "support", "sensitive")

    kind: str
    items: tuple[ListedItem, ...]
    total: int
    marked: int

    @property
    def title(self) -> str:
        """What it is about, in a few words."""
        return f"{len(self.items):,} of {self.total:,} {data_kind(self.kind).marked}s, {self.marked:,} of all sensitive"

    def rows(self) -> list[tuple[Any, ...]]:
        """One row per item."""
        return [(one.item, one.support, one.sensitive) for one in self.items]

    def __len__(self) -> int:
        return len(self.items)


def list_items(
    source: Source, match: str | Sequence[str] | None = None, taxonomy: Any = None, progress: Progress = silent
) -> ItemList:
    """List what can be marked as sensitive; with `match`, what fits any of it, and nothing fitting one is an error.

    Examples
    --------
    >>> found = list_items(Source.of([["wine", "Pregnancy test"], ["wine"]], sensitive="glob:*test*"), match="TEST")
    >>> found.items, found.total
    ((ListedItem(item='Pregnancy test', support=1, sensitive=True),), 2)
    """
    tree = taxonomy_of(taxonomy)
    data = source.as_kind().along(tree).read(progress=progress)
    names, counts = labels(data)
    # What is secret is said by labels; a table's columns have roles instead.
    marked = {secret.label for secret in data.summary().secrets}
    kept = set(names)
    if match is not None:
        wanted = [match] if isinstance(match, str) else match
        kept = {label for one in wanted for label in _fitting(one, names, tree, data_kind(data.kind).marked)}
    order = [i for i in np.argsort(-counts, kind="stable") if names[i] in kept]
    found = [ListedItem(item=names[i], support=int(counts[i]), sensitive=names[i] in marked) for i in order]
    return ItemList(kind=data.kind, items=tuple(found), total=len(names), marked=len(marked))


def _fitting(match: str, labels: Sequence[str], tree: Any, what: str) -> list[str]:
    """Return the labels that fit; none is an error that names near ones."""
    found = searched(match, labels, tree)
    if not found:
        near = nearest(match, labels) or "Leave --match out to see all."
        if "*" in match and not match.startswith(("glob:", "re:", "under:")):
            near += f" For a pattern, write glob:{match}."
        raise InputError(f"no {what} fits {match!r}", remedy=near)
    return found
