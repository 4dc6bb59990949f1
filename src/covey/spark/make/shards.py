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

from covey.arrays import Ids, Ints
from covey.data import csr
from covey.data.csr import take_rows
from covey.methods.pattern_ka import groups, pairs, reduction, search  # as modules: Spark would send kernels uncached
from covey.spark.batches import added_up, as_array, as_batch, csr_of, in_groups, mapped, row_hashes
from covey.spark.make import kernels
from covey.spark.make.centers import Centers

#: Entries per shard before rows are copied; a shard must fit into the memory of one task.
SHARD = 2_000_000
FEWEST, MOST = 8, 2048
#: Items and rows that a list of patterns may hold in a shard.
ROOM = 1 << 25
#: Items of all candidates that may come together on the driver at a time.
CANDIDATES = 1 << 22

#: A shard answers with its patterns and, in a last line without one, with what it has found out.
ANSWER = "pattern array<int>, gain long, shard int, longest int, cut boolean"
#: What becomes of the rows of a shard: its number, offsets, items, weights, and lengths of the centers that rows have.
Mining = Callable[[int, Ints, Ids, Ints, Ints], pa.RecordBatch]


@dataclass(slots=True)
class Patience:
    """Entries that the search in one shard may read; half as many after every search that was cut short.

    Examples
    --------
    >>> Patience(64_000_000, halvings=2).with_rows(10), Patience(64_000_000, halvings=9).with_rows(1_000_000)
    (16000000, 17000000)
    """

    most: int
    halvings: int = 0

    def with_rows(self, entries: int) -> int:
        """Return the patience with rows of so many entries: at least that for a few readings of them."""
        return max(self.most >> self.halvings, min(self.most, 16 * entries + 1_000_000))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shards:
    """Where each item is at home, and how long a pattern can be that begins with it."""

    home: Ids
    bound: Ints
    #: Number of shards, and the weight that a pattern must have.
    count: int
    k: int

    @property
    def d(self) -> int:
        """Number of frequent items."""
        return len(self.home)


def make_shards(rows: DataFrame, entries: int, d: int, k: int) -> Shards:
    """Count what lies behind each item, balance the shards by it, and bound the patterns of each item.

    Two jobs; d numbers reach the driver. The bounds take one pass over the shards, O(squares of the lengths of the
    rows).
    """

    def loads(batches: Iterator[Any]) -> Ints:
        return sum((csr.count_behind(*csr_of(one.column("items")), d) for one in batches), np.zeros(d, np.int64))

    count = min(max(-(-entries // SHARD), FEWEST), MOST)
    home = balanced(added_up(rows, loads, d), count)

    def bound(shard: int, indptr: Ints, indices: Ids, weight: Ints, now: Ints) -> pa.RecordBatch:
        found, _ = pairs.pair_bounds(indptr, indices, weight, d, k, only=home == shard)
        own = np.flatnonzero(home == shard)
        return as_batch({"item": own.astype(np.int32), "bound": found[own]})

    shards = Shards(home=home, bound=np.full(d, d, np.int64), count=count, k=k)
    found = in_each(scatter(rows, shards, Centers.none(), 1, shards.bound > 0), bound, "item int, bound long")
    return Shards(home=home, bound=as_array(found, d), count=count, k=k)


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
) -> tuple[Ids, Ints]:
    """Find patterns of `length` items among the rows that take none of the centers `taken`, in one job.

    None may be longer. Returns those that shards have chosen, one in each row, those that gain most first, and how long
    the patterns can be that each shard could still propose, as long as rows only become fewer. Given that for earlier
    rows (`longest`), shards with shorter ones are not asked, and those that find none tell how long theirs are, down to
    half the length. Rows that have a center, of ``now`` items, up to `slack` more than the length, may help to fill a
    group up. The `patience` is halved here when a search was cut short.
    """
    bounds = np.full(shards.count, length) if longest is None else longest
    least = length if longest is None else max(length // 2, 1)
    asked = bounds >= length
    wanted = (shards.bound >= least) & asked[shards.home]
    scattered = scatter(rows.where(sf.size("items") >= least), shards, taken, least, wanted)
    found = in_each(scattered, mining(shards, length, slack, patience, least), ANSWER).toArrow()
    ptr, items = csr_of(found.column("pattern"))
    gain, shard, own, cut = (found.column(name).to_numpy() for name in ("gain", "shard", "longest", "cut"))
    last = np.diff(ptr) == 0
    patterns = items.reshape(-1, length)
    # Which shard answered first must not show either.
    order = np.lexsort((*patterns.T[::-1], -gain[~last]))
    patience.halvings += int(cut.any())
    bounds = np.where(asked, least - 1, bounds)  # a shard without rows does not answer
    bounds[shard[last]] = own[last]
    return patterns[order], bounds


def scatter(rows: DataFrame, shards: Shards, taken: Centers, length: int, begins: Any) -> DataFrame:
    """Send each row that is left to the shards of those of its items that could begin a pattern (`begins`)."""
    home, count, d = np.where(begins, shards.home, -1).astype(np.int32), shards.count, shards.d

    def send(batch: pa.RecordBatch) -> dict[str, Any]:
        indptr, indices, weight, now = taken.rows_left(batch, d)
        shard, row, ptr, items = kernels.shard_rows(indptr, indices, home, count, length)
        return {"shard": shard, "items": (ptr, items), "weight": weight[row], "now": now[row]}

    return mapped(rows, send, "shard int, items array<int>, weight long, now long", keep=())


def in_each(scattered: DataFrame, work: Mining, columns: str) -> DataFrame:
    """Return what `work` makes of the rows of each shard."""

    def shard(table: pa.Table) -> pa.Table:
        indptr, indices = csr_of(table.column("items"))
        weight, now = (table.column(name).to_numpy() for name in ("weight", "now"))
        # Which task's rows came first must not show: equal gains are settled by the order of the rows.
        order = np.lexsort((weight, now, np.diff(indptr), row_hashes(indptr, indices)))
        number = int(table.column("shard")[0].as_py())
        return pa.Table.from_batches([work(number, *take_rows(indptr, indices, order), weight[order], now[order])])

    return in_groups(scattered, "shard", shard, columns)


def mining(shards: Shards, length: int, slack: int, patience: Patience, least: int) -> Mining:
    """For a shard: patterns of one length that begin with its items, chosen as the local method chooses them.

    Where there are none, it looks how long its patterns are, down to `least`.
    """
    home, limits, k = shards.home, shards.bound, shards.k
    most = max(CANDIDATES // (length * shards.count), 1)

    def answer(shard: int, indptr: Ints, indices: Ids, weight: Ints, now: Ints) -> pa.RecordBatch:
        own = home == shard
        bound = np.where(own, limits, 0)
        # An item that all rows hold stands in front of every pattern, which then begins with it, not with the next.
        if (np.bincount(indices, minlength=len(home)) == len(weight))[own].any():
            bound = limits
        everybody, partners = (
            np.ones(len(weight), np.bool_),
            np.full(len(indices), np.iinfo(np.int32).max - 1, np.int32),
        )
        allowed, size = patience.with_rows(len(indices)), length + 1
        count, cut = 0, False
        while not count and not cut and size > least:
            size -= 1
            rows, ptr, entries = reduction.reduce_rows(indptr, indices, weight, everybody, bound, partners, k, size)
            room = ROOM if size == length else 0
            (pattern, at, tids, count), stop = search.longest_patterns(
                ptr, entries, weight[rows], bound, k, size, room, allowed
            )
            cut = stop < len(bound) and (not count or size == length)
        longest = size if count or cut else least - 1
        patterns, gain = np.empty((0, length), np.int32), np.empty(0, np.int64)
        if count and size == length:
            had, held = now[rows], weight[rows]
            group = np.full(len(rows), -1, np.int64)
            at, tids = at[: count + 1].copy(), tids[: at[count]].copy()
            standing = groups.standing_of(held, had, np.ones(len(rows), np.bool_))
            used = groups.open_groups(at, tids, standing, length, k, slack, group, 0)
            longest = length if cut or len(used) > most else length - 1
            used = used[:most]
            members = (group >= 0) & (group < most)
            gain = np.bincount(group[members], weights=(held * (length - had))[members], minlength=len(used))
            # Items that all rows of a node hold come first in what the search lists.
            patterns = np.sort(pattern[: count * length].reshape(-1, length)[used], axis=1)
        lines = len(patterns) + 1
        return as_batch(
            {
                "pattern": (np.append(np.arange(lines) * length, patterns.size), patterns.astype(np.int32).ravel()),
                "gain": np.append(gain, 0).astype(np.int64),
                "shard": np.full(lines, shard, np.int32),
                "longest": np.full(lines, longest, np.int32),
                "cut": np.full(lines, cut),
            }
        )

    return answer
