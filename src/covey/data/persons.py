"""Persons: whose row is whose, when somebody may have several. A person is a number; names are left at the door."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from covey.arrays import Ids
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


def number_of(person: Ids | None) -> int | None:
    """How many persons there are; None as long as nobody has said who they are."""
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
