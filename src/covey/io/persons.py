"""Whose rows are whose: the column that names the person, read along with everything else."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from covey.arrays import Ids, Ints, Words
from covey.data import Baskets, Table
from covey.data.kinds import MISSING_CHOICES
from covey.data.labels import plain
from covey.data.persons import digests_of
from covey.errors import CoveyWarning, InputError, NamelessRows, ParameterError, SpelledPersons
from covey.io.arrow import Coded, Rows, first_rows_of
from covey.parameters import choice

UNITS = ("person", "row")


@dataclass(frozen=True, slots=True, kw_only=True)
class WhoIsWho:
    """What was said about persons before anything was read."""

    #: The column that names them.
    person: str | None = None
    #: What becomes of rows whose person is missing: refused ("error"), left out ("drop"), or each a different person.
    missing: str = "error"
    #: What is to be counted; "row" although persons are named forgets them.
    unit: str = "person"
    #: Whether someone has said that every row is a person, so that no column needs to be suspected.
    row_is_person: bool = False

    def __post_init__(self) -> None:
        choice("read", "missing", self.missing, MISSING_CHOICES)
        choice("read", "unit", self.unit, UNITS)
        if self.person is not None and self.row_is_person:
            raise ParameterError(
                f"Either '{self.person}' names the person, or every row is a person: give --person or "
                "--row-is-person, not both."
            )

    @classmethod
    def of(
        cls,
        person: str | None = None,
        missing: str | None = None,
        unit: str | None = None,
        row_is_person: bool | None = None,
    ) -> WhoIsWho:
        """The same with defaults for what is None."""
        return cls(
            person=person,
            missing=missing or "error",
            unit=unit or "person",
            row_is_person=bool(row_is_person),
        )

    @property
    def silent(self) -> bool:
        """Whether it is clear what is protected, so that there is nothing to warn of."""
        return self.row_is_person or self.person is not None or self.unit == "row"


NOTHING_SAID = WhoIsWho()


def warn_of_spellings(column: str, names: Iterable[str]) -> None:
    """Warn if some of the distinct names are the same but for what people overlook.

    Hashes are compared, for so many names as there may be persons would take much memory a second time.
    """
    seen = np.fromiter((hash(plain(name)) for name in names), np.int64)
    again = len(seen) - len(np.unique(seen))
    if again:
        warnings.warn(SpelledPersons(column, again), stacklevel=3)


class PersonColumn:
    """The person of each row of a dataset, from a column with a person on each line.

    Parameters
    ----------
    column : str
        Its name.
    lines : Rows
        What it was read from, for messages.
    coded : Coded
        The person of each line.
    row : int32 array, optional
        The row of the dataset that each line belongs to, numbered in the order of first sight; each its own if not
        given. The first line of a row decides.
    what : str
        What rows are called, for messages.
    """

    def __init__(
        self, column: str, lines: Rows, coded: Coded, row: Ids | None = None, what: str = "transactions"
    ) -> None:
        self.column, self.rows, self.labels = column, what, coded.labels
        self._lines, self._codes = lines, coded.codes
        self._torn: tuple[int, int] | None = None
        #: How many lines name another person than the first one of their row.
        self.odd_lines = 0
        if row is not None:
            self._codes = coded.codes[first_rows_of(row)]
            other = np.flatnonzero(self._codes[row] != coded.codes)
            self.odd_lines = len(other)
            if len(other):
                self._torn = int(other[0]), int(row[other[0]])
                self._second = int(coded.codes[other[0]])

    def _name(self, code: int) -> str:
        return repr(self.labels[code]) if code >= 0 else "nobody"

    @property
    def persons(self) -> int:
        """How many persons are named."""
        return len(self.labels)

    def named(self) -> Ids:
        """The person of each row, below 0 where it is missing."""
        return self._codes

    def settle(self, said: WhoIsWho) -> tuple[Ids, Words, Ints | None]:
        """The number of each row's person, digests of the persons' names, and which rows are left; None for all.

        Raises
        ------
        InputError
            A row has two persons, persons are missing and nobody has said what to do, or all are the same person.
        """
        if self._torn is not None:
            line, row = self._torn
            raise self._lines.wrong(
                line,
                self.column,
                f"a transaction of {self._name(int(self._codes[row]))} continues as one of {self._name(self._second)}",
                "All lines of a transaction must name the same person; split it, or correct the line.",
            )
        codes = self.named().copy()
        missing = np.flatnonzero(codes < 0)
        kept: Ints | None = None
        if len(missing) and said.missing == "error":
            raise InputError(
                f"{len(missing):,} of {len(codes):,} {self.rows} name no person",
                file=self._lines.file,
                column=self.column,
                remedy=f"Leave {'it' if len(missing) == 1 else 'them'} out with --missing drop, or count "
                f"{'it as a' if len(missing) == 1 else 'each as a different'} person with --missing keep.",
            )
        if len(missing) and said.missing == "drop":
            kept = np.flatnonzero(codes >= 0)
            if len(kept):
                warnings.warn(NamelessRows(self.column, len(codes), len(kept), self.rows), stacklevel=2)
            codes = codes[kept]
        else:
            codes[missing] = len(self.labels) + np.arange(len(missing), dtype=np.int32)
        distinct, person = np.unique(codes, return_inverse=True)
        if not len(codes):
            raise InputError(
                "no row names a person", file=self._lines.file, column=self.column, remedy="Name another column."
            )
        if len(distinct) == 1 < len(codes):
            raise InputError(
                f"all {len(codes):,} {self.rows} belong to the same person",
                file=self._lines.file,
                column=self.column,
                remedy="Name the column that identifies persons.",
            )
        if len(distinct) == len(codes) > 1:
            warnings.warn(
                f"Each of the {len(codes):,} {self.rows} names a different person in column '{self.column}', so "
                "naming persons changes nothing.",
                CoveyWarning,
                stacklevel=2,
            )
        if said.unit == "person" and not "".join(self.labels).isdecimal():
            warn_of_spellings(self.column, self.labels)
        # A person without a name has a digest that no other has: nobody finds them again.
        names = (
            self.labels[code].encode() if code < len(self.labels) else os.urandom(16) for code in distinct.tolist()
        )
        return person.reshape(-1).astype(np.int32), digests_of(names), kept

    def given_to_table(self, table: Table, said: WhoIsWho) -> Table:
        """The same table with its persons, without the rows whose person is missing if so asked."""
        person, names, kept = self.settle(said)
        if kept is not None:
            columns = [replace(column, codes=column.codes[kept]) for column in table.columns]
            table = replace(table, columns=tuple(columns))
        return table if said.unit == "row" else replace(table, person=person, names=names)

    def given_to(self, baskets: Baskets, said: WhoIsWho) -> Baskets:
        """The same baskets with their persons, without those whose person is missing if so asked."""
        person, names, kept = self.settle(said)
        if kept is not None:
            baskets = baskets.take(kept)
            baskets = baskets.only(baskets.supports() > 0)
        return baskets if said.unit == "row" else replace(baskets, person=person, names=names)
