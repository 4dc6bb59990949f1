"""Measure data and releases of Spark with the measures of the local engine, on the driver.

`evaluate` brings all transactions to the driver and refuses more than it can hold. `inspect` counts exactly where the
data is, and takes everything else from a random sample where the data is larger than that.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import functions as sf

from covey.data import Baskets
from covey.errors import ParameterError
from covey.io.source import Source
from covey.local import Local
from covey.measure.inspection import inspect_data
from covey.measure.profile import FREQUENT, held_items, with_degrees
from covey.progress import Progress
from covey.spark.batches import by_number, csr_of
from covey.spark.sets import Sets

#: Entries that the driver holds: about 2 GB, with what measuring them needs.
LARGEST = 100_000_000
#: Entries of the sample of larger data.
SAMPLE = 10_000_000
#: Shares are rounded up to a multiple of 1 / STEPS.
STEPS = 1_000_000


def inspect(sets: Sets, *, known: int, samples: int, seed: int, progress: Progress) -> dict[str, Any]:
    """Return the figures of ``covey inspect``.

    Beyond `LARGEST` entries, ``sampled`` states how many transactions were drawn. The risk is then that of being found
    among these, which is at least as high as among all.
    """
    if sets.entries <= LARGEST:
        return inspect_data(collected(sets), known=known, samples=samples, seed=seed, progress=progress)
    drawn = collected(sets, share=SAMPLE / sets.entries, seed=seed)
    people = sets.by_person()
    exact = {
        "transactions": sets.n,
        "items": sets.d,
        "entries": sets.entries,
        "density": sets.entries / max(sets.n * sets.d, 1),
        "empty_transactions": sets.empty,
        "items_seen_once": int((sets.supports == 1).sum()),
        "most_frequent": held_items(sets.items, sets.supports, np.argsort(-sets.supports, kind="stable")[:FREQUENT]),
        "sensitive": with_degrees(sets, sets.supports, people.n, people.supports),
        **({} if sets.persons is None else {"persons": sets.persons}),
    }
    found = inspect_data(drawn, known=known, samples=samples, seed=seed, progress=progress)
    return {**found, **exact, "sampled": drawn.n}


def evaluate(release: str | Path, sets: Sets, *, taxonomy: Any, progress: Progress, **extent: Any) -> dict[str, Any]:
    """Return the figures of ``covey evaluate``; refuses data that the driver cannot hold."""
    if sets.entries > LARGEST:
        raise ParameterError(
            f"The original has {sets.entries:,} entries, and the driver measures at most {LARGEST:,}. "
            "Measure a release of a part of the data, made with the same options."
        )
    original = Source(data=collected(sets))
    return Local().evaluate(release, original, taxonomy=taxonomy, progress=progress, **extent)


def collected(sets: Sets, *, share: float = 1.0, seed: int = 0) -> Baskets:
    """Return the transactions, or a random share of them (of the persons, if they are named), as local data.

    The order of the rows follows from the rows, never from partitions.
    """
    rows = sets.rows()
    if share < 1:
        drawn = sf.pmod(sf.xxhash64(sf.lit(seed), "row"), sf.lit(STEPS)) < sf.lit(int(np.ceil(share * STEPS)))
        rows = rows.where(drawn)
    table = rows.toArrow()
    number = table.column("row").to_numpy()
    indptr, indices = csr_of(table.column("items"))
    baskets = Baskets.build(indptr, indices, sets.items, sets.sensitive_items())
    order = by_number(number, *baskets.csr)
    person = None
    if sets.owned is not None:
        person = np.unique(number, return_inverse=True)[1].reshape(-1).astype(np.int32)
    return Baskets(
        indptr=baskets.indptr,
        indices=baskets.indices,
        items=baskets.items,
        sensitive=baskets.sensitive,
        person=person,
    ).take(order)
