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

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, ClassVar

from covey.counting import counted, percent


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
            place.append(f"column '{_shown(column, 100)}'")
        text = f"{', '.join(place)}: {_shown(problem, longest)}" if place else _shown(problem, longest)
        if not text.endswith((".", "?", "!")):
            text += "."
        super().__init__(f"{text} {_shown(remedy)}".rstrip())


def _shown(text: str, most: int = 800) -> str:
    """Text fit for a terminal: nothing that cannot be printed, and the middle left out if it is long."""
    if len(text) > most:
        text = f"{text[: most // 2]} … {text[-most // 2 :]}"
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


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

    Attributes
    ----------
    witness : str
        What stands in the way, for example the item that is too frequent.
    best : object
        The strongest parameter that would work, or None when there is none.
    """

    exit_code = 1

    def __init__(self, message: str, *, witness: str, best: object = None) -> None:
        self.witness, self.best = witness, best
        super().__init__(message)


class VerificationFailed(CoveyError):
    """An independent check found that a release does not keep what it promises; nothing was written."""

    exit_code = 1


class AuditFailed(CoveyError):
    """An attack gains more from a release than was allowed; nothing was written.

    Attributes
    ----------
    results : tuple of AttackResult
        What every attack achieved.
    """

    exit_code = 1

    def __init__(self, message: str, *, results: tuple[Any, ...]) -> None:
        self.results = results
        super().__init__(message)


class CoveyWarning(UserWarning):
    """Warning that stops nothing, such as: an earlier release was moved aside.

    Attributes
    ----------
    told_as : str or None
        Where ``covey inspect --json`` has its figures, if it has any.
    """

    told_as: ClassVar[str | None] = None

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {}


class LeftOut(CoveyWarning):
    """Not all that was read is part of the data, as someone asked; for the publisher alone, no part of a release."""


class UnnamedPersons(CoveyWarning):
    """Persons are not named, and a column looks as if it did: what protects rows may protect nobody.

    Attributes
    ----------
    column : str
        The column.
    persons, rows, most : int
        How many persons it would mean, how many rows there are, and how many of them the busiest person has.
    what : str
        What the rows are.
    """

    told_as = "unnamed_persons"

    def __init__(
        self, column: str, persons: int, rows: int, most: int, what: str = "transactions", remedy: str = ""
    ) -> None:
        self.column, self.persons, self.rows, self.most, self.what = column, persons, rows, most, what
        remedy = remedy or (
            f"Protect persons with --person '{_shown(column, 100)}', or say that every row is a "
            "different person with --row-is-person (in Python person= and row_is_person=True)."
        )
        super().__init__(
            f"Rows are counted, not persons: the column '{_shown(column, 100)}' seems to name persons, "
            f"{persons:,} of them with up to {most:,} of the {rows:,} {what} each. A person's {what} would hide only "
            f"among each other. {remedy}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {"column": self.column, "persons": self.persons, "rows": self.rows, "most": self.most}


class AbsentSensitive(CoveyWarning):
    """Something is named as sensitive that the data lacks, and someone has said that this is no error.

    Attributes
    ----------
    marked : int
        How many labels are marked all the same.
    """

    def __init__(self, told: str, marked: int) -> None:
        self.marked = marked
        super().__init__(told if marked else f"{told} Nothing is marked as sensitive.")


class CleanedRows(LeftOut):
    """Rows were left out, or spellings changed, to clean what was read.

    Attributes
    ----------
    rows, kept : int
        How many rows there were, and how many are left.
    reasons : mapping of str to int
        Why rows were left out, in words, and how many for each reason; a row may have several.
    folded : mapping of str to int
        In how many spellings a column was changed.
    persons : collection of str
        Those of these columns that name persons; no spelling of theirs is ever shown.
    """

    told_as = "cleaned"

    def __init__(
        self,
        rows: int,
        kept: int,
        reasons: dict[str, int],
        folded: dict[str, int],
        persons: Collection[str] = (),
    ) -> None:
        self.rows, self.kept, self.reasons, self.folded, self.persons = rows, kept, reasons, folded, tuple(persons)
        why = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items())
        left = f"{rows - kept:,} of {rows:,} rows were left out: {why}." if kept < rows else ""
        merged, changed = "merged with another spelling of the same person", "changed to the most common one"
        spelled = " ".join(
            f"{counted(count, 'spelling')} in the column '{_shown(column, 100)}' "
            f"{merged if column in persons else changed}."
            for column, count in folded.items()
        )
        super().__init__(f"{left} {spelled}".strip())

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {"rows": self.rows, "kept": self.kept, "left_out": self.reasons, "spellings_changed": self.folded}


class NamelessRows(LeftOut):
    """Rows that name no person were left out.

    Attributes
    ----------
    column : str
        The column that names persons.
    rows, kept : int
        How many rows there were, and how many are left.
    """

    told_as = "without_person"

    def __init__(self, column: str, rows: int, kept: int, what: str = "transactions") -> None:
        self.column, self.rows, self.kept = column, rows, kept
        lost = rows - kept
        why = "it names no person" if lost == 1 else "they name no person"
        super().__init__(f"{lost:,} of {rows:,} {what} were left out: {why}.")

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {"column": self.column, "rows": self.rows, "kept": self.kept}


class UnmatchedPersons(LeftOut):
    """Persons with items have no attributes and were left out.

    Attributes
    ----------
    column : str
        The column that names persons.
    persons, kept : int
        How many persons have items, and how many of them are left.
    """

    told_as = "unmatched"

    def __init__(self, column: str, persons: int, kept: int) -> None:
        self.column, self.persons, self.kept = column, persons, kept
        lost = persons - kept
        why = "this person has" if lost == 1 else "they have"
        super().__init__(f"{lost:,} of {persons:,} persons with items were left out: {why} no attributes.")

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {"column": self.column, "persons": self.persons, "kept": self.kept}


class SpelledPersons(CoveyWarning):
    """Names of persons that people would take for the same count as different ones, so persons may be torn apart.

    Attributes
    ----------
    column : str
        The column that names persons.
    names : int
        How many names are another one but for case or spaces.
    """

    def __init__(self, column: str, names: int) -> None:
        self.column, self.names = column, names
        apart = "a different person" if names == 1 else "different persons"
        super().__init__(
            f"{counted(names, 'name')} in the column '{_shown(column, 100)}' counted as {apart}, although different "
            "only in case or spaces. "
            "If they mean the same persons, give --fold-case (fold_case=True)."
        )


class NamedItems(CoveyWarning):
    """Names were given to the codes of items, and not every item has a name of its own; no part of a release.

    Attributes
    ----------
    items : int
        How many items there are.
    lacking, shared : sequence of str
        Codes without a name, which stay as they are, and items whose name is not theirs alone, with their codes.
    several : int
        How many codes have several names, of which the commonest is used.
    """

    def __init__(self, items: int, lacking: Sequence[str], shared: Sequence[str], several: int) -> None:
        self.items, self.lacking, self.shared, self.several = items, tuple(lacking), tuple(shared), several
        told = []
        if lacking:
            kept = "has no name and keeps its code" if len(lacking) == 1 else "have no name and keep their codes"
            told.append(f"{len(lacking):,} of {counted(items, 'item')} {kept}, such as {_first(lacking)}.")
        if shared:
            named = "shares a name, or has one that is a code; its code is" if len(shared) == 1 else ""
            named = named or "share a name, or have one that is a code; their codes are"
            told.append(f"{counted(len(shared), 'item')} {named} added, as in {_first(shared)}.")
        if several:
            told.append(f"{counted(several, 'code')} with several names; the most common one is used.")
        super().__init__(" ".join(told))


def _first(labels: Sequence[str]) -> str:
    return ", ".join(f"'{_shown(label, 100)}'" for label in labels[:3])


class LittleKept(CoveyWarning):
    """A release that keeps its promise and next to nothing else.

    Attributes
    ----------
    lost : float
        The share of the detail that is lost, 0 to 1.
    advice : tuple of str
        What would keep more.
    """

    def __init__(self, lost: float, advice: tuple[str, ...] = ()) -> None:
        self.lost, self.advice = lost, advice
        instead = f" More would be kept by {', or by '.join(advice)}." if advice else ""
        super().__init__(f"This release is of little use: {percent(lost)} of the detail is lost.{instead}")


class TellingColumn(CoveyWarning):
    """A column is published as it was, and nearly every row has a value of its own in it.

    Attributes
    ----------
    column : str
        The column.
    distinct : float
        How many different values it has, as a share of the rows.
    """

    def __init__(self, column: str, distinct: float) -> None:
        self.column, self.distinct = column, distinct
        super().__init__(
            f"The column '{_shown(column, 100)}' is nearly unique: it has {percent(distinct)} as many different values "
            "as rows and can identify people by itself. Drop it with --identifier (identifier=), or publish it as "
            "ranges or broader groups."
        )


class IgnoredQuantities(CoveyWarning):
    """A column says how many of an item there were, and baskets do not know: an item is in them or not.

    Attributes
    ----------
    column : str
        The column.
    rows, others, negative : int
        How many rows there are, in how many of them the quantity is not 1, and in how many it is below 0.
    """

    told_as = "quantities"

    def __init__(self, column: str, rows: int, others: int, negative: int) -> None:
        self.column, self.rows, self.others, self.negative = column, rows, others, negative
        returns = (
            f" In {negative:,} it is below 0, perhaps for returns: leave these rows out with "
            f"--where '{_shown(column, 100)} > 0' if they should not count."
            if negative
            else ""
        )
        super().__init__(
            f"The column '{_shown(column, 100)}' is not used: an item counts once in a transaction, however many there "
            f"were. In {others:,} of {rows:,} rows the quantity is not 1.{returns} To tell amounts apart, give "
            f"--quantity '{_shown(column, 100)}' (quantity='{_shown(column, 100)}')."
        )

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {name: getattr(self, name) for name in ("column", "rows", "others", "negative")}


class IgnoredRatings(CoveyWarning):
    """A column holds ratings, and baskets do not know: an item is in them or not.

    Attributes
    ----------
    column : str
        The column.
    """

    def __init__(self, column: str) -> None:
        self.column = column
        super().__init__(
            f"The column '{_shown(column, 100)}' is not used: the file is read as baskets, in which an item counts "
            "whatever its rating. To read the ratings, give --kind ratings (kind='ratings')."
        )


class ReturnedItems(CoveyWarning):
    """As many of an item were returned as bought, or more, so that it is not in the transaction.

    Attributes
    ----------
    column : str
        The column with the quantity.
    entries, emptied : int
        How many items are left out of their transactions, and how many transactions have no item therefore.
    """

    told_as = "quantities"

    def __init__(self, column: str, entries: int, emptied: int) -> None:
        self.column, self.entries, self.emptied = column, entries, emptied
        super().__init__(
            f"In {counted(entries, 'case')} the quantities of an item in a transaction (column "
            f"'{_shown(column, 100)}') add up to 0 or less, as after returns: the item is left out there, and "
            f"{counted(emptied, 'transaction')} left empty."
        )

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {name: getattr(self, name) for name in ("column", "entries", "emptied")}


class NearlyUnique(CoveyWarning):
    """An attribute that is different for most persons: it tells them apart by itself.

    Attributes
    ----------
    column : str
        The column.
    alone, persons : int
        How many persons have a value that nobody else has, and how many persons there are.
    """

    def __init__(self, column: str, alone: int, persons: int) -> None:
        self.column, self.alone, self.persons = column, alone, persons
        super().__init__(
            f"The column '{_shown(column, 100)}' is nearly unique: {alone:,} of {persons:,} persons have a value that "
            "nobody else has. Someone who knows a person's value finds that person by it alone, and a promise that "
            "hides it loses nearly all of it."
            f" Leave it out with --identifier '{_shown(column, 100)}' (identifier= in Python), or round it first."
        )
