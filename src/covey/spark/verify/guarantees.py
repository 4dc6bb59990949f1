"""Check degree(p) of groups and k-anonymity(k) of sets on Spark, from the published tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from covey.data.labels import alike
from covey.guarantees.degree import Degree
from covey.guarantees.k_anonymity import KAnonymity
from covey.spark.verify.releases import OpenedGroups, OpenedSets
from covey.verdict import Check, Verdict
from covey.verify.degree import (
    Cells,
    all_different,
    counts_only,
    impossible_cell,
    impossible_group,
    impossible_total,
    persons_possible,
)
from covey.verify.degree import verdict as degree_verdict
from covey.verify.k_anonymity import Classes
from covey.verify.k_anonymity import verdict as k_anonymity_verdict


def check_degree(promise: Degree, release: OpenedGroups) -> Verdict:
    """Check that p · count <= size for every group and item; the release states each count once.

    Where the release counts persons, they are what counts; first that their numbers are possible at all.
    """
    joined, sizes = release.sensitive().join(release.groups(), "group"), release.groups()
    size, count, possible = "transactions", "count", list[Check]()
    smallest, largest = release.scanned["groups"].smallest, release.scanned["groups"].largest
    if release.by_person:
        size, possible = "persons", [_possible(release, sizes, joined)]
        if not possible[0].passed:
            return Verdict(guarantee=promise.text, checks=tuple(possible))
        ends = sizes.agg(sf.min(size), sf.max(size)).first()
        assert ends is not None
        smallest, largest = int(ends[0] or 0), int(ends[1] or 0)
    joined = _as_read(joined, release.sensitive_items, count, size)
    # Divided, not multiplied: no product can overflow, however large p is.
    allowed = sf.expr(f"{size} div {promise.p}L") if promise.p <= largest else sf.lit(0)
    cells = joined.select(
        "group",
        "code",
        sf.col(count).alias("held"),
        sf.col(size).alias("size"),
        (sf.col(size) / sf.col(count)).alias("degree"),
        (sf.col(count) > allowed).alias("high"),
    )
    found = cells.agg(sf.count("*"), sf.count_if("high"), sf.min("degree")).first()
    assert found is not None
    worst = cells.where("high").orderBy("degree", "group", "code").first() if found[1] else None
    kept = degree_verdict(
        promise,
        Cells(
            total=int(found[0]),
            violating=int(found[1]),
            degree=found[2],
            worst=None
            if worst is None
            else (release.sensitive_items[worst["code"]], worst["held"], worst["group"], worst["size"]),
            groups=release.scanned["groups"].groups,
            smallest=smallest,
            largest=largest,
            unit="persons" if release.by_person else "transactions",
        ),
        counts_only(release.sensitive_items, release.items),
    )
    merged = release.manifest.options.get("merge") is True
    alike = (all_different(release.scanned["groups"].groups, _alike(release)),) if merged else ()
    return replace(kept, checks=(*possible, *kept.checks, *alike))


def _as_read(cells: DataFrame, items: tuple[str, ...], count: str, size: str) -> DataFrame:
    """The counts, where items that people take for the same are one; see `covey.verify.degree.check`."""
    same: dict[Any, Any] = {code: int(first) for code, first in enumerate(alike(items)) if code != first}
    if not same:
        return cells
    cells = cells.select("group", "code", count, size).replace(same, subset=["code"])
    return cells.groupBy("group", "code", size).agg(sf.sum(count).alias(count))


def _possible(release: OpenedGroups, sizes: DataFrame, cells: DataFrame) -> Check:
    """That there can be as many persons as stated; see `covey.verify.degree.possible_persons`."""
    wrong = sizes.where("persons < 1 OR persons > transactions").orderBy("group").first()
    if wrong is not None:
        return persons_possible(impossible_group(wrong["group"], wrong["transactions"], wrong["persons"]), 0)
    bad = cells.where("count > persons").orderBy("group", "code").first()
    if bad is not None:
        item = release.sensitive_items[bad["code"]]
        return persons_possible(impossible_cell(item, bad["count"], bad["persons"], bad["group"]), 0)
    most = sf.sum(sf.col("transactions") - (sf.col("persons") - sf.col("count")))
    items = release.sensitive_items
    numbers = [np.zeros(len(items), np.int64) for _ in range(3)]
    for code, *found in cells.groupBy("code").agg(sf.count("*"), sf.sum("count"), most).collect():
        for array, number in zip(numbers, found, strict=True):
            array[code] = number
    return persons_possible(impossible_total(items, release.totals(), *numbers), release.scanned["groups"].persons)


def _alike(release: OpenedGroups) -> tuple[int, int] | None:
    """Two groups of the same size and counts, if there are any."""
    persons = ["persons"] if release.by_person else []
    counts = sf.sort_array(sf.collect_list(sf.struct("code", "count"))).alias("counts")
    looks = release.groups().join(release.sensitive().groupBy("group").agg(counts), "group", "left")
    twins = (
        looks.groupBy("transactions", *persons, "counts")
        .agg(sf.min("group").alias("one"), sf.max("group").alias("other"))
        .where("one < other")
    )
    found = twins.orderBy("one").first()
    return None if found is None else (int(found["one"]), int(found["other"]))


def check_k_anonymity(promise: KAnonymity, release: OpenedSets) -> Verdict:
    """Check that every published set stands k times or more."""
    rows, empty = release.scanned["sets"].rows, release.scanned["sets"].empty
    # Items ascend in every row, so equal sets are equal lists.
    classes = (
        release.rows().groupBy("items").agg(sf.count("*").alias("size"), sf.min(sf.struct("file", "at")).alias("first"))
    )
    k = min(promise.k, rows + 1)  # what Spark can compare a count with
    rare = sf.when(sf.col("size") < k, sf.col("size"))
    found = classes.agg(sf.count("*"), sf.min("size"), sf.max("size"), sf.sum(rare)).first()
    assert found is not None
    number, smallest, largest, violating = (int(figure or 0) for figure in found)
    # Counted once more only where there is something to show.
    worst = classes.where(sf.col("size") == smallest).orderBy("first").first() if violating else None
    return k_anonymity_verdict(
        promise,
        Classes(
            rows=rows,
            empty=empty,
            number=number,
            smallest=smallest,
            largest=largest,
            violating=violating,
            rarest=[] if worst is None else [release.items[i] for i in worst["items"]],
        ),
    )
