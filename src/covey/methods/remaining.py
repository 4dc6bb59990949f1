"""Taking groups from the rows that are left, as long as these keep the degree (Ghinita et al. 2008, Fig. 8).

``held[s]`` counts the rows left with sensitive item s, and ``at[h]`` the items held h times; so the largest count is
known without looking at all items.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel


@kernel
def count_held(sens_ptr: Ints, sens: Ids, m: int) -> tuple[Ints, Ints, int]:
    """Return `held`, `at` and the largest count for all rows. O(sensitive entries + rows + m)."""
    n = len(sens_ptr) - 1
    held, at = np.zeros(m, np.int64), np.zeros(n + 1, np.int64)
    for e in range(sens_ptr[0], sens_ptr[n]):
        held[sens[e]] += 1
    most = np.int64(0)
    for s in range(m):
        at[held[s]] += 1
        most = max(most, held[s])
    return held, at, most


@kernel
def change_held(rows: Ints, sens_ptr: Ints, sens: Ids, held: Ints, at: Ints, by: int) -> None:
    """Add `by` to the count of each sensitive item in `rows`. O(their sensitive entries)."""
    for i in range(len(rows)):
        for e in range(sens_ptr[rows[i]], sens_ptr[rows[i] + 1]):
            s = sens[e]
            at[held[s]] -= 1
            held[s] += by
            at[held[s]] += 1


@kernel
def withdraw(rows: Ints, p: int, remaining: int, most: int, sens_ptr: Ints, sens: Ids, held: Ints, at: Ints) -> int:
    """Take a group of `rows` from the `remaining` ones, of which at most `most` hold one sensitive item.

    Returns the largest count among the rest, or -1, with nothing changed, when the rest would not keep the degree p.
    O(sensitive entries of the rows), and what the largest count falls by.
    """
    change_held(rows, sens_ptr, sens, held, at, -1)
    while most > 0 and at[most] == 0:
        most -= 1
    if p * most <= remaining - len(rows):
        return most
    change_held(rows, sens_ptr, sens, held, at, 1)
    return -1


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
