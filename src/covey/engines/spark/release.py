"""Writing releases from Spark: parts of Parquet in folders, and one manifest that vouches for each of them.

The files go into a staged directory that all executors must be able to write to; the manifest is written last, and
`covey.release.staging` puts the whole in place. Rows are ordered by a hash of the seed and of what identifies them, so
which task wrote a row, how often it was tried and on how many cores cannot show; the same seed gives the same rows in
the same order. (The bytes may differ from one Java process to the next, which lists a column's encodings in any order.)
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from covey import __version__
from covey.engines.spark.files import local_path, read_from, written_to
from covey.engines.spark.frames import csr_of
from covey.engines.spark.session import on_worker
from covey.errors import OutputError
from covey.release.manifest import NAME, Manifest
from covey.release.writing import writing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from covey.engines.spark.frames import Sets

#: Entries of a part: some megabytes on disk, and well below what one task can hold.
PART = 4_000_000
#: Equal rows that are kept together until they are written, so that a very common set is no task's burden alone.
COPIES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What the manifest will say of how a release was made."""

    guarantee: str
    method: str
    options: Mapping[str, Any]


def local_target(out: str | Path) -> Path:
    """The directory to write to; refuses addresses that are not directories of a file system."""
    path = local_path(str(out))
    if path is None:
        raise OutputError(
            f"{out} is not a directory that can be renamed in one step, so a release there could be seen half written. "
            "Write to a directory that all executors share, and copy it."
        )
    return path


def hash_seed(seed: int | None) -> int:
    """A number for Spark's hash functions from a seed, or from the system's entropy when there is none."""
    if seed is None:
        return secrets.randbits(63)
    return int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:8], "big") >> 1


def write_grouped(
    rows: DataFrame, sets: Sets, stage: Path, *, statement: Statement, seed: int | None, part: int = PART
) -> Manifest:
    """Write rows in groups as a grouped release: published items per row, sensitive items as counts per group.

    Parameters
    ----------
    rows : DataFrame
        ``group: long``, ``row: long`` and ``items: array<int>``, a line per transaction. Group numbers are
        published, so they must be random, and must not depend on where a row stood.
    sets : Sets
        The data that the rows are of: labels and which of them are sensitive.
    stage : Path
        An empty directory.
    statement : Statement
        For the manifest.
    seed : int or None
        For the order of rows; None: the system's entropy.
    part : int
        Entries per file.
    """
    from pyspark.sql import functions as sf

    salt, spark = hash_seed(seed), rows.sparkSession
    secret = [int(i) for i in np.flatnonzero(sets.sensitive)]
    flags = sf.array(*map(sf.lit, secret)).cast("array<int>")
    public_entries = int(sets.supports[~sets.sensitive].sum())
    secret_entries = int(sets.supports[sets.sensitive].sum())
    # The order is a function of what is published alone: with the sensitive items in it, who guesses the seed could
    # tell from the order who holds them.
    key = sf.xxhash64(sf.lit(salt), "items")
    ordered = (
        rows.select("group", sf.array_except("items", flags).alias("items"))
        .select("group", "items", key.alias("key"))
        .repartition(parts_of(max(public_entries, sets.n), part), "group")
        .sortWithinPartitions("group", "key", "items")
        .select("group", "items")
    )
    labelled = ordered.mapInArrow(on_worker(_labelling(sets.items)), "group long, items array<string>")
    _write(labelled, stage, "transactions")
    counted = (
        rows.select("group", sf.explode(sf.array_intersect("items", flags)).alias("code"))
        .groupBy("group", "code")
        .agg(sf.count("*").alias("count"))
        .repartition(parts_of(secret_entries, part), "group")
        .sortWithinPartitions("group", "code")
    )
    named = counted.mapInArrow(on_worker(_naming(sets.items)), "group long, item string, count long")
    _write(named, stage, "sensitive")
    transactions = spark.read.parquet(read_from(stage / "transactions"))
    _require_all(stage, "transactions", sets.n)
    counts = {
        "transactions": sets.n,
        "items": int((~sets.sensitive).sum()),
        "entries": public_entries,
        "groups": transactions.select("group").distinct().count(),
        "sensitive_items": len(secret),
        "sensitive_entries": secret_entries,
    }
    return _vouch(spark, stage, "grouped", counts, statement)


def write_generalized(
    published: DataFrame, sets: Sets, stage: Path, *, statement: Statement, seed: int | None, part: int = PART
) -> Manifest:
    """Write sets with how often each is published as a generalized release.

    The order of the rows is a function of the published sets and the seed alone.

    Parameters
    ----------
    published : DataFrame
        ``items: array<int>`` and ``weight: long``; equal sets may stand several times.
    sets, stage, statement, seed, part
        As for `write_grouped`.
    """
    from pyspark.sql import functions as sf

    salt, spark = hash_seed(seed), published.sparkSession
    summed = published.groupBy("items").agg(sf.sum("weight").alias("weight")).persist()
    size = sf.size("items")
    totals = summed.agg(
        sf.sum("weight"), sf.sum(sf.col("weight") * size), sf.sum(sf.when(size == 0, sf.col("weight")))
    ).first()
    assert totals is not None
    n, entries, empty = (int(total or 0) for total in totals)
    named = summed.select(sf.explode("items").alias("item")).distinct().count()
    chunk = sf.explode(sf.sequence(sf.lit(0), sf.floor((sf.col("weight") - 1) / COPIES))).alias("chunk")
    key = sf.xxhash64(sf.lit(salt), "items", "chunk")
    ordered = (
        summed.select("items", "weight", chunk)
        .select(
            "items",
            sf.least(sf.col("weight") - sf.col("chunk") * COPIES, sf.lit(COPIES)).alias("copies"),
            key.alias("key"),
        )
        .repartition(parts_of(max(entries, n), part), "key")
        .sortWithinPartitions("key", "items", "copies")
    )
    labelled = ordered.select("items", "copies").mapInArrow(
        on_worker(_repeating(sets.items)), "items array<string>"
    )
    _write(labelled, stage, "transactions")
    summed.unpersist()
    _require_all(stage, "transactions", n)
    counts = {"transactions": n, "items": named, "entries": entries, "empty": empty}
    return _vouch(spark, stage, "generalized", counts, statement)


def parts_of(entries: int, part: int) -> int:
    """Into how many files a table is cut: by its size, never by the number of cores."""
    return max(1, -(-entries // part))


def digests(spark: SparkSession, directory: Path, names: Iterable[str]) -> dict[str, str]:
    """SHA-256 of each file of a release, computed by the executors; "" for one that cannot be read."""
    folder = str(directory.absolute())

    def hash_files(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        from covey.release.manifest import file_digest

        for batch in batches:
            listed = batch.column("name").to_pylist()
            hashes = [file_digest(Path(folder) / n) if (Path(folder) / n).is_file() else "" for n in listed]
            yield pa.RecordBatch.from_pydict({"name": listed, "digest": hashes})

    wanted = [(name,) for name in sorted(names)]
    if not wanted:
        return {}
    frame = spark.createDataFrame(wanted, "name string").repartition(min(len(wanted), 1000))
    found = frame.mapInArrow(on_worker(hash_files), "name string, digest string").toArrow()
    return dict(zip(found.column("name").to_pylist(), found.column("digest").to_pylist(), strict=True))


def _write(frame: DataFrame, stage: Path, table: str) -> None:
    """Write a table as numbered parts; what Spark leaves beside them is taken away."""
    folder = stage / table
    with writing(stage):
        frame.write.parquet(written_to(folder), compression="zstd")
        written = sorted(folder.glob("part-*.parquet"))
        for number, path in enumerate(written):
            path.rename(folder / f"part-{number:05d}.parquet")
        for path in [*folder.glob(".*"), *folder.glob("_*")]:
            path.unlink()


def _require_all(stage: Path, table: str, expected: int) -> None:
    """Executors on other machines write to their own disks unless the directory is shared."""
    import pyarrow.parquet as pq

    found = sum(pq.read_metadata(path).num_rows for path in (stage / table).glob("part-*.parquet"))
    if found != expected:
        raise OutputError(
            f"Of {expected:,} rows only {found:,} arrived in {stage.parent}: the executors do not share this "
            "directory. Write to one that is mounted on the driver and on all executors."
        )


def _vouch(
    spark: SparkSession, stage: Path, kind: str, counts: Mapping[str, int], statement: Statement
) -> Manifest:
    names = [path.relative_to(stage).as_posix() for path in stage.rglob("*.parquet")]
    manifest = Manifest(
        kind=kind,
        method=statement.method,
        guarantee=statement.guarantee,
        options=statement.options,
        counts=counts,
        covey=__version__,
        files=digests(spark, stage, names),
    )
    with writing(stage):
        (stage / NAME).write_bytes(manifest.to_bytes())
    return manifest


def _labelling(items: tuple[str, ...]) -> Any:
    """For `mapInArrow`: item numbers by their labels, in label order, which is the order of the numbers."""

    def label(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        labels = pa.array(items, pa.string())
        for batch in batches:
            indptr, codes = csr_of(batch.column("items"))
            lists = pa.ListArray.from_arrays(pa.array(indptr, pa.int32()), labels.take(pa.array(codes)))
            yield pa.RecordBatch.from_arrays([batch.column("group"), lists], names=["group", "items"])

    return label


def _repeating(items: tuple[str, ...]) -> Any:
    """For `mapInArrow`: labels for item numbers, each set as often as it is published."""

    def repeat(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        from covey.kernels.shared.csr import take_rows

        labels = pa.array(items, pa.string())
        for batch in batches:
            indptr, codes = csr_of(batch.column("items"))
            copies = batch.column("copies").to_numpy()
            # Some sets at a time, since each may become many rows.
            for start in range(0, len(copies), 64):
                rows = np.repeat(np.arange(start, min(start + 64, len(copies))), copies[start : start + 64])
                ptr, taken = take_rows(indptr, codes, rows)
                lists = pa.ListArray.from_arrays(pa.array(ptr, pa.int32()), labels.take(pa.array(taken)))
                yield pa.RecordBatch.from_arrays([lists], names=["items"])

    return repeat


def _naming(items: tuple[str, ...]) -> Any:
    """For `mapInArrow`: the label of each counted item."""

    def name(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        labels = pa.array(items, pa.string())
        for batch in batches:
            columns = [batch.column("group"), labels.take(batch.column("code")), batch.column("count")]
            yield pa.RecordBatch.from_arrays(columns, names=["group", "item", "count"])

    return name
