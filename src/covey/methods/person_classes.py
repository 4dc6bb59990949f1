"""Classes of persons: what was grouped by one typical row of each must keep its promise over all their rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.arrays import Ints, Mask
from covey.data import Table
from covey.guarantees.l_diversity import LDiversity


def enough_persons(data: Table, home: Ints, promise: Any) -> tuple[Ints, int]:
    """The group of each row, and how many groups there are, given the group of each person.

    A typical row shows one of a person's sensitive values; by the others a group may still fall short of l-diversity.
    Such a group is joined with the next one, which methods number by neighbourhood, until none is left; all persons
    together keep the promise, or it would be infeasible. O(rows log rows) for each round, of which few are needed.
    """
    assert data.person is not None
    home = np.unique(home, return_inverse=True)[1].reshape(-1)
    while isinstance(promise, LDiversity):
        short = _falls_short(data, home, promise)
        if len(short) < 2 or not short.any():
            break
        groups = np.arange(len(short))
        joins = short.copy()
        joins[1:] &= ~short[:-1]  # two that fall short side by side are joined, not both moved on
        target = np.where(joins, np.where(groups < len(short) - 1, groups + 1, groups - 1), groups)
        home = np.unique(target[home], return_inverse=True)[1].reshape(-1)
    return home[data.person], int(home.max(initial=-1)) + 1


def _falls_short(data: Table, home: Ints, promise: LDiversity) -> Mask:
    """Which groups of persons do not have l well represented values in some sensitive column."""
    assert data.person is not None
    persons = np.bincount(home)
    short = np.zeros(len(persons), np.bool_)
    for column in data.of_role("sensitive"):
        width = len(column.values)
        held = np.unique(data.person.astype(np.int64) * width + column.codes)
        value = column.alike()[held % width]
        cells, holders = np.unique(home[held // width] * width + value, return_counts=True)
        if not promise.by_frequency:
            short |= np.bincount(cells // width, minlength=len(persons)) < promise.l
        else:
            most = np.zeros(len(persons), np.int64)
            np.maximum.at(most, cells // width, holders)
            short |= most > persons // promise.l
    return short
