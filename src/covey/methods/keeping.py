"""Keeping company: groups for people who were in an earlier release, so that the two tell no more than one.

What hides a person in two releases are those who are with them in both. So every earlier group is grouped by itself:
the new groups of its people lie within it, and whoever intersects the two finds a whole new group. Newcomers are
grouped among themselves. An earlier group that no longer keeps the promise, because people left or now hold
something, is filled up with people who hold nothing sensitive: newcomers first, then people of groups that can spare
them. In a table, an earlier class that no longer keeps the promise joins the class that it costs least to join: nobody
who was there before loses company by that.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets, Table
from covey.data.csr import rows_by_group
from covey.guarantees.degree import Degree
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.l_diversity import LDiversity
from covey.methods.base import Groups
from covey.methods.extents import curve_order, diverse, extents_of, group_extents, merged


def keep_company(
    form: Callable[[Baskets], Groups], data: Baskets, promise: Degree, before: Ints, seed: list[int] | None
) -> Groups:
    """Groups that keep people together who were together `before` (below 0: newcomers), one row per person.

    `form` groups some of the rows, which keep the promise as a whole; `seed` draws whom groups are filled up with.
    O(rows + groups · sensitive items) besides what `form` takes.
    """
    secret = data.only(data.sensitive)
    block = filled_up(blocks_of(before), secret, promise.p, before, np.random.default_rng(seed))
    secrets = secret.lengths() > 0

    def within(rows: Ints) -> Groups:
        if len(rows) < 2 * promise.p or not secrets[rows].any():
            return Groups(np.zeros(len(rows), np.int64), 1)
        return form(data.take(rows))

    return each_by_itself(block, within)


def keep_classes(
    form: Callable[[Table], Groups], data: Table, promise: KAnonymity | LDiversity, before: Ints
) -> Groups:
    """Classes of a table that keep people together who were together before; parameters as for `keep_company`.

    Earlier classes whose people no longer keep the promise among themselves join a near one, as do newcomers who are
    too few for classes of their own, one by one.
    """
    e = extents_of(data, promise)

    def within(rows: Ints) -> Groups:
        if len(rows) < e.k or not diverse(e.secret, rows, e.ell, e.frequency):
            apart = before[rows[0]] < 0
            return Groups(np.arange(len(rows)), len(rows)) if apart else Groups(np.zeros(len(rows), np.int64), 1)
        return Groups(np.zeros(len(rows), np.int64), 1) if len(rows) < 2 * e.k else form(data.take(rows))

    made = each_by_itself(blocks_of(before), within)
    ptr, rows = rows_by_group(made.group, np.arange(data.n), made.number)
    place = np.empty(made.number, np.int64)
    place[curve_order(group_extents(e.codes, ptr, rows)[0])] = np.arange(made.number)
    return merged(e, *rows_by_group(place[made.group], np.arange(data.n), made.number))._replace(notes=made.notes)


def blocks_of(before: Ints) -> Ints:
    """A number for each earlier group, and one for all newcomers, who come first.

    Examples
    --------
    >>> blocks_of(np.array([7, -1, 7, 3, -5])).tolist()
    [2, 0, 2, 1, 0]
    """
    return np.unique(np.maximum(before, -1), return_inverse=True)[1].reshape(-1).astype(np.int64)


def each_by_itself(block: Ints, form: Callable[[Ints], Groups]) -> Groups:
    """The groups of all rows, given how to group those of one block."""
    order = np.argsort(block, kind="stable")
    edges = np.flatnonzero(np.diff(block[order], prepend=-1, append=-1))
    group, number = np.empty(len(block), np.int64), 0
    notes: tuple[str, ...] = ()
    for first, last in pairwise(edges):
        made = form(order[first:last])
        group[order[first:last]] = number + made.group
        number += made.number
        notes = tuple(dict.fromkeys((*notes, *made.notes)))
    return Groups(group, number, notes)


def filled_up(block: Ints, secret: Baskets, p: int, before: Ints, rng: np.random.Generator) -> Ints:
    """Blocks of rows that all keep degree p: those that lack rows are given some that hold nothing sensitive.

    Rows are taken from newcomers first, then from the blocks with most to spare, as long as these keep the degree.
    If that is not enough, the blocks that still fall short become one with those that have most to spare.

    Examples
    --------
    >>> secret = Baskets.of([["s"], [], [], [], []])
    >>> earlier = np.array([0, 0, -1, -1, -1])
    >>> filled_up(np.array([1, 1, 0, 0, 0]), secret, 3, earlier, np.random.default_rng(0)).tolist().count(1)
    3
    """
    block = block.copy()
    blocks, spare = _spare(block, secret, p)
    harmless = rng.permutation(np.flatnonzero(secret.lengths() == 0))
    newcomers = int(block[before < 0][0]) if (before < 0).any() else -1
    givers = sorted(range(blocks), key=lambda b: (b != newcomers, -spare[b], b))
    by_block = harmless[np.argsort(block[harmless], kind="stable")]
    start = np.searchsorted(block[by_block], np.arange(blocks + 1))
    short = sorted((b for b in range(blocks) if spare[b] < 0), key=lambda b: -spare[b])
    pool = np.concatenate([by_block[start[b] : start[b] + max(spare[b], 0)] for b in givers])
    for b in short:
        if len(pool) < -spare[b]:
            break
        block[pool[: -spare[b]]] = b
        pool = pool[-spare[b] :]
    return _joined(block, secret, p)


def _joined(block: Ints, secret: Baskets, p: int) -> Ints:
    """The same blocks, those that fall short made one with those that have most to spare until none does."""
    blocks, spare = _spare(block, secret, p)
    while (spare < 0).any() and blocks > 1:
        joining = np.append(np.flatnonzero(spare < 0), spare.argmax())
        renamed = np.arange(blocks)
        renamed[joining] = joining[0]
        block = np.unique(renamed[block], return_inverse=True)[1].reshape(-1).astype(np.int64)
        blocks, spare = _spare(block, secret, p)
    return block


def _spare(block: Ints, secret: Baskets, p: int) -> tuple[int, Ints]:
    """How many blocks there are, and how many rows each has beyond what degree p asks for; below 0 it lacks some."""
    blocks, m = int(block.max(initial=-1)) + 1, max(secret.d, 1)
    cells, count = np.unique(np.repeat(block, secret.lengths()) * m + secret.indices, return_counts=True)
    most = np.zeros(blocks, np.int64)
    np.maximum.at(most, cells // m, count)
    return blocks, np.bincount(block, minlength=blocks) - p * most
