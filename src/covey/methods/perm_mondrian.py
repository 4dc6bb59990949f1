"""PermMondrian: groups split top-down on single items, then divided like Anatomy (Ghinita et al. 2008, section V).

A rival of CAHD. Data flow: all transactions as one group → split on the item that divides the sensitive items most
evenly, while both halves keep the degree → groups that cannot be split are divided at random into groups with at most
one occurrence of each sensitive item → publication. Oracle: `tests/oracles/rivals.py`; page:
`docs/methods.md`.

A group is a label per row; only its sensitive rows are listed. Each group waiting to be split has an array of the
supports of all items in it. A split counts the half that holds the item afresh and subtracts it from the whole, and the
smaller half is always split first, so at most log2(n) such arrays exist at a time. O(entries · log(n)), and for each
split O(d + entries of the group's sensitive rows times their sensitive items).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints
from covey.data import Baskets
from covey.data.csr import rows_by_group, take_rows, transpose, transpose_some
from covey.data.jit import kernel, stable_order
from covey.guarantees.degree import Degree
from covey.methods.anatomy import random_groups_within, shuffled_rows
from covey.methods.base import Groups, GroupsBaskets
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
        group, groups = split_groups(*public.csr, *by_item, *secret.csr, secret.d, promise.p)
        progress("grouping", 0.5)
        ptr, rows = rows_by_group(group, shuffled_rows(secret.n, self.seed), groups)
        return Groups.of(rows, *random_groups_within(ptr, take_rows(*secret.csr, rows), secret.d, promise.p))


@kernel
def balance(
    rows: Ints, inside: int, outside: int, sens_ptr: Ints, sens: Ids, held: Ints, by_held: Ids, here: Ints, p: int
) -> int:
    """Return how evenly a split divides the sensitive items, Σ min(inside, outside), or -1: forbidden.

    `rows` are the sensitive rows with the splitting item, `inside` and `outside` the sizes of the halves,
    ``held[s]`` the count of s in the group and `by_held` its items by falling count. Precondition: `here` is
    all zero, and is left so. O(sensitive entries of the rows), plus the items too frequent to be skipped.
    """
    even = np.int64(0)
    allowed = True
    for i in range(len(rows)):
        for e in range(sens_ptr[rows[i]], sens_ptr[rows[i] + 1]):
            s = sens[e]
            here[s] += 1
            if p * here[s] > inside:
                allowed = False
            even += 1 if 2 * here[s] <= held[s] else (-1 if 2 * here[s] - 1 > held[s] else 0)
    for c in range(len(by_held)):
        s = by_held[c]
        if not allowed or p * held[s] <= outside:
            break
        if p * (held[s] - here[s]) > outside:
            allowed = False
    for i in range(len(rows)):
        for e in range(sens_ptr[rows[i]], sens_ptr[rows[i] + 1]):
            here[sens[e]] = 0
    return int(even) if allowed else -1


@kernel
def best_split(
    holders: Ints, size: int, supports: Ints, qid_ptr: Ints, qid: Ids, sens_ptr: Ints, sens: Ids, p: int,
    length: Ints, start: Ints, held: Ints, here: Ints,
) -> int:  # fmt: skip
    """Return the item on which to split a group of `size` rows with the sensitive rows `holders`, or -1.

    Of the allowed splits the one that divides the sensitive items most evenly, then the sizes; ties go to the
    lowest id. Each half must hold a sensitive row. Precondition: `length`, `held` and `here` are
    all zero, and are left so. O(d + entries of the sensitive rows times their sensitive items).
    """
    present, _ = transpose_some(sens_ptr, sens, holders, held, np.empty(len(held), np.int64))
    by_held = present[stable_order(-held[present])]
    items, places = transpose_some(qid_ptr, qid, holders, length, start)
    rows = holders[places]
    best, best_even, best_size = -1, -1, -1
    for j in range(len(supports)):
        inside, outside = supports[j], size - supports[j]
        if inside == 0 or outside == 0 or length[j] == 0 or length[j] == len(holders):
            continue
        holding = rows[start[j] : start[j] + length[j]]
        even = balance(holding, inside, outside, sens_ptr, sens, held, by_held, here, p)
        lesser = min(inside, outside)
        if even > best_even or (even >= 0 and even == best_even and lesser > best_size):
            best, best_even, best_size = j, even, int(lesser)
    length[items], held[present] = 0, 0
    return best


@kernel
def take_item(
    j: int, old: int, new: int, item_ptr: Ints, item_rows: Ids, qid_ptr: Ints, qid: Ids, node: Ints, fresh: Ints
) -> None:
    """Relabel the rows of group `old` that hold item j as `new`, and count their items into `fresh`.

    O(support of j in the whole data + entries of the rows taken).
    """
    fresh[:] = 0
    for f in range(item_ptr[j], item_ptr[j + 1]):
        row = item_rows[f]
        if node[row] == old:
            node[row] = new
            for e in range(qid_ptr[row], qid_ptr[row + 1]):
                fresh[qid[e]] += 1


@kernel
def split_groups(
    qid_ptr: Ints, qid: Ids, item_ptr: Ints, item_rows: Ids, sens_ptr: Ints, sens: Ids, m: int, p: int
) -> tuple[Ints, int]:
    """Return the group of each row and the number of groups, splitting until no split is allowed.

    `item_ptr`/`item_rows` are the transposed rows. Groups without a sensitive row are not split, for nothing
    about them is estimated. Precondition: p · count <= n for every sensitive item. O(nnz log n), and for each
    split O(d + entries of the group's sensitive rows times their sensitive items).
    """
    n, d = len(qid_ptr) - 1, len(item_ptr) - 1
    node = np.zeros(n, np.int64)
    holders = np.flatnonzero(sens_ptr[1:] > sens_ptr[:-1])
    deepest = 3 + int(np.log2(n + 1))
    supports, waiting = np.zeros((deepest, d), np.int64), np.empty((deepest, 4), np.int64)
    supports[0] = item_ptr[1:] - item_ptr[:-1]
    length, start = np.zeros(d, np.int64), np.zeros(d, np.int64)
    held, here = np.zeros(m, np.int64), np.zeros(m, np.int64)
    nodes, top = np.int64(1), np.int64(-1)
    if len(holders):
        top = np.int64(0)
        waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = 0, 0, len(holders), n
    while top >= 0:
        here_node, first, last, size = waiting[top]
        j = best_split(
            holders[first:last], size, supports[top], qid_ptr, qid, sens_ptr, sens, p, length, start, held, here
        )
        if j < 0:
            top -= 1
            continue
        inside = supports[top, j]
        take_item(j, here_node, int(nodes), item_ptr, item_rows, qid_ptr, qid, node, supports[top + 1])
        supports[top] -= supports[top + 1]
        middle = first
        for i in range(first, last):
            if node[holders[i]] == nodes:
                holders[i], holders[middle] = holders[middle], holders[i]
                middle += 1
        waiting[top, 1], waiting[top, 3] = middle, size - inside
        top += 1
        waiting[top, 0], waiting[top, 1], waiting[top, 2], waiting[top, 3] = nodes, first, middle, inside
        nodes += 1
        if inside > size - inside:
            for c in range(4):
                waiting[top - 1, c], waiting[top, c] = waiting[top, c], waiting[top - 1, c]
            for c in range(d):
                supports[top - 1, c], supports[top, c] = supports[top, c], supports[top - 1, c]
        if waiting[top, 1] == waiting[top, 2]:
            top -= 1
        elif waiting[top - 1, 1] == waiting[top - 1, 2]:
            waiting[top - 1], supports[top - 1] = waiting[top], supports[top]
            top -= 1
        if waiting[top, 1] == waiting[top, 2]:
            top -= 1
    return node, int(nodes)
