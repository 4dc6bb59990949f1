"""Does a release keep its promise? Asked of the published files with Spark SQL, which no method uses.

Digests are computed by the executors, the guarantee is checked by counts per group or per published set, and with the
original also that all of it was published and nothing else. The names of the checks are those of the local verifier.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from covey.engines.spark.files import read_from
from covey.engines.spark.release import digests
from covey.engines.spark.session import session
from covey.errors import ParameterError, TamperedRelease
from covey.guarantees import guarantee as parse_guarantee
from covey.progress import Progress, silent
from covey.release.manifest import NAME, Manifest, read_manifest, tampered, with_fingerprint
from covey.release.staging import files_in
from covey.verdict import Check, Verdict

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from covey.engines.spark.frames import Sets

#: A witness shows at most so many items of a set.
SHOWN = 8


def verify(
    directory: str | Path,
    original: Any = None,
    *,
    sensitive: Any = None,
    fingerprint: str | None = None,
    master: str | None = None,
    progress: Progress = silent,
    **reading: Any,
) -> Verdict:
    """Check a release of sets on Spark, from its files alone or also against the original.

    Parameters
    ----------
    directory : path
        The release; the executors must be able to read it. Local releases in Parquet can be checked too.
    original : DataFrame, Sets, path or None
        What it was made from.
    sensitive : path, comma list, collection or None
        With the original: the items that had to be treated as sensitive.
    fingerprint : str or None
        The fingerprint noted when the release was made, or its beginning.
    master : str or None
        Where to run when there is no Spark session yet.
    **reading
        How to read the original, as for `covey.engines.spark.read`.

    Returns
    -------
    Verdict
    """
    directory = Path(directory)
    try:
        manifest = read_manifest(directory)
    except TamperedRelease as error:
        return tampered(error)
    if sensitive is not None and original is None:
        raise ParameterError(
            "On Spark the sensitive items are compared with those of the original; give it too."
        )
    spark = session(master)
    progress("verifying", 0.0)
    sets = None
    if original is not None:
        from covey.engines.spark.frames import read

        sets = read(original, sensitive=sensitive, **reading)
    verdict = verdict_of(spark, directory, manifest, sets)
    return with_fingerprint(verdict, manifest, fingerprint)


def verdict_of(spark: SparkSession, directory: Path, manifest: Manifest, original: Sets | None) -> Verdict:
    """All checks on the files in `directory`, in the order in which a failure makes later ones pointless."""
    directory = directory.absolute()
    checks = [_digests(spark, directory, manifest)]
    if not checks[0].passed:
        return Verdict(guarantee=manifest.guarantee, checks=tuple(checks))
    promise = parse_guarantee(manifest.guarantee)
    if (manifest.kind, promise.name) not in _CHECKS or "transactions.csv" in manifest.files:
        raise ParameterError(
            f"On Spark, k-anonymity of sets and degree are checked, of releases in Parquet. Check this "
            f"{manifest.kind} release, which promises {promise.name}, with the engine local."
        )
    tables = {
        name: table(spark, directory, manifest, name)
        for name in ("transactions", "sensitive")
        if any(file.startswith(name) for file in manifest.files)
    }
    damage = _damage(tables)
    if damage:
        checks.append(Check(name="the tables can be read", passed=False, detail=damage))
        return Verdict(guarantee=manifest.guarantee, checks=tuple(checks))
    counts = _counts(manifest.kind, tables)
    wrong = [name for name in counts if counts[name] != manifest.counts.get(name)]
    detail = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items())
    if wrong:
        detail = f"{wrong[0]}: {counts[wrong[0]]:,} instead of {manifest.counts.get(wrong[0])}"
    checks.append(Check(name="the tables are as large as the manifest says", passed=not wrong, detail=detail))
    kept, figures = _CHECKS[manifest.kind, promise.name](tables, promise, counts)
    checks += kept
    if original is not None:
        from covey.engines.spark.fidelity import compare

        checks += compare(tables, original, manifest)
    return Verdict(
        guarantee=promise.text,
        checks=tuple(checks),
        figures={"fingerprint": manifest.fingerprint, **figures},
    )


def table(spark: SparkSession, directory: Path, manifest: Manifest, name: str) -> DataFrame:
    """A table of a release as a DataFrame."""
    from covey.release.item_columns import table_paths

    return spark.read.parquet(*(read_from(path) for path in table_paths(directory, manifest.files, name)))


def _digests(spark: SparkSession, directory: Path, manifest: Manifest) -> Check:
    present = set(files_in(directory))
    missing = sorted(set(manifest.files) - present)
    strange = sorted(present - {*manifest.files, NAME})
    found = digests(spark, directory, present & set(manifest.files))
    problems = [f"{name} is missing" for name in missing]
    problems += [
        f"{name} was changed after writing" for name in sorted(found) if found[name] != manifest.files[name]
    ]
    problems += [f"{name} does not belong to the release" for name in strange]
    return Check(
        name="the files are those the manifest vouches for",
        passed=not problems,
        detail="; ".join(problems) or manifest.listed,
    )


def _damage(tables: dict[str, DataFrame]) -> str:
    """What is wrong with the cells of the tables, in words; nothing when nothing is."""
    from pyspark.sql import functions as sf

    items = sf.col("items")
    missing = items.isNull() | sf.exists(items, lambda item: item.isNull())
    if "group" in tables["transactions"].columns:
        missing |= sf.col("group").isNull()
    twice = sf.size(sf.array_distinct(items)) != sf.size(items)
    found = tables["transactions"].agg(sf.count_if(missing), sf.count_if(twice)).first()
    assert found is not None
    if found[0]:
        return "A published transaction has a missing value."
    if found[1]:
        return "A published transaction holds an item twice."
    if "sensitive" not in tables:
        return ""
    secret = tables["sensitive"]
    gap = sf.col("group").isNull() | sf.col("item").isNull() | sf.col("count").isNull()
    cells = secret.agg(
        sf.count_if(gap),
        sf.count_if(sf.col("count") < 1),
        sf.count("*") - sf.count_distinct("group", "item"),
    ).first()
    assert cells is not None
    if cells[0]:
        return "A sensitive count has a missing value."
    if cells[1]:
        return "A sensitive count is below 1."
    if cells[2]:
        return "A group gives the count of one sensitive item twice."
    strays = secret.join(tables["transactions"], "group", "left_anti").limit(1).count()
    return "Sensitive counts are given for a group that has no transactions." if strays else ""


def _counts(kind: str, tables: dict[str, DataFrame]) -> dict[str, int]:
    from pyspark.sql import functions as sf

    transactions = tables["transactions"]
    size = sf.size("items")
    found = transactions.agg(sf.count("*"), sf.sum(size), sf.count_if(size == 0)).first()
    assert found is not None
    labels = transactions.select(sf.explode("items").alias("item")).distinct().count()
    counts = {"transactions": int(found[0]), "items": labels, "entries": int(found[1] or 0)}
    if kind == "generalized":
        return {**counts, "empty": int(found[2])}
    cells = tables["sensitive"].agg(sf.count_distinct("item"), sf.sum("count")).first()
    assert cells is not None
    return {
        **counts,
        "groups": transactions.select("group").distinct().count(),
        "sensitive_items": int(cells[0]),
        "sensitive_entries": int(cells[1] or 0),
    }


def _k_anonymity(
    tables: dict[str, DataFrame], promise: Any, counts: dict[str, int]
) -> tuple[list[Check], dict[str, Any]]:
    """Every published set stands k times or more."""
    from pyspark.sql import functions as sf

    classes = (
        tables["transactions"].groupBy(sf.sort_array("items").alias("items")).agg(sf.count("*").alias("size"))
    )
    k = sf.lit(promise.k)
    rare = sf.when(sf.col("size") < k, sf.col("size"))
    found = classes.agg(sf.count("*"), sf.min("size"), sf.max("size"), sf.sum(rare)).first()
    assert found is not None
    number, least, most, violating = (int(x or 0) for x in found)
    detail = f"{number:,} different sets, the rarest published {least:,} times"
    if violating:
        worst = classes.where(sf.col("size") == least).orderBy("items").first()
        assert worst is not None
        shown = ", ".join(worst["items"][:SHOWN]) + (" …" if len(worst["items"]) > SHOWN else "")
        detail = (
            f"{violating:,} of {counts['transactions']:,} transactions are published fewer than {promise.k} times "
            f"alike; the worst: {{{shown}}} is there {least} times"
        )
    check = Check(
        name=f"every transaction is published {promise.k} times alike or more",
        passed=not violating,
        detail=detail,
    )
    return [check], {
        "k": least if number else None,
        "classes": number,
        "violating": violating,
        "largest_class": most,
        "empty": counts["empty"],
    }


def _degree(
    tables: dict[str, DataFrame], promise: Any, counts: dict[str, int]
) -> tuple[list[Check], dict[str, Any]]:
    """In every group no sensitive item is counted more than |group| / p times."""
    from pyspark.sql import functions as sf

    sizes = tables["transactions"].groupBy("group").agg(sf.count("*").alias("size"))
    cells = tables["sensitive"].groupBy("group", "item").agg(sf.sum("count").alias("count"))
    degree = sf.col("size") / sf.col("count")
    joined = cells.join(sizes, "group").withColumn("degree", degree)
    high = sf.col("count") * promise.p > sf.col("size")
    found = joined.agg(sf.count("*"), sf.count_if(high), sf.min("degree")).first()
    extent = sizes.agg(sf.min("size"), sf.max("size")).first()
    assert found is not None
    assert extent is not None
    total, violating, achieved = int(found[0]), int(found[1]), found[2]
    if violating:
        worst = joined.where(high).orderBy("degree", "group", "item").first()
        assert worst is not None
        detail = (
            f"{violating:,} of {total:,} group counts are too high; the worst: {worst['item']!r} occurs "
            f"{worst['count']} times in group {worst['group']} of {worst['size']}, so p = {promise.p} is not kept"
        )
    else:
        reached = f"lowest degree {achieved:.4g}" if achieved is not None else "no sensitive occurrence"
        detail = f"{counts['groups']:,} groups, {total:,} group counts, {reached}"
    published = tables["transactions"].select(sf.explode("items").alias("item")).distinct()
    leaked = published.join(tables["sensitive"].select("item").distinct(), "item").orderBy("item").first()
    checks = [
        Check(name=f"every group keeps {promise.text}", passed=not violating, detail=detail),
        Check(
            name="sensitive items are published as counts only",
            passed=leaked is None,
            detail="no sensitive item among the published items"
            if leaked is None
            else f"{leaked['item']!r} stands in single transactions",
        ),
    ]
    return checks, {
        "degree": achieved,
        "groups": counts["groups"],
        "smallest_group": int(extent[0] or 0),
        "largest_group": int(extent[1] or 0),
    }


_CHECKS = {("generalized", "k-anonymity"): _k_anonymity, ("grouped", "degree"): _degree}
