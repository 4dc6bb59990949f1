"""Groups on Spark, by cahd or matched: the local method on parts of a line on which similar rows lie together.

Data flow, for n rows with N entries, d items of which m are sensitive, and P parts:

1. a bounded sample → a place for every item, and where the line is cut (`layout`);
2. counts per part and sensitive item, by one pass; P · m numbers reach the driver, which plans what makes every part
   feasible (`rebalance`);
3. one shuffle by part; each part is grouped by the local method, by one Python worker at a time;
4. one more shuffle, by the random keys of the groups, into the parts of the release (`grouped`).

All that is random is drawn by hashes of row and group numbers with salts from the seed, never per task: a task that is
tried again, or run twice, or on another number of cores, makes the same groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from covey.arrays import Ids, Ints, Mask
from covey.data import Baskets
from covey.data.csr import keep_items, take_rows
from covey.guarantees.degree import Degree
from covey.methods.base import InParts
from covey.pipeline import Plan
from covey.progress import Progress
from covey.release.grouping import merged
from covey.release.manifest import Manifest
from covey.spark.batches import added_up, as_batch, by_number, csr_of, lengths_of, mixed, places_of, salts
from covey.spark.make import rebalance
from covey.spark.make.grouped import write_grouped
from covey.spark.make.layout import Layout, lay_out, parts_for
from covey.spark.make.rebalance import PLAIN, SEVERAL, Counts
from covey.spark.session import on_worker
from covey.spark.sets import Sets

#: Bits of a group's number that count the groups of one part; the part stands above them.
GROUP_BITS = 36
_GROUPS = np.uint64((1 << 62) - 1)


def publish(sets: Sets, plan: Plan, stage: Path, progress: Progress) -> Manifest:
    """Form groups of `sets`, which can keep the promise, and write them into the directory `stage`."""
    # Groups that look alike are merged within parts only: of all rows, a few such groups would hold most, and would not
    # spread over the parts of a release. So the manifest cannot say that all of them are merged.
    merge = plan.method.merge and sets.owned is None
    method: InParts = replace(plan.method, merge=False)
    assert isinstance(plan.promise, Degree)  # all that these methods keep
    progress("grouping", 0.0)
    groups = form_groups(sets.by_person(), plan.promise, method, merge=merge)
    try:
        noted = groups.select(sf.explode("notes").alias("note")).distinct().toArrow()
        made = method.statement(plan.promise, tuple(sorted(noted.column("note").to_pylist())))
        progress("writing", 0.0)
        placed = groups
        if sets.owned is not None:  # transactions are in the group of their person
            placed = sets.owned.join(groups.select("group", sf.col("row").alias("person")), "person")
        return write_grouped(placed, sets, stage, made=made, seed=method.seed)
    finally:
        groups.unpersist()


def form_groups(
    sets: Sets, promise: Degree, method: InParts, *, parts: int | None = None, merge: bool = False
) -> DataFrame:
    """Put the rows into groups that keep the privacy degree.

    Parameters
    ----------
    sets : Sets
        The data, with its sensitive items marked, none in more than 1 / p of the rows. It is read three times, so
        persist what is costly to make.
    promise : Degree
        What to keep.
    method : CAHD or Matched
        Its options.
    parts : int or None
        Into how many parts the data is cut; None: by its size.
    merge : bool
        Make groups of a part one that have equal sizes and equal counts. (Of persons' groups only these numbers of
        persons are known here, and estimates need those of transactions, too.)

    Returns
    -------
    DataFrame
        ``group: long``, 62 random bits; ``row: long`` and ``items: array<int>``, as in ``sets.rows()``; ``notes:
        array<string>``, the options that cut the search short where the row is. It is persisted, so that reading it
        twice does not form the groups twice; call its ``unpersist`` when it is no longer needed.
    """
    method.require_able_in_parts()
    line, *secret, own = salts(method.seed, 8)
    # A task that is tried again must draw the same.
    method = replace(method, seed=own >> 1)
    rows, n, entries = sets.rows(), sets.n, sets.entries
    wanted = min(parts or parts_for(n, entries), n)
    layout = lay_out(rows, sets.sensitive, n=n, entries=entries, parts=wanted, salt=line)
    moves = rebalance.plan(count_parts(rows, layout), promise.p) if layout.parts > 1 else None
    grouped = _grouped(_assigned(rows, layout, moves), sets.sensitive, promise.p, method, secret, merge)
    return grouped.persist(StorageLevel.MEMORY_AND_DISK)


def roles_of(indptr: Ints, indices: Ids, number: Ids) -> Ints:
    """For each row its only sensitive item, or that it has none or several; ``number`` is -1 for ordinary items."""
    code = number[indices]
    held = code >= 0
    count = lengths_of(indptr, held)
    total = np.concatenate([[0], np.cumsum(np.where(held, code, 0), dtype=np.int64)])
    role: Ints = total[indptr[1:]] - total[indptr[:-1]]
    role[count == 0], role[count > 1] = PLAIN, SEVERAL
    return role


def count_parts(rows: DataFrame, layout: Layout) -> Counts:
    """Count rows, plain rows and sensitive items in each part of the layout."""
    m, number = int(layout.sensitive.sum()), places_of(layout.sensitive)

    def count(batches: Iterable[Any]) -> Ints:
        cells = np.zeros((2, layout.parts * (m + 1)), np.int64)
        for batch in batches:
            indptr, indices = csr_of(batch.column("items"))
            part = layout.part(layout.keys(batch.column("row").to_numpy(), indptr, indices))
            role = roles_of(indptr, indices, number)
            code = number[indices]
            held = np.repeat(part, np.diff(indptr))[code >= 0] * (m + 1) + code[code >= 0]
            # The last column of a part counts all its rows, and its plain ones.
            everybody = part * (m + 1) + m
            alone = part * (m + 1) + np.where(role == PLAIN, m, role)
            cells[0] += np.bincount(np.concatenate([held, everybody]), minlength=cells.shape[1])
            cells[1] += np.bincount(alone[role != SEVERAL], minlength=cells.shape[1])
        return cells.ravel()

    cells = added_up(rows.select("row", "items"), count, 2 * layout.parts * (m + 1))
    held, alone = cells.reshape(2, layout.parts, m + 1)
    return Counts(size=held[:, m], plain=alone[:, m], held=held[:, :m], alone=alone[:, :m])


def _assigned(rows: DataFrame, layout: Layout, made: rebalance.Plan | None) -> DataFrame:
    """The rows with the part each belongs to after moves and merges."""
    if made is None:
        return rows.select(sf.lit(0).cast("long").alias("part"), "row", "items")
    number = places_of(layout.sensitive)
    # Parts and roles in one number; only rows of those that give something away need a rank.
    roles = int(layout.sensitive.sum()) + 2
    giving = np.unique(np.array([move.part * roles + move.role + 2 for move in made.moves], np.int64))
    merged = made.merged

    def assign(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            row = batch.column("row").to_numpy()
            indptr, indices = csr_of(batch.column("items"))
            part = layout.part(layout.keys(row, indptr, indices))
            source = part * roles + roles_of(indptr, indices, number) + 2
            source[~np.isin(source, giving)] = -1
            tie = mixed(row, layout.salt).view(np.int64)
            yield as_batch({"part": merged[part], "source": source, "tie": tie, "row": row, "items": (indptr, indices)})

    keyed = rows.select("row", "items").mapInArrow(
        on_worker(assign), "part long, source long, tie long, row long, items array<int>"
    )
    columns = ["part", "row", "items"]
    if not made.moves:
        return keyed.select(*columns)
    lines = [(move.part * roles + move.role + 2, move.start, move.stop, int(merged[move.to])) for move in made.moves]
    moves = rows.sparkSession.createDataFrame(lines, "source long, start long, stop long, target long")
    giving_rows = keyed.where("source >= 0").withColumn(
        "rank", sf.row_number().over(Window.partitionBy("source").orderBy("tie", "row", "items")) - 1
    )
    found = (giving_rows["source"] == moves["source"]) & giving_rows["rank"].between(moves["start"], moves["stop"] - 1)
    moved = giving_rows.join(sf.broadcast(moves), found, "left").select(
        sf.coalesce("target", "part").alias("part"), "row", "items"
    )
    return keyed.where("source < 0").select(*columns).unionByName(moved)


def _grouped(assigned: DataFrame, sensitive: Mask, p: int, method: InParts, words: list[int], merge: bool) -> DataFrame:
    """Group the rows of each part by the local method."""
    public, secret = places_of(~sensitive), places_of(sensitive)
    d, m = int((~sensitive).sum()), int(sensitive.sum())

    def group(table: Any) -> Any:
        number, lists = table.column("row").to_numpy(), csr_of(table.column("items"))
        # Rows arrive in any order; the method must not notice.
        arrival = by_number(number, *lists)
        number = number[arrival]
        indptr, indices = take_rows(*lists, arrival)
        qid, sens = keep_items(indptr, indices, public), keep_items(indptr, indices, secret)
        made = method.group_part(qid, d, sens, m, p)
        if merge:
            made = made._replace(group=merged(made.group, made.number, Baskets.numbered(*sens, m))[0])
        part = np.int64(table.column("part")[0].as_py())
        batch = as_batch(
            {
                "group": scrambled((part << GROUP_BITS) + made.group, words),
                "row": number,
                "items": (indptr, indices),
                "notes": pa.array([list(made.notes)] * len(number), pa.list_(pa.string())),
            }
        )
        return pa.Table.from_batches([batch])

    prepared = on_worker(group)
    return assigned.groupBy("part").applyInArrow(
        lambda table: prepared(table), "group long, row long, items array<int>, notes array<string>"
    )


def scrambled(numbers: Ints, words: list[int]) -> Ints:
    """Different numbers below 2 ** 62 for different ones, in an order that tells nothing to who lacks the words.

    Each round can be undone, but only with its two secret words: known factors, or a single sum, would let anybody
    undo all of them but for a constant, and with it see in which order the groups were formed.

    Examples
    --------
    >>> len(set(scrambled(np.arange(1000), [1, 2, 3, 4, 5, 6]).tolist()))
    1000
    """
    x = numbers.astype(np.uint64) & _GROUPS
    for factor, summand in zip(words[::2], words[1::2], strict=True):
        x = (x * np.uint64(factor | 1) + np.uint64(summand)) & _GROUPS
        x ^= x >> np.uint64(29)
    return x.astype(np.int64)
