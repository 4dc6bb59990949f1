"""A grouped release as Spark sees it, beside the data it was made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from covey.arrays import Ids
from covey.errors import ParameterError, TamperedRelease, other_original
from covey.release.grouped import transactions_per_holder
from covey.release.manifest import Manifest, read_manifest
from covey.spark.batches import as_array, places_of
from covey.spark.sets import Sets
from covey.spark.verify.checkers import OnSpark, require_able
from covey.spark.verify.releases import OpenedGroups, open_release


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pair:
    """A grouped release and its original under the same item numbers."""

    #: What the release states.
    manifest: Manifest
    #: With exactly the items sensitive that the release counts.
    original: Sets
    #: ``group: long``, ``items: array<int>``: published items, numbered as in the original.
    transactions: DataFrame
    #: ``group: long``, ``code: int``, ``count: long``: the code is the number among the sensitive items.
    counts: DataFrame
    #: For each item of the original its number among the published ones, or among the sensitive ones; -1 if it is none
    #: of them.
    public: Ids
    secret: Ids

    @property
    def d(self) -> int:
        """Number of published items."""
        return int((self.public >= 0).sum())

    @property
    def m(self) -> int:
        """Number of sensitive items."""
        return int((self.secret >= 0).sum())

    def shares(self, codes: Iterable[int], *, all_rows: bool) -> DataFrame:
        """Each published row with what its group tells of some sensitive items.

        Parameters
        ----------
        codes : iterable of int
            The sensitive items asked for.
        all_rows : bool
            Also rows whose group holds none of them.

        Returns
        -------
        DataFrame
            ``items``, ``codes: array<int>`` and ``share: array<double>``: the group's count of each, divided by the
            group's size.
        """
        wanted = self.counts.where(sf.col("code").isin([int(code) for code in codes]))
        held = wanted.groupBy("group").agg(sf.sort_array(sf.collect_list(sf.struct("code", "count"))).alias("held"))
        sizes = self.transactions.groupBy("group").agg(sf.count("*").alias("size"))
        told = held.join(sizes, "group").select(
            "group",
            sf.col("held.code").alias("codes"),
            sf.transform("held.count", lambda count: count / sf.col("size")).alias("share"),
        )
        joined = self.transactions.join(told, "group", "left" if all_rows else "inner")
        return joined.select(
            "items",
            sf.coalesce("codes", sf.array().cast("array<int>")).alias("codes"),
            sf.coalesce("share", sf.array().cast("array<double>")).alias("share"),
        )


def pair(directory: str | Path, original: Sets) -> Pair:
    """Open a grouped release beside its original.

    Parameters
    ----------
    directory : path
        The release, in Parquet.
    original : Sets
        What it was made from; the release says which items are sensitive.

    Raises
    ------
    InputError
        The release was not made from this original.
    """
    release = _opened(Path(directory), original.frame.sparkSession)
    unknown = sorted(set(release.sensitive_items) - set(original.items))
    if unknown:
        raise other_original(f"the original has no item {unknown[0]!r}, which the release counts")
    marked = original.with_sensitive(release.sensitive_items)
    published = release.counts()["transactions"]
    if marked.n != published:
        raise other_original(f"the original has {marked.n:,} transactions, the release {published:,}")
    ordinary = [item for item, apart in zip(marked.items, marked.sensitive, strict=True) if not apart]
    if list(release.items) != ordinary:
        raise other_original("the original and the release do not have the same items")
    return Pair(
        manifest=release.manifest,
        original=marked,
        transactions=release.rows(marked.items).select("group", "items"),
        counts=_transactions_with(release) if release.by_person else release.sensitive(),
        public=places_of(~marked.sensitive),
        secret=places_of(marked.sensitive),
    )


def _transactions_with(release: OpenedGroups) -> DataFrame:
    """In how many transactions of each group each sensitive item is expected, from the persons who hold it."""
    cells, totals = release.sensitive(), release.totals()
    ratio = transactions_per_holder(totals, as_array(cells.groupBy("code").agg(sf.sum("count")), len(totals)))
    rows = [(code, value) for code, value in enumerate(ratio.tolist())]
    ratios = release.spark.createDataFrame(rows, "code int, ratio double")
    return cells.join(sf.broadcast(ratios), "code").select(
        "group", "code", (sf.col("count") * sf.col("ratio")).alias("count")
    )


def _opened(directory: Path, spark: SparkSession) -> OpenedGroups:
    manifest = read_manifest(directory)
    if manifest.kind != OpenedGroups.kind:
        raise ParameterError(
            f"This measures grouped releases, whose sensitive items are published as counts; got a "
            f"{manifest.kind} release."
        )
    require_able(directory, compared=True)
    changed = OnSpark(spark).changed_files(directory, manifest)
    if changed:
        raise TamperedRelease(f"{directory}: {'; '.join(changed)}.")
    release = open_release(spark, directory, manifest)
    assert isinstance(release, OpenedGroups)
    return release
