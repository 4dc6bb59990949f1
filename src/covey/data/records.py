"""Records: attributes and items of persons, together (docs/papers.md, Poulis et al. 2013).

Row i of the attributes and row i of the items are the same person, and nobody has two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np

from covey.arrays import Ids, Ints
from covey.counting import counted, sizes
from covey.data.baskets import Baskets
from covey.data.csr import rows_from_pairs
from covey.data.hierarchy import Hierarchy
from covey.data.labels import plain, twins
from covey.data.saving import Saved
from covey.data.summary import Summary
from covey.data.table import Column, Table
from covey.errors import InputError

#: Parts of a column of numbers, each with about as many persons; near numbers are in the same ones.
PARTS = {"quarter": 4, "sixteenth": 16}


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class Records(Saved):
    """`n` persons, each with attributes and a set of items, perhaps empty; never changed.

    Examples
    --------
    >>> Records.of({"age": [30, 34]}, [["ale", "tea"], []])
    Records(2 persons, quasi: age; 2 items, 2 entries)
    """

    kind: ClassVar[str] = "records"

    #: One row, and one set, per person.
    attributes: Table
    baskets: Baskets
    #: The saved dataset that these rows were loaded from (`covey.load`).
    directory: Path | None = None

    def __post_init__(self) -> None:
        if self.attributes.n != self.baskets.n:
            raise InputError(
                f"attributes are given of {counted(self.attributes.n, 'person')}, but items of {self.baskets.n:,}",
                remedy="Give one row and one set for each person; a set may be empty.",
            )
        if self.attributes.person is not None or self.baskets.person is not None:
            raise InputError("a person has one row of attributes and one set of items in records")

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Sequence[Any]],
        items: Iterable[Iterable[object]],
        *,
        sensitive: Collection[str] = (),
        other: Collection[str] = (),
        hierarchies: Mapping[str, Hierarchy] | None = None,
    ) -> Records:
        """Make records from columns and sets in memory; what is `sensitive` may be columns and items."""
        secret = [name for name in sensitive if name in columns]
        return cls(
            Table.of(columns, sensitive=secret, other=other, hierarchies=hierarchies),
            Baskets.of(items, [name for name in sensitive if name not in columns]),
        )

    @property
    def columns(self) -> tuple[Column, ...]:
        """The attributes."""
        return self.attributes.columns

    @property
    def n(self) -> int:
        """Number of persons."""
        return self.attributes.n

    @property
    def items(self) -> tuple[str, ...]:
        """The labels of the items, in label order."""
        return self.baskets.items

    @property
    def entries(self) -> int:
        """Number of (person, item) entries."""
        return self.baskets.entries

    def lengths(self) -> Ints:
        """Number of items of each person."""
        return self.baskets.lengths()

    @property
    def unit(self) -> str:
        """What is protected and counted, in the plural."""
        return "persons"

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        _, _, columns = repr(self.attributes).partition(", ")
        items = sizes(items=self.baskets.d, entries=self.baskets.entries)
        return f"Records({counted(self.n, 'person')}, {columns[:-1]}; {items})"

    def with_sensitive(self, names: Collection[str]) -> Records:
        """The same records with exactly these columns and items sensitive."""
        columns = {column.name for column in self.attributes.columns}
        return Records(
            self.attributes.with_sensitive([name for name in names if name in columns]),
            self.baskets.with_sensitive([name for name in names if name not in columns]),
            self.directory,
        )

    def take(self, rows: Sequence[int]) -> Records:
        """Some of the persons, in this order."""
        chosen = np.asarray(rows, np.int64)
        return Records(self.attributes.take(chosen), self.baskets.take(chosen))

    def as_baskets(self) -> Baskets:
        """One basket per person with all that is known of them: items, and values of attributes such as ``age=30``.

        The values of sensitive columns are sensitive items. A missing value is no item at all.

        Examples
        --------
        >>> Records.of({"age": [30, None]}, [["ale"], ["tea"]]).as_baskets().basket(0)
        ['age=30', 'ale']
        """
        whole = with_values(self.baskets, self.attributes.columns)
        return replace(whole, person=np.arange(self.n, dtype=np.int32))

    @property
    def aliases(self) -> Mapping[str, tuple[str, ...]]:
        """Other texts that stand for items, as those of `Baskets`."""
        return self.baskets.aliases

    def to_group(self) -> Baskets:
        """As `as_baskets`, but near numbers have something in common: the quarter and the sixteenth that they are in.

        For whoever looks for similar persons; these items are never published.

        Examples
        --------
        >>> ages = Records.of({"age": [20, 21, 60, 61]}, [[]] * 4).to_group()
        >>> ages.basket(0)
        ['age=20', 'quarter of age=0', 'sixteenth of age=2']
        """
        columns = self.attributes.columns
        whole = with_values(
            self.baskets, [*columns, *(near for one in columns if one.numeric for near in nearness(one))]
        )
        return replace(whole, person=np.arange(self.n, dtype=np.int32))

    def summary(self) -> Summary:
        """What guarantees ask before a release is made: a sensitive column has a secret for each of its values."""
        found = self.as_baskets().summary()
        names = [column.name for column in self.attributes.of_role("sensitive")]
        secrets = [
            replace(secret, column=next((name for name in names if secret.label.startswith(f"{name}=")), ""))
            for secret in found.secrets
        ]
        return replace(found, filled=self.baskets.summary().filled, secrets=tuple(secrets))


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

    A missing value is no item; the values of sensitive columns are sensitive items. An item that reads like the value
    of a column is an error, since nobody could tell which it is.
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
