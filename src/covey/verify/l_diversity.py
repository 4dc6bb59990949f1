"""l-diversity(l, k), checked from what is published, or of a table as it stands."""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.arrays import Ids, Ints
from covey.counting import counted
from covey.data import Table
from covey.data.labels import alike
from covey.guarantees.l_diversity import LDiversity
from covey.progress import Progress, silent
from covey.release.table import TableRelease
from covey.verdict import Check, Verdict
from covey.verify.table_classes import check_classes, class_persons, row_classes, shown


def check(promise: LDiversity, release: TableRelease) -> Verdict:
    """Check from the published rows alone."""
    return _check(promise, release, "published")


def check_table(promise: LDiversity, data: Table, *, progress: Progress = silent) -> Verdict:
    """Check a table as it stands: would publishing it unchanged keep the guarantee?"""
    return _check(promise, data, "given")


def _check(promise: LDiversity, table: Any, how: str) -> Verdict:
    base = check_classes(promise.text, table, promise.k, how)
    checks = list(base.checks)
    if not base.figures:  # the numbers of persons are not even possible
        return base
    of_row, size = row_classes(table)
    if table.persons is not None:
        size = class_persons(table, of_row)
    stated = promise.by_frequency and isinstance(table, TableRelease) and table.holders is not None
    held = {name: rest for name, *rest in table.held()} if stated else {}
    reached: float | None = None
    sensitive = [column for column in table.columns if column.role == "sensitive"]
    if not sensitive:
        checks.append(Check.failed("there is something to protect", "no column is sensitive"))
    for column in sensitive:
        if column.name in held:
            classes, _, rows, counts = held[column.name]
            checks.append(_possible_holders(column.name, np.bincount(of_row)[classes], size[classes], rows, counts))
        else:
            # What people take for the same value is one, held once by whoever has both spellings.
            classes, counts = _counted(table, of_row, alike(column.labels)[column.codes])
        found, enough = _reached(promise, classes, counts, size)
        lowest = float(found.min()) if len(found) else 0.0
        reached = lowest if reached is None else min(reached, lowest)
        bad = np.flatnonzero(~enough)
        detail = f"lowest l {lowest:.4g} over {counted(len(size), 'class')}"
        if len(bad):
            row = int(np.flatnonzero(of_row == bad[0])[0])
            detail = f"{len(bad):,} of {counted(len(size), 'class')} fall short, such as {shown(table, row)}"
        name = f"every class keeps {promise.l} well represented values of {column.name}"
        checks.append(Check(name=name, passed=not len(bad), detail=detail))
    return Verdict(guarantee=promise.text, checks=tuple(checks), figures={**base.figures, "l": reached})


def _counted(table: Any, of_row: Ints, values: Ids) -> tuple[Ints, Ints]:
    """The class of each value that occurs in it, and in how many rows, or for how many persons of a table, it does."""
    width = int(values.max(initial=0)) + 1
    keys = of_row * width + values
    if not isinstance(table, TableRelease) and table.person is not None:
        persons = int(table.person.max(initial=0)) + 1
        keys = np.unique(keys * persons + table.person) // persons
    cells, counts = np.unique(keys, return_counts=True)
    return cells // width, counts


def _possible_holders(column: str, size: Ints, persons: Ints, rows: Ints, holders: Ints) -> Check:
    """That as many persons can hold each value of a class as stated; all arrays are by value and class.

    A holder has a row with the value, and everybody else has a row without it.
    """
    wrong = (holders < 1) | (holders > rows) | (holders > persons) | (rows > size - (persons - holders))
    detail = f"{counted(len(rows), 'value')} of classes, as stated; the original can confirm it"
    if wrong.any():
        cell = f"{counted(int(holders[wrong][0]), 'person')} with a value of {column}"
        detail = f"a class cannot have {cell} in {counted(int(rows[wrong][0]), 'row')}"
    return Check(name=f"the numbers of persons by {column} are possible", passed=not wrong.any(), detail=detail)


def _reached(promise: LDiversity, classes: Ints, counts: Ints, size: Ints) -> tuple[Any, Any]:
    """The l that each class reaches, and whether that is enough, in whole numbers."""
    if not promise.by_frequency:
        distinct = np.bincount(classes, minlength=len(size))
        return distinct.astype(np.float64), distinct >= min(promise.l, int(size.sum()) + 1)
    most = np.zeros(len(size), np.int64)
    np.maximum.at(most, classes, counts)
    allowed = size // promise.l if promise.l <= int(size.max(initial=0)) else np.zeros_like(size)
    return size / np.maximum(most, 1), most <= allowed
