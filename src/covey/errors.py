"""Every error covey raises on purpose.

    CoveyError
     ├── InputError            the data at the door is wrong (file, line, what would work)      exit 2
     ├── ParameterError        a parameter, option or predicate is wrong                        exit 2
     ├── OutputError           the release cannot be written where it was asked for             exit 2
     ├── MissingDependency     an optional package is needed for this                           exit 2
     ├── ReleaseError          a directory is not a release, or is damaged                      exit 2
     │    └── TamperedRelease  its bytes differ from what the manifest vouches for              exit 1
     ├── Infeasible            no release of this data can keep the guarantee                   exit 1
     ├── VerificationFailed    an independent check of a release found a violation              exit 1
     └── AuditFailed           an attack on a release gains more than was allowed               exit 1

A message says what was wrong, where, and what would work. The command line prints it as one paragraph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from covey.counting import counted, percent


#: What to do about spellings that differ only in case or spaces.
def one_spelling(column: str | None) -> str:
    """Return the remedy for labels of a column that differ only in spelling."""
    name = "COLUMN" if column is None else f'"{column}"'
    return f"Give them one spelling: --query 'SELECT * REPLACE (plain({name}) AS {name}) FROM data'."


class CoveyError(Exception):
    """The root of covey's errors; `exit_code` is what the command line returns for it."""

    exit_code: ClassVar[int] = 2


class InputError(CoveyError):
    """Input data that cannot be used, with the place and a remedy.

    The message quotes what it complains about, so it is cut where that is long (`longest`), and says control characters
    by name.

    Examples
    --------
    >>> print(InputError("3 cells instead of 2", file="sales.csv", line=7, remedy="Quote the comma."))
    sales.csv, line 7: 3 cells instead of 2. Quote the comma.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        column: str | None = None,
        remedy: str = "",
        longest: int = 800,
    ) -> None:
        self.problem, self.file, self.line, self.column, self.remedy = problem, file, line, column, remedy
        place = [_shown(str(file), 10_000)] if file is not None else []
        if line is not None:
            place.append(f"line {line}")
        if column is not None:
            place.append(f"column {_column(column)}")
        text = f"{', '.join(place)}: {_shown(problem, longest)}" if place else _shown(problem, longest)
        if not text.endswith((".", "?", "!")):
            text += "."
        super().__init__(f"{text} {_shown(remedy)}".rstrip())


def _shown(text: str, most: int = 800) -> str:
    """Text fit for a terminal: nothing that cannot be printed, and the middle left out if it is long."""
    if len(text) > most:
        text = f"{text[: most // 2]} … {text[-most // 2 :]}"
    return printable(text.replace("\n", "\\n"))


def printable(text: str, code: Callable[[str], str] = lambda letter: ascii(letter)[1:-1]) -> str:
    """Return the text with a code for each letter that no terminal should get, but for line feeds.

    Examples
    --------
    >>> printable("a\\x1b[31m")
    'a\\\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter == "\n" else code(letter) for letter in text)


def other_original(problem: str) -> InputError:
    """What to raise where a release was not made from the original that was given."""
    return InputError(problem, remedy="Give the data that this release was made from.")


class ParameterError(CoveyError, ValueError):
    """A parameter outside its domain: "The 'p' parameter of degree must be ... Got 1 instead."."""


class OutputError(CoveyError):
    """The release cannot be written: the directory exists, is not writable, or the disk is full."""


class MissingDependency(CoveyError, ImportError):
    """An optional package is not installed; the message says how to install it."""


class ReleaseError(CoveyError):
    """A directory that is not a covey release, or one whose files cannot be read."""


class TamperedRelease(ReleaseError):
    """The files of a release are not the ones its manifest vouches for."""

    exit_code = 1


class Infeasible(CoveyError):
    """No release of this data can keep the guarantee.

    `witness` is what stands in the way, such as the item that is too frequent; `best` is the strongest parameter that
    would work, or None.
    """

    exit_code = 1

    def __init__(self, message: str, *, witness: str, best: object = None) -> None:
        self.witness, self.best = witness, best
        super().__init__(message)


class VerificationFailed(CoveyError):
    """An independent check found that a release does not keep what it promises; nothing was written."""

    exit_code = 1


class AuditFailed(CoveyError):
    """An attack gains more from a release than was allowed; nothing was written. `results` has every attack."""

    exit_code = 1

    def __init__(self, message: str, *, results: tuple[Any, ...]) -> None:
        self.results = results
        super().__init__(message)


class CoveyWarning(UserWarning):
    """Warning that stops nothing; ``covey inspect --json`` has its `figures` under the key `json_key`."""

    json_key: ClassVar[str | None] = None
    figures: ClassVar[tuple[str, ...]] = ()
    #: Whether someone has to decide something because of it, so that it is shown for a saved dataset, too.
    decides: ClassVar[bool] = False
    #: Whether it comes from the data of a saved dataset, for which `covey prepare` has shown it before.
    repeated: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data for JSON."""
        return {name: getattr(self, name) for name in self.figures}


def _column(name: str) -> str:
    """Return the name of a column, in quotes, as messages show it."""
    return f"'{_shown(name, 100)}'"


class LeftOut(CoveyWarning):
    """Part of what was read is left out, as someone asked; told to the publisher only, and in no release."""


@dataclass(eq=False)
class UnnamedPersons(CoveyWarning):
    """No column is named for persons, and one seems to name them: `most` rows belong to the busiest person."""

    json_key = "unnamed_persons"
    decides = True
    figures = ("column", "persons", "rows", "most")

    column: str
    persons: int
    rows: int
    most: int
    what: str = "transactions"
    remedy: str = ""

    def __str__(self) -> str:
        remedy = self.remedy or (
            f"Protect persons with --person {_column(self.column)}, or say that every row is a "
            "different person with --row-is-person (in Python person= and row_is_person=True)."
        )
        return (
            f"Rows are counted, not persons: the column {_column(self.column)} seems to name persons, "
            f"{self.persons:,} of them with up to {self.most:,} of the {self.rows:,} {self.what} each. A person's "
            f"{self.what} would hide only among each other. {remedy}"
        )


@dataclass(eq=False)
class AbsentSensitive(CoveyWarning):
    """Sensitive labels that the data lacks, where that is not to be an error; `marked` labels are in the data."""

    text: str
    marked: int

    def __str__(self) -> str:
        return self.text if self.marked else f"{self.text} Nothing is marked as sensitive."


@dataclass(eq=False)
class CleanedRows(LeftOut):
    """Rows were left out to clean what was read; `reasons` has how many for each reason, and a row may have several."""

    json_key = "cleaned"

    rows: int
    kept: int
    reasons: dict[str, int]

    def __str__(self) -> str:
        why = ", ".join(f"{count:,} {reason}" for reason, count in self.reasons.items())
        return f"{self.rows - self.kept:,} of {self.rows:,} rows were left out: {why}."

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data for JSON."""
        return {"rows": self.rows, "kept": self.kept, "left_out": self.reasons}


@dataclass(eq=False)
class NamelessRows(LeftOut):
    """Rows that name no person were left out."""

    json_key = "without_person"
    figures = ("column", "rows", "kept")

    column: str
    rows: int
    kept: int
    what: str = "transactions"

    def __str__(self) -> str:
        lost = self.rows - self.kept
        why = "it names no person" if lost == 1 else "they name no person"
        return f"{lost:,} of {self.rows:,} {self.what} were left out: {why}."


@dataclass(eq=False)
class UnmatchedPersons(LeftOut):
    """Persons with items have no attributes and were left out; `kept` of them are left."""

    json_key = "unmatched"
    figures = ("column", "persons", "kept")

    column: str
    persons: int
    kept: int

    def __str__(self) -> str:
        lost = self.persons - self.kept
        why = "this person has" if lost == 1 else "they have"
        return f"{lost:,} of {self.persons:,} persons with items were left out: {why} no attributes."


@dataclass(eq=False)
class SpelledPersons(CoveyWarning):
    """Names of persons differ only in case or spaces and count as different persons."""

    column: str
    names: int

    def __str__(self) -> str:
        apart = "a different person" if self.names == 1 else "different persons"
        return (
            f"{counted(self.names, 'name')} in the column {_column(self.column)} counted as {apart}, although "
            f"different only in case or spaces. Do they mean the same persons? {one_spelling(self.column)}"
        )


@dataclass(eq=False)
class NamedItems(CoveyWarning):
    """Names were given to the codes of items, and not every item has a name of its own; no part of a release.

    `lacking` are codes without a name, which stay as they are; `shared` are items whose name is not theirs alone, with
    their codes; `several` codes have several names, of which the most common is used.
    """

    items: int
    lacking: tuple[str, ...]
    shared: tuple[str, ...]
    several: int

    def __str__(self) -> str:
        parts = []
        if self.lacking:
            kept = "has no name and keeps its code" if len(self.lacking) == 1 else "have no name and keep their codes"
            of = f"{len(self.lacking):,} of {counted(self.items, 'item')}"
            parts.append(f"{of} {kept}, such as {_first(self.lacking)}.")
        if self.shared:
            named = "shares a name, or has one that is a code; its code is"
            if len(self.shared) > 1:
                named = "share a name, or have one that is a code; their codes are"
            parts.append(f"{counted(len(self.shared), 'item')} {named} added, as in {_first(self.shared)}.")
        if self.several:
            parts.append(
                f"{counted(self.several, 'code')} with several names; items are called by the most common one, and "
                "--sensitive finds them by each."
            )
        return " ".join(parts)


def _first(labels: Sequence[str]) -> str:
    return ", ".join(_column(label) for label in labels[:3])


@dataclass(eq=False)
class LittleKept(CoveyWarning):
    """A release keeps its guarantee and hardly any detail; `lost` is the share of detail that is gone."""

    lost: float
    advice: tuple[str, ...] = ()

    def __str__(self) -> str:
        instead = f" More would be kept by {', or by '.join(self.advice)}." if self.advice else ""
        return f"This release is of little use: {percent(self.lost)} of the detail is lost.{instead}"


@dataclass(eq=False)
class TellingColumn(CoveyWarning):
    """A column is published as it was, and its number of `distinct` values is a large share of the rows."""

    column: str
    distinct: float

    def __str__(self) -> str:
        return (
            f"The column {_column(self.column)} is nearly unique: it has {percent(self.distinct)} as many different "
            "values as rows and can identify people by itself. Drop it with --identifier (identifier=), or publish it "
            "as ranges or broader groups."
        )


@dataclass(eq=False)
class IgnoredRatings(CoveyWarning):
    """A column of ratings is not used, because the file is read as baskets."""

    column: str

    def __str__(self) -> str:
        return (
            f"The column {_column(self.column)} is not used: the file is read as baskets, in which an item counts "
            "whatever its rating. To read the ratings, give --kind ratings (kind='ratings')."
        )


@dataclass(eq=False)
class NearlyUnique(CoveyWarning):
    """An attribute identifies most persons by itself: `alone` of them have a value that nobody else has."""

    decides = True

    column: str
    alone: int
    persons: int

    def __str__(self) -> str:
        column = _column(self.column)
        return (
            f"The column {column} is nearly unique: {self.alone:,} of {self.persons:,} persons have a value that "
            "nobody else has. Someone who knows a person's value finds that person by it alone, and a promise that "
            "hides it loses nearly all of it."
            f" Leave it out with --identifier {column} (identifier= in Python), or round it first."
        )
