"""PatternKa on Spark: in one task where the data fits into it, else in shards that mine the longest patterns.

Data flow, for n rows with N entries, d frequent items, k, and shards as `shards` makes them:

1. the supports, counted when the data was read, say which items are frequent. If their entries are `ALONE` or
   fewer, equal sets counted once, one task does all the rest (`publish_alone`). Otherwise rows are cut down to
   frequent items, and equal ones counted together: one shuffle of N entries, the result stays in the executors' memory;
2. one job counts loads and one bounds the patterns of each item; d numbers each reach the driver;
3. from the longest patterns to the shortest, one mining job for a length: the rows that are left and long enough go to
   the shards that can have such patterns, which propose centers or say how long theirs are; then up to
   `choosing.ROUNDS` jobs in which each row chooses the first proposed center that it holds, and centers that k rows or
   more have chosen are kept;
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
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from covey.arrays import Ints
from covey.data.csr import canonicalize, keep_items
from covey.guarantees.k_anonymity import KAnonymity
from covey.methods.pattern_ka import PatternKa
from covey.methods.pattern_ka.set_groups import spared
from covey.methods.pattern_ka.set_patterns import Rows, Search
from covey.pipeline import Plan
from covey.progress import Progress, silent
from covey.release.manifest import Manifest
from covey.spark.batches import added_up, as_array, as_batch, csr_of
from covey.spark.make.centers import LOTS, Centers, lots_of
from covey.spark.make.choosing import choose
from covey.spark.make.shards import Patience, Shards, make_shards, mine
from covey.spark.make.suppressed import COLUMNS, publication, totals_of, write_suppressed
from covey.spark.session import on_worker
from covey.spark.sets import Sets

#: Entries over frequent items, equal sets counted once, that one task takes alone. It needs about as much memory as a
#: shard of `covey.spark.make.shards.SHARD` entries with its copies.
ALONE = 8_000_000


def publish_alone(sets: Sets, k: int, method: PatternKa) -> DataFrame:
    """What the local method publishes of `sets`, as `covey.spark.make.suppressed` takes it."""
    supports = sets.supports
    frequent = supports >= k

    def cut(batches: Iterator[Any]) -> Iterator[Any]:
        kept = np.where(frequent, np.arange(len(frequent)), -1).astype(np.int32)
        for batch in batches:
            rows = keep_items(*csr_of(batch.column("items")), kept)
            yield as_batch({"items": rows, "weight": batch.column("weight")})

    def search(batches: Iterator[Any]) -> Iterator[Any]:
        table = pa.Table.from_batches(batches)
        weight = table.column("weight").to_numpy()
        rows = Rows.counted(*csr_of(table.column("items")), supports, k, weight)
        del table
        patterns = Search(rows, method.work)
        groups = method.grouped(rows, patterns, silent)
        codes = rows.items[groups.centers]
        yield publication(groups.center_ptr, codes, *groups.counts(rows), cut_short=patterns.cut_short)

    together = sets.frame.mapInArrow(on_worker(cut), "items array<int>, weight long").repartition(1)
    return together.mapInArrow(on_worker(search), COLUMNS)


#: Rows that fill up a group of single items may lose so many items each.
SLACK = 3
#: Rows that are so many items longer than their center are not told apart when a group decides who may leave.
LONGER = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What all steps share."""

    #: Different rows over frequent items, numbered from the rarest on: ``items``, ``weight``, and when groups are
    #: raised ``now``, the length of the row's center.
    rows: DataFrame
    #: Where patterns are mined.
    shards: Shards
    #: Weight of the rows that have so many frequent items or more.
    lengths: Ints
    #: How long the searches in a shard may go on; less after every one that was cut short.
    patience: Patience


class Lengths(NamedTuple):
    """The weight of the rows that have 0, 1, 2, … items or more, and the entries of all rows."""

    weight: Ints
    entries: int


def publish(sets: Sets, plan: Plan, stage: Path, progress: Progress) -> Manifest:
    """Choose centers for `sets`, which can keep the promise, and write what is published into the directory `stage`."""
    method: PatternKa = plan.method
    sets = sets.by_person()
    assert isinstance(plan.promise, KAnonymity)  # all that this method keeps
    published = publish_sets(sets, plan.promise.k, method, progress=progress).persist()
    try:
        totals = totals_of(published)
        progress("writing", 0.0)
        made = method.statement(plan.promise, ("work",) if totals.cut_short else ())
        return write_suppressed(published, totals, sets, stage, made=made, seed=method.seed)
    finally:
        published.unpersist()


def publish_sets(sets: Sets, k: int, method: PatternKa, *, progress: Progress = silent) -> DataFrame:
    """Return what is published, as `covey.spark.make.suppressed` takes it.

    Parameters
    ----------
    sets : Sets
        The data; persist it, for it is read twice.
    k : int
        How many rows must be alike.
    method : PatternKa
        Its options.
    """
    frequent = np.flatnonzero(sets.supports >= k)
    if int(sets.supports[frequent].sum()) <= ALONE:
        progress("grouping", 0.0)
        return publish_alone(sets, k, method)
    # Rare items first: the rows that hold one of them are few, and what is left of them is short.
    items = frequent[np.argsort(sets.supports[frequent], kind="stable")]
    rows = _frequent_rows(sets, items).persist()
    try:
        progress("grouping", 0.0)
        counted = _lengths(rows)
        if counted.entries <= ALONE:
            return publish_alone(sets, k, method)
        return _publish_in_shards(rows, counted, sets, items, k, method, progress)
    finally:
        rows.unpersist()


def _publish_in_shards(
    rows: DataFrame, counted: Lengths, sets: Sets, items: Ints, k: int, method: PatternKa, progress: Progress
) -> DataFrame:
    """What is published of `rows`, which are those of `sets` over the frequent `items`."""
    patience = Patience(method.work * 1_000_000)
    shards = make_shards(rows, counted.entries, len(items), k)
    work = Work(rows=rows, shards=shards, lengths=counted.weight, patience=patience)
    centers = greedy(work, progress)
    if method.raising or method.leftovers:
        centers, sizes = _raised(work, centers, method)
    else:
        sizes = _sizes(work.rows, centers, Centers.none(), shards.d)
    return _published(sets, items, centers, sizes, k, cut_short=patience.halvings > 0)


def greedy(work: Work, progress: Progress = silent) -> Centers:
    """Centers for all rows that hold a pattern with others that are left, longest first (Alg. 1).

    Each shard remembers, on the driver, how long its patterns can be at most: a length is mined where it may have
    some, and shards that find none say in the same job how long theirs are.
    """
    centers, shards = Centers.none(), work.shards
    longest = np.zeros(shards.count, np.int64)
    np.maximum.at(longest, shards.home, shards.bound)
    longest = np.minimum(longest, int((work.lengths >= work.shards.k).sum()) - 1)
    top = int(longest.max(initial=0))
    while (length := int(longest.max(initial=0))) >= 1:
        progress("grouping", 0.5 * (1 - length / top))
        found = mine(work.rows, shards, centers, length, longest=longest, patience=work.patience)
        kept = choose(work.rows, shards, centers, found.patterns)
        centers = centers.followed_by(kept)
        longest = found.longest if kept.count else np.minimum(found.longest, length - 1)
    return centers


def _raised(work: Work, centers: Centers, method: PatternKa) -> tuple[Centers, Ints]:
    """Open longer centers with rows that their groups can spare; returns all centers and their weights."""
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
            if not weight[able & (now < length)].sum() or weight[able].sum() < work.shards.k:
                continue
            allowed = free.where(sf.col("now") <= length + slack)
            found = mine(allowed, work.shards, more, length, slack=slack, patience=work.patience)
            if len(found.patterns):
                kept = choose(allowed, work.shards, more, found.patterns, slack=slack, raising=True)
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
    staying = classes.withColumn("before", sf.coalesce(before, sf.lit(0))).where(sf.col("before") < work.shards.k)
    bar = as_array(staying.groupBy("center").agg(sf.max("class")), centers.count + 1, otherwise=-1)

    def mark(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            free = batch.column("class").to_numpy() > bar[batch.column("center").to_numpy()]
            columns = [batch.column(name) for name in ("items", "weight", "center", "now")]
            yield pa.RecordBatch.from_arrays(
                [*columns, pa.array(free)], names=["items", "weight", "center", "now", "free"]
            )

    return graded.mapInArrow(on_worker(mark), "items array<int>, weight long, center long, now long, free boolean")


def _sizes(rows: DataFrame, centers: Centers, more: Centers, d: int) -> Ints:
    """Weight of each of the centers and of those that were added; all rows but those without a center count."""
    raised = "free" in rows.columns

    def assign(batches: Iterator[Any]) -> Ints:
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
        return sums

    return added_up(rows, assign, centers.count + more.count)


def _published(sets: Sets, items: Ints, centers: Centers, sizes: Ints, k: int, *, cut_short: bool) -> DataFrame:
    """The different published sets and how often; if fewer than k rows would be empty, others join them."""
    empty, used = sets.n - int(sizes.sum()), np.flatnonzero(sizes)
    given = np.zeros(centers.count, np.int64)
    given[used] = spared(sizes[used], centers.lengths()[used], empty, k)
    codes = items[centers.items]
    batch = publication(centers.ptr, codes, sizes - given, empty + int(given.sum()), cut_short=cut_short)
    return sets.frame.sparkSession.createDataFrame(pa.Table.from_batches([batch]))


def _frequent_rows(sets: Sets, items: Ints) -> DataFrame:
    """The different rows over the frequent items, by their rank from the rarest on."""
    rank = np.full(sets.d, -1, np.int32)
    rank[items] = np.arange(len(items), dtype=np.int32)

    def cut(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            indptr, indices = csr_of(batch.column("items"))
            kept = rank[indices] >= 0
            ptr = np.concatenate([[0], np.cumsum(kept)])[indptr].astype(np.int64)
            entries = indices[kept]
            canonicalize(ptr, entries, rank)
            yield as_batch({"items": (ptr, entries), "weight": batch.column("weight").to_numpy()})

    ranked = sets.frame.mapInArrow(on_worker(cut), "items array<int>, weight long")
    return ranked.where(sf.size("items") > 0).groupBy("items").agg(sf.sum("weight").alias("weight"))


def _lengths(rows: DataFrame) -> Lengths:
    """Count the rows by their number of items."""
    length = sf.size("items").alias("length")
    counted = rows.groupBy(length).agg(sf.sum("weight").alias("weight"), sf.count("*").alias("rows")).toArrow()
    size, weight, count = (counted.column(name).to_numpy() for name in ("length", "weight", "rows"))
    exact = np.zeros(int(size.max(initial=0)) + 1, np.int64)
    exact[size] = weight
    return Lengths(np.cumsum(exact[::-1])[::-1], int((size * count).sum()))
