"""Measure data and releases of Spark with the measures of the local engine, on the driver.

`evaluate` brings all transactions to the driver and refuses more than it can hold. `inspect` counts exactly where the
data is, and takes everything else from a random sample where the data is larger than that.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from covey.data import Baskets
from covey.data.csr import take_rows
from covey.data.persons import digests_of
from covey.errors import ParameterError
from covey.io.source import Source
from covey.local import Local
from covey.measure.inspection import FREQUENT, held_items, inspect_data, with_degrees
from covey.progress import Progress
from covey.release.grouped import GroupedRelease
from covey.release.store import load
from covey.release.trace import remember
from covey.spark.batches import by_number, csr_of
from covey.spark.sets import Sets
from covey.spark.trace import local_trace, require_named

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
        return inspect_data(collected(sets)[0], known=known, samples=samples, seed=seed, progress=progress)
    drawn = collected(sets, share=SAMPLE / sets.entries, seed=seed)[0]
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


def evaluate(release: str | Path, sets: Sets, trace: Path | None, **extent: Any) -> dict[str, Any]:
    """Return the figures of ``covey evaluate``; refuses data that the driver cannot hold."""
    if sets.entries > LARGEST:
        raise ParameterError(
            f"The original has {sets.entries:,} entries, and the driver measures at most {LARGEST:,}. "
            "Measure a release of a part of the data, made with the same options."
        )
    found, (original, ids, persons) = load(release), collected(sets)
    if trace is not None:
        if isinstance(found, GroupedRelease):
            require_named(sets.named)
            known = local_trace(trace, found, original.with_sensitive(found.sensitive_items), ids)
        else:
            known = local_trace(trace, found, original, ids if sets.people is None else persons)
        remember(found, known)
    return Local().evaluate(found, Source(data=original), **extent)


def collected(sets: Sets, *, share: float = 1.0, seed: int = 0) -> tuple[Baskets, pa.Array, pa.Array]:
    """Return the transactions, or a random share of them (of the persons, if they are named), as local data.

    Also the ids of transactions and of persons, where there are any. The order of the rows follows from the rows,
    never from partitions.
    """
    from pyspark.sql import functions as sf

    rows = sets.rows
    if share < 1:
        drawn = sf.pmod(sf.xxhash64(sf.lit(seed), "row" if sets.people is None else "person"), sf.lit(STEPS))
        rows = rows.where(drawn < sf.lit(int(np.ceil(share * STEPS))))
    table = rows.toArrow().combine_chunks()
    indptr, indices = csr_of(table.column("items"))
    table = table.take(pa.array(order := by_number(table.column("row").to_numpy(), indptr, indices)))
    person = names = None
    ids, persons = table.column("id").combine_chunks() if sets.named else None, None
    if sets.people is not None:
        found = table.column("person").combine_chunks().dictionary_encode()
        person, persons = found.indices.to_numpy().astype(np.int32), found.dictionary
        names = digests_of(name.encode() for name in persons.to_pylist())
    indptr, indices = take_rows(indptr, indices, order)
    return Baskets(indptr, indices, sets.items, sets.sensitive.copy(), person, names), ids, persons
