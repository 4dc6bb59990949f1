"""Count queries on chunks, and baskets drawn from them.

An answer is exact where one chunk has it, else an estimate between bounds. Clusters in which each item asked for is in
the same chunk are one *cell*. What the chunks tell of a cell's records is multiplied as if chunks had nothing to do
with each other; certain bounds are those of Fréchet.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from covey.arrays import Ids, Ints
from covey.data import Baskets
from covey.data.jit import kernel
from covey.release.estimate import Estimate, positions

if TYPE_CHECKING:
    from covey.release.chunks import ChunksRelease


class Part(NamedTuple):
    """How many records of a cell fulfil what is asked of one chunk: between low and high, likely this share of them."""

    low: int
    high: int
    share: float


def estimated(release: ChunksRelease, present: Collection[str], absent: Collection[str]) -> Estimate:
    """How many records hold all of `present` and none of `absent`."""
    wanted, unwanted = positions(release.items, present, absent)
    return answered(Space.of(release), set(wanted), set(unwanted))


def answered(space: Space, wanted: set[int], unwanted: set[int]) -> Estimate:
    """How many records hold all items of `wanted` and none of `unwanted`, by number."""
    release, asked = space.release, sorted(wanted | unwanted)
    query = _Query(space, wanted, unwanted, asked)
    codes = np.stack([query.places(item) for item in asked]) if asked else np.full((1, release.clusters), -1)
    cells, cell = np.unique(codes, axis=1, return_inverse=True)
    sizes = np.bincount(cell.reshape(-1), release.records, cells.shape[1]).astype(np.int64)
    mean, variance, lower = 0.0, 0.0, 0
    uppers: defaultdict[int, int] = defaultdict(int)
    for code, size in zip(cells.T.tolist(), sizes.tolist(), strict=True):
        if any(where == -1 and item in wanted for item, where in zip(asked, code, strict=False)):
            continue
        found = query.parts(code, size)
        share = math.prod(part.share for part in found)
        low = max(0, sum(part.low for part in found) - (len(found) - 1) * size) if found else size
        high = min((part.high for part in found), default=size)
        mean, lower = mean + size * share, lower + low
        uppers[query.limiting(code)] += high
        if low < high:
            variance += _variance([part.share for part in found], size)
    upper = sum(min(total, query.matches(chunk)) if chunk >= 0 else total for chunk, total in uppers.items())
    return Estimate(estimate=min(max(mean, lower), upper), standard_error=math.sqrt(variance), lower=lower, upper=upper)


def _variance(shares: list[float], size: int) -> float:
    """Of the number of records for which all is so, when those of each chunk are drawn apart (hypergeometric)."""
    share, *others = sorted((share for share in shares if share < 1), reverse=True) or [1.0]
    rest = math.prod(others)
    return (
        size * share * rest * (1 - rest) * (size - size * share) / max(size - 1, 1)
        if others
        else size * share * (1 - share)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Each pair of an item and a chunk, or terms, that it is in; by item, then first cluster, wider ones before.

    An item of a cluster is counted in the narrowest chunk that covers the cluster and has the item. `first` and `last`
    are the clusters that the chunk covers; `chunk` is -1 for terms.
    """

    item: Ids
    first: Ints
    last: Ints
    chunk: Ints

    @classmethod
    def of(cls, release: ChunksRelease) -> Claims:
        """The claims of a release."""
        d = max(len(release.items), 1)
        pairs = np.unique(release.keys())
        chunk, item = pairs // d, (pairs % d).astype(np.int32)
        home = np.repeat(np.arange(release.clusters), release.terms.lengths())
        items = np.concatenate([item, release.terms.indices])
        first = np.concatenate([release.first[chunk], home])
        last = np.concatenate([release.last[chunk], home])
        chunks = np.concatenate([chunk, np.full(len(home), -1)])
        order = np.lexsort((chunks == -1, -last, first, items))
        return cls(item=items[order], first=first[order], last=last[order], chunk=chunks[order])

    def of_item(self, item: int) -> slice:
        """The claims of one item."""
        return slice(*np.searchsorted(self.item, [item, item + 1]))

    def free(self, records: Ints) -> tuple[Ints, Ints, Ints]:
        """Where the records are that a claim may be about: outside of narrower claims on the same item.

        Records are numbered by cluster, `records` being how many each has. Returns (ptr, begin, end): claim i may be
        about records ``begin[j]`` to ``end[j]`` for j from ``ptr[i]`` to ``ptr[i + 1]``.
        """
        offset = np.concatenate([[0], np.cumsum(records)])
        return free_space(self.item, offset[self.first], offset[self.last + 1])

    def room(self, records: Ints) -> Ints:
        """How many records each claim may be about."""
        ptr, begin, end = self.free(records)
        total = np.concatenate([[0], np.cumsum(end - begin)])
        room: Ints = total[ptr[1:]] - total[ptr[:-1]]
        return room


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """A release with what all questions need: where items are, and how many records each chunk may be about."""

    release: ChunksRelease
    claims: Claims
    records: Ints

    @classmethod
    def of(cls, release: ChunksRelease) -> Space:
        """Work it out."""
        claims = Claims.of(release)
        counted = claims.chunk >= 0
        records = np.zeros(release.chunks, np.int64)
        records[claims.chunk[counted]] = claims.room(release.records)[counted]
        return cls(release=release, claims=claims, records=records)


class _Query:
    """What is asked of each chunk."""

    def __init__(self, space: Space, wanted: set[int], unwanted: set[int], asked: list[int]) -> None:
        self.release, self.claims, self.space = space.release, space.claims, space.records
        self.wanted, self.asked = wanted, asked
        release = space.release
        self.sign = np.zeros(len(release.items), np.int64)
        self.sign[list(wanted)], self.sign[list(unwanted)] = 1, -1
        self._matches: dict[int, int] = {}

    def places(self, item: int) -> Ints:
        """The chunk of an item in each cluster; -1 where it is in none, -2 and below among the terms."""
        where = np.full(self.release.clusters, -1, np.int64)
        at = self.claims.of_item(item)
        claims = zip(
            *(part[at].tolist() for part in (self.claims.first, self.claims.last, self.claims.chunk)), strict=True
        )
        for first, last, chunk in claims:  # narrower ones after wider ones
            where[first : last + 1] = chunk if chunk >= 0 else -2 - first
        return where

    def matches(self, chunk: int) -> int:
        """How many of the records that a chunk may be about fulfil what is asked of it."""
        if chunk not in self._matches:
            release = self.release
            first, stop = release.part_ptr[chunk], release.part_ptr[chunk + 1]
            indptr, parts = release.parts.indptr[first : stop + 1], release.parts.indices
            row = np.repeat(np.arange(stop - first), np.diff(indptr))
            signs = self.sign[parts[indptr[0] : indptr[-1]]]
            bad = np.bincount(row[signs < 0], minlength=stop - first)
            good = np.bincount(row[signs > 0], minlength=stop - first)
            here = np.unique(parts[indptr[0] : indptr[-1]])
            needed = int((self.sign[here] > 0).sum())
            without = int(self.space[chunk]) - int(stop - first) if needed == 0 else 0
            self._matches[chunk] = int(((bad == 0) & (good == needed)).sum()) + without
        return self._matches[chunk]

    def parts(self, code: list[int], size: int) -> list[Part]:
        """What the chunks of a cell of `size` records tell of it."""
        found = []
        for chunk in {where for where in code if where >= 0}:
            matches, space = self.matches(chunk), int(self.space[chunk])
            found.append(Part(max(0, matches - (space - size)), min(matches, size), matches / space))
        for item, where in zip(self.asked, code, strict=False):
            if where < -1:
                # At least one record of the cluster holds a term.
                held = Part(1, size, 1 / size)
                found.append(held if item in self.wanted else Part(0, size - 1, 1 - 1 / size))
        return found

    def limiting(self, code: list[int]) -> int:
        """A shared chunk that holds an item asked for, whose sub-records bound all its cells together; or -1."""
        shared = [
            where
            for item, where in zip(self.asked, code, strict=False)
            if where >= 0 and item in self.wanted and self.release.first[where] < self.release.last[where]
        ]
        return shared[0] if shared else -1


def drawn(release: ChunksRelease, seed: int | None) -> Baskets:
    """One of the originals that a release may be of, drawn at random; each term is given to one record."""
    rng = np.random.default_rng(seed)
    claims = Claims.of(release)
    ptr, low, high = claims.free(release.records)
    # A chunk of several items has all its clusters to itself, so any of its items tells where its records are.
    claim_of_chunk = np.zeros(release.chunks, np.int64)
    counted = claims.chunk >= 0
    claim_of_chunk[claims.chunk[counted]] = np.flatnonzero(counted)
    is_term = np.flatnonzero(~counted)
    chosen = np.concatenate([claim_of_chunk, is_term])
    pieces = np.diff(ptr)[chosen]
    space_ptr = np.concatenate([[0], np.cumsum(pieces)])
    at = np.arange(space_ptr[-1]) - np.repeat(space_ptr[:-1] - ptr[chosen], pieces)
    part_ptr = np.concatenate([release.part_ptr, release.part_ptr[-1] + np.arange(1, len(is_term) + 1)])
    place = draw_places(part_ptr, space_ptr, low[at], high[at], release.n, int(rng.integers(0, 2**62)))
    shuffle = rng.permutation(release.n)
    lengths = np.append(release.parts.lengths(), np.ones(len(is_term), np.int64))
    record = np.repeat(np.where(place >= 0, shuffle[place], -1), lengths)
    item = np.concatenate([release.parts.indices, claims.item[is_term]])
    by_record = np.argsort(record, kind="stable")
    by_record = by_record[np.searchsorted(record[by_record], 0) :]
    indptr = np.searchsorted(record[by_record], np.arange(release.n + 1))
    return Baskets.build(indptr, item[by_record], list(release.items))


@kernel
def free_space(owner: Ids, begin: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Return, for each range of an owner, the pieces of it that none of the owner's ranges inside it covers.

    (ptr, begin, end): pieces ``ptr[i]`` to ``ptr[i + 1]`` are those of range i. Precondition: ranges stand by owner and
    begin, wider ones first, and are nested or apart. O(ranges x depth).
    """
    n = len(owner)
    ptr = np.zeros(n + 1, np.int64)
    # Every range opens one piece, and splits at most one of the range around it.
    low, high = np.empty(2 * n, np.int64), np.empty(2 * n, np.int64)
    found = np.int64(0)
    for i in range(n):
        at, j = begin[i], i + 1
        while j < n and owner[j] == owner[i] and begin[j] < end[i]:
            if begin[j] > at:
                low[found], high[found] = at, begin[j]
                found += 1
            at = max(at, end[j])
            inner = j
            while j < n and owner[j] == owner[i] and begin[j] < end[inner]:
                j += 1
        if end[i] > at:
            low[found], high[found] = at, end[i]
            found += 1
        ptr[i + 1] = found
    return ptr, low[:found], high[:found]


@kernel
def mixed(state: int) -> tuple[int, int]:
    """Return the next state and 62 random bits of the generator splitmix64."""
    state = np.uint64(state) + np.uint64(0x9E3779B97F4A7C15)
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state, np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(2))


@kernel
def draw_places(part_ptr: Ints, space_ptr: Ints, low: Ints, high: Ints, places: int, seed: int) -> Ints:
    """Return a place for every part, drawn at random, different ones within each chunk.

    Chunk c has the parts ``part_ptr[c]`` to ``part_ptr[c + 1]`` and the places in the pieces ``space_ptr[c]`` to
    ``space_ptr[c + 1]``; `places` is how many there are in all. -1 for a part that finds no place. Cost: the parts, and
    for chunks that fill more than half of their places these places.
    """
    chosen = np.full(part_ptr[-1], -1, np.int64)
    taken = np.full(places, -1, np.int64)
    state = np.uint64(seed)
    for c in range(len(part_ptr) - 1):
        first, stop = space_ptr[c], space_ptr[c + 1]
        room = np.int64(0)
        for s in range(first, stop):
            room += high[s] - low[s]
        many = part_ptr[c + 1] - part_ptr[c]
        if 2 * many > room:
            # All places in random order, as far as they are needed.
            free = np.empty(room, np.int64)
            at = np.int64(0)
            for s in range(first, stop):
                for place in range(low[s], high[s]):
                    free[at] = place
                    at += 1
            for i in range(min(many, room)):
                state, bits = mixed(state)
                j = i + bits % (room - i)
                chosen[part_ptr[c] + i] = free[j]
                free[j] = free[i]
            continue
        for i in range(many):
            while True:
                state, bits = mixed(state)
                place, s = bits % room, first
                while place >= high[s] - low[s]:
                    place -= high[s] - low[s]
                    s += 1
                if taken[low[s] + place] != c:
                    break
            taken[low[s] + place] = c
            chosen[part_ptr[c] + i] = low[s] + place
    return chosen
