"""What Spark can verify: degrees of groups and k-anonymity of sets, from the files alone and against the original.

Without a trace, published baskets are compared as multisets, and totals. With one, each part of a grouped release is
compared with its own rows by the local engine's code, and each published set with its own original in SQL. Linear, as a
join by id. A pair that no engine can check fails; one that only Spark cannot is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from covey.counting import counted, sizes
from covey.data import Baskets
from covey.errors import CoveyError, ParameterError, TamperedRelease
from covey.guarantees import guarantee
from covey.guarantees.base import Guarantee
from covey.guarantees.degree import Degree
from covey.guarantees.k_anonymity import KAnonymity
from covey.release.base import SECRET_COLUMNS
from covey.release.grouped import totals_batch
from covey.release.manifest import Manifest, read_manifest
from covey.release.trace import Trace, remember
from covey.spark.batches import REPORT, csr_of, in_groups, mapped, reported, with_reports
from covey.spark.sets import Sets
from covey.spark.trace import original_rows, trace_frame
from covey.spark.verify.opened import Opened, Rewrite, classes, first_groups, open_release, part_of, read_part
from covey.verdict import Check, Verdict
from covey.verify import degree, k_anonymity
from covey.verify.checkers import CHECKS as ANYWHERE
from covey.verify.checkers import cannot_keep
from covey.verify.closed_world import Reading
from covey.verify.grouped_fidelity import compare as compare_part
from covey.verify.original_parts import (
    check_exposed,
    known_items,
    not_checked,
    other_often,
    published_once,
    same_holders,
    same_sensitive,
    same_totals,
    same_unit,
)
from covey.verify.reproduction import unlike_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class OnSpark(Reading):
    """Reads releases where the executors are; for `covey.verify.examine`."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark

    def release(self, directory: Path, manifest: Manifest) -> Opened:
        """What is published, every part read."""
        return open_release(self.spark, directory, manifest)

    def difference(self, directory: Path, manifest: Manifest, release: Opened) -> str:
        """What is not as covey would write `release`, in words; nothing when all is."""
        problem = next((str(one["difference"]) for one in release.reports if one["difference"]), "")
        totals = release.totals()
        if problem or totals is None:
            return problem
        again = Rewrite(manifest.facts, {"totals": iter([totals_batch(release.secret, totals)])})
        return unlike_tables(release.tables, manifest, again)

    def check(self, promise: Guarantee, release: Opened) -> Verdict:
        """Whether what is published keeps the promise."""
        if (promise.name, release.kind) not in CHECKS:
            return cannot_keep(promise, release.kind)
        return CHECKS[promise.name, release.kind](promise, release)


def check_degree(promise: Degree, release: Opened) -> Verdict:
    """Check that p · count <= size for every group and item; first that numbers of persons are possible at all."""
    possible: tuple[Check, ...] = ()
    if release.by_person:
        of_parts = [Check(**one["possible"]) for one in release.reports]
        groups, count, most = release.held().T
        problem = next((check.detail for check in of_parts if not check.passed), "")
        totals = release.totals()
        if not problem and totals is not None:
            problem = degree.impossible_total(release.secret, totals, groups, count, most)
        possible = (degree.persons_possible(problem, release.counts()["persons"]),)
        if problem:
            return Verdict(guarantee=promise.text, checks=possible)
    parts = [degree.Cells(**one["cells"]) for one in release.reports]
    lowest = [(part.degree, part.worst) for part in parts if part.degree is not None and part.worst is not None]
    cells = degree.Cells(
        total=sum(part.total for part in parts),
        violating=sum(part.violating for part in parts),
        degree=min((part.degree for part in parts if part.degree is not None), default=None),
        worst=min(lowest, key=lambda found: found[0])[1] if lowest else None,
        groups=sum(part.groups for part in parts),
        smallest=min(part.smallest for part in parts),
        largest=max(part.largest for part in parts),
        unit=parts[0].unit,
    )
    kept = degree.verdict(promise, cells, degree.counts_only(release.secret, release.public))
    merged = [Check(**one["merged"]) for one in release.reports if one["merged"]]
    if len(merged) > 1:
        merged = [Check.failed(merged[0].name, "a release in parts cannot state it, of all parts together")]
    return replace(kept, checks=(*possible, *kept.checks, *merged))


def check_k_anonymity(promise: KAnonymity, release: Opened) -> Verdict:
    """Check that every published set is there k times or more."""
    from pyspark.sql import functions as sf

    counts = release.counts()
    rows = counts["persons" if release.by_person else "transactions"]
    first = sf.min(sf.struct("part", "at")).alias("first")
    found = classes(release, release.public).groupBy("items").agg(sf.sum("size").alias("size"), first)
    rare = sf.when(sf.col("size") < min(promise.k, rows + 1), sf.col("size"))  # what Spark can compare a count with
    figures = found.agg(sf.count("*"), sf.min("size"), sf.max("size"), sf.sum(rare)).first()
    assert figures is not None
    number, smallest, largest, violating = (int(figure or 0) for figure in figures)
    # Counted once more only where there is something to show.
    worst = found.where(sf.col("size") == smallest).orderBy("first").first() if violating else None
    return k_anonymity.verdict(
        promise,
        k_anonymity.Classes(
            rows=rows,
            empty=counts["empty"],
            number=number,
            smallest=smallest,
            largest=largest,
            violating=violating,
            rarest=[] if worst is None else [release.public[i] for i in worst["items"]],
            unit="persons" if release.by_person else "transactions",
        ),
    )


#: (guarantee, kind of release) → ``check(promise, release) -> Verdict``.
CHECKS: dict[tuple[str, str], Callable[..., Verdict]] = {
    ("degree", "grouped"): check_degree,
    ("k-anonymity", "sets"): check_k_anonymity,
}


def compare(release: Any, original: Sets, trace: Path | None) -> list[Check]:
    """Check that a release is made of this original, all of it and nothing else; exactly, where there is a trace."""
    return (compare_groups if release.kind == "grouped" else compare_sets)(release, original, trace)


def require_able(directory: Path, *, compared: bool) -> None:
    """Raise when Spark cannot verify such a release at all, though the local engine can.

    What the manifest claims decides this. A manifest that cannot be read, or a promise that no release of this kind can
    keep, is for the examination to complain of.
    """
    try:
        manifest = read_manifest(directory)
    except TamperedRelease:
        return
    try:
        promise = guarantee(manifest.guarantee)
    except CoveyError:
        return
    pair = promise.name, manifest.kind
    what = ""
    if manifest.kind not in ("grouped", "sets") or (pair in ANYWHERE and pair not in CHECKS):
        what = f"verify {promise.name} of a {manifest.kind} release"
    elif any(name.endswith(".csv") for name in manifest.files):
        what = "verify releases written as CSV"
    elif SECRET_COLUMNS in manifest.facts:
        what = "verify releases of records"
    elif compared and manifest.facts.get("recoding", "suppressed") != "suppressed":
        what = "compare generalized sets with their original"
    if what:
        raise ParameterError(f"The engine spark does not {what}. Use the engine local for that.")


def compare_groups(release: Opened, original: Sets, trace: Path | None) -> list[Check]:
    """Check `release` against `original`, whose own marks of sensitive items count if it has any."""
    unit = same_unit(release.by_person, original.persons, "transactions")
    if unit is not None and not unit.passed:
        return [unit]
    named = original.sensitive_items()
    checks = [same_sensitive(release.secret, original.items, named, bool(named))]
    if checks[0].passed:
        checks.append(known_items(release.public, original.items))
    if not checks[-1].passed:
        return checks
    if unit is not None:
        checks.append(unit)
    marked = original.with_sensitive(release.secret)
    checks += _totals(release, marked)
    if trace is None:
        what = "in which group each basket is, and what its group counts"
        return [*checks, _same_baskets(release, marked), not_checked(what)]
    if all(check.passed for check in checks):
        checks += _by_trace(release, marked, trace, {check.name for check in checks})
    return checks


def _totals(release: Opened, original: Sets) -> list[Check]:
    """The totals of transactions and of persons who hold each sensitive item."""
    groups, held, _ = release.held().T
    theirs = original.supports[original.sensitive]
    if not release.by_person:
        return [same_totals(release.secret, held, theirs)]
    people, stated, totals = original.by_person(), release.counts()["persons"], release.totals()
    found = [same_holders(release.secret, stated, people.n, held, people.supports[people.sensitive])]
    if totals is not None:
        found.append(same_totals(release.secret, totals, np.where(groups > 1, theirs, 0)))
    return found


def _same_baskets(release: Opened, original: Sets) -> Check:
    from pyspark.sql import functions as sf

    ours = classes(release, original.items).select("items", sf.lit(0).alias("there"), sf.col("size").alias("here"))
    theirs = original.rows.select(original.public().alias("items"), sf.lit(1).alias("there"), sf.lit(0).alias("here"))
    worst = _differing(ours, theirs).orderBy(sf.desc(sf.col("here") - sf.col("there")), "items").first()
    name = "every published basket is in the original, exactly as often"
    if worst is None:
        counts = release.counts()
        return Check.ok(name, sizes(baskets=counts["transactions"], entries=counts["entries"]))
    return Check.failed(name, other_often([original.items[i] for i in worst["items"]], worst["here"], worst["there"]))


def _differing(ours: DataFrame, theirs: DataFrame) -> DataFrame:
    """What is not ``here`` as often as it is ``there``, by the first column."""
    from pyspark.sql import functions as sf

    key = ours.columns[0]
    both = ours.unionByName(theirs).groupBy(key).agg(sf.sum("there").alias("there"), sf.sum("here").alias("here"))
    return both.where("here != there")


def _each_once(original: Sets, traced: DataFrame) -> Check:
    """That the trace names every row of the original once, and no other."""
    from pyspark.sql import functions as sf

    rows = original.rows.select("id", sf.lit(1).alias("there"), sf.lit(0).alias("here"))
    wrong = _differing(traced.select("id", sf.lit(0).alias("there"), sf.lit(1).alias("here")), rows).first()
    name = "the trace gives every published row an original of its own"
    if wrong is None:
        return Check.ok(name, f"{original.n:,} of {counted(original.n, 'row')}")
    times = counted(wrong["here"], "time")
    return Check.failed(name, f"it names a row {times}, which the original has {counted(wrong['there'], 'time')}")


def _by_trace(release: Opened, original: Sets, trace: Path, known: set[str]) -> list[Check]:
    """Compare every row, count and person of each part; of what is `known` to hold, only failures are added."""
    from pyspark.sql import functions as sf

    traced = trace_frame(release.spark, trace, "grouped", original.items)
    checks = [_each_once(original, traced)]
    if not checks[0].passed:
        return checks
    joined = original.rows.join(traced, "id")
    if original.people is not None:
        homes = joined.groupBy("person").agg(sf.min("group").alias("one"), sf.max("group").alias("other"))
        torn = homes.where("one != other").first()
        if torn is not None:
            detail = f"a person has transactions in the groups {torn['one']} and {torn['other']}"
            return [*checks, Check.failed("all transactions of a person are in one group", detail)]
    tables, manifest, items, sensitive = release.tables, release.manifest, original.items, original.sensitive
    first = first_groups(release)

    def place(batch: pa.RecordBatch) -> dict[str, Any]:
        part = np.searchsorted(first, batch.column("group").to_numpy(), side="right") - 1
        return {"part": np.clip(part, 0, len(first) - 2)}

    def look(table: pa.Table) -> pa.Table:
        number = int(table.column("part")[0].as_py())
        part = read_part(part_of(tables, number), manifest)
        indptr, indices = csr_of(table.column("items"))
        person = None
        if "person" in table.column_names:
            named = table.column("person").combine_chunks().dictionary_encode()
            person = named.indices.to_numpy().astype(np.int32)
        data = Baskets(indptr, indices, items, sensitive.copy(), person)
        rows = original_rows(part, data.only(~sensitive), table.column("group").to_numpy() - first[number])
        remember(part, Trace(rows=np.arange(data.n) if rows is None else rows))
        return reported({"part": number, "checks": [asdict(check) for check in compare_part(part, data)]})

    reports, _, _ = with_reports(in_groups(mapped(joined, place, "part long"), "part", look, REPORT))
    found = [Check(**one) for report in reports for one in report["checks"]]
    if len(reports) < len(release.reports):
        found.append(Check.failed("every published basket is that of its own original", "a part has no original rows"))
    for name in dict.fromkeys(check.name for check in found):
        of_parts = [check for check in found if check.name == name]
        failed = next((check for check in of_parts if not check.passed), None)
        if failed is not None:
            checks.append(failed)
        elif name not in {*known, checks[0].name}:
            detail = of_parts[0].detail if len(of_parts) == 1 else f"in each of {len(of_parts)} parts"
            checks.append(Check.ok(name, detail))
    return checks


def compare_sets(release: Opened, original: Sets, trace: Path | None) -> list[Check]:
    """Check `release` against `original`: its persons, where they are named."""
    unit = same_unit(release.by_person, original.persons, "transactions")
    checks = [] if unit is None else [unit]
    if unit is not None and not unit.passed:
        return checks
    checks += check_exposed(release.public, original.items, original.sensitive_items())
    original, counts = original.by_person(), release.counts()
    checks.append(published_once(counts["persons" if release.by_person else "transactions"], original.n, original.unit))
    if checks[-1].passed:
        checks.append(known_items(release.public, original.items))
    if checks[-1].passed:
        checks += _covered(release, original, trace)
    return checks


def _covered(release: Opened, original: Sets, trace: Path | None) -> list[Check]:
    from pyspark.sql import functions as sf

    name = "every published set covers items of its own original alone"
    if trace is None:
        return [not_checked(name)]
    traced = trace_frame(release.spark, trace, "sets", original.items)
    checks = [_each_once(original, traced)]
    if not checks[0].passed:
        return checks
    ours = classes(release, original.items).select("items", sf.lit(0).alias("there"), sf.col("size").alias("here"))
    theirs = traced.select(sf.col("published").alias("items"), sf.lit(1).alias("there"), sf.lit(0).alias("here"))
    if _differing(ours, theirs).first() is not None:
        return [Check.failed(checks[0].name, "it names other sets than those published")]
    beyond = sf.size(sf.array_except("published", "items")) > 0
    wrong = original.rows.join(traced, "id").where(beyond).select("published").first()
    if wrong is None:
        return [*checks, Check.ok(name, counted(original.n, "set"))]
    shown = ", ".join([original.items[i] for i in wrong["published"]][:6])
    return [*checks, Check.failed(name, f"{{{shown}}} does not")]
