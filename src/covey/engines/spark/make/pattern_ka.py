"""PatternKa on Spark: longest frequent patterns are mined in shards, and rows choose among the centers found.

Data flow, for n rows with N entries, d frequent items, k, and shards as `shards` makes them:

1. the supports, counted when the data was read, say which items are frequent; rows are cut down to these, and equal
   ones counted together: one shuffle of N entries, the result stays in the executors' memory;
2. one job counts loads and one bounds the patterns of each item; d numbers each reach the driver;
3. from the longest patterns to the shortest, one mining job for a length: the rows that are left and long enough go to
   their shards, which propose centers; then up to `ROUNDS` jobs in which each row chooses the first proposed center
   that it holds, and centers that k rows or more have chosen are kept. Lengths without patterns are jumped over: in one
   job every shard says how long its longest patterns are;
4. rows that their groups can spare go through the lengths once more, and open groups with longer centers than they had;
5. counts per center make the release.

The state between jobs is the list of centers (`centers`), not a mark on each row: at most n / k centers
reach the driver, and every task can be repeated. Cost: each job reads the rows that are long enough, O(entries), and
copies each to at most as many shards as it has items; a mining job costs what the local search costs on these rows,
divided by the cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.engines.spark.batches import as_batch, csr_of
from covey.engines.spark.make.centers import LOTS, Centers, lots_of
from covey.engines.spark.make.lengths import next_length
from covey.engines.spark.make.shards import Patience, Shards, make_shards, mine
from covey.engines.spark.make.suppressed import write_suppressed
from covey.engines.spark.session import on_worker
from covey.engines.spark.sets import Sets
from covey.methods.pattern_ka import PatternKa
from covey.methods.set_groups import spared
from covey.pipeline import Plan
from covey.progress import Progress, silent
from covey.release.manifest import Manifest

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame


#: How often rows choose among the centers that one mining job proposes.
ROUNDS = 3
#: Rows that fill up a group of single items may lose so many items each.
SLACK = 3
#: Rows that are so many items longer than their center are not told apart when a group decides who may leave.
LONGER = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What all steps share.

    Attributes
    ----------
    rows : DataFrame
        Different rows over frequent items, numbered from the rarest on: ``items``, ``weight``, and when groups are
        raised ``now``, the length of the row's center.
    shards : Shards
        Where patterns are mined.
    k : int
        Weight of a group.
    lengths : int64 array
        Weight of the rows that have so many frequent items or more.
    patience : Patience
        How long the searches in a shard may go on; less after every one that was cut short.
    """

    rows: DataFrame
    shards: Shards
    k: int
    lengths: Ints
    patience: Patience


def publish(sets: Sets, plan: Plan, stage: Path, progress: Progress) -> Manifest:
    """Choose centers for `sets`, which can keep the promise, and write what is published into the directory `stage`."""
    method: PatternKa = plan.method
    sets = sets.by_person()
    published, notes = publish_sets(sets, plan.promise.k, method, progress=progress)  # type: ignore[attr-defined]
    progress("writing", 0.0)
    made = method.statement(plan.promise, notes)
    return write_suppressed(published, sets, stage, made=made, seed=method.seed)


def publish_sets(
    sets: Sets, k: int, method: PatternKa, *, progress: Progress = silent
) -> tuple[DataFrame, tuple[str, ...]]:
    """Return what is published, and the options that cut the search for it short.

    Parameters
    ----------
    sets : Sets
        The data; persist it, for it is read twice.
    k : int
        How many rows must be alike.
    method : PatternKa
        Its options.

    Returns
    -------
    DataFrame
        ``items: array<int>`` and ``weight: long``, each set k times or more, or none.
    tuple of str
        For the manifest.
    """
    frequent = np.flatnonzero(sets.supports >= k)
    # Rare items first: the rows that hold one of them are few, and what is left of them is short.
    items = frequent[np.argsort(sets.supports[frequent], kind="stable")]
    patience = Patience(method.effort * 1_000_000)
    rows = _frequent_rows(sets, items).persist()
    try:
        progress("grouping", 0.0)
        lengths = _lengths(rows)
        shards = make_shards(rows, len(items), k)
        work = Work(rows=rows, shards=shards, k=k, lengths=lengths, patience=patience)
        centers = greedy(work, progress)
        if method.raising or method.leftovers:
            centers, sizes = _raised(work, centers, method)
        else:
            sizes = _sizes(work.rows, centers, Centers.none(), shards.d)
    finally:
        rows.unpersist()
    return _published(sets, items, centers, sizes, k), ("effort",) if patience.halvings else ()


def greedy(work: Work, progress: Progress = silent) -> Centers:
    """Centers for all rows that hold a pattern with others that are left, longest first (Alg. 1)."""
    centers = Centers.none()
    longest = min(int(work.shards.bound.max(initial=0)), int((work.lengths >= work.k).sum()) - 1)
    length = next_length(work.rows, work.shards, centers, longest + 1, patience=work.patience)
    while length >= 1:
        progress("grouping", 0.5 * (1 - length / longest))
        found = mine(work.rows, work.shards, centers, length, patience=work.patience)
        if not len(found.patterns):
            length = next_length(work.rows, work.shards, centers, length, patience=work.patience)
            continue
        kept = choose(work.rows, work, centers, found.patterns)
        centers = centers.followed_by(kept)
        if found.complete or not kept.count:
            length -= 1
    return centers


def choose(
    rows: DataFrame, work: Work, taken: Centers, patterns: Ids, *, slack: int = 0, raising: bool = False
) -> Centers:
    """Let the rows that take none of the centers `taken` choose among `patterns`; return those with k rows.

    Each row chooses the first that it holds. Centers with fewer than k rows are dropped and their rows choose again,
    among centers that no row could choose before; a row may so come to hold a kept center too and takes it then.
    """
    from pyspark.sql import functions as sf

    length, width = patterns.shape[1], (slack + 1) * LOTS * raising
    long_enough = rows.where(sf.size("items") >= length)
    kept = Centers.none()
    for _ in range(ROUNDS):
        if not len(patterns):
            break
        proposed = Centers.of(patterns, np.full(len(patterns), width))
        counting = _choosing(taken.followed_by(kept), proposed, work.shards.d)
        counted = (
            long_enough.mapInArrow(on_worker(counting), "center int, class int, weight long, gain long")
            .groupBy("center", "class")
            .agg(sf.sum("weight").alias("weight"), sf.sum("gain").alias("gain"))
            .toArrow()
        )
        center, group, weight, gain = (
            counted.column(name).to_numpy() for name in ("center", "class", "weight", "gain")
        )
        fill, good = _filled(center, group, weight, gain, len(patterns), work.k)
        if not good.any():
            break
        kept = kept.followed_by(Centers.of(patterns[good], fill[good]))
        patterns = patterns[~good]
    return kept


def _choosing(taken: Centers, proposed: Centers, d: int) -> Any:
    """For `mapInArrow`: weight and gain of the rows that choose each center.

    Class 0 are rows that gain; the others come in the order in which they are asked to fill a group up.
    """
    lengths = proposed.lengths()
    width = int(proposed.fill.max(initial=0)) + 1

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            indptr, indices, weight, now = taken.rows_left(batch, d)
            choice = proposed.taken_by(indptr, indices, d, now)
            rows = np.flatnonzero(choice >= 0)
            ahead = lengths[choice[rows]] - now[rows]
            lot = lots_of(indptr, indices, d)[rows]
            cell = choice[rows] * width + np.where(ahead > 0, 0, 1 - ahead * LOTS + lot)
            cells, at = np.unique(cell, return_inverse=True)
            sums = (np.bincount(at, x, len(cells)) for x in (weight[rows], weight[rows] * ahead))
            weights, gains = (total.astype(np.int64) for total in sums)
            yield as_batch(
                {
                    "center": (cells // width).astype(np.int32),
                    "class": (cells % width).astype(np.int32),
                    "weight": weights,
                    "gain": gains,
                }
            )

    return count


def _filled(center: Ids, group: Ids, weight: Ints, gain: Ints, count: int, k: int) -> tuple[Ints, Mask]:
    """How many classes of rows each center needs to reach k, and whether it then gains anything at all."""
    order = np.lexsort((group, center))
    center, group, weight, gain = center[order], group[order], weight[order], gain[order]
    begin = np.searchsorted(center, np.arange(count))
    end = np.searchsorted(center, np.arange(count), side="right")
    sums, gains = np.concatenate([[0], np.cumsum(weight)]), np.concatenate([[0], np.cumsum(gain)])
    # The first place in each center's run at which its rows weigh k; the rows of class 0 all come in.
    need = np.searchsorted(sums, sums[begin] + k)
    gainers = begin + ((begin < end) & (np.append(group, 1)[np.minimum(begin, len(group))] == 0))
    last = np.maximum(need, gainers)
    fits = need <= end
    last = np.where(fits, last, begin)
    total = gains[last] - gains[begin]
    fill = np.where(last > gainers, np.append(group, 0)[np.maximum(last - 1, 0)], 0)
    return fill.astype(np.int64), fits & (total > 0)


def _raised(work: Work, centers: Centers, method: PatternKa) -> tuple[Centers, Ints]:
    """Open longer centers with rows that their groups can spare; returns all centers and their weights."""
    from pyspark.sql import functions as sf

    graded = _graded(work, centers).persist()
    try:
        # Rows that gain are those with a shorter center than they could have; without them a length has no use.
        shape = (
            graded.where("free").groupBy(sf.size("items").alias("length"), "now").agg(sf.sum("weight").alias("weight"))
        ).toArrow()
        size, now, weight = (shape.column(name).to_numpy() for name in ("length", "now", "weight"))
        free = graded.where("free")
        more = Centers.none()
        top = int(centers.lengths().max(initial=0)) if method.raising else 1
        for length in range(top, 0, -1):
            slack = SLACK if length == 1 and method.leftovers else 0
            able = (size >= length) & (now <= length + slack)
            if not weight[able & (now < length)].sum() or weight[able].sum() < work.k:
                continue
            allowed = free.where(sf.col("now") <= length + slack)
            found = mine(allowed, work.shards, more, length, slack=slack, patience=work.patience)
            if len(found.patterns):
                kept = choose(allowed, work, more, found.patterns, slack=slack, raising=True)
                more = more.followed_by(kept)
        sizes = _sizes(graded, centers, more, work.shards.d)
    finally:
        graded.unpersist()
    return centers.followed_by(more), sizes


def _graded(work: Work, centers: Centers) -> DataFrame:
    """The rows with the center they have, its length, and whether their group can spare them.

    Groups keep their shortest rows, which have least to gain elsewhere: class by class until k are kept, a class being
    rows of one length and lot.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as sf

    d = work.shards.d
    lengths = centers.lengths()

    def grade(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            indptr, indices = csr_of(batch.column("items"))
            center = centers.taken_by(indptr, indices, d)
            now = np.append(lengths, 0)[center]
            longer = np.minimum(np.diff(indptr) - now, LONGER)
            yield as_batch(
                {
                    "items": (indptr, indices),
                    "weight": batch.column("weight").to_numpy(),
                    "center": center,
                    "now": now,
                    "class": longer * LOTS + lots_of(indptr, indices, d),
                }
            )

    graded = work.rows.mapInArrow(on_worker(grade), "items array<int>, weight long, center long, now long, class long")
    classes = graded.where("center >= 0").groupBy("center", "class").agg(sf.sum("weight").alias("weight"))
    before = sf.sum("weight").over(
        Window.partitionBy("center").orderBy("class").rowsBetween(Window.unboundedPreceding, -1)
    )
    staying = classes.withColumn("before", sf.coalesce(before, sf.lit(0))).where(sf.col("before") < work.k)
    bars = staying.groupBy("center").agg(sf.max("class").alias("bar")).toArrow()
    bar = np.full(centers.count + 1, -1, np.int64)
    bar[bars.column("center").to_numpy()] = bars.column("bar").to_numpy()

    def mark(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            free = batch.column("class").to_numpy() > bar[batch.column("center").to_numpy()]
            columns = [batch.column(name) for name in ("items", "weight", "center", "now")]
            yield pa.RecordBatch.from_arrays(
                [*columns, pa.array(free)], names=["items", "weight", "center", "now", "free"]
            )

    return graded.mapInArrow(on_worker(mark), "items array<int>, weight long, center long, now long, free boolean")


def _sizes(rows: DataFrame, centers: Centers, more: Centers, d: int) -> Ints:
    """Weight of each of the centers and of those that were added; all rows but those without a center count."""
    from pyspark.sql import functions as sf

    raised = "free" in rows.columns

    def assign(batches: Iterator[Any]) -> Iterator[Any]:
        sums = np.zeros(centers.count + more.count, np.int64)
        for batch in batches:
            indptr, indices = csr_of(batch.column("items"))
            weight = batch.column("weight").to_numpy()
            if raised:
                home, now = batch.column("center").to_numpy().copy(), batch.column("now").to_numpy()
                moved = more.taken_by(indptr, indices, d, now)
                moves = batch.column("free").to_numpy(zero_copy_only=False) & (moved >= 0)
                home[moves] = centers.count + moved[moves]
            else:
                home = centers.taken_by(indptr, indices, d)
            np.add.at(sums, home[home >= 0], weight[home >= 0])
        held = np.flatnonzero(sums)
        yield as_batch({"center": held.astype(np.int32), "weight": sums[held]})

    counted = (
        rows.mapInArrow(on_worker(assign), "center int, weight long")
        .groupBy("center")
        .agg(sf.sum("weight").alias("weight"))
        .toArrow()
    )
    sizes = np.zeros(centers.count + more.count, np.int64)
    sizes[counted.column("center").to_numpy()] = counted.column("weight").to_numpy()
    return sizes


def _published(sets: Sets, items: Ints, centers: Centers, sizes: Ints, k: int) -> DataFrame:
    """The different published sets and how often; if fewer than k rows would be empty, others join them."""
    import pyarrow as pa

    lengths, empty = centers.lengths(), sets.n - int(sizes.sum())
    used = np.flatnonzero(sizes)
    given = spared(sizes[used], lengths[used], empty, k)
    ptr = np.concatenate([[0], np.cumsum(lengths[used])])
    owner = np.repeat(np.arange(centers.count), lengths)
    codes = items[centers.items[np.isin(owner, used)]]
    # Numbers by rarity become numbers by label, which ascend in another order.
    order = np.lexsort((codes, np.repeat(np.arange(len(used)), lengths[used])))
    batch = as_batch(
        {
            "items": (np.append(ptr, ptr[-1]), codes[order].astype(np.int32)),
            "weight": np.append(sizes[used] - given, empty + given.sum()),
        }
    )
    made = sets.frame.sparkSession.createDataFrame(pa.Table.from_batches([batch]))
    return made.where("weight > 0")


def _frequent_rows(sets: Sets, items: Ints) -> DataFrame:
    """The different rows over the frequent items, by their rank from the rarest on."""
    from pyspark.sql import functions as sf

    rank = np.full(sets.d, -1, np.int32)
    rank[items] = np.arange(len(items), dtype=np.int32)

    def cut(batches: Iterator[Any]) -> Iterator[Any]:
        from covey.kernels.shared.csr import canonicalize

        for batch in batches:
            indptr, indices = csr_of(batch.column("items"))
            kept = rank[indices] >= 0
            ptr = np.concatenate([[0], np.cumsum(kept)])[indptr].astype(np.int64)
            entries = indices[kept]
            canonicalize(ptr, entries, rank)
            yield as_batch({"items": (ptr, entries), "weight": batch.column("weight").to_numpy()})

    ranked = sets.frame.mapInArrow(on_worker(cut), "items array<int>, weight long")
    return ranked.where(sf.size("items") > 0).groupBy("items").agg(sf.sum("weight").alias("weight"))


def _lengths(rows: DataFrame) -> Ints:
    """The weight of the rows that have 0, 1, 2, … items or more."""
    from pyspark.sql import functions as sf

    counted = rows.groupBy(sf.size("items").alias("length")).agg(sf.sum("weight").alias("weight")).toArrow()
    length, weight = counted.column("length").to_numpy(), counted.column("weight").to_numpy()
    exact = np.zeros(int(length.max(initial=0)) + 1, np.int64)
    exact[length] = weight
    return np.cumsum(exact[::-1])[::-1]
