"""What a grouped release is still good for, measured on Spark against its original: the figures of `covey evaluate`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import functions as sf

from covey.arrays import Floats, Ids, Ints
from covey.data.csr import keep_items
from covey.errors import ParameterError, other_original
from covey.measure import kl as kernels  # as a module: Spark would send a kernel without its cache
from covey.measure.evaluation import Extent
from covey.measure.kl import WORKLOADS, KLError, divergences, draw_by_support, query_index, summary
from covey.release.persons import counts_persons, require_same_unit
from covey.spark.batches import added_up, as_batch, csr_of, gathered
from covey.spark.measure.exposure import exposures
from covey.spark.measure.published import Pair, pair
from covey.spark.session import on_worker
from covey.spark.sets import Sets


def by_person(pair: Pair) -> tuple[Pair, int]:
    """Release and original with one set per person, and how many of these could be in several groups.

    As they are where the release counts transactions. A person is in the group in which a basket is published that no
    other group has; one all of whose baskets have twins in other groups may be in any of these, and one is taken.

    Raises
    ------
    ParameterError
        The release counts persons, and nobody has said who they are in the original; or it counts transactions, and
        persons have several.
    InputError
        A person's baskets are not in the release.
    """
    original = pair.original
    require_same_unit(pair.manifest.facts, original)
    if not counts_persons(pair.manifest.facts):
        return replace(pair, original=replace(original, owned=None, people=None)), 0
    if original.people is None or original.owned is None:
        raise ParameterError(
            "This release counts persons. Say which column of the original names them: --person COLUMN (person=)."
        )
    people = original.people
    assert people.owned is not None
    where = pair.transactions.groupBy("items").agg(sf.min("group").alias("group"), sf.max("group").alias("last"))
    only = sf.when(sf.col("group") == sf.col("last"), sf.col("group"))
    homes = (
        original.owned.select("person", original.public().alias("items"))
        .join(where, "items")
        .groupBy("person")
        .agg(sf.coalesce(sf.min(only), sf.min("group")).alias("group"), sf.min(only).isNull().alias("unsure"))
    )
    rows = people.owned.join(homes, "person").persist()
    found = rows.agg(sf.count("*").alias("n"), sf.count_if("unsure").alias("unsure")).first()
    if found is None or found["n"] != people.n:
        raise other_original("the release lacks all baskets of a person of the original")
    marked = sf.array(*(sf.lit(int(i)) for i in np.flatnonzero(people.sensitive))).cast("array<int>")
    held = rows.select("group", sf.explode(people.secret()).alias("item")).groupBy("group", "item")
    seen = replace(
        pair,
        original=people,
        transactions=rows.select("group", people.public().alias("items")),
        counts=held.agg(sf.count("*").alias("count")).select(
            "group", (sf.array_position(marked, sf.col("item")) - 1).cast("int").alias("code"), "count"
        ),
    )
    return seen, int(found["unsure"])


Index = tuple[Ints, Ids, Ints, Ids, Ids]

#: Entries of the original looked at together; an occurrence of a sensitive item makes a key per query that asks for it.
TOGETHER = 1_000_000


def kl(pair: Pair, *, r: int = 4, queries: int = 100, workload: str = "uniform", seed: int | None = 0) -> KLError:
    """KL error of the estimates that a release allows, against its original; equal to the local metric's.

    Parameters
    ----------
    pair : Pair
        The release and its original.
    r : int
        Published items per query, at most 16.
    queries : int
        Size of the workload.
    workload : {"uniform", "support"}
        Items drawn uniformly (mostly rare ones), or in proportion to their support.
    seed : int or None
        For drawing the queries; the same queries as `covey.measure.kl` draws by it.
    """
    original = pair.original
    asked = draw_by_support(original.supports, original.sensitive, r=r, queries=queries, workload=workload, seed=seed)
    index = query_index(asked.sensitive, asked.items, pair.m, pair.d)
    totals = original.supports[original.sensitive][asked.sensitive]
    keys, found = _actual(pair, index)
    estimated = _estimated(pair, index, keys, np.unique(asked.sensitive))
    return summary(divergences(keys, found, estimated, totals))


def _actual(pair: Pair, index: Index) -> tuple[Ints, Ints]:
    """The cells in which the sensitive items of the queries occur, ascending, and how often."""
    public, secret = pair.public, pair.secret

    def count(batches: Iterable[Any]) -> Iterator[Any]:
        for table in gathered(batches, entries=TOGETHER):
            rows = csr_of(table.column("items"))
            (indptr, items), (ptr, codes) = keep_items(*rows, public), keep_items(*rows, secret)
            occurrences = kernels.actual_cells(indptr, items, ptr, codes, *index)
            keys, found = np.unique(occurrences, return_counts=True)
            yield as_batch({"key": keys, "found": found.astype(np.int64)})

    counted = pair.original.rows().select("items").mapInArrow(on_worker(count), "key long, found long")
    table = counted.groupBy("key").agg(sf.sum("found").alias("found")).toArrow()
    keys = table.column("key").to_numpy()
    order = np.argsort(keys)
    return keys[order], table.column("found").to_numpy()[order]


def _estimated(pair: Pair, index: Index, keys: Ints, asked: Ints) -> Floats:
    """The estimated count of each cell in `keys`."""
    public = pair.public

    def estimate(batches: Iterable[Any]) -> Floats:
        total = np.zeros(len(keys), np.float64)
        for batch in batches:
            item_ptr, items = keep_items(*csr_of(batch.column("items")), public)
            groups = np.arange(len(item_ptr))
            ptr, codes = csr_of(batch.column("codes"))
            share = batch.column("share").flatten().to_numpy(zero_copy_only=False)
            # Every row is a group of its own, of size 1, with the share of its real group as its count.
            total += kernels.estimated_cells(item_ptr, items, groups, ptr, codes, share, *index, keys)
        return total

    estimated = added_up(pair.shares(asked, all_rows=False), estimate, len(keys), "double")
    if not bool((estimated > 0).all()):
        raise other_original("the release estimates 0 for what the original holds, so it was not made from it")
    return estimated


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
        told = {"transactions": counts["transactions"], **_person_figures(counts["persons"], unsure)}
    return {
        "kind": both.manifest.kind,
        "method": both.manifest.method,
        "guarantee": both.manifest.guarantee,
        "groups": counts["groups"],
        **told,
        "kl": divergence,
        "exposure": seen,
    }


def _person_figures(persons: int, unsure: int) -> dict[str, Any]:
    """How many persons are measured, and how many of them could be in several groups."""
    note = (
        f"Figures by person are approximate: {unsure:,} of {persons:,} persons could be in several groups; each was "
        "put into one of them."
    )
    return {"persons": persons, "unsure_persons": unsure, **({"approximate": note} if unsure else {})}
