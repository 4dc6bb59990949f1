"""PermMondrian: groups split top-down on single items, then divided like Anatomy (Ghinita et al. 2008, section V).

A rival of CAHD. Data flow: all transactions as one group → split on the item that divides the sensitive items most
evenly, while both halves keep the degree → groups that cannot be split are divided at random into groups with at most
one occurrence of each sensitive item → publication. Oracle: `tests/oracles/rivals.py`; page:
`docs/methods.md`.

A group is a number per row; only its sensitive rows are listed. Each group waiting to be split has an array of the
supports of all items in it. A split counts the half that holds the item afresh and subtracts it from the whole, and the
smaller half is always split first, so at most log2(n) such arrays exist at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets
from covey.data.csr import count_items, rows_by_group, take_rows, transpose, transpose_some
from covey.data.jit import kernel, stable_order
from covey.guarantees.degree import Degree
from covey.methods.anatomy import random_groups_within, shuffled_rows
from covey.methods.base import Groups, GroupsBaskets
from covey.methods.remaining import Rows
from covey.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class PermMondrian(GroupsBaskets):
    """Top-down splits on items, published like CAHD.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of(
    ...     [["wine", "test"], ["wine"], ["meat", "test"], ["meat", "rice"]], sensitive=["test"]
    ... )
    >>> PermMondrian(seed=0, merge=False).anonymize(baskets, guarantee("degree(p=2)"))
    GroupedRelease(degree(p=2) by perm-mondrian: 4 transactions, 2 groups, 1 sensitive item)
    """

    name = "perm-mondrian"

    def groups(self, data: Baskets, promise: Degree, progress: Progress) -> Groups:
        """Groups with the privacy degree of `promise`; leaves are divided from the seed.

        Divided, a holder mostly shares a group with p - 1 others only: on clicks that makes the error smaller, on
        sparse supermarket baskets a little larger.
        """
        progress("grouping", 0.0)
        public, secret = data.split()
        by_item = transpose(*public.csr, public.d)
        group, groups = split_groups(public.csr, by_item, secret.csr, secret.d, promise.p)
        progress("grouping", 0.5)
        ptr, rows = rows_by_group(group, shuffled_rows(secret.n, self.seed), groups)
        return Groups.of(rows, *random_groups_within(ptr, take_rows(*secret.csr, rows), secret.d, promise.p))


@kernel
def balance(rows: Ints, inside: int, outside: int, secret: Rows, held: Ints, by_held: Ints, here: Ints, p: int) -> int:
    """Return how evenly a split divides the sensitive items, Σ min(inside, outside), or -1: forbidden.

    `rows` are the sensitive rows with the splitting item, `inside` and `outside` the sizes of the halves,
    ``held[s]`` the count of s in the group and `by_held` its items by falling count. Precondition: `here` is
    all zero, and is left so. O(sensitive entries of the rows), plus the items too frequent to be skipped.
    """
    ptr, sens = secret
    even, allowed = np.int64(0), True
    for row in rows:
        for e in range(ptr[row], ptr[row + 1]):
            s = sens[e]
            here[s] += 1
            if p * here[s] > inside:
                allowed = False
            even += 1 if 2 * here[s] <= held[s] else (-1 if 2 * here[s] - 1 > held[s] else 0)
    for s in by_held:
        if not allowed or p * held[s] <= outside:
            break
        if p * (held[s] - here[s]) > outside:
            allowed = False
    for row in rows:
        for e in range(ptr[row], ptr[row + 1]):
            here[sens[e]] = 0
    return int(even) if allowed else -1


@kernel
def best_split(
    holders: Ints, size: int, supports: Ints, public: Rows, secret: Rows, p: int, length: Ints, start: Ints, held: Ints,
    here: Ints,
) -> int:  # fmt: skip
    """Return the item on which to split a group of `size` rows with the sensitive rows `holders`, or -1.

    Of the allowed splits the one that divides the sensitive items most evenly, then the sizes; ties go to the
    lowest id. Each half must hold a sensitive row. Precondition: `length`, `held` and `here` are
    all zero, and are left so. O(d + entries of the sensitive rows times their sensitive items).
    """
    present, _ = transpose_some(secret[0], secret[1], holders, held, np.empty(len(held), np.int64))
    by_held = present[stable_order(-held[present])]
    items, places = transpose_some(public[0], public[1], holders, length, start)
    rows = holders[places]
    best, best_even, best_size = -1, -1, -1
    for j in range(len(supports)):
        inside, outside = supports[j], size - supports[j]
        if inside == 0 or outside == 0 or length[j] == 0 or length[j] == len(holders):
            continue
        holding = rows[start[j] : start[j] + length[j]]
        even = balance(holding, inside, outside, secret, held, by_held, here, p)
        lesser = min(inside, outside)
        if even > best_even or (even >= 0 and even == best_even and lesser > best_size):
            best, best_even, best_size = j, even, int(lesser)
    length[items], held[present] = 0, 0
    return best


def split_groups(public: Rows, by_item: Rows, secret: Rows, m: int, p: int) -> tuple[Ints, int]:
    """Return the group of each row and the number of groups, splitting until no split is allowed.

    `by_item` are the `public` rows, transposed. Groups without a sensitive row are not split, for nothing about them is
    estimated. Precondition: p · count <= n for every sensitive item. O(nnz log n), and for each split O(d + entries of
    the group's sensitive rows times their sensitive items).
    """
    item_ptr, item_rows = by_item
    n, d = len(secret[0]) - 1, len(item_ptr) - 1
    group, groups, holders = np.zeros(n, np.int64), 1, np.flatnonzero(np.diff(secret[0]))
    length, start, held, here = (np.zeros(size, np.int64) for size in (d, d, m, m))
    waiting = [(0, holders, n, np.diff(item_ptr))]
    while waiting:
        number, holders, size, supports = waiting.pop()
        j = best_split(holders, size, supports, public, secret, p, length, start, held, here) if len(holders) else -1
        if j < 0:
            continue
        rows = item_rows[item_ptr[j] : item_ptr[j + 1]]
        rows = rows[group[rows] == number]
        group[rows] = groups
        inside, taken = count_items(take_rows(*public, rows)[1], d), group[holders] == groups
        halves = [
            (number, holders[~taken], size - len(rows), supports - inside),
            (groups, holders[taken], len(rows), inside),
        ]
        # The smaller half is split first, so that few halves wait.
        waiting += sorted(halves, key=lambda half: -half[2])
        groups += 1
    return group, groups
