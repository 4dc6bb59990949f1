"""Whose rows are whose: the column that names the person, read along with everything else."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from covey.arrays import Bytes, Ids, Ints, Words
from covey.data import Baskets, Table
from covey.data.kinds import MISSING_CHOICES
from covey.data.labels import plain
from covey.data.persons import digests_of
from covey.errors import CoveyWarning, InputError, NamelessRows, ParameterError, SpelledPersons
from covey.io.interning import Growing, Interner
from covey.parameters import choice

UNITS = ("person", "row")

_UNSEEN, _MISSING = -2, -1


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
    """The person of each row, collected portion by portion; a row may stand on several lines.

    The names of the persons are numbered by `ids`.

    Parameters
    ----------
    column : str
        Its name.
    file : str or None
        For messages.
    rows : str
        What rows are called, for messages.
    """

    def __init__(self, column: str, file: str | None, rows: str = "transactions") -> None:
        self.column, self.file, self.rows = column, file, rows
        self.ids, self._person = Interner("persons"), Growing(np.int32)
        #: The first line on which a row's person is another than before, and the two names; and how many lines are so.
        self.torn: tuple[int, str, str] | None = None
        self.odd_lines = 0

    @classmethod
    def of_texts(cls, column: str, file: str | None, codes: Ids, labels: Sequence[str]) -> PersonColumn:
        """The column of a table, whose distinct texts are known; "" is a missing person."""
        made = cls(column, file, "rows")
        raw = [label.encode() for label in labels]
        stops = np.cumsum([len(text) for text in raw], dtype=np.int64)
        starts = np.concatenate([[0], stops[:-1]])
        buffer = np.frombuffer(b"".join(raw) or b"\0", np.uint8).copy()
        none = np.zeros(len(raw), np.int64)
        made.add(made.codes_of(buffer, starts, stops, none)[codes], none)
        return made

    def codes_of(self, buffer: Bytes, starts: Ints, stops: Ints, lines: Ints) -> Ids:
        """Numbers for the names in a portion of text; nothing at all is a missing one."""
        codes = np.full(len(starts), _MISSING, np.int32)
        filled = np.flatnonzero(starts < stops)
        found = np.empty(len(filled), np.int32)
        self.ids.add(buffer, starts[filled], stops[filled], lines[filled], found)
        codes[filled] = found
        return codes

    def add(self, codes: Ids, lines: Ints, row: Ids | None = None, seen: int = 0) -> None:
        """Take the persons of some lines, which are those of `row` among `seen` rows, or of a new row each.

        Where there are no lines, or no longer, they are 0.
        """
        if row is None:
            self._person.room(len(codes))[:] = codes
            return
        self._person.room(seen - self._person.used)[:] = _UNSEEN
        known = self._person.array
        first = known[row] == _UNSEEN
        known[row[first][::-1]] = codes[first][::-1]  # of several lines the first one is written last
        other = np.flatnonzero(known[row] != codes)
        self.odd_lines += len(other)
        if len(other) and self.torn is None:
            one = other[0]
            self.torn = int(lines[one]), self._name(int(known[row[one]])), self._name(int(codes[one]))

    def _name(self, code: int) -> str:
        return repr(self.ids.token(code).decode("utf-8", "replace")) if code >= 0 else "nobody"

    @property
    def persons(self) -> int:
        """How many persons are named."""
        return len(self.ids)

    def named(self) -> Ids:
        """The person of each row so far, below 0 where it is missing."""
        codes: Ids = self._person.array[: self._person.used]
        return codes

    def settle(self, said: WhoIsWho) -> tuple[Ids, Words, Ints | None]:
        """The number of each row's person, digests of the persons' names, and which rows are left; None for all.

        Raises
        ------
        InputError
            A row has two persons, persons are missing and nobody has said what to do, or all are the same person.
        """
        if self.torn is not None:
            line, one, other = self.torn
            raise InputError(
                f"a transaction of {one} continues as one of {other}",
                file=self.file,
                line=line or None,
                column=self.column,
                remedy="All lines of a transaction must name the same person; split it, or correct the line.",
            )
        codes = self.named().copy()
        missing = np.flatnonzero(codes < 0)
        kept: Ints | None = None
        if len(missing) and said.missing == "error":
            raise InputError(
                f"{len(missing):,} of {len(codes):,} {self.rows} name no person",
                file=self.file,
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
            codes[missing] = len(self.ids) + np.arange(len(missing), dtype=np.int32)
        distinct, person = np.unique(codes, return_inverse=True)
        if not len(codes):
            raise InputError("no row names a person", file=self.file, column=self.column, remedy="Name another column.")
        if len(distinct) == 1 < len(codes):
            raise InputError(
                f"all {len(codes):,} {self.rows} belong to the same person",
                file=self.file,
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
        if said.unit == "person" and not self.ids.only_digits():
            # Bytes of another encoding stay as different as they are.
            texts = (self.ids.token(code).decode("utf-8", "surrogateescape") for code in range(len(self.ids)))
            warn_of_spellings(self.column, texts)
        # A person without a name has a digest that no other has: nobody finds them again.
        names = (self.ids.token(code) if code < len(self.ids) else os.urandom(16) for code in distinct.tolist())
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
