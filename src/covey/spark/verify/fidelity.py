"""Compare a release with its original on Spark: published baskets as multisets, totals, and persons where they count.

Whether a group's counts are possible for its members, and whether all published sets can be given out at once, is
checked by the local engine only. The original has no order of rows on Spark.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pyspark.sql import functions as sf

from covey.arrays import Ints
from covey.counting import counted, sizes
from covey.data import set_classes  # as a module: Spark would send a kernel without its cache
from covey.data.csr import transpose
from covey.release.persons import counts_persons
from covey.spark.batches import added_up, as_array, csr_of
from covey.spark.sets import Sets
from covey.spark.verify.releases import OpenedGroups, OpenedSets
from covey.verdict import Check
from covey.verify.exposed import check_exposed
from covey.verify.original_parts import (
    known_items,
    published_once,
    same_holders,
    same_sensitive,
    same_totals,
    same_unit,
)
from covey.verify.row_matching import other_often


def compare_groups(release: OpenedGroups, original: Sets) -> list[Check]:
    """Check `release` against `original`, whose own marks of sensitive items count if it has any."""
    unit = same_unit(release.by_person, original.persons, "transactions")
    if unit is not None and not unit.passed:
        return [unit]
    named = original.sensitive_items()
    checks = [same_sensitive(release.sensitive_items, original.items, named, bool(named))]
    if checks[0].passed:
        checks.append(known_items(release.items, original.items))
    if not checks[-1].passed:
        return checks
    marked = original.with_sensitive(release.sensitive_items)
    checks.append(_same_baskets(release, marked))
    theirs = marked.supports[marked.sensitive]
    held = as_array(release.sensitive().groupBy("code").agg(sf.sum("count")), len(release.sensitive_items))
    if unit is None:
        checks.append(same_totals(release.sensitive_items, held, theirs))
    else:
        totals = release.totals()
        checks.append(same_totals(release.sensitive_items, totals, np.where(totals > 0, theirs, 0)))
        people, holders = marked.by_person(), held
        stated = release.counts()["persons"]
        same = same_holders(release.sensitive_items, stated, people.n, holders, people.supports[people.sensitive])
        checks += [unit, same, _one_group_each(release, marked)]
    return checks


def _one_group_each(release: OpenedGroups, original: Sets) -> Check:
    """That nobody has transactions in two groups, as far as their baskets are published in one group only."""
    assert original.owned is not None
    where = (
        release.rows(original.items)
        .groupBy("items")
        .agg(sf.min("group").alias("group"), sf.max("group").alias("last"))
        .where(sf.col("group") == sf.col("last"))
    )
    homes = (
        original.owned.select("person", original.public().alias("items"))
        .join(where, "items")
        .groupBy("person")
        .agg(sf.min("group").alias("one"), sf.max("group").alias("other"))
    )
    found = homes.agg(sf.count("*"), sf.count_if(sf.col("one") != sf.col("other"))).first()
    assert found is not None
    placed = f"{found[0]:,} of {original.persons:,} persons have"
    detail = f"{placed} a transaction that only one group has"
    if found[1]:
        detail = f"{counted(found[1], 'person')} with transactions in two groups"
    return Check(name="all transactions of a person are in one group", passed=not found[1], detail=detail)


def _same_baskets(release: OpenedGroups, original: Sets) -> Check:
    theirs = original.frame.select(
        original.public().alias("items"), sf.col("weight").alias("there"), sf.lit(0).alias("here")
    )
    ours = release.rows(original.items).select("items", sf.lit(0).alias("there"), sf.lit(1).alias("here"))
    both = theirs.unionByName(ours).groupBy("items").agg(sf.sum("there").alias("there"), sf.sum("here").alias("here"))
    worst = both.where("here != there").orderBy(sf.desc(sf.col("here") - sf.col("there")), "items").first()
    name = "every published basket is in the original, exactly as often"
    if worst is None:
        counts = release.counts()
        detail = sizes(baskets=counts["transactions"], entries=counts["entries"])
        return Check(name=name, passed=True, detail=detail)
    detail = other_often([original.items[i] for i in worst["items"]], worst["here"], worst["there"])
    return Check(name=name, passed=False, detail=detail)


#: Pairs of a published and an original set that a task lists at a time.
PAIRS = 5_000_000


def compare_sets(release: OpenedSets, original: Sets) -> list[Check]:
    """Check `release` against `original`: its persons, where they are named."""
    unit = same_unit(counts_persons(release.manifest.facts), original.persons, "transactions")
    checks = [] if unit is None else [unit]
    if unit is not None and not unit.passed:
        return checks
    checks += check_exposed(release.items, original.items, original.sensitive_items())
    original = original.by_person()
    checks.append(published_once(release.scanned["sets"].rows, original.n, _unit(original)))
    if checks[-1].passed:
        checks.append(known_items(release.items, original.items))
    if checks[-1].passed:
        checks.append(_held(release, original))
    return checks


def _unit(original: Sets) -> str:
    return "transactions" if original.owned is None else "persons"


def _held(release: OpenedSets, original: Sets) -> Check:
    distinct = (
        release.rows(original.items)
        .where(sf.size("items") > 0)
        .groupBy("items")
        .agg(sf.count("*").alias("wanted"))
        .toArrow()
    )
    set_ptr, sets = csr_of(distinct.column("items"))
    wanted = distinct.column("wanted").to_numpy()
    held = np.zeros(0, np.int64)
    if len(wanted):
        held = added_up(original.frame, _holding(set_ptr, sets, original.d), len(wanted))
    unit = _unit(original)
    name = f"nothing was invented: each published set is held by enough {unit} (one set at a time)"
    short = np.flatnonzero(held < wanted)
    if not len(short):
        return Check(name=name, passed=True, detail=counted(len(wanted), "different set"))
    worst = int(short[np.argmax((wanted - held)[short])])
    items = [original.items[i] for i in sets[set_ptr[worst] : set_ptr[worst + 1]]]
    shown = ", ".join(items[:8]) + (" …" if len(items) > 8 else "")
    published = f"{{{shown}}} is published {counted(int(wanted[worst]), 'time')}"
    detail = f"{published}, but held by {counted(held[worst], unit[:-1])} only"
    return Check(name=name, passed=False, detail=detail)


def _holding(set_ptr: Any, sets: Any, d: int) -> Any:
    """For `added_up`: how many of the transactions at hand hold each published set."""

    def count(batches: Iterator[Any]) -> Ints:
        held = np.zeros(len(set_ptr) - 1, np.int64)
        for batch in batches:
            row_ptr, rows = csr_of(batch.column("items"))
            weight = batch.column("weight").to_numpy()
            by_item = transpose(row_ptr, rows, d)
            start = 0
            while start < len(held):
                # The kernel stops when it has listed enough pairs; it is then asked for the sets behind.
                base = set_ptr[start:] - set_ptr[start]
                pair_ptr, pairs = set_classes.holders(base, sets[set_ptr[start] :], row_ptr, rows, *by_item, PAIRS)
                done = len(pair_ptr) - 1
                sums = np.concatenate([[0], np.cumsum(weight[pairs[: pair_ptr[-1]]])])
                held[start : start + done] += sums[pair_ptr[1:]] - sums[pair_ptr[:-1]]
                start += done
        return held

    return count
