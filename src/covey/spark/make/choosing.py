"""Rows choose among the centers that shards have proposed; those that k rows or more have chosen are kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from covey.arrays import Ids, Ints, Mask
from covey.spark.batches import as_batch
from covey.spark.make.centers import LOTS, Centers, lots_of
from covey.spark.make.shards import Shards
from covey.spark.session import on_worker

#: How often rows choose among the centers that one mining job proposes.
ROUNDS = 3


def choose(
    rows: DataFrame, shards: Shards, taken: Centers, patterns: Ids, *, slack: int = 0, raising: bool = False
) -> Centers:
    """Let the rows that take none of the centers `taken` choose among `patterns`; return those with k rows.

    Each row chooses the first that it holds. Centers with fewer than k rows are dropped and their rows choose again,
    among centers that no row could choose before; a row may so come to hold a kept center too and takes it then.
    """
    length, width = patterns.shape[1], (slack + 1) * LOTS * raising
    long_enough = rows.where(sf.size("items") >= length)
    kept = Centers.none()
    for _ in range(ROUNDS):
        if not len(patterns):
            break
        proposed = Centers.of(patterns, np.full(len(patterns), width))
        counting = _choosing(taken.followed_by(kept), proposed, shards.d)
        counted = (
            long_enough.mapInArrow(on_worker(counting), "center int, class int, weight long, gain long")
            .groupBy("center", "class")
            .agg(sf.sum("weight").alias("weight"), sf.sum("gain").alias("gain"))
            .toArrow()
        )
        center, group, weight, gain = (
            counted.column(name).to_numpy() for name in ("center", "class", "weight", "gain")
        )
        fill, good = _filled(center, group, weight, gain, len(patterns), shards.k)
        if not good.any():
            break
        kept = kept.followed_by(Centers.of(patterns[good], fill[good]))
        patterns = patterns[~good]
    return kept


def _choosing(taken: Centers, proposed: Centers, d: int) -> Any:
    """For `mapInArrow`: weight and gain of the rows that choose each center.

    Class 0 are rows that gain; the others come in the order in which they are asked to fill a group up.
    """
    lengths = proposed.lengths()
    width = int(proposed.fill.max(initial=0)) + 1

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            indptr, indices, weight, now = taken.rows_left(batch, d)
            choice = proposed.taken_by(indptr, indices, d, now)
            rows = np.flatnonzero(choice >= 0)
            ahead = lengths[choice[rows]] - now[rows]
            lot = lots_of(indptr, indices, d)[rows]
            cell = choice[rows] * width + np.where(ahead > 0, 0, 1 - ahead * LOTS + lot)
            cells, at = np.unique(cell, return_inverse=True)
            sums = (np.bincount(at, x, len(cells)) for x in (weight[rows], weight[rows] * ahead))
            weights, gains = (total.astype(np.int64) for total in sums)
            yield as_batch(
                {
                    "center": (cells // width).astype(np.int32),
                    "class": (cells % width).astype(np.int32),
                    "weight": weights,
                    "gain": gains,
                }
            )

    return count


def _filled(center: Ids, group: Ids, weight: Ints, gain: Ints, count: int, k: int) -> tuple[Ints, Mask]:
    """How many classes of rows each center needs to reach k, and whether it then gains anything at all."""
    order = np.lexsort((group, center))
    center, group, weight, gain = center[order], group[order], weight[order], gain[order]
    begin = np.searchsorted(center, np.arange(count))
    end = np.searchsorted(center, np.arange(count), side="right")
    sums, gains = np.concatenate([[0], np.cumsum(weight)]), np.concatenate([[0], np.cumsum(gain)])
    # The first place in each center's run at which its rows weigh k; the rows of class 0 all come in.
    need = np.searchsorted(sums, sums[begin] + k)
    gainers = begin + ((begin < end) & (np.append(group, 1)[np.minimum(begin, len(group))] == 0))
    last = np.maximum(need, gainers)
    fits = need <= end
    last = np.where(fits, last, begin)
    total = gains[last] - gains[begin]
    fill = np.where(last > gainers, np.append(group, 0)[np.maximum(last - 1, 0)], 0)
    return fill.astype(np.int64), fits & (total > 0)
