"""k-anonymity of tables: how often each combination of published quasi-identifiers occurs.

Missing values count as values: a row with an empty cell is like another only if that has the same cell empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.counting import counted
from covey.data import Table
from covey.errors import ParameterError
from covey.guarantees.k_anonymity import KAnonymity
from covey.progress import Progress, silent
from covey.release.table import TableRelease, number_rows
from covey.verdict import Check, Verdict


def check(promise: KAnonymity, release: TableRelease) -> Verdict:
    """Check that every published row equals at least k-1 others in all quasi-identifiers.

    Where the release counts persons, it is k of them that the rows of a class must be of.
    """
    return check_classes(promise.text, release, promise.k, "published")


def check_table(promise: KAnonymity, data: Table, *, progress: Progress = silent) -> Verdict:
    """Check a table as it stands: would publishing it unchanged keep the guarantee?"""
    return check_classes(promise.text, data, promise.k, "given")


def check_classes(text: str, table: Any, k: int, how: str) -> Verdict:
    """The verdict on the classes of a table or of a released one, which has the same columns but for their values."""
    of_row, rows = row_classes(table)
    size, unit, possible = rows, "rows", possible_persons(table, of_row, rows)
    if possible is not None:
        if not possible.passed:
            return Verdict(guarantee=text, checks=(possible,))
        size, unit = class_persons(table, of_row), "persons"
    rare = np.flatnonzero(size < k) if k <= len(of_row) else np.arange(len(size))
    smallest = int(size.min()) if len(size) else 0
    if len(rare):
        worst = int(rare[np.argmin(size[rare])])
        detail = (
            f"{rows[rare].sum():,} of {len(of_row):,} rows in {counted(len(rare), 'class')} of fewer than {k} {unit}; "
            f"the smallest, of {size[worst]}: {shown(table, int(np.flatnonzero(of_row == worst)[0]))}"
        )
    else:
        detail = f"{counted(len(size), 'class')} of equal rows, the smallest of {smallest}"
        detail += "" if possible is None else " persons"
    name = f"every combination of quasi-identifiers is {how} in at least {k} rows"
    if possible is not None:
        name = f"every combination of quasi-identifiers is {how} for at least {k} persons"
    return Verdict(
        guarantee=text,
        checks=(
            *(() if possible is None else (possible,)),
            Check(name=name, passed=not len(rare), detail=detail),
        ),
        figures={
            "k": smallest,
            "classes": len(size),
            "violating_rows": int(rows[rare].sum()),
            "largest_class": int(size.max()) if len(size) else 0,
        },
    )


def violators(promise: KAnonymity, data: Table) -> Iterator[tuple[object, ...]]:
    """A heading, then a line for every row that fewer than k rows, or persons, are like."""
    of_row, size = row_classes(data)
    if data.person is not None:
        size = class_persons(data, of_row)
    quasi = [column for column in data.columns if column.role == "quasi"]
    yield "row", "alike", *(column.name for column in quasi)
    for row in np.flatnonzero(size[of_row] < promise.k).tolist():
        yield row + 1, int(size[of_row[row]]), *(column.labels[column.codes[row]] for column in quasi)


def class_persons(table: Any, of_row: Ints) -> Ints:
    """How many persons each class of rows is of: counted in a table, stated in a release."""
    if isinstance(table, TableRelease):
        assert table.class_persons is not None
        return table.class_persons
    persons = int(table.person.max(initial=0)) + 1
    return np.bincount(np.unique(of_row * persons + table.person) // persons, minlength=int(of_row.max(initial=-1)) + 1)


def possible_persons(table: Any, of_row: Ints, size: Ints) -> Check | None:
    """That a class can have as many persons as it states: at least one, and a row for each; None where rows count."""
    if table.persons is None:
        return None
    persons = class_persons(table, of_row)
    wrong = np.flatnonzero((persons < 1) | (persons > size))
    detail = counted(table.persons, "person")
    if isinstance(table, TableRelease):
        detail += ", as stated; the original can confirm it"
    if len(wrong):
        detail = f"a class of {counted(size[wrong[0]], 'row')} cannot have {counted(persons[wrong[0]], 'person')}"
    return Check(name="the numbers of persons are possible", passed=not len(wrong), detail=detail)


def row_classes(table: Any) -> tuple[Ints, Ints]:
    """A number per row, equal for rows with equal quasi-identifiers, and how many rows have each number."""
    quasi = [column.codes for column in table.columns if column.role == "quasi"]
    if not quasi:
        raise ParameterError("The table has no quasi-identifiers, so rows cannot be compared.")
    of_row = number_rows(quasi, len(quasi[0]))
    return of_row, np.bincount(of_row)


def shown(table: Any, row: int) -> str:
    """The quasi-identifiers of a row in words, for a witness; an empty cell is written as (missing)."""
    return ", ".join(
        f"{column.name} = {column.labels[column.codes[row]] or '(missing)'}"
        for column in table.columns
        if column.role == "quasi"
    )
