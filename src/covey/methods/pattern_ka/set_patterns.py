"""Patterns of sets: the distinct rows over frequent items, and the search for what k or more transactions share.

No item that fewer transactions hold can be part of a center (PatternKa 2020, claim C.1).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from covey.arrays import Ids, Ints, Mask, places_of
from covey.data import Baskets
from covey.data.csr import canonicalize, count_behind, count_items, keep_items, shares, take_rows
from covey.data.equal_rows import equal_rows
from covey.errors import CoveyWarning
from covey.methods.pattern_ka.pairs import pair_bounds, reach
from covey.methods.pattern_ka.reduction import reduce_rows
from covey.methods.pattern_ka.search import Found, longest_patterns
from covey.threads import parallel

#: For each unit of work: entries that one search may read, and items and rows that it may list (see also `LISTED`).
#: The memory that a list takes is a few times as many words.
READS, ROOM = 1_000_000, 1 << 15
#: A search that has used up its work goes on for pieces that group this part of the rows.
WORTH = 1 / 512
#: Seconds from which on the user is warned of a long search, and reads in a second, on one core (movielens-100k).
LENGTHY, READS_A_SECOND = 60, 4_000_000
#: A length is thought to take long if this part of the work, or so many readings of the data, did not settle it.
TRIAL, READINGS = 1 / 100, 32
#: A length shows a pattern soon if so many readings of the data show one; a list may always have so many times the
#: entries of the data. Complete journey was looked at when they were chosen.
SOON, LISTED = 2, 4


@dataclass(eq=False)
class LongSearch(CoveyWarning):
    """The search for patterns takes long; `seconds` is an estimate of the time that it takes at most."""

    seconds: int

    def __str__(self) -> str:
        return (
            f"Many transactions share many items: pattern-ka may take up to {self.seconds / 60:.0f} minutes. "
            "The method top-down takes seconds and keeps less; with less work (--set work=), pattern-ka ends earlier."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Distinct rows with weights, and what is to be kept."""

    #: The rows; items are numbered from the rarest to the most frequent, ascending within a row.
    indptr: Ints
    indices: Ids
    #: What each item is in the data.
    items: Ints
    #: The longest a pattern can be that begins with each item.
    bound: Ints
    #: For each entry, how many other items of its row can stand in a pattern with it.
    partners: Ids
    #: The longest a pattern can be that each row holds.
    reach: Ids
    #: How many transactions are equal to each row.
    weight: Ints
    #: The row of each transaction, or of each row that stood for several.
    number: Ints
    #: Weight that every group must have.
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
        indptr, indices = keep_items(indptr, indices, places_of(frequent, len(supports)))
        # A fixed seed: the order of the distinct rows must not differ from run to run.
        number, _, example = equal_rows(indptr, indices, len(frequent), seed=0)
        indptr, indices = take_rows(indptr, indices, example)
        weight = np.bincount(number, weight, len(example)).astype(np.int64)
        del example
        # Rare items first: the rows that hold one of them are few, and what is left of them is short.
        order = np.argsort(supports[frequent], kind="stable")
        canonicalize(indptr, indices, places_of(order, len(frequent)))
        bound, partners = pair_bounds(indptr, indices, weight, len(frequent), k)
        return cls(
            indptr=indptr,
            indices=indices,
            items=frequent[order],
            bound=bound,
            partners=partners,
            reach=reach(indptr, partners),
            weight=weight,
            number=number,
            k=k,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Patterns:
    """Patterns of one length: items one after the other, and the rows that hold each.

    All that begin with an item before `stop` are there; if the search was `complete`, all.
    """

    length: int
    items: Ids
    ptr: Ints
    rows: Ids
    stop: int
    complete: bool

    @property
    def count(self) -> int:
        """Number of patterns."""
        return len(self.ptr) - 1

    def of(self, which: Ints) -> Ids:
        """The items of these patterns, one after the other."""
        return self.items.reshape(-1, self.length)[which].ravel()

    def held_by(self, some: Mask) -> Patterns:
        """Those that `some` of the rows hold."""
        which = np.flatnonzero(np.logical_or.reduceat(some[self.rows], self.ptr[:-1]))
        ptr, rows = take_rows(self.ptr, self.rows, which)
        return replace(self, items=self.of(which), ptr=ptr, rows=rows)


class Search:
    """Mines patterns of `rows`, each search with a limited number of entries read.

    A search that is cut short settles for what it has found so far, and the next ones get half the patience, down
    to a few readings of the data: so even data in which every set is frequent is grouped in bounded time. What a
    search has shown to be empty is not searched again, as long as rows only become fewer. Patterns that rows hold which
    were not taken away stay `known`, by their length, as far as there is room.
    """

    def __init__(self, rows: Rows, work: float) -> None:
        self.rows = rows
        self.bound = rows.bound.copy()
        self.patience, self.room = int(work * READS), max(int(work * ROOM), LISTED * len(rows.indices))
        self.least = min(self.patience, READINGS * len(rows.indices) + 1_000_000)
        self.trial = max(int(self.patience * TRIAL), READINGS * len(rows.indices))
        self.cut_short = self.warned = False
        self.known: dict[int, list[Patterns]] = {}
        self._room_left = self.room
        self._too_large: set[int] = set()
        self._shown: set[int] = set()

    def longest_first(self, free: Mask) -> Iterator[Patterns]:
        """The patterns among the `free` rows, from the longest to the shortest, while rows are taken away."""
        empty = int(self.bound.max(initial=0)) + 1
        low = self.soon(free, empty)
        while empty > 1:
            low = self.next_length(free, empty, low)
            found = False
            for one in self.patterns(free, low) if low else ():
                yield one
                kept, found = one.held_by(free), True
                self._room_left -= len(kept.items) + len(kept.rows)
                if self._room_left >= 0:
                    self.known.setdefault(kept.length, []).append(kept)
            empty, low = low, low - 1 if found else self.soon(free, low)

    def patterns(self, free: Mask, length: int) -> Iterator[Patterns]:
        """All patterns of `length` items among the `free` rows, provided that none is longer, in pieces.

        In between, rows are taken away, until no pattern of the piece has k of them left, which makes the rest of the
        search smaller. When its patience is at an end, it goes on only as long as a piece takes its `WORTH` of the
        rows.
        """
        piece, left = self.least, self.patience
        while True:
            found = self._mine(free, length, self.room, piece)
            before = np.count_nonzero(free)
            if found.count:
                yield found
            self.exclude(length, found.stop)
            taken, left = before - np.count_nonzero(free), left - piece
            if found.complete:
                return
            if self.patience - left > self.trial:
                self._warn(length)
            if left <= 0 and taken <= WORTH * before:
                self._settle()
                return
            if not taken:
                piece *= 2

    def exist(self, free: Mask, length: int, *, patience: int | None = None) -> bool:
        """Whether the `free` rows have a pattern of `length` items or more, as far as `patience` finds one."""
        limit = self.patience if patience is None else patience
        found = self._mine(free, length, 0, min(limit, self.trial))
        if not found.count and not found.complete and limit > self.trial:
            self._warn(length)
            self.exclude(length, found.stop)
            found = self._mine(free, length, 0, limit - self.trial)
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

    def next_length(self, free: Mask, empty: int, low: int) -> int:
        """The greatest length below `empty` that has patterns, or 0; `low` is one that is thought to have some, or 0.

        Each search goes on where the last one found something, so that what proves the next length empty is nearly all
        of the work.
        """
        while low + 1 < empty and self.exist(free, low + 1):
            low += 1
        return low

    def soon(self, free: Mask, empty: int) -> int:
        """A length below `empty` that shows a pattern soon, as great as bisecting finds it, or 0.

        One that did before most likely does still.
        """
        low, high, middle = 0, empty, max((length for length in self._shown if 0 < length < empty), default=empty // 2)
        while high - low > 1:
            soon = self.exist(free, middle, patience=min(self.patience, SOON * len(self.rows.indices)))
            low, high = (middle, high) if soon else (low, middle)
            self._shown |= {low}
            middle = (low + high) // 2
        return low

    def _warn(self, length: int) -> None:
        """Warn, once, if searching the lengths from this one down with all of the work takes long."""
        # Each search that is cut short has half the patience of the one before it, down to the least.
        seconds = (2 * self.patience + length * self.least) // READS_A_SECOND
        if seconds > LENGTHY and not self.warned:
            self.warned = True
            warnings.warn(LongSearch(seconds), stacklevel=2)

    def _settle(self) -> None:
        """A search was cut short: the next ones get less."""
        self.cut_short = True
        self.patience = max(self.patience // 2, self.least)

    def _mine(self, free: Mask, length: int, room: int, patience: int) -> Patterns:
        rows = self.rows
        hopeful = free & (rows.reach >= length)  # spares the others' entries from being read
        usable, ptr, entries = reduce_rows(
            rows.indptr, rows.indices, rows.weight, hopeful, self.bound, rows.partners, rows.k, length
        )
        given = ptr, entries, rows.weight[usable]
        (pattern, at, tids, count), stop = self._in_pieces(*given, length, room, patience) or longest_patterns(
            *given, self.bound, rows.k, length, room, patience
        )
        items, ends, held = pattern[: count * length].copy(), at[: count + 1].copy(), usable[tids[: at[count]]]
        return Patterns(length=length, items=items, ptr=ends, rows=held, stop=stop, complete=stop == rows.d)

    def _in_pieces(
        self, ptr: Ints, entries: Ids, weight: Ints, length: int, room: int, patience: int
    ) -> tuple[Found, int] | None:
        """What one search finds, by several that begin with different items; None if that is not sure to be the same.

        Each has its part of room and patience: if that is enough for every one, the whole was enough for one search.
        """
        d = self.rows.d
        ranges = shares(count_behind(ptr, entries, d) * (self.bound >= length))
        # The last step of a search reads no more than all entries.
        own_patience = patience // max(len(ranges), 1) - len(entries)
        if not room or own_patience <= 0 or len(ranges) < 2 or length in self._too_large:
            return None
        if (count_items(entries, d) == len(weight)).any():  # an item of all rows begins every pattern
            return None

        def search(piece: slice) -> tuple[Found, int]:
            own = np.zeros(d, np.int64)
            own[piece] = self.bound[piece]
            return longest_patterns(ptr, entries, weight, own, self.rows.k, length, room, own_patience)

        made = parallel(search, ranges)
        patterns = np.concatenate([pattern[: count * length] for (pattern, _, _, count), _ in made])
        held = np.concatenate([tids[: at[count]] for (_, at, tids, count), _ in made])
        if any(stop < d for _, stop in made) or len(patterns) + len(held) > room:
            self._too_large.add(length)
            return None
        ends = np.cumsum(np.concatenate([[0], *(np.diff(at[: count + 1]) for (_, at, _, count), _ in made)]))
        return (patterns, ends, held, len(ends) - 1), d
