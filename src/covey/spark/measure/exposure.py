"""What an attacker who knows a few items learns from a release: `covey.measure.reidentification.exposure` on Spark.

In the original, the probability of a sensitive item is the share of the rows with the known items that hold it too: two
counts. In the release, every row carries its group's share of the item, and the mean over the rows with the known items
is taken: two sums. Both are added up where the rows are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from pyspark.sql import functions as sf

from covey.arrays import Floats, Ids
from covey.data.csr import keep_items
from covey.data.postings import Postings
from covey.measure import attack_kernels as attack  # as a module: Spark would send a kernel without its cache
from covey.measure.reidentification import Exposure
from covey.parameters import integer
from covey.spark.batches import added_up, as_batch, csr_of, gathered, lengths_of, mixed, salts
from covey.spark.measure.inspection import case_batch, chosen, collected, count_sets, pick, ration, risks
from covey.spark.measure.published import Pair
from covey.spark.session import on_worker

#: For each number of known items: the sets of known items, and the sensitive item that the person holds.
Cases = dict[int, tuple[Ids, Ids]]


def exposures(pair: Pair, known: int = 4, *, samples: int = 1_000, seed: int | None = 0) -> list[Exposure]:
    """Compare what attackers who know 1 up to `known` items learn from the original and from the release.

    Parameters
    ----------
    pair : Pair
        The release and its original.
    known : int
        Largest number of known items.
    samples : int
        Occurrences of sensitive items drawn for each number; twenty times as many cases for finding a person.
    seed : int or None
        For the drawing.

    Returns
    -------
    list of Exposure
        One for each number of known items.
    """
    integer("exposure", "known", known, minimum=1)
    integer("exposure", "samples", samples, minimum=1)
    before = risks(pair.original, known, samples=20 * samples, seed=seed)
    published = pair.transactions.groupBy("items").agg(sf.count("*").alias("weight"))
    after = risks(replace(pair.original, frame=published, owned=None), known, samples=20 * samples, seed=seed)
    cases = draw_occurrences(pair, known, samples, seed)
    held = _original_shares(pair, cases)
    told, most = _published_shares(pair, cases)
    nothing = np.empty(0)
    return [
        Exposure.of(
            r,
            (before[r - 1].risk, after[r - 1].risk),
            held.get(r, nothing),
            np.minimum(told.get(r, nothing), most),
        )
        for r in range(1, known + 1)
    ]


def draw_occurrences(pair: Pair, known: int, samples: int, seed: int | None) -> Cases:
    """Draw occurrences of sensitive items in rows with enough published items, and which of these are known."""
    # Published items under the numbers of the original, -1 for the others.
    public = np.where(pair.public >= 0, np.arange(len(pair.public)), -1).astype(np.int32)
    secret, m = pair.secret, pair.m

    def count(batches: Iterable[Any]) -> Floats:
        total = np.zeros(known + 1, np.float64)
        for batch in batches:
            indptr, indices = csr_of(batch.column("items"))
            lengths = np.minimum(lengths_of(indptr, public[indices] >= 0), known)
            weight = batch.column("weight").to_numpy() * lengths_of(indptr, secret[indices] >= 0)
            total += np.bincount(lengths, weights=weight, minlength=known + 1)[::-1].cumsum()[::-1]
        return total

    eligible = added_up(pair.original.frame, count, known + 1, "double")
    wanted = [r for r in range(1, known + 1) if eligible[r]]
    drawing = {
        r: (salt, *ration(int(eligible[r]), samples)) for r, salt in zip(wanted, salts(seed, len(wanted)), strict=True)
    }

    def draw(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            rows = csr_of(batch.column("items"))
            (indptr, indices), (ptr, codes) = keep_items(*rows, public), keep_items(*rows, secret)
            holder = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
            # An occurrence is named by its row's number and its item.
            number = batch.column("row").to_numpy()[holder].view(np.uint64) * np.uint64(m) + codes.astype(np.uint64)
            enough = np.diff(indptr)[holder]
            for r, (salt, copies, limit) in drawing.items():
                taken, hashes = chosen(mixed(number, 0), np.flatnonzero(enough >= r), salt, copies, limit)
                if len(taken):
                    items = pick(indptr, indices, holder[taken], hashes, r)
                    yield case_batch(r, hashes, items, asked=codes[taken])

    if not drawing:
        return {}
    columns = "known int, asked int, hash long, items array<int>"
    table = pair.original.rows().mapInArrow(on_worker(draw), columns).toArrow()
    asked = table.column("asked").to_numpy().astype(np.int32)
    found = {r: collected(table, r, samples) for r in wanted}
    return {r: (items, asked[where]) for r, (items, where) in found.items()}


def _original_shares(pair: Pair, cases: Cases) -> dict[int, Floats]:
    """The share of the rows with the known items that hold the sensitive one, for each case."""
    label = np.flatnonzero(pair.secret >= 0).astype(np.int32)
    alone = [items for items, _ in cases.values()]
    with_item = [np.column_stack([items, label[asked]]) for items, asked in cases.values()]
    counts = count_sets(pair.original.rows(), [*alone, *with_item], len(pair.public))
    return {r: counts[len(cases) + i] / counts[i] for i, r in enumerate(cases)}


def _published_shares(pair: Pair, cases: Cases) -> tuple[dict[int, Floats], float]:
    """The mean share that the groups of the rows with the known items give to the sensitive one; the largest share."""
    known = list(cases)
    ends = np.concatenate([[0], np.cumsum([len(cases[r][1]) for r in known])]).astype(np.int64)
    if not ends[-1]:
        return {}, 1.0
    d, m = len(pair.public), pair.m

    def measure(batches: Iterable[Any]) -> Iterator[Any]:
        found, total, most = np.zeros(ends[-1]), np.zeros(ends[-1]), 0.0
        for table in gathered(batches):
            by_item = Postings.of_rows(*csr_of(table.column("items")), d)
            ptr, codes = csr_of(table.column("codes"))
            share = table.column("share").combine_chunks().flatten().to_numpy(zero_copy_only=False)
            n = len(ptr) - 1
            for i, r in enumerate(known):
                items, asked = cases[r]
                here = by_item.containing(items)
                # Every row is a group of its own, with the share of its real group as its count.
                own = attack.posteriors(
                    items,
                    asked.astype(np.int64),
                    *by_item.arrays,
                    np.arange(n),
                    np.ones(n, np.int64),
                    ptr,
                    codes,
                    share,
                    m,
                )[2]
                found[ends[i] : ends[i + 1]] += here
                total[ends[i] : ends[i + 1]] += own * here
            most = max(most, float(share.max(initial=0.0)))
        at = np.flatnonzero(found)
        yield as_batch(
            {
                "at": np.append(at, -1),
                "found": np.append(found[at], 0.0),
                "total": np.append(total[at], 0.0),
                "most": np.append(np.zeros(len(at)), most),
            }
        )

    asked = np.unique(np.concatenate([cases[r][1] for r in known]))
    shares = pair.shares(asked.tolist(), all_rows=True)
    table = (
        shares.mapInArrow(on_worker(measure), "at long, found double, total double, most double")
        .groupBy("at")
        .agg(sf.sum("found").alias("found"), sf.sum("total").alias("total"), sf.max("most").alias("most"))
        .toArrow()
    )
    mean, at = np.zeros(ends[-1] + 1), table.column("at").to_numpy()
    mean[at] = table.column("total").to_numpy() / np.maximum(table.column("found").to_numpy(), 1.0)
    most = float(table.column("most").to_numpy().max())
    return {r: mean[ends[i] : ends[i + 1]] for i, r in enumerate(known)}, most
