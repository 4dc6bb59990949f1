"""Are the persons that a released table counts those of its original?

An original row that only one class covers is in that class, and so is its person. Where classes overlap, a row may be in
several, and what is stated is compared with what is possible; the rest is the publisher's word.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints
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
    """

    ptr: Ints
    cells: Ids
    example: Ints
    copies: Ints
    first: Ints
    size: Ints
    row_of: Ints

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
    one = np.flatnonzero(np.diff(cover.ptr)[cover.row_of] > 0)
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
    detail = f"exactly so for {int((placed == most).sum()):,} of {number:,} classes, possibly for the rest"
    if len(wrong):
        low, high = int(placed[wrong[0]]), int(most[wrong[0]])
        detail = f"class {wrong[0]} states {stated[wrong[0]]:,} persons, and can have {low:,} to {high:,}"
    name = "every class has the persons that it states"
    return [total, together, Check(name=name, passed=not len(wrong), detail=detail)]


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
