"""Is a grouped release made of this original? Published baskets as multisets, and the totals of the sensitive items.

Whether a group's counts are possible for its members, and whether rows stand in the order of the original, which has
none on Spark, is for the local verifier to say.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ints
from covey.engines.spark.sets import Sets
from covey.engines.spark.verify.releases import OpenedGroups
from covey.verdict import Check
from covey.verify.grouped_fidelity import same_sensitive, same_totals
from covey.verify.suppressed_fidelity import known_items


def compare(release: OpenedGroups, original: Sets) -> list[Check]:
    """Check `release` against `original`, whose own marks of sensitive items count if it has any."""
    named = original.sensitive_items()
    checks = [same_sensitive(release.sensitive_items, original.items, named, bool(named))]
    if checks[0].passed:
        checks.append(known_items(release.items, original.items))
    if not checks[-1].passed:
        return checks
    marked = original.with_sensitive(release.sensitive_items)
    checks.append(_same_baskets(release, marked))
    theirs = marked.supports[marked.sensitive]
    checks.append(same_totals(release.sensitive_items, _totals(release), theirs))
    return checks


def _totals(release: OpenedGroups) -> Ints:
    from pyspark.sql import functions as sf

    found = release.sensitive().groupBy("code").agg(sf.sum("count").alias("count")).toArrow()
    totals = np.zeros(len(release.sensitive_items), np.int64)
    totals[found.column("code").to_numpy()] = found.column("count").to_numpy()
    return totals


def _same_baskets(release: OpenedGroups, original: Sets) -> Check:
    from pyspark.sql import functions as sf

    theirs = original.frame.select(
        original.public().alias("items"), sf.col("weight").alias("there"), sf.lit(0).alias("here")
    )
    ours = release.rows(original.items).select("items", sf.lit(0).alias("there"), sf.lit(1).alias("here"))
    both = theirs.unionByName(ours).groupBy("items").agg(sf.sum("there").alias("there"), sf.sum("here").alias("here"))
    worst = both.where("here != there").orderBy(sf.desc(sf.col("here") - sf.col("there")), "items").first()
    name = "every published basket is in the original, exactly as often"
    if worst is None:
        counts = release.counts()
        detail = f"{counts['transactions']:,} baskets, {counts['entries']:,} entries"
        return Check(name=name, passed=True, detail=detail)
    labels = [original.items[i] for i in worst["items"][:6]]
    shown = ", ".join(labels) + (" …" if len(worst["items"]) > 6 else "")
    often = f"{worst['there']:,} times" if worst["there"] else "nowhere"
    detail = f"the basket {{{shown}}} is published {worst['here']:,} times and is {often} in the original"
    return Check(name=name, passed=False, detail=detail)
