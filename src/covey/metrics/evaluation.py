"""All metrics that fit a release, by its kind, as plain data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from covey.errors import InputError
from covey.progress import Progress, silent


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much to measure; each kind of release takes what it needs.

    Attributes
    ----------
    seed : int
        For drawing queries and cases.
    r, queries : int
        Published items per KL query, and queries per workload.
    known : int
        Exposure for 1 up to so many known items.
    top : int
        How many frequent itemsets to look up.
    taxonomy : Taxonomy or None
        What labels were generalized along.
    progress : callable
        Told of the stages.
    """

    seed: int = 0
    r: int = 4
    queries: int = 100
    known: int = 4
    top: int = 100
    taxonomy: Any = None
    progress: Progress = silent


def of_grouped(release: Any, original: Any, extent: Extent) -> dict[str, Any]:
    """KL error for each workload, exposure by number of known items, and patterns that survive."""
    from covey.metrics.kl import WORKLOADS, kl
    from covey.metrics.patterns import patterns
    from covey.metrics.reidentification import exposure
    from covey.release.grouped.original import parts

    steps = len(WORKLOADS) + extent.known + 1
    public, _ = parts(release, original)
    r = max(1, min(extent.r, public.d))
    divergence = {}
    for done, workload in enumerate(WORKLOADS):
        extent.progress("measuring", done / steps)
        error = kl(release, original, r=r, queries=extent.queries, workload=workload, seed=extent.seed)
        divergence[workload] = {"r": r, **error.to_dict()}
    seen = []
    for count in range(1, extent.known + 1):
        extent.progress("measuring", (len(WORKLOADS) + count - 1) / steps)
        seen.append(exposure(release, original, count, seed=extent.seed).to_dict())
    extent.progress("measuring", (steps - 1) / steps)
    return {
        "groups": release.groups,
        "kl": divergence,
        "exposure": seen,
        "patterns": patterns(release, original, top=extent.top).to_dict(),
    }


def of_sets(release: Any, original: Any, extent: Extent) -> dict[str, Any]:
    """Share of items kept as they were and, along a taxonomy, the loss and the itemsets that survive."""
    from covey.metrics.frequent import frequent
    from covey.metrics.gcp import gcp
    from covey.metrics.lm import lm
    from covey.metrics.ncp import ncp

    body: dict[str, Any] = dict(release.counts())
    if release.recoding is None:
        body["gcp"] = gcp(release, original).to_dict()
    if extent.taxonomy is not None or (
        release.recoding is not None and set(release.transactions.items) <= set(original.items)
    ):
        extent.progress("measuring", 0.3)
        body["lm"] = lm(release, original, extent.taxonomy)
        body["ncp"] = ncp(release, original, extent.taxonomy)
        extent.progress("measuring", 0.6)
        body["frequent"] = frequent(release, original, extent.taxonomy).to_dict()
    return body


def of_table(release: Any, original: Any, extent: Extent) -> dict[str, Any]:
    """GCP as a whole and by column, the error of count queries, and how well sensitive values are guessed."""
    from covey.metrics.certainty import certainty
    from covey.metrics.gcp_table import gcp_table
    from covey.metrics.query_error import query_error

    return {
        "classes": release.counts()["classes"],
        **gcp_table(release, original).to_dict(),
        "query_error": query_error(release, original, queries=extent.queries, seed=extent.seed).to_dict(),
        "certainty": [found.to_dict() for found in certainty(release, original)],
    }


def of_ratings(release: Any, original: Any, extent: Extent) -> dict[str, Any]:
    """Which share of the records and of the ratings is published."""
    published = release.ratings
    return {
        "records": published.n,
        "suppressed_records": release.suppressed_records,
        "ratings": published.entries,
        "records_kept": published.n / max(original.n, 1),
        "ratings_kept": published.entries / max(original.entries, 1),
    }


#: What is measured of each kind of release.
EVALUATIONS: dict[str, Callable[[Any, Any, Extent], dict[str, Any]]] = {
    "generalized": of_sets,
    "grouped": of_grouped,
    "ratings": of_ratings,
    "table": of_table,
}


def evaluate_release(release: Any, original: Any, extent: Extent) -> dict[str, Any]:
    """Everything covey measures of a release of this kind, with its method and guarantee."""
    if release.kind not in EVALUATIONS:
        raise InputError(f"there are no metrics for releases of the kind {release.kind!r}")
    head = {"kind": release.kind, "method": release.method, "guarantee": release.guarantee}
    return {**head, **EVALUATIONS[release.kind](release, original, extent)}
