"""All metrics that fit a release, by its kind, as plain data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, singledispatch
from typing import Any

import numpy as np

from covey.data import Baskets, Ratings, Records, Table, Taxonomy
from covey.data.postings import postings
from covey.errors import InputError
from covey.measure.exposure import exposure
from covey.measure.itemsets import frequent, itemsets
from covey.measure.kl import WORKLOADS, answer, draw_workload
from covey.measure.loss import gcp, gcp_table, lm, record_loss
from covey.measure.model import figures_of
from covey.measure.patterns import patterns
from covey.measure.study import Study
from covey.measure.table import certainty, query_error
from covey.measure.uniqueness import before_and_after
from covey.parameters import parse_call
from covey.progress import Progress, silent
from covey.release.base import Release, require_same_unit
from covey.release.chunks import ChunksRelease
from covey.release.grouped import GroupedRelease
from covey.release.model import ModelRelease
from covey.release.ratings import RatingsRelease
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease, public_part
from covey.release.table import TableRelease
from covey.tabular import Figures
from covey.threads import parallel


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much to measure; each kind of release takes what it needs."""

    #: For drawing queries and cases.
    seed: int = 0
    #: Published items per KL query, and queries per workload.
    r: int = 4
    queries: int = 100
    #: Exposure for 1 up to this many known items.
    known: int = 4
    #: How many frequent itemsets to look up.
    top: int = 100
    #: What labels were generalized along.
    taxonomy: Taxonomy | None = None
    progress: Progress = silent
    #: Of a grouped release and its original, if others use it, too.
    study: Study | None = None


def evaluate(release: Release, original: object, seed: int = 0, **extent: Any) -> dict[str, Any]:
    """Return every metric of a release, as plain data.

    `extent` is what else `Extent` has, such as ``queries=500`` or ``taxonomy=tree``.

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
    require_same_unit(release.facts(), original)
    head = {"kind": release.kind, "method": release.method, "guarantee": release.guarantee}
    return {**head, **figures(release, original, Extent(seed=seed, **extent))}


@singledispatch
def figures(release: Release, original: object, extent: Extent) -> Figures:
    """Return the metrics that fit a release of this kind."""
    raise InputError(f"there are no metrics yet for releases of the kind {release.kind!r}")


@figures.register
def _grouped(release: GroupedRelease, original: Baskets, extent: Extent) -> Figures:
    """Return KL error for each workload, exposure by number of known items, and patterns that survive.

    Queries and patterns are about transactions, exposure is about persons where the release counts them.
    """
    study = extent.study or Study(release, original, extent.seed)
    r = max(1, min(extent.r, study.public.d))
    drawn = {"r": r, "queries": extent.queries, "seed": extent.seed}
    asked = [draw_workload(study.marked, workload=each, **drawn) for each in WORKLOADS]
    # Shared by what runs in parallel below, so computed first; the comparison of rows takes most memory.
    people = study.people
    lists = [(postings(one.release.transactions), one.holders) for one in (study, people)]
    # The longest first, so that nothing long is left when all else is done.
    work: list[Callable[[], Any]] = [partial(patterns, study, top=extent.top)]
    work += [partial(exposure, people, known, seed=extent.seed) for known in range(extent.known, 0, -1)]
    work += [partial(answer, study, each) for each in asked]
    found, *rest = parallel(lambda one: one(), work, partial(extent.progress, "measuring"))
    # As large as the original, and of little use for attacks.
    postings.cache_clear()
    lists.clear()
    for one in {study, people}:
        del one.holders
    exposed, errors = rest[: extent.known], rest[extent.known :]
    persons = {}
    if release.persons is not None:
        persons = {"transactions": release.transactions.n, "persons": release.persons}
    return {
        "groups": release.groups,
        **persons,
        "kl": {
            each: {"r": r, **error.to_dict(), "blind": without.mean}
            for each, (error, without) in zip(WORKLOADS, errors, strict=True)
        },
        "exposure": [seen.to_dict() for seen in reversed(exposed)],
        "patterns": found.to_dict(),
    }


@figures.register
def _model(release: ModelRelease, original: Baskets | Records, extent: Extent) -> Figures:
    """Return KL error for each workload, and how often answers are within two standard errors."""
    return figures_of(release, original, r=extent.r, queries=extent.queries, seed=extent.seed)


@figures.register
def _sets(release: SetsRelease, original: Baskets, extent: Extent) -> Figures:
    """Return the share of items kept as they were and, along a taxonomy, the loss and the itemsets that survive."""
    body: dict[str, object] = {**release.counts(), "recoded": release.recoded}
    if parse_call(release.guarantee)[0] == "km-anonymity":
        body["itemsets"] = itemsets(release, original, seed=extent.seed).to_dict()
    if release.recoded != "global":
        body["gcp"] = gcp(release, original).to_dict()
    # A recoding that leads to items alone, or to the one label for all the rest, needs no taxonomy to be understood.
    plain = release.recoded == "global" and {*release.transactions.items} <= {*original.items, release.rest}
    if extent.taxonomy is not None or plain:
        extent.progress("measuring", 0.3)
        body["lm"] = loss = lm(release, original, extent.taxonomy)
        body["ncp"] = loss / max(public_part(release, original).entries, 1)
        extent.progress("measuring", 0.6)
        body["frequent"] = frequent(release, original, extent.taxonomy).to_dict()
    return body


@figures.register
def _chunks(release: ChunksRelease, original: Baskets, extent: Extent) -> Figures:
    """Return what is counted of the items, and what is left of itemsets."""
    extent.progress("measuring", 0.1)
    known = release.original(original)
    return {
        **release.counts(),
        "counted": release.parts.entries / known.entries if known.entries else 1.0,
        "together": float(np.mean(release.parts.lengths()[release.parts.row_of_entries()] > 1))
        if release.parts.entries
        else 0.0,
        "itemsets": itemsets(release, original, seed=extent.seed).to_dict(),
    }


@figures.register
def _table(release: TableRelease, original: Table, extent: Extent) -> Figures:
    """Return GCP as a whole and by column, the error of count queries, and how well sensitive values are guessed."""
    columns = min(2, len(original.of_role("quasi")))
    asked = query_error(release, original, queries=extent.queries, columns=columns, seed=extent.seed)
    return {
        "classes": release.counts()["classes"],
        **gcp_table(release, original).to_dict(),
        "query_error": asked.to_dict(),
        "certainty": [found.to_dict() for found in certainty(release, original)],
    }


@figures.register
def _ratings(release: RatingsRelease, original: Ratings, extent: Extent) -> Figures:
    """Return which share of the records and of the ratings is published, and how unique records were and are."""
    published = release.ratings
    return {
        "records": published.n,
        "suppressed_records": release.suppressed_records,
        "ratings": published.entries,
        "records_kept": published.n / max(original.n, 1),
        "empty": int((published.lengths() == 0).sum()),
        "ratings_kept": published.entries / max(original.entries, 1),
        "scale": published.scale.text,
        "rounded_from": None if release.rounded_from is None else release.rounded_from.text,
        "uniqueness": before_and_after(release, original, seed=extent.seed),
    }


@figures.register
def _records(release: RecordsRelease, original: Records, extent: Extent) -> Figures:
    """Return what attributes and items have lost, and how many persons share a class."""
    return {**release.counts(), **record_loss(release, original, extent.taxonomy).to_dict()}
