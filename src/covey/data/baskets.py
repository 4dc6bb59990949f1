"""Baskets: sets of items, one per transaction, some items sensitive (docs/papers.md, Ghinita et al. 2008).

Stored as compressed sparse rows. Item ids are positions in the sorted list of labels, so ascending ids
are the canonical label order and tell nothing about the order in which items were first seen.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from covey.arrays import Ids, Ints, Mask, Words, places_of
from covey.counting import counted, sizes
from covey.data.csr import canonicalize, count_items, keep_items, rows_from_pairs, take_rows
from covey.data.labels import in_label_order, require_rows, sensitive_mask
from covey.data.persons import PersonRows, digests_of_rows, numbered, renumbered, require_persons
from covey.data.saving import Saved
from covey.data.summary import Secret, Summary
from covey.errors import InputError

if TYPE_CHECKING:
    import scipy.sparse


@dataclass(frozen=True, eq=False, repr=False)
class Baskets(PersonRows, Saved):
    """`n` transactions over `d` items; rows ascending and free of duplicates; never changed.

    Use `Baskets.build`, `Baskets.of` or `covey.read` rather than the constructor, which accepts only
    canonical arrays.

    Examples
    --------
    >>> baskets = Baskets.of([["wine", "meat"], ["meat", "test"], []], sensitive=["test"])
    >>> baskets
    Baskets(3 transactions, 3 items, 4 entries, 1 sensitive)
    >>> baskets.basket(1)
    ['meat', 'test']
    """

    kind: ClassVar[str] = "baskets"
    row_noun: ClassVar[str] = "transactions"

    #: Row i holds ``indices[indptr[i]:indptr[i + 1]]``, strictly ascending.
    indptr: Ints
    indices: Ids
    #: Labels, strictly ascending; an item's id is its position here.
    items: tuple[str, ...]
    #: Which items are sensitive; the others are quasi-identifiers.
    sensitive: Mask
    #: The number of each transaction's person; None as long as nobody has said who they are.
    person: Ids | None = None
    #: A digest of each person's name (`covey.data.persons`), to find persons again in other data; never published. In
    #: the sets of records, where nobody has two, of each row's person.
    names: Words | None = None
    #: Other texts that stand for items, such as codes that were given names (`covey.io.naming`); never published.
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: The saved dataset that these rows were loaded from (`covey.load`).
    directory: Path | None = None

    def __post_init__(self) -> None:
        require_rows(*self.csr, self.items, self.sensitive)
        require_persons(self.person, self.n)

    @classmethod
    def build(
        cls,
        indptr: Ints,
        indices: Ids,
        labels: Sequence[str],
        sensitive: Collection[str] = (),
        person: Ids | None = None,
    ) -> Baskets:
        """Make baskets from raw rows: any item order, duplicates allowed, labels distinct but unsorted.

        The arrays are taken over and changed in place where possible; give copies to keep yours.
        """
        ordered, place = in_label_order(labels)
        indptr = np.require(indptr, np.int64, ["C", "W"])
        indices = np.require(indices, np.int32, ["C", "W"])
        if len(indices) and (indices.min() < 0 or indices.max() >= len(labels)):
            raise InputError("an item id lies outside the list of labels")
        entries = canonicalize(indptr, indices, place)
        if entries < len(indices):
            indices = indices[:entries].copy()
        baskets = cls(
            indptr=indptr, indices=indices, items=ordered, sensitive=np.zeros(len(labels), np.bool_), person=person
        )
        return baskets.with_sensitive(sensitive) if sensitive else baskets

    @classmethod
    def numbered(cls, indptr: Ints, indices: Ids, d: int) -> Baskets:
        """Make baskets of `d` items that have numbers and no labels; as labels the numbers serve.

        Examples
        --------
        >>> Baskets.numbered(np.array([0, 2]), np.array([0, 2], np.int32), 3).basket(0)
        ['0', '2']
        """
        width = len(str(max(d - 1, 0)))
        return unmarked(indptr, indices, tuple(f"{number:0{width}}" for number in range(d)))

    @classmethod
    def of(
        cls,
        transactions: Iterable[Iterable[object]],
        sensitive: Collection[str] = (),
        persons: Iterable[Hashable] | None = None,
    ) -> Baskets:
        """Make baskets from any iterable of iterables of labels; for small data in memory.

        `persons` names the person of each transaction, if someone may have several.
        """
        ids: dict[str, int] = {}
        offsets, entries = [0], []
        for transaction in transactions:
            if isinstance(transaction, str | bytes):
                raise InputError(
                    f"transaction {len(offsets) - 1} is the text {transaction!r}, not a collection of items",
                    remedy="Give a list of lists, for example [['wine', 'meat'], ['beer']].",
                )
            entries += [ids.setdefault(label(item, len(offsets) - 1), len(ids)) for item in transaction]
            offsets.append(len(entries))
        made = cls.build(np.array(offsets, np.int64), np.array(entries, np.int32), list(ids), sensitive)
        if persons is None:
            return made
        named = list(persons)
        return replace(made, person=numbered(named), names=digests_of_rows(named))

    @property
    def n(self) -> int:
        """Number of transactions."""
        return len(self.indptr) - 1

    @property
    def d(self) -> int:
        """Number of items."""
        return len(self.items)

    @property
    def csr(self) -> tuple[Ints, Ids]:
        """The rows as arrays: offsets, and the items one row after another."""
        return self.indptr, self.indices

    @property
    def entries(self) -> int:
        """Number of (transaction, item) entries."""
        return len(self.indices)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        whose = "" if self.persons is None else f" of {counted(self.persons, 'person')}"
        return (
            f"Baskets({counted(self.n, 'transaction')}{whose}, {sizes(items=self.d, entries=self.entries)}, "
            f"{int(self.sensitive.sum())} sensitive)"
        )

    def __eq__(self, other: object) -> bool:
        """Equal when the same transactions stand in the same order over the same items."""
        if not isinstance(other, Baskets):
            return NotImplemented
        return self.items == other.items and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("indptr", "indices", "sensitive", "person")
        )

    def __hash__(self) -> int:
        return hash((self.items, self.n, len(self.indices)))

    def basket(self, row: int) -> list[str]:
        """The labels in one transaction, in label order."""
        return [self.items[i] for i in self.indices[self.indptr[row] : self.indptr[row + 1]]]

    def lengths(self) -> Ints:
        """Number of items in each transaction."""
        return np.diff(self.indptr)

    def row_of_entries(self) -> Ints:
        """Return the number of the transaction that each entry stands in."""
        return np.repeat(np.arange(self.n), self.lengths())

    def supports(self) -> Ints:
        """Number of transactions that hold each item."""
        return self._supports.copy()

    @cached_property
    def _supports(self) -> Ints:
        return count_items(self.indices, self.d)

    def pair_supports(self, mask: Mask) -> Ints:
        """How many transactions hold each pair of the items in `mask`, as a square matrix; supports on the diagonal."""
        some = self.only(mask).to_scipy().astype(np.int64)
        counts: Ints = (some.T @ some).toarray()
        return counts

    def sensitive_items(self) -> list[str]:
        """Labels of the sensitive items, in label order."""
        return [self.items[i] for i in np.flatnonzero(self.sensitive)]

    def with_sensitive(self, names: Collection[str]) -> Baskets:
        """The same baskets with exactly these items sensitive; unknown names are an error."""
        return replace(self, sensitive=sensitive_mask(self.items, names))

    def only(self, mask: Mask) -> Baskets:
        """The same transactions reduced to the items in `mask`, which become the whole list of items."""
        kept = np.flatnonzero(mask)
        rename = places_of(kept, self.d)
        # Arrays never change, so nothing is copied where nothing is left out.
        every = len(kept) == self.d
        indptr, indices = self.csr if every else keep_items(*self.csr, rename)
        return Baskets(
            indptr=indptr,
            indices=indices,
            items=tuple(self.items[i] for i in kept),
            sensitive=self.sensitive[kept].copy(),
            person=self.person,
            names=self.names,
        )

    def take(self, rows: Ints) -> Baskets:
        """Some of the transactions, in this order, over the same items."""
        indptr, indices = take_rows(*self.csr, rows)
        person, names = renumbered(self.person, self.names, rows)
        return replace(self, indptr=indptr, indices=indices, person=person, names=names, directory=None)

    def by_person(self) -> Baskets:
        """One basket per person, with all items of the person's transactions; as they are when no persons are named.

        Examples
        --------
        >>> visits = Baskets.of([["wine"], ["beer"], ["wine", "tea"]], persons=["ann", "bob", "ann"])
        >>> visits.by_person().basket(0)
        ['tea', 'wine']
        """
        if np.array_equal(self.owner, np.arange(self.n)):
            return self
        indptr, indices = rows_from_pairs(
            np.repeat(self.owner, self.lengths()), self.indices, int(self.owner.max()) + 1
        )
        entries = canonicalize(indptr, indices, np.arange(self.d, dtype=np.int32))
        return Baskets(
            indptr=indptr,
            indices=indices[:entries].copy(),
            items=self.items,
            sensitive=self.sensitive,
            person=np.arange(len(indptr) - 1, dtype=np.int32),
            names=self.names,
        )

    def as_baskets(self) -> Baskets:
        """These: whatever can be looked at as baskets has this function."""
        return self

    to_group = by_person

    def split(self) -> tuple[Baskets, Baskets]:
        """The quasi-identifier part and the sensitive part, each with its own list of items."""
        return self.only(~self.sensitive), self.only(self.sensitive)

    def summary(self) -> Summary:
        """What guarantees ask before a release is made: of persons, if they are named."""
        hidden = self.only(self.sensitive)
        secret = hidden.by_person()
        filled = np.bincount(self.owner, weights=self.lengths() > hidden.lengths()) > 0
        return Summary(
            rows=secret.n,
            filled=int(filled.sum()),
            unit=self.unit,
            secrets=tuple(
                Secret(label=label, holders=int(holders))
                for label, holders in zip(secret.items, secret.supports(), strict=True)
            ),
        )

    def to_scipy(self) -> scipy.sparse.csr_array:
        """The baskets as a `scipy.sparse.csr_array` of booleans, columns in the order of `items`."""
        import scipy.sparse

        values = np.ones(self.entries, np.bool_)
        return scipy.sparse.csr_array((values, self.indices, self.indptr), shape=(self.n, self.d))


def unmarked(indptr: Ints, indices: Ids, items: tuple[str, ...]) -> Baskets:
    """Baskets of rows as they must be, over labels in label order, none of which is sensitive."""
    return Baskets(indptr=indptr, indices=indices, items=items, sensitive=np.zeros(len(items), np.bool_))


def label(value: object, row: int) -> str:
    """The label of one item given in memory; refuses missing values and empty labels."""
    try:
        if value is not None and bool(value == value) and str(value) != "":
            return str(value)
    except (TypeError, ValueError) as error:  # the missing value of pandas, an array, a number of 5,000 digits
        raise InputError(
            f"transaction {row} holds an item of type {type(value).__name__} that is not text ({error})",
            remedy="Turn it into text, or drop it.",
        ) from None
    raise InputError(f"transaction {row} holds a missing item ({value!r})", remedy="Drop it first.")
