"""PatternKa on Spark: in one task where the data fits into it, else in shards that mine the longest patterns.

For n rows, d frequent items and k: rows are cut down to frequent items, and equal ones counted together, in one
shuffle. Two jobs make the shards. From the longest patterns to the shortest, one job mines a length: the rows that are
left and long enough go to the shards that can have such patterns, which propose centers; in up to `centers.ROUNDS` jobs
each row chooses the first proposed center that it holds, and centers that k rows or more have chosen are kept. Rows
that their groups can spare go through the lengths once more, and open groups with longer centers. One pass then gives
each row its center.

The state between jobs is the list of centers (`centers`), not a mark on each row: at most n / k centers reach the
driver, and every task can be repeated. Cost: each job reads the rows that are long enough, O(entries), and copies each
to at most as many shards as it has items; a mining job costs what the local search costs on these rows, divided by the
cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from covey.arrays import Ids, Ints, places_of
from covey.data import Baskets
from covey.data.csr import canonicalize, keep_items, take_rows
from covey.guarantees.k_anonymity import KAnonymity
from covey.methods.pattern_ka import PatternKa
from covey.methods.pattern_ka.set_groups import SLACK, spared
from covey.pipeline import Plan
from covey.progress import Progress, silent
from covey.release.manifest import Manifest
from covey.spark.batches import added_up, as_array, as_batch, by_number, csr_of, declared, mapped
from covey.spark.make.centers import LOTS, Centers, choose, lots_of
from covey.spark.make.shards import Patience, Shards, make_shards, mine
from covey.spark.make.writing import write_sets
from covey.spark.parts import Out
from covey.spark.session import on_worker
from covey.spark.sets import Sets

#: Entries over frequent items that one task takes alone. It needs about as much memory as a shard of
#: `covey.spark.make.shards.SHARD` entries with its copies.
ALONE = 8_000_000
#: Rows that are so many items longer than their center are not told apart when a group decides who may leave.
LONGER = 15


def publish(sets: Sets, plan: Plan, out: Out, progress: Progress) -> Manifest:
    """Choose centers for `sets`, which can keep the promise, and write what is published."""
    method: PatternKa = plan.method
    assert isinstance(plan.promise, KAnonymity)  # all that this method keeps
    sets = sets.by_person()
    progress("grouping", 0.0)
    frequent = np.flatnonzero(sets.supports >= plan.promise.k)
    make = alone if int(sets.supports[frequent].sum()) <= ALONE else in_shards
    published = make(sets, plan.promise, method, progress)
    progress("writing", 0.0)
    return write_sets(published, sets, out, made=partial(method.statement, plan.promise), seed=method.seed)


def alone(sets: Sets, promise: KAnonymity, method: PatternKa, progress: Progress = silent) -> DataFrame:
    """Return what the local method publishes of each row, and whether its search was cut short, as notes."""
    items, columns = sets.items, [name for name in sets.rows.columns if name != "items"]
    kept = np.where(sets.supports >= promise.k, np.arange(sets.d), -1).astype(np.int32)

    def cut(batch: pa.RecordBatch) -> dict[str, Any]:
        return {"items": keep_items(*csr_of(batch.column("items")), kept)}

    def search(batches: Iterator[Any]) -> Iterator[Any]:
        table = pa.Table.from_batches(batches).combine_chunks()
        lists = csr_of(table.column("items"))
        order = by_number(table.column("row").to_numpy(), *lists)
        indptr, indices = take_rows(*lists, order)
        data = Baskets(indptr=indptr, indices=indices, items=items, sensitive=np.zeros(len(items), np.bool_))
        found = method.recode(data, promise, silent)
        table = table.take(pa.array(order))
        for start in range(0, len(order), 1 << 20):
            some = table.slice(start, 1 << 20).combine_chunks().to_batches()[0]
            own = {name: some.column(name) for name in columns}
            rows = take_rows(*found.published.csr, np.arange(start, start + some.num_rows))
            notes = pa.array([list(found.notes)] * some.num_rows, pa.list_(pa.string()))
            yield as_batch({**own, "items": rows, "notes": notes})

    together = mapped(sets.rows, cut, "items array<int>").repartition(1)
    stated = [*declared(sets.rows, columns), "items array<int>", "notes array<string>"]
    return together.mapInArrow(on_worker(search), ", ".join(stated))


@dataclass(frozen=True, slots=True, kw_only=True)
class Homes:
    """The center of each row: a function of its items."""

    centers: Centers
    #: Centers that rows take instead which their own groups can spare.
    more: Centers
    #: For each center, and last for none, the grade beyond which its rows can be spared.
    bar: Ints

    def graded(self, indptr: Ints, indices: Ids, d: int) -> tuple[Ints, Ints, Ints]:
        """Return the center that each row has first, its length, and the row's grade.

        Groups keep their shortest rows, which have least to gain elsewhere: grade by grade, a grade being rows of one
        length and lot.
        """
        center = self.centers.taken_by(indptr, indices, d)
        now = np.append(self.centers.lengths(), 0)[center]
        longer = np.minimum(np.diff(indptr) - now, LONGER)
        return center, now, longer * LOTS + lots_of(indptr, indices)

    def of(self, indptr: Ints, indices: Ids, d: int) -> Ints:
        """Return the center of each row, those in `more` numbered behind the others; -1 for none."""
        if not self.more.count:
            return self.centers.taken_by(indptr, indices, d)
        home, now, grade = self.graded(indptr, indices, d)
        moved = self.more.taken_by(indptr, indices, d, now)
        moves = (grade > self.bar[home]) & (moved >= 0)
        home[moves] = self.centers.count + moved[moves]
        return home

    def all(self) -> Centers:
        """Return all centers, by their numbers."""
        return self.centers.followed_by(self.more)


def in_shards(sets: Sets, promise: KAnonymity, method: PatternKa, progress: Progress = silent) -> DataFrame:
    """Return what each row is published as, by centers that are searched for in shards; otherwise as `alone`."""
    # Rare items first: the rows that hold one of them are few, and what is left of them is short.
    frequent = np.flatnonzero(sets.supports >= promise.k)
    items = frequent[np.argsort(sets.supports[frequent], kind="stable")]
    d, rank = len(items), places_of(items, sets.d)

    def ranks(batch: pa.RecordBatch) -> dict[str, Any]:
        indptr, indices = keep_items(*csr_of(batch.column("items")), rank)
        canonicalize(indptr, indices, np.arange(d, dtype=np.int32))
        return {"items": (indptr, indices)}

    ranked = mapped(sets.rows, ranks, "items array<int>")
    rows = ranked.where(sf.size("items") > 0).groupBy("items").agg(sf.count("*").alias("weight")).persist()
    try:
        lengths, entries = _lengths(rows)
        shards, patience = make_shards(rows, entries, d, promise.k), Patience(method.work * 1_000_000)
        longest = int((lengths >= promise.k).sum()) - 1
        centers = greedy(rows, shards, longest, patience, progress)
        homes = Homes(centers=centers, more=Centers.none(), bar=np.full(centers.count + 1, -1))
        if method.raising or method.leftovers:
            homes = _raised(rows, shards, patience, homes, method)
        sizes = added_up(rows, _sizes(homes, d), homes.all().count)
    finally:
        rows.unpersist()
    every = homes.all()
    empty, used = sets.n - int(sizes.sum()), np.flatnonzero(sizes)
    given = np.zeros(every.count, np.int64)
    given[used] = spared(sizes[used], every.lengths()[used], empty, promise.k)
    notes = ["work"] if patience.halvings else []
    return _published(_joining_the_empty(ranked, homes, given, d), every, items, notes)


def greedy(rows: DataFrame, shards: Shards, most: int, patience: Patience, progress: Progress = silent) -> Centers:
    """Return centers for all rows that hold a pattern with others that are left, longest first (Alg. 1).

    Fewer than k rows have more than `most` items. Each shard remembers, on the driver, how long its patterns can be at
    most: a length is mined where it may have some, and shards that find none say in the same job how long theirs are.
    """
    centers, longest = Centers.none(), np.zeros(shards.count, np.int64)
    np.maximum.at(longest, shards.home, shards.bound)
    longest = np.minimum(longest, most)
    top = int(longest.max(initial=0))
    while (length := int(longest.max(initial=0))) >= 1:
        progress("grouping", 0.5 * (1 - length / top))
        patterns, longest = mine(rows, shards, centers, length, longest=longest, patience=patience)
        kept = choose(rows, centers, patterns, shards.d, shards.k)
        centers = centers.followed_by(kept)
        longest = longest if kept.count else np.minimum(longest, length - 1)
    return centers


def _raised(rows: DataFrame, shards: Shards, patience: Patience, homes: Homes, method: PatternKa) -> Homes:
    """Open longer centers with rows that their groups can spare."""
    d, k, centers = shards.d, shards.k, homes.centers

    def grade(batch: pa.RecordBatch) -> dict[str, Any]:
        center, now, grades = homes.graded(*csr_of(batch.column("items")), d)
        return {"center": center, "now": now, "grade": grades}

    every = mapped(rows, grade, "center long, now long, grade long")
    graded = every.where("center >= 0")
    grades = graded.groupBy("center", "grade").agg(sf.sum("weight").alias("weight"))
    window = Window.partitionBy("center").orderBy("grade").rowsBetween(Window.unboundedPreceding, -1)
    staying = grades.withColumn("before", sf.coalesce(sf.sum("weight").over(window), sf.lit(0))).where(f"before < {k}")
    bar = as_array(staying.groupBy("center").agg(sf.max("grade")), centers.count + 1, otherwise=-1)

    def spare(batch: pa.RecordBatch) -> dict[str, Any]:
        return {"free": batch.column("grade").to_numpy() > bar[batch.column("center").to_numpy()]}

    free = mapped(every, spare, "free boolean", keep=["items", "weight", "now"]).where("free").drop("free").persist()
    try:
        # Rows that gain are those with a shorter center than they could have; without them a length has no use.
        shape = free.groupBy(sf.size("items").alias("length"), "now").agg(sf.sum("weight").alias("weight")).toArrow()
        size, now, weight = (shape.column(name).to_numpy() for name in ("length", "now", "weight"))
        more = Centers.none()
        top = int(centers.lengths().max(initial=0)) if method.raising else 1
        for length in range(top, 0, -1):
            slack = SLACK if length == 1 and method.leftovers else 0
            able = (size >= length) & (now <= length + slack)
            if not weight[able & (now < length)].sum() or weight[able].sum() < k:
                continue
            allowed = free.where(sf.col("now") <= length + slack)
            patterns, _ = mine(allowed, shards, more, length, slack=slack, patience=patience)
            if len(patterns):
                more = more.followed_by(choose(allowed, more, patterns, d, k, slack=slack, raising=True))
    finally:
        free.unpersist()
    return Homes(centers=centers, more=more, bar=bar)


def _sizes(homes: Homes, d: int) -> Any:
    """For `added_up`: the weight of each center."""

    def count(batches: Iterator[Any]) -> Ints:
        sums = np.zeros(homes.all().count, np.int64)
        for batch in batches:
            home = homes.of(*csr_of(batch.column("items")), d)
            np.add.at(sums, home[home >= 0], batch.column("weight").to_numpy()[home >= 0])
        return sums

    return count


def _joining_the_empty(ranked: DataFrame, homes: Homes, given: Ints, d: int) -> DataFrame:
    """Rows with their ``center: long``, of which each gives so many to the empty rows, which get the center -1."""
    columns = [name for name in ranked.columns if name != "items"]

    def assign(batch: pa.RecordBatch) -> dict[str, Any]:
        return {"center": homes.of(*csr_of(batch.column("items")), d)}

    rows = mapped(ranked, assign, "center long", keep=columns)
    givers = np.flatnonzero(given).tolist()
    if not givers:
        return rows
    rank = sf.row_number().over(Window.partitionBy("center").orderBy(*columns))
    most = sf.element_at(sf.create_map(*(sf.lit(x) for c in givers for x in (c, int(given[c])))), sf.col("center"))
    leaving = sf.when(rank <= most, sf.lit(-1)).otherwise(sf.col("center"))
    giving = sf.col("center").isin(givers)
    return rows.where(~giving).unionByName(rows.where(giving).withColumn("center", leaving))


def _published(rows: DataFrame, centers: Centers, items: Ints, notes: list[str]) -> DataFrame:
    """The rows with the items of their centers."""
    codes, top = items[centers.items].astype(np.int32), int(items.max(initial=-1)) + 1
    ptr = centers.ptr.copy()
    canonicalize(ptr, codes, np.arange(top, dtype=np.int32))
    ptr = np.append(ptr, ptr[-1])  # center -1, the last, is empty

    def publish(batch: pa.RecordBatch) -> dict[str, Any]:
        center = batch.column("center").to_numpy() % (len(ptr) - 1)
        said = pa.array([notes] * len(center), pa.list_(pa.string()))
        return {"items": take_rows(ptr, codes, center), "notes": said}

    return mapped(rows, publish, "items array<int>, notes array<string>", [c for c in rows.columns if c != "center"])


def _lengths(rows: DataFrame) -> tuple[Ints, int]:
    """Return the weight of the rows that have 0, 1, 2, … items or more, and the entries of all rows."""
    length = sf.size("items").alias("length")
    counted = rows.groupBy(length).agg(sf.sum("weight").alias("weight"), sf.count("*").alias("rows")).toArrow()
    size, weight, count = (counted.column(name).to_numpy() for name in ("length", "weight", "rows"))
    exact = np.zeros(int(size.max(initial=0)) + 1, np.int64)
    exact[size] = weight
    return np.cumsum(exact[::-1])[::-1], int((size * count).sum())
