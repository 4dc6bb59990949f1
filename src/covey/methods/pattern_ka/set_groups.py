"""Groups of sets around common patterns: the greedy of PatternKa and the passes that improve on it.

Searching goes from the greatest possible length down: taking rows away only lowers supports, so a length that has no
pattern once has none ever after (PatternKa 2020, claim C.3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.data.csr import take_rows, transpose
from covey.methods.pattern_ka.groups import TAKEN, common_items, join_longer, open_groups, standing_of, take_in_order
from covey.methods.pattern_ka.set_patterns import Patterns, Rows, Search
from covey.progress import Progress

#: Donors for a leftover row's item may lose so many items each.
SLACK = 3


@dataclass(slots=True)
class Groups:
    """Which row is in which group (-1: none, published empty), and the centers."""

    group: Ints
    #: Center g is ``centers[center_ptr[g]:center_ptr[g + 1]]``.
    center_ptr: Ints
    centers: Ids

    @property
    def count(self) -> int:
        """Number of groups, some perhaps without rows."""
        return len(self.center_ptr) - 1

    def lengths(self) -> Ints:
        """Length of each row's center; 0 for rows without a group."""
        return np.append(np.diff(self.center_ptr), 0)[self.group]

    def published(self, rows: Rows) -> Ints:
        """The group of each transaction, -1 for those published empty; none of these are fewer than k."""
        return spare_rows(self.group[rows.number], np.diff(self.center_ptr), rows.k)

    def counts(self, rows: Rows) -> tuple[Ints, int]:
        """How many transactions each group has in `published`, and how many are published empty."""
        sizes = self.sizes(rows.weight)
        empty = int(rows.weight.sum() - sizes.sum())
        given = spared(sizes, np.diff(self.center_ptr), empty, rows.k)
        return sizes - given, empty + int(given.sum())

    def retained(self, rows: Rows) -> int:
        """Items that are published, all transactions together: the paper's RI."""
        return int((self.counts(rows)[0] * np.diff(self.center_ptr)).sum())

    def sizes(self, weight: Ints) -> Ints:
        """Weight of each group."""
        grouped = self.group >= 0
        return np.bincount(self.group[grouped], weights=weight[grouped], minlength=self.count).astype(np.int64)

    def add(self, centers: Ids, length: int) -> None:
        """Append the centers of new groups, all of one length."""
        more = self.center_ptr[-1] + length * np.arange(1, len(centers) // length + 1)
        self.center_ptr = np.concatenate([self.center_ptr, more])
        self.centers = np.concatenate([self.centers, centers])

    def tighten(self, rows: Rows) -> None:
        """Give every group the largest center it can have and drop groups without rows; loses nothing."""
        used = np.bincount(self.group + 1, minlength=1)[1:] > 0
        renamed = np.append(np.cumsum(used) - 1, -1)
        group, count = renamed[self.group], int(used.sum())
        order = np.argsort(group, kind="stable").astype(np.int32)
        begin = np.searchsorted(group[order], np.arange(count + 1))
        least = np.diff(self.center_ptr)[: len(used)][used]
        self.center_ptr, self.centers = common_items(rows.indptr, rows.indices, begin, order, least)
        self.group = group


def greedy(rows: Rows, search: Search, progress: Progress, ties: np.random.Generator | None = None) -> Groups:
    """Repeatedly make a group of all rows that hold a longest pattern (Alg. 1).

    Of several longest patterns, the one that most transactions hold comes first, or one that is drawn from `ties`.
    """
    groups = Groups(np.full(len(rows.weight), -1, np.int64), np.zeros(1, np.int64), np.empty(0, np.int32))
    free = np.ones(len(rows.weight), np.bool_)
    standing = standing_of(rows.weight, groups.lengths(), free)
    for found in search.longest_first(free):
        listed = found.ptr, found.rows, standing
        if ties is None:
            used = open_groups(*listed, found.length, rows.k, 0, groups.group, groups.count)
        else:
            used = take_in_order(*listed, ties.permutation(found.count), rows.k, groups.group, groups.count)
        np.less(standing[:, 1], TAKEN, out=free)
        groups.add(found.of(used), found.length)
        progress("grouping", 1 - float(free.mean()))
    return groups


def surplus(rows: Rows, groups: Groups) -> Mask:
    """Rows that may leave: those without a group, and in each group all but rows that weigh k together.

    The shortest rows stay, since they have the least to gain elsewhere.
    """
    order = np.lexsort((np.diff(rows.indptr), groups.group))
    group, weight = groups.group[order], rows.weight[order]
    before = np.cumsum(weight) - weight
    begin = np.searchsorted(group, np.arange(-1, groups.count))
    free = np.empty(len(order), np.bool_)
    free[order] = (group < 0) | (before - np.append(before, 0)[begin][group + 1] >= rows.k)
    return free


def raise_rows(rows: Rows, groups: Groups, search: Search, *, top: int, slack: int = 0) -> None:
    """Open groups with centers of `top` items and fewer from rows that can leave theirs, where that gains.

    Rows whose center has fewer items than the new one gain; rows whose center has as many help to reach k. For
    single items, the last resort of rows without a group, rows may help that lose up to `slack` items each, if
    more is gained. No group falls below k, so the items published can only become more.
    """
    lengths = groups.lengths()
    standing = standing_of(rows.weight, lengths, surplus(rows, groups))
    now = standing[:, 1]
    for length in range(min(top, int(lengths.max(initial=0))), 0, -1):
        if not (now < length).any():
            continue
        loss = slack if length == 1 else 0
        # Rows with centers no longer than this were free when the greedy searched for patterns of this length, so there
        # are no others than those it found.
        for found in [single_items(rows, now <= length + loss)] if loss else search.known.get(length, []):
            used = open_groups(found.ptr, found.rows, standing, length, rows.k, loss, groups.group, groups.count)
            groups.add(found.of(used), length)
    groups.tighten(rows)


def single_items(rows: Rows, allowed: Mask) -> Patterns:
    """The items, with the rows that hold each of those that are `allowed`."""
    which = np.flatnonzero(allowed)
    at, held = transpose(*take_rows(rows.indptr, rows.indices, which), rows.d)
    every = np.arange(rows.d, dtype=np.int32)
    return Patterns(length=1, items=every, ptr=at, rows=which[held].astype(np.int32), stop=rows.d, complete=True)


def join(rows: Rows, groups: Groups, *, leaving: bool) -> None:
    """Move rows without a group, and with `leaving` those that theirs can spare, to the longest center they hold."""
    lengths = np.diff(groups.center_ptr)
    # Each center stands under its rarest item, which has the least number; few rows ask for it there.
    full = np.flatnonzero(lengths)
    rarest = np.empty(0, np.int64)
    if len(full):
        rarest = np.minimum.reduceat(groups.centers, groups.center_ptr[full]).astype(np.int64)
    order = np.lexsort((full, -lengths[full], rarest))
    join_longer(
        rows.indptr,
        rows.indices,
        rows.weight,
        groups.group,
        groups.sizes(rows.weight),
        rows.k if leaving else int(rows.weight.sum()) + 1,
        groups.center_ptr,
        groups.centers,
        np.searchsorted(rarest[order], np.arange(rows.d + 1)),
        full[order].astype(np.int32),
    )
    groups.tighten(rows)


def improve(rows: Rows, groups: Groups, search: Search, *, raising: bool, leftovers: bool) -> None:
    """The passes after the greedy; each can only raise the number of items that the groups publish."""
    top = int(np.diff(groups.center_ptr).max(initial=0)) if raising else 1
    raise_rows(rows, groups, search, top=top, slack=SLACK if leftovers else 0)
    join(rows, groups, leaving=raising)


def best_groups(
    rows: Rows,
    search: Search,
    progress: Progress,
    *,
    raising: bool,
    leftovers: bool,
    ties: np.random.Generator | None = None,
) -> Groups:
    """The groups of the greedy or those of the passes after it, whichever retain more items.

    A pass gains in its groups, but may leave some rows without one that are fewer than k: keeping these company can
    cost more than was gained.
    """
    plain = greedy(rows, search, progress, ties)
    plain.tighten(rows)
    if not (raising or leftovers):
        return plain
    better = replace(plain, group=plain.group.copy())
    improve(rows, better, search, raising=raising, leftovers=leftovers)
    return max(better, plain, key=lambda groups: groups.retained(rows))


def spare_rows(group: Ints, lengths: Ints, k: int) -> Ints:
    """Give the empty rows company if there are some but fewer than k; returns the group of each transaction.

    Transactions come from groups that can spare them, those with the shortest centers first, or a whole group
    gives up its center (the paper's rule for the rest), whichever loses fewer items. `group` is that of each
    transaction, -1 for none; every group has k or more, and a center of so many items (`lengths`).
    """
    sizes = np.bincount(group[group >= 0], minlength=len(lengths))
    given = spared(sizes, lengths, int((group < 0).sum()), k)
    if not given.any():
        return group
    group = group.copy()
    for g in np.flatnonzero(given):
        group[np.flatnonzero(group == g)[: given[g]]] = -1
    return group


def spared(sizes: Ints, lengths: Ints, empty: int, k: int) -> Ints:
    """How many transactions each group gives to the empty ones, for `spare_rows`; every group has k or more.

    Examples
    --------
    >>> spared(np.array([6, 9]), np.array([2, 3]), 3, 5).tolist()
    [1, 1]
    """
    missing = k - empty
    if missing <= 0 or missing == k or not len(lengths):
        return np.zeros(len(lengths), np.int64)
    by_length = np.argsort(lengths, kind="stable")
    given = np.zeros(len(lengths), np.int64)
    given[by_length] = np.diff(np.minimum(np.cumsum((sizes - k)[by_length]), missing), prepend=0)
    whole = int((sizes * lengths).argmin())
    if given.sum() < missing or int((given * lengths).sum()) > sizes[whole] * lengths[whole]:
        given[:] = 0
        given[whole] = sizes[whole]
    return given
