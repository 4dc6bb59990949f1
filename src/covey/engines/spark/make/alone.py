"""PatternKa on data that one task can hold: the whole search there, by the local method, in one job.

Data flow: the sets, cut down to frequent items where they lie → all in one task, which forms the groups exactly as the
local engine does → the different published sets, which stay with the executors. Nothing reaches the driver. The order
in which rows arrive does not matter: the method brings them into one of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from covey.engines.spark.batches import as_batch, csr_of
from covey.engines.spark.make.suppressed import COLUMNS, publication
from covey.engines.spark.session import on_worker
from covey.engines.spark.sets import Sets
from covey.kernels.shared.csr import keep_items
from covey.methods.pattern_ka import PatternKa
from covey.methods.set_groups import best_groups
from covey.methods.set_patterns import Rows, Search
from covey.progress import silent

#: Entries over frequent items, equal sets counted once, that one task takes alone. It needs about as much memory as a
#: shard of `covey.engines.spark.make.shards.SHARD` entries with its copies.
ALONE = 8_000_000


def publish_alone(sets: Sets, k: int, method: PatternKa) -> DataFrame:
    """What the local method publishes of `sets`, as `covey.engines.spark.make.suppressed` takes it."""
    supports = sets.supports
    frequent = supports >= k

    def cut(batches: Iterator[Any]) -> Iterator[Any]:
        kept = np.where(frequent, np.arange(len(frequent)), -1).astype(np.int32)
        for batch in batches:
            rows = keep_items(*csr_of(batch.column("items")), kept)
            yield as_batch({"items": rows, "weight": batch.column("weight")})

    def search(batches: Iterator[Any]) -> Iterator[Any]:
        table = pa.Table.from_batches(batches)
        weight = table.column("weight").to_numpy()
        rows = Rows.counted(*csr_of(table.column("items")), supports, k, weight)
        del table
        patterns = Search(rows, method.work)
        groups = best_groups(rows, patterns, silent, raising=method.raising, leftovers=method.leftovers)
        codes = rows.items[groups.centers]
        yield publication(groups.center_ptr, codes, *groups.counts(rows), cut_short=patterns.cut_short)

    together = sets.frame.mapInArrow(on_worker(cut), "items array<int>, weight long").repartition(1)
    return together.mapInArrow(on_worker(search), COLUMNS)
