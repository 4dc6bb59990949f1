"""Persons: whose row is whose, when someone may have several.

A person is a number; names are not kept. What stays of a name is a digest, by which persons of two data sets are
compared. It is saved with the data, which is as private, and never published.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from hashlib import blake2b
from typing import ClassVar

import numpy as np

from covey.arrays import Ids, Ints, Words
from covey.errors import InputError


def require_persons(person: Ids | None, rows: int) -> None:
    """Raise unless `person` is None, or gives each of the rows one of the numbers 0, 1, 2 and so on, none unused."""
    if person is None:
        return
    if person.dtype != np.int32 or person.ndim != 1:
        raise InputError("persons must be numbered by int32")
    if len(person) != rows:
        raise InputError(f"persons are named for {len(person):,} rows, but there are {rows:,}")
    if rows and (person.min() < 0 or not np.bincount(person).all()):
        raise InputError("persons must be numbered 0, 1, 2 and so on, without a gap")
    person.flags.writeable = False


class PersonRows:
    """A base class for data with rows of persons, who may have several; without `person` each row is a person's own."""

    __slots__ = ()
    row_noun: ClassVar[str]
    person: Ids | None

    def __len__(self) -> int:
        raise NotImplementedError

    @property
    def persons(self) -> int | None:
        """Number of persons; None where they are not named."""
        return number_of(self.person)

    @property
    def owner(self) -> Ids:
        """The number of each row's person."""
        return np.arange(len(self), dtype=np.int32) if self.person is None else self.person

    @property
    def unit(self) -> str:
        """What is protected and counted, in the plural."""
        return self.row_noun if self.person is None else "persons"


def number_of(person: Ids | None) -> int | None:
    """How many persons there are; None where they are not named."""
    return None if person is None else int(person.max(initial=-1)) + 1


def numbered(names: Iterable[Hashable]) -> Ids:
    """The number of each row's person, by the names of the persons.

    Examples
    --------
    >>> numbered(["ann", "bob", "ann"]).tolist()
    [0, 1, 0]
    """
    known: dict[Hashable, int] = {}
    codes = []
    for row, name in enumerate(names):
        if name is None or name != name or name == "":
            raise InputError(f"row {row} has no person ({name!r})", remedy="Name one, or drop the row.")
        codes.append(known.setdefault(name, len(known)))
    return np.array(codes, np.int32)


def renumbered(person: Ids | None, names: Words | None, rows: Ints) -> tuple[Ids | None, Words | None]:
    """The persons of some of the rows, numbered without a gap, and digests of their names."""
    if person is None:
        return None, names if names is None else names[rows]
    left, number = np.unique(person[rows], return_inverse=True)
    return number.reshape(-1).astype(np.int32), None if names is None else names[left]


def digests_of(names: Iterable[bytes]) -> Words:
    """64 bits for each name, equal for equal names.

    Examples
    --------
    >>> ann, bob, again = digests_of([b"ann", b"bob", b"ann"])
    >>> bool(ann == again), bool(ann == bob)
    (True, False)
    """
    made = b"".join(blake2b(name, digest_size=8).digest() for name in names)
    return np.frombuffer(made, np.uint64)


def digests_of_rows(names: Iterable[Hashable]) -> Words:
    """The digest of each person's name, by the number that `numbered` gives the person."""
    return digests_of(str(name).encode() for name in dict.fromkeys(names))


def found_again(mine: Words, theirs: Words) -> Ints:
    """For each of my persons the number of the same person among theirs, or -1.

    Examples
    --------
    >>> found_again(digests_of([b"ann", b"bob"]), digests_of([b"bob", b"cid"])).tolist()
    [-1, 0]
    """
    if not len(theirs):
        return np.full(len(mine), -1, np.int64)
    order = np.argsort(theirs)
    at = np.minimum(np.searchsorted(theirs, mine, sorter=order), len(theirs) - 1)
    return np.where(theirs[order[at]] == mine, order[at], -1)
