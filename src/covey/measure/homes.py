"""The group or class of each person in a release, from its trace."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from covey.arrays import Ids, Ints
from covey.data import Baskets
from covey.data.equal_rows import equal_rows
from covey.errors import ParameterError, other_original
from covey.release.base import Release
from covey.release.grouped import GroupedRelease
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease
from covey.release.table import TableRelease
from covey.release.trace import require_trace


def homes_of(release: Release, person: Ids | None) -> Ints:
    """The group or class of each person in a release, or of each original row where none are named."""
    rows, group = require_trace(release).rows, _groups(release)
    if len(rows) != len(group):
        raise other_original("the trace is not about this release")
    home = np.empty(int(rows.max(initial=-1)) + 1, np.int64)
    home[rows] = group
    if person is None or len(home) != len(person):
        return home
    found = np.empty(int(person.max(initial=-1)) + 1, np.int64)
    found[person] = home
    return found


@singledispatch
def _groups(release: Release) -> Ints:
    """The group or class of each published row."""
    raise ParameterError(
        f"A {release.kind} release has no groups or classes, so there is nothing that two releases could be compared "
        "by."
    )


@_groups.register
def _(release: GroupedRelease) -> Ints:
    return np.repeat(np.arange(release.groups), release.group_sizes())


@_groups.register
def _(release: SetsRelease) -> Ints:
    return kinds_of(release.transactions)


@_groups.register
def _(release: TableRelease) -> Ints:
    return release.classes()


@_groups.register
def _(release: RecordsRelease) -> Ints:
    return release.attributes.classes()


def kinds_of(baskets: Baskets) -> Ints:
    """A number for each row, equal for rows with equal items."""
    return equal_rows(*baskets.csr, baskets.d, seed=0)[0]
