"""Numbers that compare a release with its original, or tell how exposed the original is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from covey.errors import InputError
from covey.lazy import load
from covey.progress import Progress, silent
from covey.release.kinds import release_kind
from covey.release.persons import require_same_unit

if TYPE_CHECKING:
    from covey.data import Taxonomy

__all__ = ["Extent", "evaluate"]


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
        Exposure for 1 up to this many known items.
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
    taxonomy: Taxonomy | None = None
    progress: Progress = silent


def evaluate(release: Any, original: Any, seed: int = 0, **extent: Any) -> dict[str, Any]:
    """Every metric of a release, as plain data.

    Parameters
    ----------
    release : a release of any kind
        What was published.
    original : data of the kind it was made from
        What it was made from.
    seed : int
        For drawing queries and cases.
    **extent
        What else `Extent` has, such as ``queries=500`` or ``taxonomy=tree``.

    Returns
    -------
    dict
        ``kind``, ``method`` and ``guarantee``. Of groups: ``groups``, ``kl`` by workload, ``exposure`` by number of
        known items, ``patterns``. Of sets: ``gcp``, or ``lm``, ``ncp`` and ``frequent`` along a taxonomy,
        all over public items. Of a table: ``classes``, ``gcp``, ``ncp``, ``query_error``, ``certainty`` by sensitive
        column. Of ratings: ``records_kept``, ``ratings_kept``.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b", "c"]], sensitive=["s"])
    >>> release = covey.anonymize(baskets, "degree(p=2)", seed=0)
    >>> found = evaluate(release, baskets, r=2, known=1)
    >>> sorted(found)
    ['exposure', 'groups', 'guarantee', 'kind', 'kl', 'method', 'patterns']
    """
    measure = release_kind(release.kind).evaluate
    if measure is None:
        raise InputError(f"there are no metrics yet for releases of the kind {release.kind!r}")
    require_same_unit(release.facts(), original)
    head = {"kind": release.kind, "method": release.method, "guarantee": release.guarantee}
    return {**head, **load(measure)(release, original, Extent(seed=seed, **extent))}
