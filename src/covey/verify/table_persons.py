"""Are the persons that a released table counts those of its original?

An original row that only one class covers is in that class, and so is its person. Where classes overlap, a row may be
in several, and what is stated is compared with what is possible; the rest is the publisher's word.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints
from covey.counting import counted
from covey.data import Table
from covey.release.table.model import TableRelease
from covey.verdict import Check


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """Which distinct published rows, or cells, can be which distinct original rows.

    Attributes
    ----------
    ptr, cells : arrays
        Original row i can be one of ``cells[ptr[i]:ptr[i + 1]]``; fewer rows when there are too many pairs.
    example, copies : int64 arrays
        For each distinct original row one of the rows that look like it, and how many do.
    first, size : int64 arrays
        For each cell one of its published rows, and how many there are.
    row_of : int64 array
        The distinct row that each original row is.
    cell_of : int64 array
        The cell that each published row is in.
    """

    ptr: Ints
    cells: Ids
    example: Ints
    copies: Ints
    first: Ints
    size: Ints
    row_of: Ints
    cell_of: Ints

    @property
    def whole(self) -> bool:
        """Whether all pairs were found."""
        return len(self.ptr) == len(self.example) + 1


def same_persons(release: TableRelease, original: Table, cover: Cover) -> list[Check]:
    """Check the numbers of persons of the classes, as far as rows can be found in them."""
    assert release.class_persons is not None
    assert original.person is not None
    total = Check(
        name="the totals of persons agree",
        passed=release.persons == original.persons,
        detail=f"{release.persons:,} stated, {original.persons:,} in the original",
    )
    if not total.passed or not cover.whole:
        return [total]
    person, kind = _possible_places(release, original, cover)
    number = len(release.class_persons)
    most = np.bincount(np.unique(kind * (original.persons or 1) + person) // (original.persons or 1), minlength=number)
    certain = _certain(release, cover)[cover.row_of]
    one = np.flatnonzero(certain >= 0)
    home = np.full(original.persons or 0, -1, np.int64)
    home[original.person[one]] = certain[one]
    torn = home[original.person[one]] != certain[one]
    placed = np.bincount(home[home >= 0], minlength=number)
    detail = f"{int((home >= 0).sum()):,} of {original.persons:,} persons can be found in their class"
    together = Check(
        name="all rows of a person are in one class",
        passed=not torn.any(),
        detail="a person has rows in two classes" if torn.any() else detail,
    )
    stated = release.class_persons
    wrong = np.flatnonzero((stated < placed) | (stated > most))
    exact = int((placed == most).sum())
    detail = f"exactly so for {exact:,} of {counted(number, 'class')}, possibly for the rest"
    if exact == number:
        detail = f"exactly so for all {counted(number, 'class')}"
    if len(wrong):
        low, high = int(placed[wrong[0]]), int(most[wrong[0]])
        detail = f"class {wrong[0]} states {counted(stated[wrong[0]], 'person')}, and can have {low:,} to {high:,}"
    name = "every class has the persons that it states"
    checks = [total, together, Check(name=name, passed=not len(wrong), detail=detail)]
    if release.holders is not None and all(check.passed for check in checks):
        checks.append(_same_holders(release, original, home, stated - placed))
    return checks


def _same_holders(release: TableRelease, original: Table, home: Ints, others: Ints) -> Check:
    """That as many persons hold each sensitive value of a class as it states; `others` of them cannot be placed."""
    assert release.holders is not None
    assert original.person is not None
    wrong, start = "", 0
    for name, kind, code, _ in release.held():
        ours, theirs = release.column(name), original.column(name)
        known = {value: i for i, value in enumerate(theirs.values)}
        value = np.array([known[ours.labels[i]] for i in code], np.int64)
        width = len(theirs.values)
        held = np.unique(original.person.astype(np.int64) * width + theirs.codes)
        placed = home[held // width] >= 0
        cells, count = np.unique((home[held // width] * width + held % width)[placed], return_counts=True)
        least = np.zeros(len(kind), np.int64)
        order = np.argsort(kind * width + value)
        at = np.searchsorted((kind * width + value)[order], cells)
        least[order[at]] = count
        stated = release.holders[start : start + len(kind)]
        bad = np.flatnonzero((stated < least) | (stated > least + others[kind]))
        if len(bad) and not wrong:
            cell = bad[0]
            wrong = f"class {kind[cell]} states {stated[cell]:,} persons with {name} = {ours.labels[code[cell]]!r}"
        start += len(kind)
    name = "every class has as many persons with each sensitive value as it states"
    return Check(name=name, passed=not wrong, detail=wrong or f"{counted(start, 'value')} of classes")


def _certain(release: TableRelease, cover: Cover) -> Ints:
    """The class of each distinct original row that only one class covers; -1 for the others."""
    kind = release.classes()[cover.first][cover.cells]
    low = np.minimum.reduceat(kind, cover.ptr[:-1]) if len(cover.example) else kind
    high = np.maximum.reduceat(kind, cover.ptr[:-1]) if len(cover.example) else kind
    return np.where(low == high, low, -1)


def _possible_places(release: TableRelease, original: Table, cover: Cover) -> tuple[Ints, Ints]:
    """Pairs of a person and a class in which a row of the person can be."""
    assert original.person is not None
    persons = original.persons or 1
    pairs = np.unique(cover.row_of * persons + original.person)
    row, person = pairs // persons, pairs % persons
    kind = release.classes()[cover.first][cover.cells]
    count = np.diff(cover.ptr)[row]
    at = np.repeat(cover.ptr[row] - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
    return np.repeat(person, count), kind[at]
