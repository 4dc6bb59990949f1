"""Records: attributes and items of persons, together (docs/papers.md, Poulis et al. 2013).

Row i of the attributes and row i of the items are the same person, and nobody has two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from covey.arrays import Ints
from covey.counting import counted, sizes
from covey.data.baskets import Baskets
from covey.data.hierarchy import Hierarchy
from covey.data.saving import Saved
from covey.data.summary import Summary
from covey.data.table import Column, Table
from covey.data.values import nearness, with_values
from covey.errors import InputError


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class Records(Saved):
    """`n` persons, each with attributes and a set of items, perhaps empty; never changed.

    Parameters
    ----------
    attributes : Table
        One row per person.
    baskets : Baskets
        One set per person, in the same order.
    directory : Path or None
        The saved dataset that these rows were loaded from (`covey.load`).

    Examples
    --------
    >>> Records.of({"age": [30, 34]}, [["ale", "tea"], []])
    Records(2 persons, quasi: age; 2 items, 2 entries)
    """

    kind: ClassVar[str] = "records"

    attributes: Table
    baskets: Baskets
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
