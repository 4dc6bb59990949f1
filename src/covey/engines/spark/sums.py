"""Sums over all rows on Spark: each task adds up its own, and one number for each place reaches the driver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from covey.engines.spark.batches import as_batch
from covey.engines.spark.session import on_worker


def added_up(
    frame: DataFrame, work: Callable[[Iterator[Any]], NDArray[Any]], size: int, kind: str = "long"
) -> NDArray[Any]:
    """What `work` makes of the batches of each task, an array of `size` numbers, added up over all tasks."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        total = work(batches)
        at = np.flatnonzero(total)
        yield as_batch({"at": at, "total": total[at]})

    found = frame.mapInArrow(on_worker(run), f"at long, total {kind}")
    return as_array(found.groupBy("at").agg(sf.sum("total")), size)


def as_array(frame: DataFrame, size: int, otherwise: int = 0) -> NDArray[Any]:
    """A frame of places below `size` and their numbers as an array; places that it does not name have `otherwise`."""
    places, numbers = (column.to_numpy() for column in frame.toArrow().columns)
    found = np.full(size, otherwise, numbers.dtype)
    found[places] = numbers
    return found
