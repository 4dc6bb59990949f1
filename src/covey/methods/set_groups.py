"""Groups of sets around common patterns: the greedy of PatternKa and the passes that improve on it.

Works on the distinct rows over the items that k or more transactions hold; no other item can be part of a
center (PatternKa 2020, claim C.1). Searching goes from the greatest possible length down: taking rows away only lowers
supports, so a length that has no pattern once has none ever after (claim C.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from covey.arrays import Bytes, Floats, Ids, Ints, Mask, Places
from covey.data import Baskets
from covey.kernels.methods.pattern_groups import common_items, join_longer, number_rows, open_groups, row_keys
from covey.kernels.methods.pattern_nodes import BOTH, GAINS, HELPS
from covey.kernels.methods.pattern_search import Found, longest_patterns
from covey.kernels.methods.patterns import pack_rows, pair_bounds, reduce_rows, row_reach, unpack_entries
from covey.kernels.shared.csr import canonicalize, count_behind, keep_items, take_rows, transpose
from covey.progress import Progress
from covey.threads import side_by_side, threads

#: For each unit of effort: entries that one search may read, and items and rows that it may list. The memory that a
#: list takes is a few times as many words.
READS, ROOM = 1_000_000, 1 << 15
#: A search that has used up its effort goes on for pieces that group this part of the rows.
WORTH = 1 / 512
#: Donors for a leftover row's item may lose so many items each.
SLACK = 3
#: Searches of fewer entries are not worth several threads; and in how many pieces anything is cut at most, as each of
#: them needs memory of its own.
LARGE, MOST_PIECES = 20_000, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Distinct rows with weights, and what is to be kept.

    Attributes
    ----------
    indptr, indices : arrays
        The rows; items are numbered from the rarest to the most frequent, ascending within a row.
    items : int64 array
        What each item is in the data.
    weight : int64 array
        How many transactions are equal to each row.
    number : int64 array
        The row of each transaction, or of each row that stood for several.
    bound : int64 array
        The longest a pattern can be that begins with each item.
    partners : int32 array
        For each entry, how many other items of its row can stand in a pattern with it.
    reach : int32 array
        The longest a pattern can be that each row holds.
    k : int
        Weight that every group must have.
    """

    indptr: Ints
    indices: Ids
    items: Ints
    bound: Ints
    partners: Ids
    reach: Ids
    weight: Ints
    number: Ints
    k: int

    @property
    def d(self) -> int:
        """Number of items."""
        return len(self.items)

    @classmethod
    def of(cls, data: Baskets, k: int) -> Rows:
        """The distinct rows of `data` over the items that k or more of its transactions hold."""
        return cls.counted(data.indptr, data.indices, data.supports(), k)

    @classmethod
    def counted(cls, indptr: Ints, indices: Ids, supports: Ints, k: int, weight: Ints | None = None) -> Rows:
        """The same of rows each of which stands for `weight` transactions (None: one), in whatever order they come.

        `supports` are those of all items; of items with less than k, rows may hold fewer or none.
        """
        frequent = np.flatnonzero(supports >= k)
        kept = np.full(len(supports), -1, np.int32)
        kept[frequent] = np.arange(len(frequent), dtype=np.int32)
        indptr, indices = keep_items(indptr, indices, kept)
        # Fixed words: the order of the distinct rows must not differ from run to run.
        words = np.random.default_rng(0).integers(0, 2**64, len(frequent) + 1, np.uint64)
        keys = row_keys(indptr, indices, words)
        number, example = number_rows(indptr, indices, keys, np.argsort(keys, kind="stable"))
        indptr, indices = take_rows(indptr, indices, example)
        weight = np.bincount(number, weight, len(example)).astype(np.int64)
        del keys, example
        # Rare items first: the rows that hold one of them are few, and what is left of them is short.
        order = np.argsort(supports[frequent], kind="stable")
        rank = np.empty(len(frequent), np.int32)
        rank[order] = np.arange(len(frequent), dtype=np.int32)
        canonicalize(indptr, indices, rank)
        item_ptr, in_row = transpose(indptr, indices, len(frequent))
        work = count_behind(indptr, indices, len(frequent)) + np.diff(item_ptr)
        packed, ends = pack_rows(indptr, indices, in_row, weight)
        # Each thread counts partners of its own, so what the packed rows say too does not lie beside them.
        del indices, in_row
        bound, partners = _bounds(packed, item_ptr, ends, work, k)
        del ends
        indices, partners = unpack_entries(indptr, packed), unpack_entries(indptr, partners)
        del packed
        return cls(
            indptr=indptr,
            indices=indices,
            items=frequent[order],
            bound=bound,
            partners=partners,
            reach=row_reach(indptr, partners),
            weight=weight,
            number=number,
            k=k,
        )


@dataclass(slots=True)
class Groups:
    """Which row is in which group (-1: none, published empty), and the centers.

    Attributes
    ----------
    group : int64 array
        Group of each row.
    center_ptr, centers : arrays
        Center g is ``centers[center_ptr[g]:center_ptr[g + 1]]``.
    """

    group: Ints
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
        begin, order = sorted_by((group + 1).astype(np.int32), count + 1)

        def centers_of(piece: slice) -> tuple[Ints, Ids]:
            members = order[begin[piece.start + 1] : begin[piece.stop + 1]].astype(np.int64)
            return common_items(rows.indptr, rows.indices, members, group, count, rows.d)

        offsets, centers = zip(*side_by_side(centers_of, _pieces(np.diff(begin[1:]))), strict=True)
        self.center_ptr, self.centers = np.sum(offsets, axis=0), np.concatenate(centers)
        self.group = group


@dataclass(frozen=True, slots=True, kw_only=True)
class Patterns:
    """Patterns of one length: items one after the other, and the rows that hold each.

    All that begin with an item before `stop` are there; if the search was `complete`, all.
    """

    items: Ids
    ptr: Ints
    rows: Ids
    stop: int
    complete: bool

    @property
    def count(self) -> int:
        """Number of patterns."""
        return len(self.ptr) - 1


class Search:
    """Mines patterns of `rows`, each search with a limited number of entries read.

    A search that is cut short settles for what it has found so far, and the next ones get half the patience, down
    to a few readings of the data: so even data in which every set is frequent is grouped in bounded time. What a
    search has shown to be empty is not searched again, as long as rows only become fewer.
    """

    def __init__(self, rows: Rows, effort: float) -> None:
        self.rows = rows
        self.bound = rows.bound.copy()
        self.patience, self.room = int(effort * READS), int(effort * ROOM)
        self.least = min(self.patience, 32 * len(rows.indices) + 1_000_000)
        self.cut_short = False
        self._too_large: set[int] = set()

    def patterns(self, free: Mask, length: int, *, gains: Mask | None = None) -> Iterator[Patterns]:
        """All patterns of `length` items among the `free` rows, provided that none is longer, in pieces.

        In between, rows are taken away, until no pattern of the piece has k of them left, which makes the rest of the
        search smaller. When its patience is at an end, it goes on only as long as a piece takes its `WORTH` of the
        rows. Where `gains` says which rows win by such a pattern, only those are wanted that have such rows and others.
        """
        piece, left = self.least, self.patience
        while True:
            found = self._mine(free, length, gains, self.room, piece)
            before = np.count_nonzero(free)
            if found.count:
                yield found
            self.exclude(length, found.stop)
            taken, left = before - np.count_nonzero(free), left - piece
            if found.complete:
                return
            if left <= 0 and taken <= WORTH * before:
                self._settle()
                return
            if not taken:
                piece *= 2

    def exist(self, free: Mask, length: int, *, patience: int | None = None) -> bool:
        """Whether the `free` rows have a pattern of `length` items or more, as far as `patience` finds one."""
        found = self._mine(free, length, None, 0, self.patience if patience is None else patience)
        if not found.count and not found.complete and patience is None:
            self._settle()
        if not found.count:
            self.exclude(length, found.stop)
        elif not found.complete:
            self.exclude(length, min(found.stop, int(found.items.min())))
        return found.count > 0

    def exclude(self, length: int, stop: int) -> None:
        """Take note that no pattern of `length` items begins with an item before `stop`, as rows become fewer."""
        np.minimum(self.bound[:stop], length - 1, out=self.bound[:stop])

    def forget(self) -> None:
        """Unlearn what was excluded: rows that had a group take part again."""
        self.bound = self.rows.bound.copy()

    def next_length(self, free: Mask, empty: int) -> int:
        """The greatest length below `empty` that has patterns, or 0.

        A length that shows a pattern soon is bisected for; from there on up, each search goes on where the last one
        found something, so that what proves the next length empty is nearly all of the work.
        """
        low, high = 0, empty
        while high - low > 1:
            middle = (low + high) // 2
            soon = self.exist(free, middle, patience=min(self.patience, len(self.rows.indices)))
            low, high = (middle, high) if soon else (low, middle)
        while low + 1 < empty and self.exist(free, low + 1):
            low += 1
        return low

    def _settle(self) -> None:
        """A search was cut short: the next ones get less."""
        self.cut_short = True
        self.patience = max(self.patience // 2, self.least)

    def _mine(self, free: Mask, length: int, gains: Mask | None, room: int, patience: int) -> Patterns:
        rows, bound = self.rows, self.bound
        hopeful = free & (rows.reach >= length)  # spares the others' entries from being read
        usable, ptr, entries = reduce_rows(
            rows.indptr, rows.indices, rows.weight, hopeful, bound, rows.partners, rows.k, length
        )
        role = np.full(len(usable), BOTH, np.uint8)
        if gains is not None:
            role[:] = np.where(gains[usable], GAINS, HELPS)
        given = (ptr, entries, rows.weight[usable], role)
        found, stop = self._in_pieces(given, length, room, patience) or longest_patterns(
            *given, bound, rows.k, length, room, patience
        )
        pattern, at, tids, count = found
        return Patterns(
            items=pattern[: count * length].copy(),
            ptr=at[: count + 1].copy(),
            rows=usable[tids[: at[count]]],
            stop=stop,
            complete=stop == rows.d,
        )

    def _in_pieces(
        self, given: tuple[Ints, Ids, Ints, Bytes], length: int, room: int, patience: int
    ) -> tuple[Found, int] | None:
        """What one search finds, by several that begin with different items; None if that is not sure to be the same.

        Each has its part of room and patience: if that is enough for every one, the whole was enough for one search.
        """
        (ptr, entries, weight, role), d, bound = given, self.rows.d, self.bound
        ranges = _pieces(count_behind(ptr, entries, d) * (bound >= length)) if len(entries) >= LARGE else []
        # The last step of a search reads no more than all entries.
        own_patience = patience // max(len(ranges), 1) - len(entries)
        if not room or own_patience <= 0 or len(ranges) < 2 or length in self._too_large:
            return None
        if np.bincount(entries, minlength=d).max() == len(weight):  # an item of all rows begins every pattern
            return None

        def search(piece: slice) -> tuple[Found, int]:
            own = np.zeros(d, np.int64)
            own[piece] = bound[piece]
            return longest_patterns(ptr, entries, weight, role, own, self.rows.k, length, room, own_patience)

        made = side_by_side(search, ranges)
        patterns = np.concatenate([pattern[: count * length] for (pattern, _, _, count), _ in made])
        held = np.concatenate([tids[: at[count]] for (_, at, tids, count), _ in made])
        if any(stop < d for _, stop in made) or len(patterns) + len(held) > room:
            self._too_large.add(length)
            return None
        ends = np.cumsum(np.concatenate([[0], *(np.diff(at[: count + 1]) for (_, at, _, count), _ in made)]))
        return (patterns, ends, held, len(ends) - 1), d


def _pieces(work: Ints | Floats) -> list[slice]:
    """Ranges of about equal work, one for each thread; `work` is that of each of the things in the ranges."""
    done = np.cumsum(work)
    parts = max(min(threads(), MOST_PIECES, len(done)), 1)
    cuts = np.searchsorted(done, np.linspace(0, done[-1] if len(done) else 0, parts + 1)[1:-1])
    ends = [0, *cuts.tolist(), len(done)]
    return [slice(start, stop) for start, stop in pairwise(ends)]


def _bounds(packed: Ids, item_ptr: Ints, ends: Places, work: Ints, k: int) -> tuple[Ints, Ids]:
    """What `pair_bounds` finds, by ranges of items; `work` is that of each."""

    def find(piece: slice) -> tuple[Ints, Ids]:
        own = np.clip(item_ptr, item_ptr[piece.start], item_ptr[piece.stop])  # others are in no row
        return pair_bounds(packed, own, ends, k)

    (bound, partners), *rest = side_by_side(find, _pieces(work))
    for more, others in rest:
        bound += more
        partners += others
    return bound, partners


def greedy(rows: Rows, search: Search, progress: Progress) -> Groups:
    """Repeatedly make a group of all rows that hold a longest pattern, most transactions first (Alg. 1)."""
    groups = Groups(np.full(len(rows.weight), -1, np.int64), np.zeros(1, np.int64), np.empty(0, np.int32))
    free, none = np.ones(len(rows.weight), np.bool_), np.zeros(len(rows.weight), np.int64)
    length = search.next_length(free, int(rows.bound.max(initial=0)) + 1)
    while length >= 1:
        made = groups.count
        for found in search.patterns(free, length):
            used = open_groups(
                found.ptr, found.rows, rows.weight, free, none, length, rows.k, 0, groups.group, groups.count
            )
            groups.add(found.items.reshape(-1, length)[used].ravel(), length)
            progress("grouping", 1 - float(free.mean()))
        length = length - 1 if groups.count > made else search.next_length(free, length)
    return groups


def sorted_by(numbers: Ids, size: int) -> tuple[Ints, Ids]:
    """Where the places of each number in range(size) begin, and the places by number, ascending; by counting."""
    return transpose(np.arange(len(numbers) + 1), numbers, size)


def surplus(rows: Rows, groups: Groups) -> Mask:
    """Rows that may leave: those without a group, and in each group all but rows that weigh k together.

    The shortest rows stay, since they have the least to gain elsewhere.
    """
    lengths, groups_of = np.diff(rows.indptr).astype(np.int32), (groups.group + 1).astype(np.int32)
    by_length = sorted_by(lengths, int(lengths.max(initial=0)) + 1)[1]
    order = by_length[sorted_by(groups_of[by_length], groups.count + 1)[1]]
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
    now, free, cut_short = groups.lengths(), surplus(rows, groups), search.cut_short
    search.forget()
    for length in range(min(top, int(now.max(initial=0))), 0, -1):
        loss = slack if length == 1 else 0
        allowed = free & (now <= length + loss)
        if not (allowed & (now < length)).any():
            continue
        # The greedy has left no pattern of this length to the rows that gain, unless cut short: others must help.
        for found in search.patterns(allowed, length, gains=None if cut_short else now < length):
            used = open_groups(
                found.ptr, found.rows, rows.weight, free, now, length, rows.k, loss, groups.group, groups.count
            )
            groups.add(found.items.reshape(-1, length)[used].ravel(), length)
            allowed &= free
    groups.tighten(rows)


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
        rows.d,
    )
    groups.tighten(rows)


def improve(rows: Rows, groups: Groups, search: Search, *, raising: bool, leftovers: bool) -> None:
    """The passes after the greedy; each can only raise the number of items that the groups publish."""
    top = int(np.diff(groups.center_ptr).max(initial=0)) if raising else 1
    raise_rows(rows, groups, search, top=top, slack=SLACK if leftovers else 0)
    join(rows, groups, leaving=raising)


def best_groups(rows: Rows, search: Search, progress: Progress, *, raising: bool, leftovers: bool) -> Groups:
    """The groups of the greedy or those of the passes after it, whichever retain more items.

    A pass gains in its groups, but may leave some rows without one that are fewer than k: keeping these company can
    cost more than was gained.
    """
    plain = greedy(rows, search, progress)
    plain.tighten(rows)
    if not (raising or leftovers):
        return plain
    better = replace(plain, group=plain.group.copy())
    improve(rows, better, search, raising=raising, leftovers=leftovers)
    return max(better, plain, key=lambda groups: groups.retained(rows))


def spare_rows(group: Ints, lengths: Ints, k: int) -> Ints:
    """Give the empty rows company if there are some but fewer than k; returns the group of each transaction.

    Transactions come from groups that can spare them, those with the shortest centers first, or a whole group
    gives up its center (the paper's rule for the rest), whichever loses fewer items.

    Parameters
    ----------
    group : int64 array
        Group of each transaction, -1 for none. Every group has k or more transactions.
    lengths : int64 array
        Length of each group's center.
    k : int
        How many empty rows there must be if there are any.
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
