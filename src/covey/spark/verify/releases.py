"""Releases that Spark can verify, opened strictly: every file of every table has been looked at."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa

from covey.arrays import Ints
from covey.errors import TamperedRelease
from covey.release.grouped import totals_batch, totals_in
from covey.release.kinds import release_kind
from covey.release.manifest import Manifest
from covey.release.persons import counts_persons
from covey.release.tables import Tables, first_difference
from covey.spark.batches import as_batch, numbers_in
from covey.spark.tables import over_files, rows_of
from covey.spark.verify.scan import Scanned, scan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A release whose tables are of the declared kind, file by file."""

    kind: ClassVar[str]
    #: The table with a row per transaction.
    main: ClassVar[str]

    #: Where it is read.
    spark: SparkSession
    #: What it states.
    manifest: Manifest
    #: Its files.
    tables: Tables
    #: What each table holds.
    scanned: Mapping[str, Scanned]

    @property
    def items(self) -> tuple[str, ...]:
        """The published items, in label order."""
        return self.scanned[self.main].labels

    def rows(self, items: Sequence[str] | None = None) -> DataFrame:
        """The published transactions by the numbers of their items, here or among others that include them all."""
        return rows_of(self.spark, self.tables, self.main, self.items if items is None else items)

    @abstractmethod
    def counts(self) -> dict[str, int]:
        """The figures that the manifest should state."""

    def named_columns(self) -> Mapping[str, Mapping[str, str]]:
        """The schemas name all columns of these kinds."""
        return {}

    @abstractmethod
    def difference(self) -> str:
        """What the tables say that does not fit together, in words; nothing when all does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedGroups(Opened):
    """A grouped release."""

    kind: ClassVar[str] = "grouped"
    main: ClassVar[str] = "transactions"

    @property
    def sensitive_items(self) -> tuple[str, ...]:
        """The sensitive items, in label order."""
        return self.scanned["sensitive"].labels

    @property
    def by_person(self) -> bool:
        """Whether it counts persons."""
        return counts_persons(self.manifest.facts)

    def counts(self) -> dict[str, int]:
        """The figures that the manifest should state."""
        rows, secret = self.scanned["transactions"], self.scanned["sensitive"]
        return {
            "transactions": rows.rows,
            **({"persons": self.scanned["groups"].persons} if self.by_person else {}),
            "items": len(rows.labels),
            "entries": rows.entries,
            "groups": rows.groups,
            "sensitive_items": len(secret.labels),
            "sensitive_entries": secret.total,
        }

    def groups(self) -> DataFrame:
        """``group: long`` and its stated size, ``transactions: long`` and ``persons: long`` where these are counted."""
        columns = "group long, transactions long" + (", persons long" if self.by_person else "")
        return over_files(self.spark, self.tables, ["groups"], lambda table, file, pieces: pieces, columns)

    def sensitive(self) -> DataFrame:
        """``group: long``, ``code: int`` among the sensitive items, and ``count: long``, of persons if they count."""
        known, what = pa.array(self.sensitive_items, pa.string()), "persons" if self.by_person else "count"

        def cells(table: str, file: int, pieces: Iterator[Any]) -> Iterator[Any]:
            for piece in pieces:
                code = numbers_in(piece.column("item"), known)
                yield as_batch({"group": piece.column("group"), "code": code, "count": piece.column(what)})

        return over_files(self.spark, self.tables, ["sensitive"], cells, "group long, code int, count long")

    def totals(self) -> Ints:
        """The stated number of transactions with each sensitive item, where persons count; 0 where none is stated."""
        return totals_in(self.tables, self.sensitive_items)

    def difference(self) -> str:
        """Which table is not about the groups of the transactions."""
        from pyspark.sql import functions as sf

        groups = self.scanned["transactions"].groups
        if self.scanned["sensitive"].groups > groups:
            return "sensitive counts are given for a group that has no transactions"

        def sizes(table: str, file: int, pieces: Iterator[Any]) -> Iterator[Any]:
            for piece in pieces:
                group, size = np.unique(piece.column("group").to_numpy(), return_counts=True)
                yield as_batch({"group": group, "transactions": -size.astype(np.int64)})

        found = over_files(self.spark, self.tables, ["transactions"], sizes, "group long, transactions long")
        stated = self.groups().select("group", "transactions")
        both = stated.unionByName(found).groupBy("group").agg(sf.sum("transactions").alias("off"))
        wrong = both.where("off != 0").limit(1).count()
        if wrong:
            return "the table groups does not state the sizes of the groups"
        if not self.by_person:
            return ""
        totals = {"totals": iter([totals_batch(self.sensitive_items, self.totals())])}
        return first_difference(self.tables, totals, self.manifest.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedSets(Opened):
    """A release of sets."""

    kind: ClassVar[str] = "sets"
    main: ClassVar[str] = "sets"

    def counts(self) -> dict[str, int]:
        """The figures that the manifest should state."""
        sets = self.scanned["sets"]
        return {
            "persons" if counts_persons(self.manifest.facts) else "transactions": sets.rows,
            "items": len(sets.labels),
            "entries": sets.entries,
            "empty": sets.empty,
        }

    def difference(self) -> str:
        """There is one table, which cannot contradict another."""
        return ""


#: The kinds of release that Spark can verify.
KINDS: dict[str, type[Opened]] = {one.kind: one for one in (OpenedGroups, OpenedSets)}


def open_release(spark: SparkSession, directory: Path, manifest: Manifest) -> Opened:
    """Open a release, of a kind that Spark knows.

    Raises
    ------
    TamperedRelease
        A table is not as covey writes it.
    """
    kind = release_kind(manifest.kind)
    problem = kind.problem(manifest)
    if problem:
        raise TamperedRelease(f"The manifest {problem}.")
    tables = Tables.of(directory.absolute(), kind.schemas(manifest), manifest.files)
    return KINDS[manifest.kind](spark=spark, manifest=manifest, tables=tables, scanned=scan(spark, tables))
