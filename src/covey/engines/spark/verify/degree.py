"""degree(p), checked on Spark from the published tables."""

from __future__ import annotations

from covey.engines.spark.verify.releases import OpenedGroups
from covey.guarantees.degree import Degree
from covey.verdict import Verdict
from covey.verify.degree import Cells, counts_only, verdict


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
    return verdict(
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
