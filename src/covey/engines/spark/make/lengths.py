"""How long patterns can still be: every shard finds its own longest length, in one job."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from covey.arrays import Ids, Ints
from covey.engines.spark.batches import as_batch
from covey.engines.spark.make.centers import Centers
from covey.engines.spark.make.shards import Patience, Shards, beginnings, on_shard, scatter, usable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def next_length(rows: DataFrame, shards: Shards, taken: Centers, empty: int, *, patience: Patience) -> int:
    """The greatest length below `empty` that has patterns among the rows that take none of the centers, or 0.

    Each shard finds the greatest length of its own, in one job. The rows that are sent have half the length at least;
    where nothing so long is found, the next job goes down to a quarter, and so on.
    """
    from pyspark.sql import functions as sf

    while empty > 1:
        least = max(empty // 2, 1)
        scattered = scatter(rows.where(sf.size("items") >= least), shards, taken, least)
        probing = on_shard(_probing(shards, least, empty, patience))
        found = scattered.groupBy("shard").applyInArrow(probing, "length int, cuts int").toArrow()
        length, cuts = (found.column(name).to_numpy() for name in ("length", "cuts"))
        patience.halvings += int(cuts.max(initial=0))
        if length.max(initial=0):
            return int(length.max())
        empty = least
    return 0


def _probing(shards: Shards, least: int, empty: int, patience: Patience) -> Any:
    """For a shard: the greatest length from `least` to below `empty` that has patterns, or 0; and probes cut short."""
    home, limits, k = shards.home, shards.bound, shards.k

    def search(shard: int, indptr: Ints, indices: Ids, weight: Ints, now: Ints) -> Any:
        from covey.kernels.methods.pattern_nodes import BOTH
        from covey.kernels.methods.pattern_search import longest_patterns

        bound = beginnings(shard, home, limits, indices, len(weight))
        own = Patience(patience.most, patience.halvings)

        def exist(length: int) -> bool:
            rows, ptr, entries = usable(indptr, indices, weight, bound, k, length)
            allowed = own.with_rows(len(indices))
            role = np.full(len(rows), BOTH, np.uint8)
            found, stop = longest_patterns(ptr, entries, weight[rows], role, bound, k, length, 0, allowed)
            own.halvings += stop < len(bound) and found[3] == 0
            return bool(found[3] > 0)

        length = greatest(exist, least, min(empty, int(bound.max(initial=0)) + 1))
        cuts = own.halvings - patience.halvings
        return as_batch({"length": np.array([length], np.int32), "cuts": np.array([cuts], np.int32)})

    return search


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
