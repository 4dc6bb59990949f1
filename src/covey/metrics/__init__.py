"""Numbers that compare a release with its original, or tell how exposed the original is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from covey.contracts import Progress

__all__ = ["evaluate"]


def evaluate(
    release: Any,
    original: Any,
    seed: int = 0,
    *,
    r: int = 4,
    queries: int = 100,
    known: int = 4,
    top: int = 100,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Every metric of a grouped release or of a released table, as plain data.

    Parameters
    ----------
    release : GroupedRelease or TableRelease
        What was published.
    original : Baskets or Table
        What it was made from.
    seed : int
        For drawing queries and cases.
    r, queries
        Published items per KL query, and queries per workload.
    known : int
        Exposure for 1 up to so many known items.
    top : int
        How many frequent itemsets to look up.
    progress : callable or None
        Told of the stages.

    Returns
    -------
    dict
        ``method``, ``guarantee``, ``groups``; ``kl`` with a figure for each workload; ``exposure``, a list by
        number of known items; ``patterns``. Of a table: ``classes``, ``gcp``, ``ncp``, ``query_error``.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b", "c"]], sensitive=["s"])
    >>> release = covey.anonymize(baskets, "degree(p=2)", seed=0)
    >>> found = evaluate(release, baskets, r=2, known=1)
    >>> sorted(found)
    ['exposure', 'groups', 'guarantee', 'kl', 'method', 'patterns']
    """
    if release.kind == "table":
        from covey.metrics.gcp_table import gcp_table
        from covey.metrics.query_error import query_error

        return {
            "method": release.method,
            "guarantee": release.guarantee,
            "classes": release.counts()["classes"],
            **gcp_table(release, original).to_dict(),
            "query_error": query_error(release, original, queries=queries, seed=seed).to_dict(),
        }
    from covey.metrics.kl import WORKLOADS, kl
    from covey.metrics.patterns import patterns
    from covey.metrics.reidentification import exposure
    from covey.release.original import parts

    steps = len(WORKLOADS) + known + 1

    def report(done: int) -> None:
        if progress is not None:
            progress("measuring", done / steps)

    public, _ = parts(release, original)
    r = max(1, min(r, public.d))
    divergence = {}
    for done, workload in enumerate(WORKLOADS):
        report(done)
        error = kl(release, original, r=r, queries=queries, workload=workload, seed=seed)
        divergence[workload] = {"r": r, **error.to_dict()}
    seen = []
    for count in range(1, known + 1):
        report(len(WORKLOADS) + count - 1)
        seen.append(exposure(release, original, count, seed=seed).to_dict())
    report(steps - 1)
    return {
        "method": release.method,
        "guarantee": release.guarantee,
        "groups": release.groups,
        "kl": divergence,
        "exposure": seen,
        "patterns": patterns(release, original, top=top).to_dict(),
    }
