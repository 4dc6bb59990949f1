"""Is a grouped release made of this original? Published baskets as multisets, and the totals of the sensitive items.

Where persons are counted, also their totals, and that nobody is in two groups. Whether a group's counts are possible
for its members, and whether rows stand in the order of the original, which has none on Spark, is for the local
verifier to say.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ints
from covey.counting import counted, sizes, times, verb
from covey.engines.spark.sets import Sets
from covey.engines.spark.verify.releases import OpenedGroups
from covey.verdict import Check
from covey.verify.grouped_fidelity import same_sensitive, same_totals
from covey.verify.person_fidelity import same_unit
from covey.verify.suppressed_fidelity import known_items


def compare(release: OpenedGroups, original: Sets) -> list[Check]:
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
    checks.append(same_totals(release.sensitive_items, _totals(release, "count"), theirs))
    if unit is not None:
        checks += [unit, _same_persons(release, marked), _one_group_each(release, marked)]
    return checks


def _totals(release: OpenedGroups, column: str) -> Ints:
    from pyspark.sql import functions as sf

    found = release.sensitive().groupBy("code").agg(sf.sum(column).alias("total")).toArrow()
    totals = np.zeros(len(release.sensitive_items), np.int64)
    totals[found.column("code").to_numpy()] = found.column("total").to_numpy()
    return totals


def _same_persons(release: OpenedGroups, original: Sets) -> Check:
    """That all persons are counted once, and every item's holders once."""
    people, stated = original.by_person(), release.counts()["persons"]
    ours, theirs = _totals(release, "holders"), people.supports[people.sensitive]
    wrong = np.flatnonzero(ours != theirs)
    detail = f"{counted(people.n, 'person')}, {counted(int(theirs.sum()), 'holder')} of sensitive items in all"
    if stated != people.n:
        detail = f"{counted(stated, 'person')} {verb(stated, 'are')} stated, the original has {people.n:,}"
    elif len(wrong):
        s = wrong[0]
        detail = f"{release.sensitive_items[s]!r} has {counted(theirs[s], 'holder')}; the release states {ours[s]:,}"
    return Check(name="the totals of persons agree", passed=stated == people.n and not len(wrong), detail=detail)


def _one_group_each(release: OpenedGroups, original: Sets) -> Check:
    """That nobody has transactions in two groups, as far as their baskets are published in one group only."""
    from pyspark.sql import functions as sf

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
    placed = f"{found[0]:,} of {original.persons:,} persons {verb(found[0], 'have')}"
    detail = f"{placed} a transaction that only one group has"
    if found[1]:
        detail = f"{counted(found[1], 'person')} {verb(found[1], 'have')} transactions in two groups"
    return Check(name="all transactions of a person are in one group", passed=not found[1], detail=detail)


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
        detail = sizes(baskets=counts["transactions"], entries=counts["entries"])
        return Check(name=name, passed=True, detail=detail)
    labels = [original.items[i] for i in worst["items"][:6]]
    shown = ", ".join(labels) + (" …" if len(worst["items"]) > 6 else "")
    often = times(worst["there"]) if worst["there"] else "nowhere"
    detail = f"the basket {{{shown}}} is published {times(worst['here'])} and is {often} in the original"
    return Check(name=name, passed=False, detail=detail)
