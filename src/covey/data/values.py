"""Values of attributes as items: what lets all that knows baskets take records too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np

from covey.arrays import Ids
from covey.data.baskets import Baskets
from covey.data.csr import rows_from_pairs
from covey.data.labels import plain, twins
from covey.data.table import Column
from covey.errors import InputError

#: Parts of a column of numbers, each with about as many persons; near numbers are in the same ones.
PARTS = {"quarter": 4, "sixteenth": 16}


class Valued(Protocol):
    """A column of data or of a release: a code per row, and the text of each code, "" for a missing value."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def role(self) -> str:
        """What it is to an attacker."""

    @property
    def codes(self) -> Ids:
        """The value of each row as a position in `labels`."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The texts of the values."""


def with_values(items: Baskets, columns: Sequence[Valued]) -> Baskets:
    """The baskets with the values of columns as items more, such as ``age=30``. O(entries · log).

    A missing value is no item; the values of sensitive columns are sensitive items.

    Raises
    ------
    InputError
        An item reads like the value of a column, so that nobody could tell which it is.
    """
    names = [column.name for column in columns]
    secret = [column.name for column in columns if column.role == "sensitive"]
    for name, other in twins([name for name in names if name not in secret], secret):
        raise InputError(f"the column {name!r} reads like the sensitive one {other!r}", remedy="Rename one of them.")
    for label, owner in like_values((*names, *items.items), names):
        raise InputError(f"{label!r} reads like a value of the column {owner!r}", remedy="Rename one of them.")
    labels, sensitive = list(items.items), items.sensitive_items()
    rows, found = [items.row_of_entries()], [items.indices]
    for column in columns:
        used = np.array([code for code in np.unique(column.codes) if column.labels[code]], np.int64)
        number = np.full(max(len(column.labels), 1), -1, np.int32)
        number[used] = len(labels) + np.arange(len(used), dtype=np.int32)
        values = [f"{column.name}={column.labels[code]}" for code in used]
        labels += values
        sensitive += values if column.role == "sensitive" else []
        here = np.flatnonzero(number[column.codes] >= 0)
        rows.append(here)
        found.append(number[column.codes[here]])
    indptr, indices = rows_from_pairs(np.concatenate(rows).astype(np.int32), np.concatenate(found), items.n)
    return Baskets.build(indptr, indices, labels, sensitive)


def like_values(labels: Iterable[str], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The labels that a person would take for a value of one of these columns, and the column.

    Examples
    --------
    >>> list(like_values(["ale", "Illness =flu"], ["illness"]))
    [('Illness =flu', 'illness')]
    """
    begins = [(f"{plain(name)}=", name) for name in names]
    for label in labels:
        if "=" in (read := plain(label)):
            yield from ((label, name) for begin, name in begins if read.startswith(begin))


def nearness(column: Column) -> Iterator[Column]:
    """For a column of numbers, which of its `PARTS` each row is in; equal numbers are in the same one."""
    assert column.numbers is not None
    count = np.bincount(column.codes, minlength=len(column.values))
    count[np.isnan(column.numbers)] = 0
    middle = (np.cumsum(count) - count / 2) / max(count.sum(), 1)
    missing = np.isnan(column.numbers)[column.codes]
    for part, parts in PARTS.items():
        codes = np.minimum((middle * parts).astype(np.int32), parts - 1)[column.codes]
        codes[missing] = parts
        labels = [*(str(number) for number in range(parts)), ""]
        yield Column.of_codes(f"{part} of {column.name}", codes, labels)
