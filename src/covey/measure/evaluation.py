"""All metrics that fit a release, by its kind, as plain data; `covey.measure.evaluate` calls them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from covey.data import Baskets, Ratings, Records, Table
from covey.data.postings import postings
from covey.measure import Extent
from covey.measure.certainty import certainty
from covey.measure.frequent import frequent
from covey.measure.gcp import gcp, gcp_table
from covey.measure.itemsets import itemsets
from covey.measure.kl import WORKLOADS, draw_workload, evaluate_workload
from covey.measure.lm import lm, ncp
from covey.measure.patterns import patterns
from covey.measure.person_view import by_person
from covey.measure.query_error import query_error
from covey.measure.record_loss import record_loss
from covey.measure.reidentification import exposure, same_rows
from covey.measure.uniqueness import before_and_after
from covey.parameters import parse_call
from covey.release.chunks.model import ChunksRelease
from covey.release.grouped.model import GroupedRelease
from covey.release.grouped.original import holders, marked, parts
from covey.release.ratings import RatingsRelease
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease
from covey.release.table.model import TableRelease
from covey.threads import parallel
from covey.verify.placing import placing


def of_grouped(release: GroupedRelease, original: Baskets, extent: Extent) -> dict[str, Any]:
    """KL error for each workload, exposure by number of known items, and patterns that survive.

    Queries and patterns are about transactions, exposure is about persons where the release counts them.
    """
    public, _ = parts(release, original)
    r = max(1, min(extent.r, public.d))
    people, whole, drawn = by_person(release, original), marked(release, original), {"r": r, "seed": extent.seed}
    asked = [draw_workload(whole, queries=extent.queries, workload=each, **drawn) for each in WORKLOADS]
    # Shared by what runs in parallel below, so computed first; the comparison of rows takes most memory.
    public_people = parts(*people)[0]
    through = people[0].transactions if same_rows(people[0].transactions, public_people) else public_people
    for seen in {release.transactions, through}:
        postings(seen)
    for pair in {(release, original), people}:
        holders(*pair)
    # The longest first, so that nothing long is left when all else is done.
    exposed = [partial(exposure, *people, known, seed=extent.seed) for known in range(extent.known, 0, -1)]
    work: list[Callable[[], Any]] = [
        lambda: patterns(release, original, top=extent.top),
        *exposed,
        *(partial(evaluate_workload, release, original, each) for each in asked),
    ]
    found, *rest = parallel(lambda one: one(), work, partial(extent.progress, "measuring"))
    # As large as the original, and of little use for attacks.
    postings.cache_clear()
    holders.cache_clear()
    told: dict[str, Any] = {}
    if release.persons is not None:
        told = {"transactions": release.transactions.n, **placing(release, original.as_baskets()).figures}
    return {
        "groups": release.groups,
        **told,
        "kl": {each: {"r": r, **rest[len(exposed) + at].to_dict()} for at, each in enumerate(WORKLOADS)},
        "exposure": [seen.to_dict() for seen in reversed(rest[: len(exposed)])],
        "patterns": found.to_dict(),
    }


def of_sets(release: SetsRelease, original: Baskets, extent: Extent) -> dict[str, Any]:
    """Share of items kept as they were and, along a taxonomy, the loss and the itemsets that survive."""
    body: dict[str, Any] = {**release.counts(), "recoded": release.recoded}
    if parse_call(release.guarantee)[0] == "km-anonymity":
        body["itemsets"] = itemsets(release, original, seed=extent.seed).to_dict()
    if release.recoded != "global":
        body["gcp"] = gcp(release, original).to_dict()
    # A recoding that leads to items alone, or to the one label for all the rest, needs no taxonomy to be understood.
    plain = release.recoded == "global" and {*release.transactions.items} <= {*original.items, release.rest}
    if extent.taxonomy is not None or plain:
        extent.progress("measuring", 0.3)
        body["lm"] = lm(release, original, extent.taxonomy)
        body["ncp"] = ncp(release, original, extent.taxonomy)
        extent.progress("measuring", 0.6)
        body["frequent"] = frequent(release, original, extent.taxonomy).to_dict()
    return body


def of_chunks(release: ChunksRelease, original: Baskets, extent: Extent) -> dict[str, Any]:
    """What is counted of the items, and what is left of itemsets."""
    extent.progress("measuring", 0.1)
    known = release.original(original)
    return {
        **release.counts(),
        "counted": release.parts.entries / known.entries if known.entries else 1.0,
        "together": float(np.mean(release.parts.lengths()[release.part_of_entry()] > 1))
        if release.parts.entries
        else 0.0,
        "itemsets": itemsets(release, original, seed=extent.seed).to_dict(),
    }


def of_table(release: TableRelease, original: Table, extent: Extent) -> dict[str, Any]:
    """GCP as a whole and by column, the error of count queries, and how well sensitive values are guessed."""
    columns = min(2, len(original.of_role("quasi")))
    asked = query_error(release, original, queries=extent.queries, columns=columns, seed=extent.seed)
    return {
        "classes": release.counts()["classes"],
        **gcp_table(release, original).to_dict(),
        "query_error": asked.to_dict(),
        "certainty": [found.to_dict() for found in certainty(release, original)],
    }


def of_ratings(release: RatingsRelease, original: Ratings, extent: Extent) -> dict[str, Any]:
    """Which share of the records and of the ratings is published, and how unique records were and are."""
    published = release.ratings
    return {
        "records": published.n,
        "suppressed_records": release.suppressed_records,
        "ratings": published.entries,
        "records_kept": published.n / max(original.n, 1),
        "ratings_kept": published.entries / max(original.entries, 1),
        "scale": published.scale.text,
        "rounded_from": None if release.rounded_from is None else release.rounded_from.text,
        "uniqueness": before_and_after(release, original, seed=extent.seed),
    }


def of_records(release: RecordsRelease, original: Records, extent: Extent) -> dict[str, Any]:
    """What attributes and items have lost, and how many persons share a class."""
    return {**release.counts(), **record_loss(release, original, extent.taxonomy).to_dict()}
