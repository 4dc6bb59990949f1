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
        size = class_persons(table, of_row, size)
    reached: float | None = None
    sensitive = [column for column in table.columns if column.role == "sensitive"]
    if not sensitive:
        nothing = Check.failed("there is something to protect", "no column is sensitive")
        checks.append(nothing)
    for column in sensitive:
        # What people take for the same value is one, held once by whoever has both spellings.
        values = alike(column.labels)[column.codes]
        cells, counts = _counted(table, of_row, values)
        if table.persons is not None and promise.by_frequency and isinstance(table, TableRelease):
            possible, counts = stated_holders(table, of_row, size, column.name, values, counts)
            checks.append(possible)
        found, enough = _reached(promise, cells, counts, size)
        lowest = float(found.min()) if len(found) else 0.0
        reached = lowest if reached is None else min(reached, lowest)
        bad = np.flatnonzero(~enough)
        detail = f"lowest l {lowest:.4g} over {counted(len(size), 'class')}"
        if len(bad):
            row = int(np.flatnonzero(of_row == bad[0])[0])
            short = f"{len(bad):,} of {counted(len(size), 'class')} fall short"
            detail = f"{short}, such as {shown(table, row)}"
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


def stated_holders(
    release: TableRelease, of_row: Ints, persons: Ints, column: str, values: Ids, rows: Ints
) -> tuple[Check, Ints]:
    """How many persons hold each value, as the release states it in its own order, and whether that is possible.

    A holder has a row with the value, and whoever is none has a row without it.
    """
    assert release.holders is not None
    held = release.held()
    number = [name for name, _, _, _ in held].index(column)
    start = sum(len(classes) for _, classes, _, _ in held[:number])
    _, classes, codes, _ = held[number]
    width = int(values.max(initial=0)) + 1
    # The release numbers classes in its own way: each cell is looked up by any row that has it.
    own = release.classes()
    order = np.unique(of_row * width + values, return_index=True)[1]
    at = np.searchsorted(classes * width + codes, own[order] * width + values[order])
    stated = release.holders[start + at]
    cell_class = of_row[order]
    size = np.bincount(of_row)[cell_class]
    wrong = (stated < 1) | (stated > rows) | (stated > persons[cell_class])
    if not wrong.any():
        wrong = rows > size - (persons[cell_class] - stated)
    detail = f"{counted(len(rows), 'value')} of classes, as stated; the original can confirm it"
    if wrong.any():
        persons_stated, in_rows = int(stated[wrong][0]), int(rows[wrong][0])
        cell = f"{counted(persons_stated, 'person')} with a value of {column}"
        detail = f"a class cannot have {cell} in {counted(in_rows, 'row')}"
    name = f"the numbers of persons by {column} are possible"
    return Check(name=name, passed=not wrong.any(), detail=detail), stated


def _reached(promise: LDiversity, classes: Ints, counts: Ints, size: Ints) -> tuple[Any, Any]:
    """The l that each class reaches, and whether that is enough, in whole numbers."""
    if not promise.by_frequency:
        distinct = np.bincount(classes, minlength=len(size))
        return distinct.astype(np.float64), distinct >= min(promise.l, int(size.sum()) + 1)
    most = np.zeros(len(size), np.int64)
    np.maximum.at(most, classes, counts)
    allowed = size // promise.l if promise.l <= int(size.max(initial=0)) else np.zeros_like(size)
    return size / np.maximum(most, 1), most <= allowed
