"""Groups taken from the rows that are left, as long as these keep the degree (Ghinita et al. 2008, Fig. 8)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel

#: Rows given as arrays: offsets and items.
Rows = tuple[Ints, Ids]


class Left(NamedTuple):
    """The rows that are in no group yet, and the sensitive items of all rows."""

    ptr: Ints
    items: Ids
    #: How many rows that are left hold each item, and how many items are held 0, 1, 2, … times.
    held: Ints
    often: Ints
    #: The number of rows that are left, and the largest count of an item.
    total: Ints
    #: The stamp of the group that took each item last.
    taken: Ints


@kernel
def all_left(secret: Rows, m: int) -> Left:
    """Return the state before the first group, given the sensitive items (`m` different ones) of all rows. O(nnz)."""
    ptr, items = secret
    n = len(ptr) - 1
    held, often, total = np.zeros(m, np.int64), np.zeros(n + 1, np.int64), np.zeros(2, np.int64)
    for e in range(ptr[0], ptr[n]):
        held[items[e]] += 1
    total[0] = n
    for s in range(m):
        often[held[s]] += 1
        total[1] = max(total[1], held[s])
    return Left(ptr, items, held, often, total, np.full(m, -1, np.int64))


@kernel
def conflicts(row: int, stamp: int, left: Left) -> bool:
    """Whether `row` holds a sensitive item that the group with this stamp has. O(its sensitive items)."""
    for e in range(left.ptr[row], left.ptr[row + 1]):  # noqa: SIM110 - kernels know no generators
        if left.taken[left.items[e]] == stamp:
            return True
    return False


@kernel
def mark(row: int, stamp: int, left: Left) -> None:
    """Note that the group with this stamp has the sensitive items of `row`."""
    for e in range(left.ptr[row], left.ptr[row + 1]):
        left.taken[left.items[e]] = stamp


@kernel
def change_held(rows: Ints, left: Left, by: int) -> None:
    """Add `by` to the count of each sensitive item in `rows`. O(their sensitive entries)."""
    for row in rows:
        for e in range(left.ptr[row], left.ptr[row + 1]):
            s = left.items[e]
            left.often[left.held[s]] -= 1
            left.held[s] += by
            left.often[left.held[s]] += 1


@kernel
def withdraw(rows: Ints, p: int, left: Left) -> bool:
    """Take a group of `rows` away, unless the others would no longer keep the degree p; return whether it was taken.

    O(sensitive entries of the rows), and what the largest count falls by.
    """
    change_held(rows, left, np.int64(-1))
    most = left.total[1]
    while most > 0 and left.often[most] == 0:
        most -= 1
    if p * most > left.total[0] - len(rows):
        change_held(rows, left, np.int64(1))
        return False
    left.total[0] -= len(rows)
    left.total[1] = most
    return True


@kernel
def ring(n: int) -> tuple[Ints, Ints]:
    """Return for each of n rows the row before it and the row after it; number n stands between the last and first."""
    previous, following = np.arange(-1, n), np.arange(1, n + 2)
    previous[0], following[n] = n, 0
    return previous, following


@kernel
def unlink(rows: Ints, previous: Ints, following: Ints) -> None:
    """Take rows out of a `ring`."""
    for row in rows:
        following[previous[row]] = following[row]
        previous[following[row]] = previous[row]


def with_rest(group: Ints, groups: int, p: int) -> tuple[Ints, int]:
    """Give rows that are left over, -1, a group: one of their own, or the last one if they are too few for that.

    Fewer than p hold no sensitive item, because all that are left keep the degree.
    """
    rest = np.flatnonzero(group < 0)
    if len(rest) >= p or not groups:
        group[rest] = groups
        return group, groups + (len(rest) > 0)
    group[rest] = groups - 1
    return group, groups
