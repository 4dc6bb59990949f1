"""Whose rows are whose: the column that names the person, or one that seems to although nobody has stated so.

Rows of one person protect nobody in each other's company. So when persons are not named and a column seems to name
them, because of what it is called and because its values come back in several rows, there is a warning.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from covey.arrays import Ids, Ints, Words
from covey.data import Baskets, Table
from covey.data.kinds import MISSING_CHOICES
from covey.data.labels import plain
from covey.data.persons import digests_of
from covey.errors import CoveyWarning, InputError, NamelessRows, ParameterError, SpelledPersons, UnnamedPersons
from covey.io.columns import looks_named, means_persons, suspects, word_of
from covey.io.rows import Coded, Rows, first_rows_of
from covey.parameters import choice

UNITS = ("person", "row")
#: A column may still mean persons if it changes within a row no more often than this, as by a slip.
SLIPS = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class WhoIsWho:
    """What was stated about persons and columns before anything was read."""

    #: The columns with the transaction and the item.
    transaction: str | None = None
    item: str | None = None
    #: The column that names the person.
    person: str | None = None
    #: What becomes of rows without a person: refused ("error" or None), left out ("drop"), or each a different person.
    missing: str | None = None
    #: What is to be counted; "row" although persons are named forgets them.
    unit: str | None = None
    #: Whether someone has stated that every row is a person, so that no column needs to be suspected.
    row_is_person: bool | None = None

    def __post_init__(self) -> None:
        choice("read", "missing", self.missing or "error", MISSING_CHOICES)
        choice("read", "unit", self.unit or "person", UNITS)
        if self.person is not None and self.row_is_person:
            raise ParameterError(
                f"Either '{self.person}' names the person, or every row is a person: give --person or "
                "--row-is-person, not both."
            )

    @property
    def silent(self) -> bool:
        """Whether it is clear what is protected, so that there is nothing to warn of."""
        return bool(self.row_is_person) or self.person is not None or self.unit == "row"

    def columns(self, names: Sequence[str], rows_are: Iterable[str | None]) -> list[str]:
        """Return the columns to read: the one that names persons, or those that may although nobody has stated so."""
        if self.person is not None:
            return [self.person]
        return [] if self.silent else suspects(names, rows_are)


NOTHING_STATED = WhoIsWho()
Data = TypeVar("Data", Baskets, Table)


def warn_of_spellings(column: str, names: Iterable[str]) -> None:
    """Warn if some of the distinct names are the same but for what people overlook; hashes need less memory."""
    seen = np.fromiter((hash(plain(name)) for name in names), np.int64)
    again = len(seen) - len(np.unique(seen))
    if again:
        warnings.warn(SpelledPersons(column, again), stacklevel=3)


@dataclass(frozen=True)
class PersonColumn:
    """The person of each row of a dataset, from a column with a person on each line.

    `coded` has the person of each line, and `row` the row of the dataset that each line belongs to, numbered in the
    order of first sight; each line is a row if not given. The first line of a row decides. Messages call rows `what`.
    """

    column: str
    lines: Rows
    coded: Coded
    row: Ids | None = None
    what: str = "transactions"

    @cached_property
    def person(self) -> Ids:
        """The person of each row, below 0 where it is missing."""
        return self.coded.codes if self.row is None else self.coded.codes[first_rows_of(self.row)]

    @cached_property
    def odd_lines(self) -> Ints:
        """The lines that name another person than the first one of their row."""
        if self.row is None:
            return np.empty(0, np.int64)
        return np.flatnonzero(self.person[self.row] != self.coded.codes)

    def _wrong(self, problem: str, remedy: str) -> InputError:
        return InputError(problem, file=self.lines.file, column=self.column, remedy=remedy)

    def settle(self, stated: WhoIsWho) -> tuple[Ids, Words, Ints | None]:
        """Return the number of each row's person, digests of their names, and which rows are left; None for all.

        A row with two persons, a single person, and missing persons of whom nothing was stated are errors.
        """
        labels, codes, kept = self.coded.labels, self.person.copy(), None
        if self.row is not None and len(self.odd_lines):
            line = int(self.odd_lines[0])
            pair = (codes[self.row[line]], self.coded.codes[line])
            first, second = (repr(labels[code]) if code >= 0 else "nobody" for code in pair)
            remedy = "All lines of a transaction must name the same person; split it, or correct the line."
            raise self.lines.wrong(line, self.column, f"a transaction of {first} continues as one of {second}", remedy)
        missing = np.flatnonzero(codes < 0)
        if len(missing) and stated.missing in (None, "error"):
            raise self._wrong(
                f"{len(missing):,} of {len(codes):,} {self.what} name no person",
                "Leave such rows out with --missing drop, or count each as a different person with --missing keep.",
            )
        if len(missing) and stated.missing == "drop":
            kept = np.flatnonzero(codes >= 0)
            if len(kept):
                warnings.warn(NamelessRows(self.column, len(codes), len(kept), self.what), stacklevel=2)
            codes = codes[kept]
        else:
            codes[missing] = len(labels) + np.arange(len(missing), dtype=np.int32)
        distinct, person = np.unique(codes, return_inverse=True)
        if not len(codes):
            raise self._wrong("no row names a person", "Name another column.")
        if len(distinct) == 1 < len(codes):
            problem = f"all {len(codes):,} {self.what} belong to the same person"
            raise self._wrong(problem, "Name the column that identifies persons.")
        if len(distinct) == len(codes) > 1:
            warnings.warn(
                f"Each of the {len(codes):,} {self.what} names a different person in column '{self.column}', so "
                "naming persons changes nothing.",
                CoveyWarning,
                stacklevel=2,
            )
        if stated.unit != "row" and not "".join(labels).isdecimal():
            warn_of_spellings(self.column, labels)
        # A person without a name has a digest that no other has: nobody finds them again.
        keys = (labels[code].encode() if code < len(labels) else os.urandom(16) for code in distinct.tolist())
        return person.reshape(-1).astype(np.int32), digests_of(keys), kept


def with_persons(data: Data, found: Sequence[PersonColumn], stated: WhoIsWho) -> Data:
    """Return the data with the persons that were named; warn when they were not, and a column looks like them."""
    if stated.person is None:
        _warn_of(found)
        return data
    person, names, kept = found[0].settle(stated)
    if kept is not None and isinstance(data, Baskets):
        data = data.take(kept)
        data = data.only(data.supports() > 0)
    elif kept is not None and isinstance(data, Table):
        columns = [replace(column, codes=column.codes[kept]) for column in data.columns]
        data = replace(data, columns=tuple(columns))
    return data if stated.unit == "row" else replace(data, person=person, names=names)


def _warn_of(found: Sequence[PersonColumn]) -> None:
    """Warn of the first column whose values come back in several rows, unless another one is new in each."""
    able = [(one, len(one.coded.texts)) for one in found if len(one.odd_lines) <= SLIPS * len(one.person)]
    for one, persons in able:
        if looks_named(one.column) and word_of(one.column) != "name" and persons == len(one.person):
            return
    for one, persons in able:
        if means_persons(one.column, persons, len(one.person)):
            most = int(np.bincount(one.person[one.person >= 0]).max())
            warnings.warn(UnnamedPersons(one.column, persons, len(one.person), most, one.what), stacklevel=3)
            return
