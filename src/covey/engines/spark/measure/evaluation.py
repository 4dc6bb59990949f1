"""What a grouped release is still good for, measured on Spark against its original: the figures of `covey evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from covey.engines.spark.measure.exposure import exposures
from covey.engines.spark.measure.kl import kl
from covey.engines.spark.measure.persons import by_person
from covey.engines.spark.measure.published import pair
from covey.engines.spark.sets import Sets
from covey.metrics import Extent
from covey.metrics.kl import WORKLOADS
from covey.verify.placing import person_figures


def evaluate(release: str | Path, original: Sets, extent: Extent) -> dict[str, Any]:
    """KL error for each workload, and exposure by number of known items: of persons where the release counts them.

    Parameters
    ----------
    release : path
        A grouped release in Parquet, written on Spark or locally.
    original : Sets
        What it was made from; the release says which items are sensitive.
    extent : Extent
        How much to measure. The queries are those that the local metric draws by the same seed.

    Returns
    -------
    dict
        What ``covey evaluate --engine spark --json`` prints.
    """
    both = pair(release, original)
    people, unsure = by_person(both)
    # The release is passed over once for each workload and three times for exposure.
    both.transactions.persist()
    try:
        fitting = max(1, min(extent.r, both.d))
        divergence = {}
        for done, workload in enumerate(WORKLOADS):
            extent.progress("measuring", done / (len(WORKLOADS) + 1))
            error = kl(both, r=fitting, queries=extent.queries, workload=workload, seed=extent.seed)
            divergence[workload] = {"r": fitting, **error.to_dict()}
        extent.progress("measuring", len(WORKLOADS) / (len(WORKLOADS) + 1))
        seen = [one.to_dict() for one in exposures(people, extent.known, seed=extent.seed)]
    finally:
        both.transactions.unpersist()
    counts = both.manifest.counts
    told: dict[str, Any] = {}
    if "persons" in counts:
        told = {"transactions": counts["transactions"], **person_figures(counts["persons"], unsure)}
    return {
        "kind": both.manifest.kind,
        "method": both.manifest.method,
        "guarantee": both.manifest.guarantee,
        "groups": counts["groups"],
        **told,
        "kl": divergence,
        "exposure": seen,
    }
