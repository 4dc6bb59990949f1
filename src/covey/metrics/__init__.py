"""Numbers that compare a release with its original, or tell how exposed the original is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from covey.progress import Progress

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
    taxonomy: Any = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Every metric of a release, as plain data.

    Parameters
    ----------
    release : a release of any kind
        What was published.
    original : Baskets, Ratings or Table
        What it was made from.
    seed : int
        For drawing queries and cases.
    r, queries
        Published items per KL query, and queries per workload.
    known : int
        Exposure for 1 up to so many known items.
    top : int
        How many frequent itemsets to look up.
    taxonomy : Taxonomy or None
        What the labels of generalized sets were generalized along.
    progress : callable or None
        Told of the stages.

    Returns
    -------
    dict
        ``kind``, ``method`` and ``guarantee``. Of groups: ``groups``, ``kl`` by workload, ``exposure`` by number of
        known items, ``patterns``. Of sets: ``gcp``, or ``lm``, ``ncp`` and ``frequent`` along a taxonomy. Of a table:
        ``classes``, ``gcp``, ``ncp``, ``query_error``, ``certainty`` by sensitive column. Of ratings: ``records_kept``,
        ``ratings_kept``.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b", "c"]], sensitive=["s"])
    >>> release = covey.anonymize(baskets, "degree(p=2)", seed=0)
    >>> found = evaluate(release, baskets, r=2, known=1)
    >>> sorted(found)
    ['exposure', 'groups', 'guarantee', 'kind', 'kl', 'method', 'patterns']
    """
    from covey.metrics.evaluation import Extent, evaluate_release
    from covey.progress import silent

    extent = Extent(
        seed=seed,
        r=r,
        queries=queries,
        known=known,
        top=top,
        taxonomy=taxonomy,
        progress=progress or silent,
    )
    return evaluate_release(release, original, extent)
