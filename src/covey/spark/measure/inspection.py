"""What is in data on Spark, and how exposed the people in it are: the figures of `covey inspect`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from covey.arrays import Floats, Ids, Ints, Words
from covey.data.csr import keep_items
from covey.data.postings import Postings
from covey.measure import risk as kernels  # as a module: Spark would send a kernel without its cache
from covey.measure.profile import FREQUENT, held_items, seemingly_missing, spread, with_degrees
from covey.measure.reidentification import Risk, affordable
from covey.parameters import integer
from covey.spark.batches import added_up, as_batch, csr_of, gathered, lengths_of, mixed, salts
from covey.spark.session import on_worker
from covey.spark.sets import Sets


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


#: What distinguishes the hashes of further cases drawn from the same row.
_STEP = np.uint64(0x9E3779B97F4A7C15)


def risks(sets: Sets, known: int = 4, *, samples: int = 20_000, seed: int | None = 0) -> list[Risk]:
    """Risk of attackers who know 1 up to `known` quasi-identifier items of a random transaction.

    Parameters
    ----------
    sets : Sets
        Sensitive items are left out: the attacker does not know them.
    known : int
        Largest number of known items.
    samples : int
        Cases drawn for each number above 1; fewer on data so large that it would take minutes.
    seed : int or None
        For the drawing.

    Returns
    -------
    list of Risk
        One for each number of known items.
    """
    integer("reidentification", "known", known, minimum=1)
    integer("reidentification", "samples", samples, minimum=1)
    eligible, one = first_item(sets, known)
    wanted = [r for r in range(2, known + 1) if eligible[r]]
    drawn = draw_cases(sets, {r: int(eligible[r]) for r in wanted}, samples, seed)
    asked = [affordable(cases, sets.supports) for cases in drawn.values()]
    counted = dict(zip(drawn, count_sets(sets.rows(), asked, len(sets.items)), strict=True))
    nothing = np.empty(0, np.int64)
    return [one, *(Risk.of(r, counted.get(r, nothing), int(eligible[r])) for r in range(2, known + 1))]


def first_item(sets: Sets, known: int) -> tuple[Ints, Risk]:
    """How many rows have at least 0, 1, … `known` published items, and the exact risk for one known item."""
    supports, public = sets.supports, ~sets.sensitive

    def measure(batches: Iterable[Any]) -> Floats:
        rename = np.where(public, np.arange(len(public)), -1).astype(np.int32)
        sums = np.zeros(known + 3, np.float64)
        for batch in batches:
            indptr, indices = keep_items(*csr_of(batch.column("items")), rename)
            weight = batch.column("weight").to_numpy()
            lengths = np.diff(indptr)
            alone = lengths_of(indptr, supports[indices] == 1) / np.maximum(lengths, 1)
            at_least = np.bincount(np.minimum(lengths, known), weights=weight, minlength=known + 1)
            sums[: known + 1] += at_least[::-1].cumsum()[::-1]
            sums[known + 1] += kernels.mean_inverse_support(indptr, indices, supports) @ weight
            sums[known + 2] += alone @ weight
        return sums

    sums = added_up(sets.frame, measure, known + 3, "double")
    eligible = sums[: known + 1].astype(np.int64)
    rows = max(int(eligible[1]), 1)
    risk = float(sums[known + 1]) / rows
    unique = float(sums[known + 2]) / rows
    return eligible, Risk(known=1, risk=risk, low=risk, high=risk, unique=unique, samples=0, eligible=int(eligible[1]))


def draw_cases(sets: Sets, eligible: dict[int, int], samples: int, seed: int | None) -> dict[int, Ids]:
    """For each number of known items, that many items of `samples` rows.

    Parameters
    ----------
    sets : Sets
        The data.
    eligible : dict
        Numbers of known items, and how many rows have as many published items.
    samples : int
        Cases wanted; several may come from the same row only where there are fewer rows than that.
    seed : int or None
        For the drawing.

    Returns
    -------
    dict
        An array of item numbers for each number of known items, cases × items, in random order.
    """
    drawing = {
        r: (salt, *ration(rows, samples))
        for (r, rows), salt in zip(eligible.items(), salts(seed, len(eligible)), strict=True)
    }
    rename = np.where(sets.sensitive, -1, np.arange(sets.d)).astype(np.int32)

    def draw(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            number = batch.column("row").to_numpy()
            indptr, indices = keep_items(*csr_of(batch.column("items")), rename)
            lengths = np.diff(indptr)
            for r, (salt, copies, limit) in drawing.items():
                rows, hashes = chosen(number, np.flatnonzero(lengths >= r), salt, copies, limit)
                if len(rows):
                    yield case_batch(r, hashes, pick(indptr, indices, rows, hashes, r))

    if not drawing:
        return {}
    table = sets.rows().mapInArrow(on_worker(draw), "known int, hash long, items array<int>").toArrow()
    return {r: collected(table, r, samples)[0] for r in drawing}


def ration(eligible: int, samples: int) -> tuple[int, np.uint64]:
    """How many cases to draw from each eligible row, and the hash up to which a case is taken.

    A few more than `samples` are expected to be taken, so that hardly ever fewer are; the driver cuts them off.
    """
    copies = -(-samples // eligible)
    share = (samples + 6 * samples**0.5 + 10) / (eligible * copies)
    return copies, np.uint64(min(int(share * 2**64), 2**64 - 1))


def chosen(number: NDArray[Any], eligible: Ints, salt: int, copies: int, limit: np.uint64) -> tuple[Ints, Words]:
    """The rows among `eligible` from which a case is drawn, some of them several times, and the hash of each case."""
    rows = np.repeat(eligible, copies)
    copy = np.tile(np.arange(copies, dtype=np.uint64), len(eligible))
    hashes = mixed(mixed(number[rows], salt) + copy * _STEP, salt)
    taken = hashes <= limit
    return rows[taken], hashes[taken]


def pick(indptr: Ints, indices: Ids, rows: Ints, hashes: Words, r: int) -> Ids:
    """Which `r` of its items are known in each case, drawn by the case's hash."""
    uniforms = np.stack([mixed(hashes, c + 1).astype(np.float64) / 2.0**64 for c in range(r)], axis=1)
    return kernels.pick_items(indptr, indices, rows, uniforms)


def case_batch(known: int, hashes: Words, items: Ids, **extra: NDArray[Any]) -> Any:
    """Cases as an Arrow batch."""
    ends = np.arange(len(items) + 1, dtype=np.int64) * items.shape[1]
    return as_batch(
        {
            "known": np.full(len(items), known, np.int32),
            **extra,
            "hash": hashes.view(np.int64),
            "items": (ends, np.sort(items, axis=1).ravel()),
        }
    )


def collected(table: Any, known: int, samples: int) -> tuple[Ids, Ints]:
    """The cases with this number of known items with the smallest hashes, and where they stand in `table`."""
    here = np.flatnonzero(table.column("known").to_numpy() == known)
    lists, flat = csr_of(table.column("items"))
    hashes = table.column("hash").to_numpy()[here].view(np.uint64)
    items = np.stack([flat[lists[here] + c] for c in range(known)], axis=1)
    order = np.lexsort((*items.T, hashes))[:samples]
    return items[order], here[order]


def count_sets(rows: DataFrame, sets: Sequence[Ids], d: int) -> list[Ints]:
    """Count for each set of items, given in arrays of sets of one size, how many rows hold all of it."""
    offsets = np.concatenate([[0], np.cumsum([len(some) for some in sets])]).astype(np.int64)
    if not offsets[-1]:
        return [np.empty(0, np.int64) for _ in sets]

    def count(batches: Iterable[Any]) -> Ints:
        total = np.zeros(offsets[-1], np.int64)
        for table in gathered(batches):
            by_item = Postings.of_rows(*csr_of(table.column("items")), d)
            total += np.concatenate([by_item.containing(some) for some in sets])
        return total

    total = added_up(rows.select("items"), count, int(offsets[-1]))
    return [total[start:stop] for start, stop in pairwise(offsets)]
