"""Is a release made of this original, all of it and nothing else? Asked with Spark.

Grouped releases: published baskets as multisets against the original's, and the totals of the sensitive items.
Suppressed sets: as many transactions, no new item, and every published set is held by as many transactions of the
original as publish it, one set at a time; the different published sets are gathered for this, never the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from covey.engines.spark.frames import as_batch, csr_of, numbering
from covey.engines.spark.session import on_worker
from covey.errors import ParameterError
from covey.verdict import Check

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from covey.engines.spark.frames import Sets
    from covey.release.manifest import Manifest

#: Pairs of a published and an original set that a task lists at a time.
PAIRS = 5_000_000


def compare(tables: dict[str, DataFrame], original: Sets, manifest: Manifest) -> list[Check]:
    """Check a release against `original`."""
    if manifest.kind == "grouped":
        return _grouped(tables, original)
    if manifest.method == "lg" or "recoding.csv" in manifest.files:
        raise ParameterError("Recoded releases are compared with the original by the engine local.")
    return _suppressed(tables["transactions"], original)


def _grouped(tables: dict[str, DataFrame], original: Sets) -> list[Check]:
    from pyspark.sql import functions as sf

    totals = {
        row["item"]: int(row["count"])
        for row in tables["sensitive"].groupBy("item").agg(sf.sum("count").alias("count")).collect()
    }
    name = "the sensitive items occur in the original"
    unknown = sorted(set(totals) - set(original.items))
    if unknown:
        return [Check(name=name, passed=False, detail=f"{unknown[0]!r} does not occur in the original")]
    position = {label: i for i, label in enumerate(original.items)}
    if original.sensitive.any():
        name = "the sensitive items are those named"
        differing = sorted(set(original.sensitive_items()) ^ set(totals))
        if differing:
            where = (
                "sensitive only in the release" if differing[0] in totals else "not counted in the release"
            )
            return [Check(name=name, passed=False, detail=f"{differing[0]!r} is {where}")]
    checks = [Check(name=name, passed=True, detail=f"{len(totals)} items")]
    checks.append(_known_items(tables["transactions"], original))
    wrong = [item for item in sorted(totals) if totals[item] != original.supports[position[item]]]
    detail = f"{sum(totals.values()):,} occurrences"
    if wrong:
        there = int(original.supports[position[wrong[0]]])
        detail = f"{wrong[0]!r} is counted {totals[wrong[0]]:,} times, the original has {there:,}"
    if checks[-1].passed:
        checks.append(_same_baskets(tables["transactions"], original, sorted(position[i] for i in totals)))
    checks.append(Check(name="the totals of the sensitive items agree", passed=not wrong, detail=detail))
    return checks


def _same_baskets(transactions: DataFrame, original: Sets, secret: list[int]) -> Check:
    from pyspark.sql import functions as sf

    flags = sf.array(*map(sf.lit, secret)).cast("array<int>")
    theirs = original.frame.select(
        sf.array_except("items", flags).alias("items"),
        sf.col("weight").alias("there"),
        sf.lit(0).alias("here"),
    )
    ours = _coded(transactions, original).select("items", sf.lit(0).alias("there"), sf.lit(1).alias("here"))
    both = (
        theirs.unionByName(ours)
        .groupBy("items")
        .agg(sf.sum("there").alias("there"), sf.sum("here").alias("here"))
    )
    worst = both.where("here != there").orderBy(sf.desc(sf.col("here") - sf.col("there")), "items").first()
    name = "every published basket is in the original, exactly as often"
    if worst is None:
        return Check(name=name, passed=True, detail=f"{original.n:,} baskets")
    shown = ", ".join(original.items[i] for i in worst["items"][:6]) + (
        " …" if len(worst["items"]) > 6 else ""
    )
    detail = (
        f"the basket {{{shown}}} is published {worst['here']:,} times and is {worst['there']:,} times in the "
        "original"
    )
    return Check(name=name, passed=False, detail=detail)


def _known_items(transactions: DataFrame, original: Sets) -> Check:
    from pyspark.sql import functions as sf

    published = transactions.select(sf.explode("items").alias("item")).distinct().toArrow()
    labels = published.column("item").to_pylist()
    invented = sorted(set(labels) - set(original.items))
    return Check(
        name="every published item is in the original",
        passed=not invented,
        detail=f"{invented[0]!r} is not" if invented else f"{len(labels):,} of {original.d:,} items",
    )


def _suppressed(transactions: DataFrame, original: Sets) -> list[Check]:
    from pyspark.sql import functions as sf

    n = transactions.count()
    name = "every transaction is published once"
    if n != original.n:
        return [Check(name=name, passed=False, detail=f"{n:,} published, {original.n:,} in the original")]
    checks = [Check(name=name, passed=True, detail=f"{n:,} transactions")]
    checks.append(_known_items(transactions, original))
    if not checks[-1].passed:
        return checks
    distinct = (
        _coded(transactions, original)
        .where(sf.size("items") > 0)
        .groupBy("items")
        .agg(sf.count("*").alias("wanted"))
        .toArrow()
    )
    set_ptr, sets = csr_of(distinct.column("items"))
    wanted = distinct.column("wanted").to_numpy()
    held = np.zeros(len(wanted), np.int64)
    if len(wanted):
        counted = (
            original.frame.mapInArrow(on_worker(_holding(set_ptr, sets, original.d)), "number int, held long")
            .groupBy("number")
            .agg(sf.sum("held").alias("held"))
            .toArrow()
        )
        held[counted.column("number").to_numpy()] = counted.column("held").to_numpy()
    name = "nothing was invented: each published set is held by as many transactions (one set at a time)"
    short = np.flatnonzero(held < wanted)
    if not len(short):
        checks.append(Check(name=name, passed=True, detail=f"{len(wanted):,} different sets"))
        return checks
    worst = int(short[np.argmax((wanted - held)[short])])
    items = [original.items[i] for i in sets[set_ptr[worst] : set_ptr[worst + 1]]]
    shown = ", ".join(items[:8]) + (" …" if len(items) > 8 else "")
    detail = (
        f"{{{shown}}} is published {wanted[worst]:,} times, but only {held[worst]:,} transactions hold it"
    )
    checks.append(Check(name=name, passed=False, detail=detail))
    return checks


def _coded(transactions: DataFrame, original: Sets) -> DataFrame:
    """The published sets with the original's item numbers."""
    return transactions.select("items").mapInArrow(on_worker(numbering(original.items)), "items array<int>")


def _holding(set_ptr: Any, sets: Any, d: int) -> Any:
    """For `mapInArrow`: how many of the transactions at hand hold each published set."""

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        from covey.kernels.shared.csr import transpose
        from covey.kernels.shared.set_classes import holders

        held = np.zeros(len(set_ptr) - 1, np.int64)
        for batch in batches:
            row_ptr, rows = csr_of(batch.column("items"))
            weight = batch.column("weight").to_numpy()
            by_item = transpose(row_ptr, rows, d)
            start = 0
            while start < len(held):
                # The kernel stops when it has listed enough pairs; it is then asked for the sets behind.
                base = set_ptr[start:] - set_ptr[start]
                pair_ptr, pairs = holders(base, sets[set_ptr[start] :], row_ptr, rows, *by_item, PAIRS)
                done = len(pair_ptr) - 1
                sums = np.concatenate([[0], np.cumsum(weight[pairs[: pair_ptr[-1]]])])
                held[start : start + done] += sums[pair_ptr[1:]] - sums[pair_ptr[:-1]]
                start += done
        found = np.flatnonzero(held)
        yield as_batch({"number": found.astype(np.int32), "held": held[found]})

    return count
