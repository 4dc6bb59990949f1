"""What a grouped release is still good for, measured on Spark against its original: the figures of `covey evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from covey.engines.spark.exposure import exposures
from covey.engines.spark.frames import read
from covey.engines.spark.kl import kl
from covey.engines.spark.published import pair
from covey.metrics.kl import WORKLOADS
from covey.progress import Progress, silent


def evaluate(
    release: str | Path,
    original: Any,
    *,
    r: int = 4,
    queries: int = 100,
    known: int = 4,
    seed: int = 0,
    master: str | None = None,
    progress: Progress = silent,
    **reading: Any,
) -> dict[str, Any]:
    """KL error for each workload, and exposure by number of known items.

    Parameters
    ----------
    release : path
        A grouped release in Parquet, written on Spark or locally.
    original : DataFrame, Sets or path
        What it was made from; the release says which items are sensitive.
    r, queries : int
        Published items per KL query, and queries of each workload.
    known : int
        Exposure for 1 up to so many known items.
    seed : int
        For drawing queries and cases; the queries are those of the local metric.
    master : str or None
        Where to run when there is no Spark session yet.
    progress : callable
        Told of the stages.
    **reading
        How to read the original, as for `covey.engines.spark.read`.

    Returns
    -------
    dict
        What ``covey evaluate --engine spark --json`` prints.
    """
    progress("reading", 0.0)
    sets = read(original, master=master, **reading).persist()
    try:
        both = pair(release, sets)
        # The release is passed over once for each workload and three times for exposure.
        both.transactions.persist()
        try:
            fitting = max(1, min(r, both.d))
            divergence = {}
            for done, workload in enumerate(WORKLOADS):
                progress("measuring", done / (len(WORKLOADS) + 1))
                error = kl(both, r=fitting, queries=queries, workload=workload, seed=seed)
                divergence[workload] = {"r": fitting, **error.to_dict()}
            progress("measuring", len(WORKLOADS) / (len(WORKLOADS) + 1))
            seen = [one.to_dict() for one in exposures(both, known, seed=seed)]
        finally:
            both.transactions.unpersist()
    finally:
        sets.unpersist()
    return {
        "kind": both.manifest.kind,
        "method": both.manifest.method,
        "guarantee": both.manifest.guarantee,
        "groups": both.manifest.counts["groups"],
        "kl": divergence,
        "exposure": seen,
    }
