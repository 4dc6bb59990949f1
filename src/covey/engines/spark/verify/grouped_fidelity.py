"""Is a grouped release made of this original? Published baskets as multisets, and the totals of the sensitive items.

Where persons are counted, also their totals, and that nobody is in two groups. Whether a group's counts are possible
for its members, and whether rows stand in the order of the original, which has none on Spark, is for the local
verifier to say.
"""

from __future__ import annotations

from pyspark.sql import functions as sf

from covey.arrays import Ints
from covey.counting import counted, sizes
from covey.engines.spark.sets import Sets
from covey.engines.spark.sums import as_array
from covey.engines.spark.verify.releases import OpenedGroups
from covey.verdict import Check
from covey.verify.grouped_fidelity import same_sensitive, same_totals
from covey.verify.person_fidelity import same_holders, same_unit
from covey.verify.row_matching import other_often
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
        people, holders = marked.by_person(), _totals(release, "holders")
        held = people.supports[people.sensitive]
        totals = same_holders(release.sensitive_items, release.counts()["persons"], people.n, holders, held)
        checks += [unit, totals, _one_group_each(release, marked)]
    return checks


def _totals(release: OpenedGroups, column: str) -> Ints:
    return as_array(release.sensitive().groupBy("code").agg(sf.sum(column)), len(release.sensitive_items))


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
