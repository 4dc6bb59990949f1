"""What can be marked as sensitive in data, how often it occurs, and what would be marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.data.kinds import DataKind, data_kind
from covey.errors import InputError
from covey.io.patterns import nearest, searched
from covey.io.source import Source
from covey.measure.profile import labels
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
    """What was found, the most frequent first."""

    heads: ClassVar = ("item", "support", "sensitive")

    #: What the data was read as.
    kind: str
    #: Those that fit.
    items: tuple[ListedItem, ...]
    #: How many there are in all, and how many of all are marked as sensitive.
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
    kind = data_kind(data.kind)
    names, counts = labels(data)
    # What is secret is said by labels; a table's columns have roles instead.
    marked = {secret.label for secret in data.summary().secrets}
    wanted = [match] if isinstance(match, str) else match
    kept = set(names) if wanted is None else {label for one in wanted for label in _fitting(one, names, tree, kind)}
    order = [i for i in np.argsort(-counts, kind="stable") if names[i] in kept]
    found = [ListedItem(item=names[i], support=int(counts[i]), sensitive=names[i] in marked) for i in order]
    return ItemList(kind=kind.name, items=tuple(found), total=len(names), marked=len(marked))


def _fitting(match: str, labels: Sequence[str], tree: Any, kind: DataKind) -> list[str]:
    """The labels that fit; none is an error that says what is near."""
    found = searched(match, labels, tree)
    if not found:
        near = nearest(match, labels) or "Leave --match out to see all."
        if "*" in match and not match.startswith(("glob:", "re:", "under:")):
            near += f" For a pattern, write glob:{match}."
        raise InputError(f"no {kind.marked} fits {match!r}", remedy=near)
    return found
