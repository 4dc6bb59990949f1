"""Writing a release from Spark in numbered parts, each as the local engine makes and writes a small release.

A part is made in the task that has its rows; its files are written under names of their own first and then renamed: a
task that is tried again, run twice or killed leaves nothing behind or the same file once more. Which rows a part holds
follows from hashes with the seed, and their order from the seed and what is published, so the same data and seed give
the same bytes on any number of cores. The trace of a part is written beside them, and never into the release.
"""

from __future__ import annotations

import errno
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from covey.arrays import offsets_of
from covey.data import Baskets
from covey.errors import OutputError
from covey.release.base import BY_PERSON, Release, Statement
from covey.release.grouped import totals_batch
from covey.release.grouping import arranged
from covey.release.item_columns import item_batches
from covey.release.manifest import Manifest, file_digest
from covey.release.sets import sets as sets_release
from covey.release.tables import write_table
from covey.release.trace import require_trace
from covey.spark.batches import REPORT, as_array, csr_of, reported, row_hashes, with_reports
from covey.spark.parts import Out, name_of, tables_of
from covey.spark.session import on_worker
from covey.spark.sets import Sets
from covey.spark.trace import ROWS
from covey.staging import meant, writing

#: Entries of a part: some megabytes on disk, and well below what one task can hold. There are five digits for parts.
PART, MOST_PARTS = 4_000_000, 100_000
#: Beside what is made: where files are written before they get their names.
ASIDE = "parts"
#: The one table that the driver writes.
TOTALS_FILE = "totals.parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a release, in the task that makes it; `trace` says where each row with an id is."""

    release: Release
    first: int = 0
    trace: Iterable[pa.RecordBatch] | None = None
    labels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    held: dict[str, int] = field(default_factory=dict)


def parts_of(entries: int) -> int:
    """Return into how many parts a release is cut: by its size, never by the number of cores.

    Examples
    --------
    >>> parts_of(0), parts_of(9_000_000)
    (1, 3)
    """
    return min(max(1, -(-entries // PART)), MOST_PARTS)


def part_of(key: Column, parts: int) -> Column:
    """The part to which a key of 62 random bits belongs: parts are equal ranges of keys."""
    return sf.shiftright(sf.shiftright(key, 31) * parts, 31).cast("int")


def write_grouped(
    rows: DataFrame, sets: Sets, out: Out, *, made: Callable[[tuple[str, ...]], Statement], seed: int | None
) -> Manifest:
    """Write the rows of `sets`, each with its ``group: long``, 62 random bits, as a grouped release.

    They may have ``notes: array<string>``, given which `made` tells what the manifest states.
    """
    entries = int(sets.supports[~sets.sensitive].sum())
    parts, word = parts_of(max(entries, sets.n)), np.random.SeedSequence(seed).entropy
    placed = rows.withColumn("part", part_of(sf.col("group"), parts))
    first = np.zeros(1, np.int64)
    if parts > 1:
        first = offsets_of(as_array(placed.groupBy("part").agg(sf.count_distinct("group")), parts))
    items, sensitive = sets.items, sets.sensitive

    def make(number: int, table: pa.Table) -> Part:
        indptr, indices = csr_of(table.column("items"))
        public = Baskets(indptr=indptr, indices=indices, items=items, sensitive=sensitive)
        group = np.unique(table.column("group").to_numpy(), return_inverse=True)[1].reshape(-1)
        # The order must be a function of what is published alone: with the sensitive items in it, who guesses the seed
        # could tell from it who holds them.
        order = np.lexsort((table.column("row").to_numpy(), row_hashes(*public.only(~sensitive).csr), group))
        person = None
        if "person" in table.column_names:
            named = table.column("person").combine_chunks().take(pa.array(order)).dictionary_encode()
            person = named.indices.to_numpy().astype(np.int32)
        data = public.take(order)
        data = Baskets(*data.csr, items, sensitive, person)
        count = int(group.max()) + 1
        release, origin = arranged(data, group[order], count, made=made(()), seed=_seed(word, number))
        trace = None
        if "id" in table.column_names:
            where = np.repeat(np.arange(count) + first[number], release.group_sizes())
            ids = table.column("id").combine_chunks().take(pa.array(order[origin]))
            trace = [pa.RecordBatch.from_arrays([ids, pa.array(where)], ["id", "group"])]
        held = Counter(release.sensitive_items[item] for item in release.count_item.tolist())
        return Part(release=release, first=int(first[number]), trace=trace, notes=_notes(table), held=dict(held))

    files, reports, _ = write_parts(placed, out, make)
    if sets.persons is not None:
        # Where one group alone has an item, its transactions would be that group's.
        held = sum((Counter[str](report["held"]) for report in reports), Counter[str]())
        totals = np.where([held[item] > 1 for item in items], sets.supports, 0)[sensitive]
        with (out.release / TOTALS_FILE).open("xb") as sink:
            write_table(iter([totals_batch(tuple(sets.sensitive_items()), totals)]), sink, csv=False)
        files[TOTALS_FILE] = file_digest(out.release / TOTALS_FILE)
    counts = _counts(reports, items=int((~sensitive).sum()), sensitive_items=int(sensitive.sum()))
    facts = {} if sets.persons is None else BY_PERSON
    return Manifest.of("grouped", made(_all_notes(reports)), counts=counts, files=files, facts=facts)


def write_sets(
    rows: DataFrame, sets: Sets, out: Out, *, made: Callable[[tuple[str, ...]], Statement], seed: int | None
) -> Manifest:
    """Write what each of the rows of `sets` is published as: ``items: array<int>``; otherwise as `write_grouped`."""
    parts, word = parts_of(max(sets.entries, sets.n)), np.random.SeedSequence(seed).entropy
    key = sf.xxhash64(sf.sha2(sf.concat_ws(" ", sf.lit(str(word)), sf.col("row").cast("string")), 256))
    placed = rows.withColumn("part", sf.pmod(key, sf.lit(parts)).cast("int"))
    items, by_person = sets.items, sets.unit == "persons"

    def make(number: int, table: pa.Table) -> Part:
        indptr, indices = csr_of(table.column("items"))
        data = Baskets(indptr=indptr, indices=indices, items=items, sensitive=np.zeros(len(items), np.bool_))
        order = np.lexsort((table.column("row").to_numpy(), row_hashes(*data.csr)))
        release = sets_release(
            data.take(order), made=made(()), seed=_seed(word, number), recoded="suppressed", by_person=by_person
        )
        trace = None
        if "id" in table.column_names:
            origin = order[require_trace(release).rows]
            trace = _traced(table.column("id").combine_chunks().take(pa.array(origin)), release.transactions)
        return Part(release=release, trace=trace, labels=release.transactions.items, notes=_notes(table))

    files, reports, labels = write_parts(placed, out, make)
    counts, facts = _counts(reports, items=len(labels)), {"recoding": "suppressed", "rest": ""}
    facts |= BY_PERSON if by_person else {}
    return Manifest.of("sets", made(_all_notes(reports)), counts=counts, files=files, facts=facts)


def _traced(ids: Any, published: Baskets) -> Iterator[pa.RecordBatch]:
    at = 0
    for batch in item_batches(published):
        own = ids.slice(at, batch.num_rows)
        yield pa.RecordBatch.from_arrays([own, batch.column("items")], ["id", "items"])
        at += batch.num_rows


def _seed(word: Any, part: int) -> int:
    return int(np.random.SeedSequence([word, part]).generate_state(1, np.uint64)[0])


def _notes(table: pa.Table) -> tuple[str, ...]:
    if "notes" not in table.column_names:
        return ()
    return tuple(table.column("notes").combine_chunks().flatten().unique().to_pylist())


def write_parts(
    rows: DataFrame, out: Out, make: Callable[[int, pa.Table], Part]
) -> tuple[dict[str, str], list[dict[str, Any]], tuple[str, ...]]:
    """Write what `make` makes of the rows of each ``part: int``; returns digests of files, reports and labels."""
    folder, traces = out.release.absolute(), out.trace if out.trace is None else out.trace.absolute()

    def write(table: pa.Table) -> pa.Table:
        number = int(table.column("part")[0].as_py())
        try:
            part = make(number, table)
            tables = tables_of(part.release, part.first)
            files = {name: _written(folder / name_of(name, number), some) for name, some in tables.items()}
            if traces is not None and part.trace is not None:
                _written(traces / name_of(ROWS, number), part.trace)
        except OSError as error:
            return reported({"part": number, "errno": error.errno or 0, "reason": error.strerror or str(error)})
        report = {"part": number, "files": files, "notes": part.notes, "held": part.held}
        return reported({**report, "counts": part.release.counts()}, part.labels)

    with writing(out.release):
        asides = {one.with_name(ASIDE) for one in (folder, traces) if one is not None}
        for aside in asides:
            aside.mkdir()
        try:
            prepared = on_worker(write)
            found = rows.groupBy("part").applyInArrow(lambda table: prepared(table), REPORT)
            reports, labels, _ = with_reports(found)
        finally:
            # Renamed first: a task that still runs, for another was faster, cannot write into it any more.
            for aside in asides:
                shutil.rmtree(aside.rename(aside.with_name(f"{ASIDE}-gone")), ignore_errors=True)
        for report in reports:
            if report.get("errno", errno.ENOENT) != errno.ENOENT:
                raise OSError(report["errno"], report["reason"])
        files = _numbered(folder, reports)
        if traces is not None:
            _numbered(traces, [{"part": one["part"], "files": {ROWS: ""}} for one in reports])
    return files, reports, labels


def _counts(reports: list[dict[str, Any]], **labels: int) -> dict[str, int]:
    """The counts of all parts together; those of labels do not add up."""
    return {name: labels.get(name, sum(one["counts"][name] for one in reports)) for name in reports[0]["counts"]}


def _all_notes(reports: list[dict[str, Any]]) -> tuple[str, ...]:
    return tuple(sorted({note for report in reports for note in report["notes"]}))


def _numbered(folder: Path, reports: list[dict[str, Any]]) -> dict[str, str]:
    """Number the files of the parts that hold something 0, 1, 2, …, and return the digest of each."""
    files = {}
    for number, report in enumerate(reports):
        for table, digest in report.get("files", {"": ""}).items():
            old, new = folder / name_of(table, report["part"]), folder / name_of(table, number)
            if not old.is_file():
                raise OutputError(
                    f"{meant(folder)} cannot be written: the executors do not share this directory. Nothing was left "
                    "behind. Choose a place that is mounted on the driver and on all executors."
                )
            if old != new:
                old.replace(new)
            files[name_of(table, number)] = digest
    return files


def _written(target: Path, batches: Iterable[pa.RecordBatch]) -> str:
    """Write one file and return its digest; for a worker."""
    own = target.parents[1].with_name(ASIDE) / f"{secrets.token_hex(16)}.parquet"
    try:
        with own.open("xb") as sink:
            write_table(iter(batches), sink, csv=False)
        digest = file_digest(own)
        target.parent.mkdir(exist_ok=True)
        own.replace(target)
    except OSError:
        own.unlink(missing_ok=True)
        raise
    return digest
