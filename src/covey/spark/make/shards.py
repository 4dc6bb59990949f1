"""Mining patterns in shards: rows go to the shards in which their items are at home, and are mined there.

Every frequent item is at home in one shard; a pattern is found in the shard of its first (rarest) item, which gets all
rows that hold this item, from it on (PatternKa 2020, Alg. 5; Li et al. 2008). Shards are balanced by the entries
that lie behind their items, and there are as many as the data needs, whatever the cores. Within a shard the local
kernels find all patterns of a length and choose among them as the local method does; what leaves it is the chosen
patterns with what they would gain, at most one for k rows.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from covey.arrays import Ids, Ints, Mask
from covey.data.csr import take_rows
from covey.methods.pattern_ka.groups import row_keys
from covey.spark.batches import added_up, as_array, as_batch, csr_of
from covey.spark.make.centers import Centers
from covey.spark.session import on_worker


@dataclass(slots=True)
class Patience:
    """Entries that the search in one shard may read.

    As in the local method, a search that is cut short settles for what it has found so far, and the next ones get half
    the patience, down to a few readings of the shard's rows.

    Examples
    --------
    >>> Patience(64_000_000, halvings=2).with_rows(10)
    16000000
    >>> Patience(64_000_000, halvings=9).with_rows(1_000_000)
    17000000
    """

    most: int
    halvings: int = 0

    def with_rows(self, entries: int) -> int:
        """The patience with rows of so many entries."""
        return max(self.most >> self.halvings, min(self.most, 16 * entries + 1_000_000))


def usable(indptr: Ints, indices: Ids, weight: Ints, bound: Ints, k: int, length: int) -> tuple[Ids, Ints, Ids]:
    """The part of a shard's rows that patterns of this length can use."""
    from covey.methods.pattern_ka.reduction import reduce_rows

    everybody = np.ones(len(weight), np.bool_)
    partners = np.full(len(indices), np.iinfo(np.int32).max - 1, np.int32)
    return reduce_rows(indptr, indices, weight, everybody, bound, partners, k, length)


def longest_below(
    empty: int, least: int, indptr: Ints, indices: Ids, weight: Ints, bound: Ints, k: int, patience: Patience
) -> tuple[int, int]:
    """The greatest length below `empty` that has patterns, ``least - 1`` if none from `least` on has; probes cut short.

    Parameters
    ----------
    empty, least : int
        No pattern is as long as `empty`; rows shorter than `least` may be missing.
    indptr, indices, weight : arrays
        The rows of a shard.
    bound : int64 array
        The longest a pattern can be that begins with each item; 0 for those that others look for.
    k : int
        Weight that a pattern must have.
    patience : Patience
        How long each probe may go on; halved for those after one that was cut short.
    """
    from covey.methods.pattern_ka.search import longest_patterns

    own = Patience(patience.most, patience.halvings)

    def exist(length: int) -> bool:
        rows, ptr, entries = usable(indptr, indices, weight, bound, k, length)
        allowed = own.with_rows(len(indices))
        found, stop = longest_patterns(ptr, entries, weight[rows], bound, k, length, 0, allowed)
        own.halvings += stop < len(bound) and found[3] == 0
        return bool(found[3] > 0)

    length = greatest(exist, least, min(empty, int(bound.max(initial=0)) + 1))
    return length or least - 1, own.halvings - patience.halvings


def greatest(exist: Callable[[int], bool], least: int, empty: int) -> int:
    """The greatest length from `least` to below `empty` that exists, or 0; tries ever longer steps, then bisects.

    Examples
    --------
    >>> greatest(lambda length: length <= 5, 1, 40), greatest(lambda length: length <= 5, 6, 40)
    (5, 0)
    """
    step, low = 1, empty - 1
    while low >= least and not exist(low):
        empty, low = low, max(low - step, least if low > least else 0)
        step *= 2
    if low < least:
        return 0
    while empty - low > 1:
        middle = (low + empty) // 2
        low, empty = (middle, empty) if exist(middle) else (low, middle)
    return low


#: Entries per shard before rows are copied; a shard must fit into the memory of one task.
SHARD = 2_000_000
FEWEST, MOST = 8, 2048
#: Items and rows that a list of patterns may hold in a shard.
ROOM = 1 << 25
#: Items of all candidates that may come together on the driver at a time.
CANDIDATES = 1 << 22

# Each shard answers with its patterns and, in a last line without one, with what it has found out.
_FOUND = "pattern array<int>, gain long, shard int, longest int, cuts int"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shards:
    """Where each item is at home, and how long a pattern can be that begins with it."""

    #: Shard of each item.
    home: Ids
    #: The longest a pattern can be that begins with each item.
    bound: Ints
    #: Number of shards; weight that a pattern must have.
    count: int
    k: int

    @property
    def d(self) -> int:
        """Number of frequent items."""
        return len(self.home)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Patterns that shards have chosen, those that gain most first."""

    #: A pattern in each row.
    patterns: Ids
    #: How long the patterns can be that each shard could still propose, as long as rows only become fewer: as long as
    #: these where it has more of them or was cut short.
    longest: Ints


def make_shards(rows: DataFrame, entries: int, d: int, k: int) -> Shards:
    """Count what lies behind each item, balance the shards by it, and bound the patterns of each item.

    `entries` are those of all rows. Two jobs; d numbers reach the driver. The bounds take one pass over the shards,
    O(squares of the lengths of the rows).
    """
    load = added_up(rows, _loads(d), d)
    count = min(max(-(-entries // SHARD), FEWEST), MOST)
    shards = Shards(home=balanced(load, count), bound=np.full(d, d, np.int64), count=count, k=k)
    scattered = scatter(rows, shards, Centers.none(), 1)
    bounds = scattered.groupBy("shard").applyInArrow(on_shard(_bounds(shards)), "item int, bound long")
    return Shards(home=shards.home, bound=as_array(bounds, d), count=count, k=k)


def balanced(load: Ints, count: int) -> Ids:
    """Give each item a home, the heaviest first, always the shard that has least so far.

    Examples
    --------
    >>> balanced(np.array([5, 1, 3, 2]), 2).tolist()
    [0, 0, 1, 1]
    """
    home = np.empty(len(load), np.int32)
    shards = [(0, shard) for shard in range(count)]
    for item in np.argsort(-load, kind="stable").tolist():
        least, shard = heapq.heappop(shards)
        home[item] = shard
        heapq.heappush(shards, (least + int(load[item]), shard))
    return home


def mine(
    rows: DataFrame,
    shards: Shards,
    taken: Centers,
    length: int,
    *,
    longest: Ints | None = None,
    slack: int = 0,
    patience: Patience,
) -> Candidates:
    """Find patterns of `length` items among the rows that take none of the centers `taken`, in one job.

    Parameters
    ----------
    rows : DataFrame
        ``items: array<int>`` and ``weight: long``; of rows that have a center and may leave their groups also
        ``now: long``, its length.
    shards : Shards
        Of all rows.
    taken : Centers
        Rows that take one of these are left out.
    length : int
        Of the patterns; none may be longer.
    longest : int64 array, optional
        How long the patterns of each shard can be. Shards whose patterns are shorter then have a rest, and those that
        find none say how long theirs are, down to half the length: rows that long are sent.
    slack : int
        Rows whose center is up to so many items longer may help to fill a group up.
    patience : Patience
        How long the search in one shard may go on; halved here when one was cut short.
    """
    bounds = np.full(shards.count, length) if longest is None else longest
    least = length if longest is None else max(length // 2, 1)
    asked = bounds >= length
    scattered = scatter(rows.where(sf.size("items") >= least), shards, taken, least, asked)
    work = _mining(shards, length, slack, patience, least)
    found = scattered.groupBy("shard").applyInArrow(on_shard(work), _FOUND).toArrow()
    ptr, items = csr_of(found.column("pattern"))
    gain, shard, own, cuts = (found.column(name).to_numpy() for name in ("gain", "shard", "longest", "cuts"))
    last = np.diff(ptr) == 0
    patterns = items.reshape(-1, length)
    # Which shard answered first must not show either.
    order = np.lexsort((*patterns.T[::-1], -gain[~last]))
    patience.halvings += int(cuts.max(initial=0))
    bounds = np.where(asked, least - 1, bounds)  # a shard without rows does not answer
    bounds[shard[last]] = own[last]
    return Candidates(patterns=patterns[order], longest=bounds)


def scatter(rows: DataFrame, shards: Shards, taken: Centers, length: int, asked: Mask | None = None) -> DataFrame:
    """Send each row that is left to the shards, of those that are `asked`, whose items could begin a pattern of it."""
    begins = shards.bound >= length if asked is None else (shards.bound >= length) & asked[shards.home]
    home = np.where(begins, shards.home, -1).astype(np.int32)
    count, d = shards.count, shards.d

    def send(batches: Iterator[Any]) -> Iterator[Any]:
        from covey.spark.make.shard_kernels import shard_rows

        for batch in batches:
            indptr, indices, weight, now = taken.rows_left(batch, d)
            shard, row, ptr, items = shard_rows(indptr, indices, home, count, length)
            yield as_batch({"shard": shard, "items": (ptr, items), "weight": weight[row], "now": now[row]})

    return rows.mapInArrow(on_worker(send), "shard int, items array<int>, weight long, now long")


def _loads(d: int) -> Any:
    """For `added_up`: how many entries lie behind each item in its rows, itself included."""

    def count(batches: Iterator[Any]) -> Ints:
        load = np.zeros(d, np.int64)
        for batch in batches:
            indptr, indices = csr_of(batch.column("items"))
            behind = np.repeat(indptr[1:], np.diff(indptr)) - np.arange(len(indices))
            load += np.bincount(indices, weights=behind, minlength=d).astype(np.int64)
        return load

    return count


def on_shard(work: Any) -> Any:
    """For `applyInArrow`: hand the rows of one shard to `work` as arrays."""

    def shard(table: Any) -> Any:
        indptr, indices = csr_of(table.column("items"))
        number = int(table.column("shard")[0].as_py())
        weight, now = (table.column(name).to_numpy() for name in ("weight", "now"))
        # Which task's rows came first must not show: equal gains are settled by the order of the rows.
        return pa.Table.from_batches([work(number, *_in_order(indptr, indices, weight, now))])

    return on_worker(shard)


def _in_order(indptr: Ints, indices: Ids, weight: Ints, now: Ints) -> tuple[Ints, Ids, Ints, Ints]:
    """The rows in an order that depends on what they are alone."""
    top = int(indices.max(initial=0))
    words = np.random.default_rng(11).integers(0, 2**64, top + 1, np.uint64)
    order = np.lexsort((weight, now, np.diff(indptr), row_keys(indptr, indices, words)))
    return *take_rows(indptr, indices, order), weight[order], now[order]


def _bounds(shards: Shards) -> Any:
    """For a shard: the longest a pattern can be that begins with each item at home there."""
    home, d, k = shards.home, shards.d, shards.k

    def bound(shard: int, indptr: Ints, indices: Ids, weight: Ints, now: Ints) -> Any:
        from covey.methods.pattern_ka.pairs import pair_bounds

        found, _ = pair_bounds(indptr, indices, weight, d, k, only=home == shard)
        own = np.flatnonzero(home == shard)
        return as_batch({"item": own.astype(np.int32), "bound": found[own]})

    return bound


def beginnings(shard: int, home: Ids, limits: Ints, indices: Ids, rows: int) -> Ints:
    """The longest a pattern can be that begins with each item, for the patterns that this shard is to find."""
    own = home == shard
    # An item that all rows hold stands in front of every pattern, which then begins with it, not with the next.
    if (np.bincount(indices, minlength=len(home)) == rows)[own].any():
        return limits
    return np.where(own, limits, 0)


def _mining(shards: Shards, length: int, slack: int, patience: Patience, least: int) -> Any:
    """For a shard: patterns of one length that begin with its items, chosen as the local method chooses them.

    Where there are none, and rows of `least` items are here, it looks how long its patterns are.
    """
    home, limits, k = shards.home, shards.bound, shards.k
    most = max(CANDIDATES // (length * shards.count), 1)

    def search(shard: int, indptr: Ints, indices: Ids, weight: Ints, now: Ints) -> Any:
        from covey.methods.pattern_ka.groups import open_groups, standing_of
        from covey.methods.pattern_ka.search import longest_patterns

        bound = beginnings(shard, home, limits, indices, len(weight))
        rows, ptr, entries = usable(indptr, indices, weight, bound, k, length)
        own, had = weight[rows], now[rows]
        (pattern, at, tids, count), stop = longest_patterns(
            ptr, entries, own, bound, k, length, ROOM, patience.with_rows(len(indices))
        )
        group = np.full(len(rows), -1, np.int64)
        at, tids = at[: count + 1].copy(), tids[: at[count]].copy()
        standing = standing_of(own, had, np.ones(len(rows), np.bool_))
        used = open_groups(at, tids, standing, length, k, slack, group, 0)
        cuts = int(stop < len(bound))
        longest = length if cuts or len(used) > most else length - 1
        if not count and not cuts and least < length:
            longest, cuts = longest_below(length, least, indptr, indices, weight, bound, k, patience)
        used = used[:most]
        members = (group >= 0) & (group < most)
        gain = np.bincount(group[members], weights=(own * (length - had))[members], minlength=len(used))
        # Items that all rows of a node hold come first in what the search lists.
        patterns = np.sort(pattern[: count * length].reshape(-1, length)[used], axis=1)
        ends = np.append(np.arange(len(used) + 1) * length, patterns.size)
        return as_batch(
            {
                "pattern": (ends, np.ascontiguousarray(patterns).ravel()),
                "gain": np.append(gain, 0).astype(np.int64),
                **{
                    name: np.full(len(used) + 1, figure, np.int32)
                    for name, figure in (("shard", shard), ("longest", longest), ("cuts", cuts))
                },
            }
        )

    return search
