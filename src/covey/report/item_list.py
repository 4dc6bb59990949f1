"""What can be marked as sensitive in data, how often it occurs, and what would be marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.data.kinds import data_kind
from covey.errors import InputError
from covey.io.patterns import nearest, searched
from covey.io.source import Source
from covey.lazy import load
from covey.pipeline import taxonomy_of
from covey.progress import Progress, silent
from covey.tabular import Tabular


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedItem:
    """An item, issue or column, how often it occurs, and whether it is marked as sensitive.

    `support` counts baskets with the item, ratings of the issue, or different values of the column.
    """

    item: str
    support: int
    sensitive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemList(Tabular):
    """What was found, the most frequent first.

    Attributes
    ----------
    kind : str
        What the data was read as.
    items : tuple of ListedItem
        Those that fit.
    total, marked : int
        How many there are in all, and how many of all are marked as sensitive.
    """

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


def list_items(source: Source, match: str | None = None, taxonomy: Any = None, progress: Progress = silent) -> ItemList:
    """List what can be marked as sensitive; with `match`, what fits it, and nothing fitting is an error.

    Examples
    --------
    >>> found = list_items(Source.of([["wine", "Pregnancy test"], ["wine"]], sensitive="glob:*test*"), match="TEST")
    >>> found.items, found.total
    ((ListedItem(item='Pregnancy test', support=1, sensitive=True),), 2)
    """
    tree = taxonomy_of(taxonomy)
    data = source.as_kind().along(tree).read(progress=progress)
    kind = data_kind(data.kind)
    labels, counts = load(kind.labels)(data)
    # What is secret is said by labels; a table's columns have roles instead.
    marked = {secret.label for secret in data.summary().secrets}
    kept = set(labels if match is None else searched(match, labels, tree))
    if match is not None and not kept:
        near = nearest(match, labels) or "Leave --match out to see all."
        if "*" in match and not match.startswith(("glob:", "re:", "under:")):
            near += f" For a pattern, write glob:{match}."
        raise InputError(f"no {kind.marked} fits {match!r}", remedy=near)
    order = [i for i in np.argsort(-counts, kind="stable") if labels[i] in kept]
    found = [ListedItem(item=labels[i], support=int(counts[i]), sensitive=labels[i] in marked) for i in order]
    return ItemList(kind=kind.name, items=tuple(found), total=len(labels), marked=len(marked))
