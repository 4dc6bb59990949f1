"""degree(p), checked on Spark from the published tables."""

from __future__ import annotations

from dataclasses import replace

from covey.engines.spark.verify.releases import OpenedGroups
from covey.guarantees.degree import Degree
from covey.verdict import Verdict
from covey.verify.degree import Cells, all_different, counts_only, verdict


def check(promise: Degree, release: OpenedGroups) -> Verdict:
    """Check that p · count <= size for every group and item; the release states each count once."""
    from pyspark.sql import functions as sf

    sizes = release.scanned["groups"]
    # Divided, not multiplied: no product can overflow, however large p is.
    allowed = sf.expr(f"transactions div {promise.p}L") if promise.p <= sizes.largest else sf.lit(0)
    cells = (
        release.sensitive()
        .join(release.groups(), "group")
        .select(
            "group",
            "code",
            "count",
            "transactions",
            (sf.col("transactions") / sf.col("count")).alias("degree"),
            (sf.col("count") > allowed).alias("high"),
        )
    )
    found = cells.agg(sf.count("*"), sf.count_if("high"), sf.min("degree")).first()
    assert found is not None
    worst = cells.where("high").orderBy("degree", "group", "code").first() if found[1] else None
    kept = verdict(
        promise,
        Cells(
            total=int(found[0]),
            violating=int(found[1]),
            degree=found[2],
            worst=None
            if worst is None
            else (
                release.sensitive_items[worst["code"]],
                worst["count"],
                worst["group"],
                worst["transactions"],
            ),
            groups=sizes.groups,
            smallest=sizes.smallest,
            largest=sizes.largest,
        ),
        counts_only(release.sensitive_items, release.items),
    )
    if release.manifest.options.get("merge") is not True:
        return kept
    return replace(kept, checks=(*kept.checks, all_different(sizes.groups, _alike(release))))


def _alike(release: OpenedGroups) -> tuple[int, int] | None:
    """Two groups of the same size and counts, if there are any."""
    from pyspark.sql import functions as sf

    counts = sf.sort_array(sf.collect_list(sf.struct("code", "count"))).alias("counts")
    looks = release.groups().join(release.sensitive().groupBy("group").agg(counts), "group", "left")
    twins = (
        looks.groupBy("transactions", "counts")
        .agg(sf.min("group").alias("one"), sf.max("group").alias("other"))
        .where("one < other")
    )
    found = twins.orderBy("one").first()
    return None if found is None else (int(found["one"]), int(found["other"]))
