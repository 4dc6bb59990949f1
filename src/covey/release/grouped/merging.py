"""Merged normal form: groups of equal size and equal counts become one.

The estimate of any query is a sum over groups of count / size x matches, so merging such groups changes none. What
goes is which rows were gathered around which: the merged release is a function of the other, and tells an attacker
less or the same. The certain bounds of a query widen.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets


def merged(group: Ints, groups: int, secret: Baskets) -> tuple[Ints, int]:
    """Give rows of groups that look alike one number, and return it for each row, with how many groups are left.

    Parameters
    ----------
    group : int64 array
        The group of each row, in ``range(groups)``.
    groups : int
        How many there are.
    secret : Baskets
        The sensitive items of each row. Where it names persons, groups must also agree in how many there are, and in
        how many of them hold each item.

    Examples
    --------
    >>> secret = Baskets.of([["s"], [], ["s"], [], []])
    >>> group, left = merged(np.array([0, 0, 1, 1, 2]), 3, secret)
    >>> group.tolist(), left
    ([0, 0, 0, 0, 1], 2)
    """
    while True:
        # Merged groups may look like others in their turn.
        group, left = _once(group, groups, secret)
        if left == groups:
            return group, groups
        groups = left


def _once(group: Ints, groups: int, secret: Baskets) -> tuple[Ints, int]:
    """The same for groups that look alike as they are. O(rows + sensitive entries · log)."""
    size = np.bincount(group, minlength=groups)
    at, item, count, persons, holders = counts_of(group, groups, secret)
    sized = np.stack([size] if persons is None else [size, persons], axis=1)
    told = np.stack([item, count] if holders is None else [item, count, holders], axis=1)
    first = np.searchsorted(at, np.arange(groups + 1))
    number: dict[bytes, int] = {}
    renamed = np.empty(groups, np.int64)
    for g in range(groups):
        profile = sized[g].tobytes() + told[first[g] : first[g + 1]].tobytes()
        renamed[g] = number.setdefault(profile, len(number))
    return renamed[group], len(number)


def counts_of(group: Ints, groups: int, secret: Baskets) -> tuple[Ints, Ints, Ints, Ints | None, Ints | None]:
    """The group, the item and the number of occurrences of every sensitive item in every group that has it.

    Where persons are named, also how many each group has, and how many hold the item of each count; else None.
    """
    m = max(secret.d, 1)
    cells, count = np.unique(np.repeat(group, secret.lengths()) * m + secret.indices, return_counts=True)
    persons = holders = None
    if secret.person is not None:
        people = secret.by_person()
        home = np.empty(people.n, np.int64)
        home[secret.person] = group
        persons = np.bincount(home, minlength=groups)
        holders = np.unique(np.repeat(home, people.lengths()) * m + people.indices, return_counts=True)[1]
    return cells // m, cells % m, count, persons, holders
