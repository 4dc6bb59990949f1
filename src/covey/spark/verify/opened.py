"""Releases that Spark can verify: each part is read and checked by the local engine's code, in a task of its own.

The driver adds up what the tasks report, and sees whether each part goes on where the one before it ended. Labels come
to it once each, whatever the number of parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from covey.arrays import Ints, offsets_of
from covey.data import Baskets
from covey.data.csr import take_rows
from covey.data.equal_rows import equal_rows
from covey.errors import TamperedRelease
from covey.guarantees import guarantee
from covey.guarantees.degree import Degree
from covey.release.base import counts_persons
from covey.release.grouped import GroupedRelease, totals_in
from covey.release.kinds import release_kind
from covey.release.manifest import Manifest
from covey.release.sets import SetsRelease
from covey.release.tables import Tables, read_parquet
from covey.release.trace import digest_of
from covey.spark.batches import REPORT, as_batch, reported, with_reports
from covey.spark.parts import PartTables, each, tables_of
from covey.spark.trace import digest_of_parts
from covey.verify.degree import cells_of, normal_form, possible_persons
from covey.verify.reproduction import unlike_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Some tables of a release, to be written again."""

    stated: Mapping[str, Any]
    made: Mapping[str, Iterator[pa.RecordBatch]]

    def facts(self) -> Mapping[str, Any]:
        """What the manifest should state."""
        return self.stated

    def tables(self) -> Mapping[str, Iterator[pa.RecordBatch]]:
        """The tables."""
        return self.made


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A release whose parts have been read."""

    spark: SparkSession
    manifest: Manifest
    tables: Tables
    #: What the task of each part found.
    reports: list[dict[str, Any]]
    #: The published items, and those that are counted.
    public: tuple[str, ...]
    secret: tuple[str, ...]

    @property
    def kind(self) -> str:
        """The kind of release."""
        return self.manifest.kind

    @property
    def by_person(self) -> bool:
        """Whether it counts persons."""
        return counts_persons(self.manifest.facts)

    @property
    def digest(self) -> str:
        """The digest that its trace states."""
        return digest_of_parts([one["digest"] for one in self.reports])

    def counts(self) -> dict[str, int]:
        """The figures that the manifest should state."""
        labels = {"items": len(self.public), "sensitive_items": len(self.secret)}
        return {
            name: labels[name] if name in labels else sum(one["counts"][name] for one in self.reports)
            for name in self.reports[0]["counts"]
        }

    def named_columns(self) -> Mapping[str, Mapping[str, str]]:
        """The schemas name all columns of these kinds."""
        return {}

    def held(self) -> Ints:
        """Return a row for each sensitive item: the groups that have it, its count, and its transactions at most."""
        numbers = {label: np.zeros(3, np.int64) for label in self.secret}
        for report in self.reports:
            for label, found in report["held"].items():
                numbers[label] += found
        return np.array(list(numbers.values())).reshape(-1, 3)

    def totals(self) -> Ints | None:
        """Return the stated number of transactions with each sensitive item, where persons count; 0 where none is."""
        return totals_in(self.tables, self.secret) if "totals" in self.tables.files else None


def open_release(spark: SparkSession, directory: Path, manifest: Manifest) -> Opened:
    """Read every part of a release.

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
    counts = {len(files) for name, files in tables.files.items() if name != "totals"}
    if len(counts) > 1:
        raise TamperedRelease("The tables do not have the same number of parts.")

    def look(number: int) -> Iterator[Any]:
        try:
            table = _looked_at(number, tables, manifest)
        except Exception as error:  # whatever a damaged file makes a library raise, the file is damaged
            problem = (str(error).splitlines() or [type(error).__name__])[0][:300]
            table = reported({"part": number, "problem": problem})
        yield from table.to_batches()

    reports, public, secret = with_reports(each(spark, counts.pop(), look, REPORT))
    groups = 0
    for report in reports:
        if "problem" in report:
            raise TamperedRelease(report["problem"])
        if report["first"] != groups:
            raise TamperedRelease("The groups are not numbered 0, 1, 2 and so on over all parts.")
        groups += report["counts"].get("groups", 0)
    return Opened(spark=spark, manifest=manifest, tables=tables, reports=reports, public=public, secret=secret)


def _looked_at(number: int, tables: Tables, manifest: Manifest) -> pa.Table:
    """Return what a task reports of a part, and its labels."""
    part = part_of(tables, number)
    release = read_part(part, manifest)
    whole = Tables(part.directory, part.schemas, part.files)
    again = Rewrite(release.facts(), tables_of(release, part.first))
    report = {
        "part": number,
        "first": part.first,
        "counts": release.counts(),
        "digest": digest_of(release),
        "difference": unlike_tables(whole, manifest, again),
    }
    if isinstance(release, SetsRelease):
        return reported(report, release.transactions.items)
    promise = guarantee(manifest.guarantee)
    if isinstance(promise, Degree):
        report |= _decisive(promise, release, part.first)
    return reported(report, release.transactions.items, release.sensitive_items)


def _decisive(promise: Degree, release: GroupedRelease, first: int) -> dict[str, Any]:
    """Return what decides about the degree in a part."""
    possible = None if release.group_persons is None else asdict(possible_persons(release, release.group_persons))
    size, members = release.group_sizes()[release.count_group], release.members()[release.count_group]
    held = {}
    for item, label in enumerate(release.sensitive_items):
        rows = release.count_item == item
        most = size - (members - release.count)
        held[label] = [sum(numbers[rows].tolist()) for numbers in (rows, release.count, most)]
    cells = cells_of(promise, release)
    if cells.worst is not None:
        secret, count, group, of = cells.worst
        cells = replace(cells, worst=(secret, count, group + first, of))
    merged = asdict(normal_form(release)) if release.options.get("merge") is True else None
    return {"possible": possible, "held": held, "cells": asdict(cells), "merged": merged}


def part_of(tables: Tables, number: int) -> PartTables:
    """Return the tables of a part."""
    files = {name: [found[number]] for name, found in tables.files.items() if name != "totals"}
    schemas = {name: tables.schemas[name] for name in files}
    first = 0
    if "groups" in files:
        batch = next(read_parquet(files["groups"][0], schemas["groups"]))
        first = (batch.column("group")[0].as_py() or 0) if batch.num_rows else 0
    return PartTables(tables.directory, schemas, files, first=first)


def read_part(tables: PartTables, manifest: Manifest) -> Any:
    """Return the local release that a part is."""
    return release_kind(manifest.kind).from_tables(tables, manifest)


def classes(release: Opened, labels: tuple[str, ...]) -> DataFrame:
    """Return the different published sets of each part, ``items: array<int>`` among `labels`, with ``size: long``.

    ``part: long`` and ``at: long`` say where one of them stands.
    """
    tables, manifest = release.tables, release.manifest

    def find(number: int) -> Iterator[Any]:
        sets: Baskets = read_part(part_of(tables, number), manifest).transactions
        known = {label: code for code, label in enumerate(labels)}
        code = np.array([known[label] for label in sets.items], np.int32)
        _, size, example = equal_rows(sets.indptr, sets.indices, sets.d)
        indptr, indices = take_rows(sets.indptr, sets.indices, example)
        yield as_batch(
            {"items": (indptr, code[indices]), "size": size, "part": np.full(len(size), number), "at": example}
        )

    return each(release.spark, len(release.reports), find, "items array<int>, size long, part long, at long")


def first_groups(release: Opened) -> Ints:
    """Return the number of the first group of each part, and last how many groups there are."""
    return offsets_of([one["counts"]["groups"] for one in release.reports])
