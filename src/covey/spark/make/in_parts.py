"""Groups on Spark, by cahd or matched: the local method on parts of a line on which similar rows lie together.

Data flow, for m sensitive items and P parts: a bounded sample gives a place for every item, and where the line is cut
(`layout`); one pass counts per part and sensitive item, and of these P · m numbers the driver plans what makes every
part feasible (`rebalance`); after one shuffle by part, the local method groups each part in one task; one more shuffle,
by the random keys of the groups, brings them into the parts of the release (`writing`).

All that is random is drawn by hashes of row and group numbers with salts from the seed, never per task: a task that is
tried again, or run twice, or on another number of cores, makes the same groups.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from covey.arrays import Ids, Ints, Mask, offsets_of, places_of
from covey.data import Baskets
from covey.data.csr import keep_items, take_rows
from covey.guarantees.degree import Degree
from covey.methods.base import GroupsBaskets
from covey.pipeline import Plan
from covey.progress import Progress
from covey.release.grouping import merged
from covey.release.manifest import Manifest
from covey.spark.batches import (
    added_up,
    as_batch,
    by_number,
    csr_of,
    declared,
    in_groups,
    lengths_of,
    mapped,
    mixed,
    salts,
)
from covey.spark.make import rebalance
from covey.spark.make.layout import Layout, lay_out, parts_for
from covey.spark.make.rebalance import PLAIN, SEVERAL, Counts
from covey.spark.make.writing import write_grouped
from covey.spark.parts import Out
from covey.spark.sets import Sets


def publish(sets: Sets, plan: Plan, out: Out, progress: Progress) -> Manifest:
    """Form groups of `sets`, which can keep the promise, and write them."""
    # Groups that look alike are merged within parts only: of all rows, a few such groups would hold most, and would not
    # spread over the parts of a release. So the manifest cannot say that all of them are merged.
    merge = plan.method.merge and sets.people is None
    method: GroupsBaskets = replace(plan.method, merge=False)
    assert isinstance(plan.promise, Degree)  # all that these methods keep
    progress("grouping", 0.0)
    groups = form_groups(sets.by_person(), plan.promise, method, merge=merge)
    try:
        progress("writing", 0.0)
        placed = groups
        if sets.people is not None:  # transactions are in the group of their person
            placed = sets.rows.join(groups.select("group", "notes", sf.col("id").alias("person")), "person")
        return write_grouped(placed, sets, out, made=partial(method.statement, plan.promise), seed=method.seed)
    finally:
        groups.unpersist()


def form_groups(
    sets: Sets, promise: Degree, method: GroupsBaskets, *, parts: int | None = None, merge: bool = False
) -> DataFrame:
    """Put the rows, read three times, into groups that keep the privacy degree, which the data as a whole must allow.

    Returns the rows with ``group: long``, 62 random bits, and ``notes: array<string>``, the options that cut the search
    short where the row is. The frame is persisted: call its ``unpersist``. The number of `parts` follows from the size
    of the data unless it is given. With `merge`, groups of a part are made one that have equal sizes and counts. (Of
    persons' groups only these numbers of persons are known here, and estimates need those of transactions, too.)
    """
    method.require_able_in_parts()
    line, secret, own = salts(method.seed, 3)
    # A task that is tried again must draw the same.
    method = replace(method, seed=own >> 1)
    rows, n, entries = sets.rows, sets.n, sets.entries
    wanted = min(parts or parts_for(n, entries), n)
    layout = lay_out(rows, sets.sensitive, n=n, entries=entries, parts=wanted, salt=line)
    moves = rebalance.plan(count_parts(rows, layout), promise.p) if len(layout.cuts) else None
    grouped = _grouped(_assigned(rows, layout, moves), sets.sensitive, promise.p, method, secret, merge)
    return grouped.persist(StorageLevel.MEMORY_AND_DISK)


def roles_of(indptr: Ints, indices: Ids, number: Ids) -> Ints:
    """For each row its only sensitive item, or that it has none or several; ``number`` is -1 for ordinary items."""
    code = number[indices]
    held = code >= 0
    count = lengths_of(indptr, held)
    total = offsets_of(np.where(held, code, 0))
    role: Ints = total[indptr[1:]] - total[indptr[:-1]]
    role[count == 0], role[count > 1] = PLAIN, SEVERAL
    return role


def count_parts(rows: DataFrame, layout: Layout) -> Counts:
    """Count rows, plain rows and sensitive items in each part of the layout."""
    m, number = int(layout.sensitive.sum()), places_of(np.flatnonzero(layout.sensitive), len(layout.sensitive))
    parts = len(layout.cuts) + 1

    def count(batches: Iterable[Any]) -> Ints:
        cells = np.zeros((2, parts * (m + 1)), np.int64)
        for batch in batches:
            indptr, indices = csr_of(batch.column("items"))
            part = layout.part(layout.keys(batch.column("row").to_numpy(), indptr, indices))
            role, code = roles_of(indptr, indices, number), number[indices]
            held = np.repeat(part, np.diff(indptr))[code >= 0] * (m + 1) + code[code >= 0]
            # The last column of a part counts all its rows, and its plain ones.
            everybody = part * (m + 1) + m
            alone = part * (m + 1) + np.where(role == PLAIN, m, role)
            cells[0] += np.bincount(np.concatenate([held, everybody]), minlength=cells.shape[1])
            cells[1] += np.bincount(alone[role != SEVERAL], minlength=cells.shape[1])
        return cells.ravel()

    cells = added_up(rows.select("row", "items"), count, 2 * parts * (m + 1))
    held, alone = cells.reshape(2, parts, m + 1)
    return Counts(size=held[:, m], plain=alone[:, m], held=held[:, :m], alone=alone[:, :m])


def _assigned(rows: DataFrame, layout: Layout, made: rebalance.Plan | None) -> DataFrame:
    """The rows with the part each belongs to after moves and merges."""
    if made is None:
        return rows.withColumn("part", sf.lit(0).cast("long"))
    number = places_of(np.flatnonzero(layout.sensitive), len(layout.sensitive))
    # Parts and roles in one number; only rows of those that give something away need a rank.
    roles = int(layout.sensitive.sum()) + 2
    giving = np.unique(np.array([move.part * roles + move.role + 2 for move in made.moves], np.int64))
    merged = made.merged

    def assign(batch: pa.RecordBatch) -> dict[str, Any]:
        row = batch.column("row").to_numpy()
        indptr, indices = csr_of(batch.column("items"))
        part = layout.part(layout.keys(row, indptr, indices))
        source = part * roles + roles_of(indptr, indices, number) + 2
        source[~np.isin(source, giving)] = -1
        return {"part": merged[part], "source": source, "tie": mixed(row, layout.salt).view(np.int64)}

    keyed = mapped(rows, assign, "part long, source long, tie long")
    if not made.moves:
        return keyed.drop("source", "tie")
    lines = [(move.part * roles + move.role + 2, move.start, move.stop, int(merged[move.to])) for move in made.moves]
    moves = rows.sparkSession.createDataFrame(lines, "origin long, start long, stop long, target long")
    ranked = keyed.where("source >= 0").withColumn(
        "rank", sf.row_number().over(Window.partitionBy("source").orderBy("tie", "row", "items")) - 1
    )
    found = sf.expr("source = origin AND rank >= start AND rank < stop")
    moved = ranked.join(sf.broadcast(moves), found, "left").withColumn("part", sf.coalesce("target", "part"))
    kept = keyed.where("source < 0")
    return kept.unionByName(moved.select(*kept.columns)).drop("source", "tie")


def _grouped(
    assigned: DataFrame, sensitive: Mask, p: int, method: GroupsBaskets, secret: int, merge: bool
) -> DataFrame:
    """Group the rows of each part by the local method."""
    public, hidden = (places_of(np.flatnonzero(some), len(sensitive)) for some in (~sensitive, sensitive))
    d, m = int((~sensitive).sum()), int(sensitive.sum())

    columns = assigned.drop("part").columns

    def group(table: pa.Table) -> pa.Table:
        number, lists = table.column("row").to_numpy(), csr_of(table.column("items"))
        # Rows arrive in any order; the method must not notice.
        arrival = by_number(number, *lists)
        number = number[arrival]
        indptr, indices = take_rows(*lists, arrival)
        qid, sens = keep_items(indptr, indices, public), keep_items(indptr, indices, hidden)
        made = method.group_part(qid, d, sens, m, p)
        if merge:
            made = made._replace(group=merged(made.group, made.number, Baskets.numbered(*sens, m))[0])
        # Equal keys, which hardly ever occur, would make two groups one, which keeps the degree, too.
        part = int(table.column("part")[0].as_py())
        keys = np.random.default_rng([secret, part]).integers(0, 1 << 62, made.number)
        batch = as_batch(
            {
                **{name: table.column(name).combine_chunks().take(pa.array(arrival)) for name in columns},
                "group": keys[made.group],
                "notes": pa.array([list(made.notes)] * len(number), pa.list_(pa.string())),
            }
        )
        return pa.Table.from_batches([batch])

    stated = [*declared(assigned, columns), "group long", "notes array<string>"]
    return in_groups(assigned, "part", group, ", ".join(stated))
