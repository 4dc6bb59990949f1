"""k-anonymity(k) of sets, checked on Spark from what is published."""

from __future__ import annotations

from pyspark.sql import functions as sf

from covey.engines.spark.verify.releases import OpenedSets
from covey.guarantees.k_anonymity import KAnonymity
from covey.verdict import Verdict
from covey.verify.k_anonymity import Classes, verdict


def check(promise: KAnonymity, release: OpenedSets) -> Verdict:
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
    return verdict(
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
