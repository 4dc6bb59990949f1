"""What is in data on Spark, and how exposed the people in it are: the figures of `covey inspect`."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyspark.sql import functions as sf

from covey.arrays import Ints
from covey.engines.spark.measure.risk import risks
from covey.engines.spark.sets import Sets
from covey.metrics.profile import FREQUENT, held_items, seemingly_missing, spread, with_degrees


def inspect(sets: Sets, *, known: int, samples: int, seed: int | None) -> dict[str, Any]:
    """Shape, supports and re-identification risk of data on Spark; the risk is that of persons, if they are named.

    Parameters
    ----------
    sets : Sets
        The data; someone who looks for a person does not know the sensitive items.
    known : int
        Risk for 1 up to this many known items.
    samples : int
        Cases drawn for each figure.
    seed : int or None
        For drawing the cases.

    Returns
    -------
    dict
        What ``covey inspect --json`` prints.
    """
    lengths, rows = _lengths(sets)
    supports, n, people = sets.supports, sets.n, sets.by_person()
    top = np.argsort(-supports, kind="stable")[:FREQUENT]
    return {
        "kind": "baskets",
        "transactions": n,
        **_persons(sets),
        "items": sets.d,
        "entries": sets.entries,
        "density": sets.entries / max(n * sets.d, 1),
        "empty_transactions": int(rows[lengths == 0].sum()),
        "length": spread(lengths, rows),
        "support": spread(*np.unique(supports, return_counts=True)),
        "items_seen_once": int((supports == 1).sum()),
        "seemingly_missing": seemingly_missing(sets.items, supports),
        "most_frequent": held_items(sets.items, supports, top),
        "risk": [risk.to_dict() for risk in risks(people, known, samples=samples, seed=seed)],
        "sensitive": with_degrees(sets, supports, people.n, people.supports),
    }


def _persons(sets: Sets) -> dict[str, Any]:
    """How many persons there are, and how many transactions each has, where they are named."""
    if sets.owned is None:
        return {}
    each = sets.owned.groupBy("person").agg(sf.count("*").alias("rows"))
    table = each.groupBy("rows").agg(sf.count("*").alias("persons")).orderBy("rows").toArrow()
    found = spread(table.column("rows").to_numpy(), table.column("persons").to_numpy())
    return {"persons": sets.persons, "rows_per_person": found}


def _lengths(sets: Sets) -> tuple[Ints, Ints]:
    """The different lengths of transactions, ascending, and how many have each."""
    table = sets.frame.groupBy(sf.size("items").alias("length")).agg(sf.sum("weight").alias("rows")).toArrow()
    lengths = table.column("length").to_numpy().astype(np.int64)
    order = np.argsort(lengths)
    return lengths[order], table.column("rows").to_numpy()[order]
