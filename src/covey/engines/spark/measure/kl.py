"""KL reconstruction error on Spark: the queries and the figures of `covey.metrics.kl`, summed up where the rows are.

One pass over the original counts the cells in which a queried sensitive item occurs; they, at most 2^r per query, reach
the driver and go out again with one pass over the release, in which every row carries its group's shares and adds to
the estimates on its own. Only rows of groups that hold a queried item take part in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from pyspark.sql import functions as sf

from covey.arrays import Floats, Ids, Ints
from covey.engines.spark.batches import as_batch, csr_of, gathered
from covey.engines.spark.measure.published import Pair
from covey.engines.spark.session import on_worker
from covey.engines.spark.sums import added_up
from covey.errors import other_original
from covey.kernels.measure import kl as kernels  # as a module: Spark would send a kernel without its cache
from covey.kernels.shared.csr import keep_items
from covey.metrics.kl import KLError, Workload, divergences, draw_by_support, query_index, summary

Index = tuple[Ints, Ids, Ints, Ids, Ids]

#: Entries of the original looked at together; an occurrence of a sensitive item makes a key per query that asks for it.
TOGETHER = 1_000_000


def kl(pair: Pair, *, r: int = 4, queries: int = 100, workload: str = "uniform", seed: int | None = 0) -> KLError:
    """KL error of the estimates that a release allows, against its original; equal to the local metric's.

    Parameters
    ----------
    pair : Pair
        The release and its original.
    r : int
        Published items per query, at most 16.
    queries : int
        Size of the workload.
    workload : {"uniform", "support"}
        Items drawn uniformly (mostly rare ones), or in proportion to their support.
    seed : int or None
        For drawing the queries; the same queries as `covey.metrics.kl` draws by it.
    """
    original = pair.original
    asked = draw_by_support(original.supports, original.sensitive, r=r, queries=queries, workload=workload, seed=seed)
    return evaluate_workload(pair, asked)


def evaluate_workload(pair: Pair, asked: Workload) -> KLError:
    """KL error of each query of a workload, by one pass over the original and one over the release."""
    index = query_index(asked.sensitive, asked.items, pair.m, pair.d)
    totals = pair.original.supports[pair.original.sensitive][asked.sensitive]
    keys, found = _actual(pair, index)
    estimated = _estimated(pair, index, keys, np.unique(asked.sensitive))
    return summary(divergences(keys, found, estimated, totals))


def _actual(pair: Pair, index: Index) -> tuple[Ints, Ints]:
    """The cells in which the sensitive items of the queries occur, ascending, and how often."""
    public, secret = pair.public, pair.secret

    def count(batches: Iterable[Any]) -> Iterator[Any]:
        for table in gathered(batches, entries=TOGETHER):
            rows = csr_of(table.column("items"))
            (indptr, items), (ptr, codes) = keep_items(*rows, public), keep_items(*rows, secret)
            occurrences = kernels.actual_cells(indptr, items, ptr, codes, *index)
            keys, found = np.unique(occurrences, return_counts=True)
            yield as_batch({"key": keys, "found": found.astype(np.int64)})

    counted = pair.original.rows().select("items").mapInArrow(on_worker(count), "key long, found long")
    table = counted.groupBy("key").agg(sf.sum("found").alias("found")).toArrow()
    keys = table.column("key").to_numpy()
    order = np.argsort(keys)
    return keys[order], table.column("found").to_numpy()[order]


def _estimated(pair: Pair, index: Index, keys: Ints, asked: Ints) -> Floats:
    """The estimated count of each cell in `keys`."""
    public = pair.public

    def estimate(batches: Iterable[Any]) -> Floats:
        total = np.zeros(len(keys), np.float64)
        for batch in batches:
            item_ptr, items = keep_items(*csr_of(batch.column("items")), public)
            groups = np.arange(len(item_ptr))
            ptr, codes = csr_of(batch.column("codes"))
            share = batch.column("share").flatten().to_numpy(zero_copy_only=False)
            # Every row is a group of its own, of size 1, with the share of its real group as its count.
            total += kernels.estimated_cells(item_ptr, items, groups, ptr, codes, share, *index, keys)
        return total

    estimated = added_up(pair.shares(asked, all_rows=False), estimate, len(keys), "double")
    if not bool((estimated > 0).all()):
        raise other_original("the release estimates 0 for what the original holds, so it was not made from it")
    return estimated
