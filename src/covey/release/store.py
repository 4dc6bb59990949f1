"""The files of a release: Parquet or CSV tables and their manifest, written and read back identically.

In CSV the items of a transaction are joined by ``|``; in a label, ``%``, ``|`` and control characters are
written as ``%`` and two hexadecimal digits, as in web addresses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from covey import __version__
from covey.contracts import Progress, silent
from covey.data import Baskets
from covey.errors import CoveyError, ReleaseError, TamperedRelease
from covey.release.grouped import GroupedRelease
from covey.release.manifest import NAME, Manifest, file_digest, read_manifest
from covey.release.staging import writing

_RESERVED = re.compile(r"[%|\x00-\x1f\x7f]")


def save(release: GroupedRelease, directory: Path, *, csv: bool = False, progress: Progress = silent) -> Manifest:
    """Write the tables of `release` and their manifest into an existing, empty directory."""
    with writing(directory):
        names = _write_csv(release, directory, progress) if csv else _write_parquet(release, directory, progress)
        manifest = Manifest(
            kind=release.kind,
            method=release.method,
            guarantee=release.guarantee,
            options=release.options,
            counts=release.counts(),
            covey=__version__,
            files={name: file_digest(directory / name) for name in names},
        )
        (directory / NAME).write_bytes(manifest.to_bytes())
    return manifest


def load(directory: str | Path, *, trusted: bool = False) -> GroupedRelease:
    """Read a release back.

    Parameters
    ----------
    directory : path
        The directory that `covey anonymize` wrote.
    trusted : bool
        Skip comparing the files with the digests in the manifest.

    Raises
    ------
    TamperedRelease
        A file is not the one that was written.
    """
    directory = Path(directory)
    manifest = read_manifest(directory)
    if not trusted:
        changed = changed_files(directory, manifest)
        if changed:
            raise TamperedRelease(f"{directory}: {'; '.join(changed)}.")
    return tables_of(directory, manifest)


def changed_files(directory: Path, manifest: Manifest) -> list[str]:
    """What differs between the files in `directory` and what its manifest vouches for."""
    problems = []
    for name, digest in sorted(manifest.files.items()):
        path = directory / name
        if Path(name).name != name or not path.is_file():
            problems.append(f"{name} is missing")
        elif file_digest(path) != digest:
            problems.append(f"{name} was changed after writing")
    present = {path.name for path in directory.iterdir()}
    problems += [f"{name} does not belong to the release" for name in sorted(present - {*manifest.files, NAME})]
    return problems


def tables_of(directory: Path, manifest: Manifest) -> GroupedRelease:
    """Read the tables of a release whose manifest is known, whatever their digests."""
    if manifest.kind != GroupedRelease.kind:
        raise ReleaseError(f"{directory} holds a release of the kind {manifest.kind!r}, unknown to this version.")
    csv = "transactions.csv" in manifest.files
    batches: Callable[[Path], Iterator[Any]] = _csv_batches if csv else _parquet_batches
    suffix = "csv" if csv else "parquet"
    try:
        return _assemble(
            manifest,
            batches(directory / f"transactions.{suffix}"),
            _sensitive_columns(directory / f"sensitive.{suffix}"),
        )
    except CoveyError:
        raise
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TamperedRelease(f"{directory}: the tables cannot be read ({str(error).splitlines()[0]}).") from None


def _write_parquet(release: GroupedRelease, directory: Path, progress: Progress) -> list[str]:
    import pyarrow.parquet as pq

    from covey.release.tables import PIECE, TRANSACTIONS_SCHEMA, sensitive_table, transactions_batches

    # Without the stored Arrow schema readers see list<string>, not covey's dictionary codes.
    options = {"compression": "zstd", "store_schema": False}
    with pq.ParquetWriter(directory / "transactions.parquet", TRANSACTIONS_SCHEMA, **options) as writer:
        for i, batch in enumerate(transactions_batches(release)):
            progress("writing", i * PIECE / max(release.transactions.n, 1))
            writer.write_batch(batch)
    pq.write_table(sensitive_table(release), directory / "sensitive.parquet", **options)
    return ["sensitive.parquet", "transactions.parquet"]


def _write_csv(release: GroupedRelease, directory: Path, progress: Progress) -> list[str]:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as pacsv

    from covey.release.tables import sensitive_table, transactions_batches

    schema = pa.schema([("group", pa.int64()), ("items", pa.string())])
    escaped = pa.array([_escape(label) for label in release.transactions.items], pa.string())
    rows = 1 << 16
    with pacsv.CSVWriter(directory / "transactions.csv", schema) as writer:
        for i, batch in enumerate(transactions_batches(release, rows)):
            progress("writing", i * rows / max(release.transactions.n, 1))
            lists = batch.column("items")
            labels = pa.ListArray.from_arrays(lists.offsets, escaped.take(lists.values.indices))
            joined = pc.binary_join(labels, "|")
            writer.write_batch(pa.RecordBatch.from_arrays([batch.column("group"), joined], schema=schema))
    pacsv.write_csv(sensitive_table(release), directory / "sensitive.csv")
    return ["sensitive.csv", "transactions.csv"]


def _escape(label: str) -> str:
    return _RESERVED.sub(lambda m: f"%{ord(m.group()):02X}", label)


def _parquet_batches(path: Path) -> Iterator[Any]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, read_dictionary=["items.list.element"]) as file:
        for batch in file.iter_batches(batch_size=1 << 19):
            yield batch.column("group"), batch.column("items")


def _csv_batches(path: Path) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as pacsv

    convert = pacsv.ConvertOptions(
        column_types={"group": pa.int64(), "items": pa.string()}, strings_can_be_null=False
    )
    with pacsv.open_csv(path, convert_options=convert) as reader:
        for batch in reader:
            text = batch.column("items")
            lists = pc.split_pattern(text, "|")
            # Splitting "" gives one empty label, but an empty cell is an empty basket.
            lists = pc.if_else(pc.equal(text, ""), pa.scalar([], pa.list_(pa.string())), lists)
            yield batch.column("group"), lists


def _sensitive_columns(path: Path) -> tuple[Any, Any, Any]:
    if path.suffix == ".csv":
        import pyarrow as pa
        import pyarrow.csv as pacsv

        types = {"group": pa.int64(), "item": pa.string(), "count": pa.int64()}
        convert = pacsv.ConvertOptions(column_types=types, strings_can_be_null=False)
        table = pacsv.read_csv(path, convert_options=convert)
    else:
        import pyarrow.parquet as pq

        table = pq.read_table(path)
    return tuple(table.column(name).combine_chunks() for name in ("group", "item", "count"))


def _assemble(manifest: Manifest, batches: Iterator[Any], sensitive: tuple[Any, Any, Any]) -> GroupedRelease:
    """Build the release from its columns; rows may stand in any order and groups carry any numbers."""
    from covey.kernels.csr import take_rows
    from covey.kernels.groups import rows_by_group

    group, baskets = _read_transactions(batches, escaped="transactions.csv" in manifest.files)
    numbers = group if bool((np.diff(group) >= 0).all()) else np.sort(group)
    numbers = numbers[np.concatenate([[True], np.diff(numbers) > 0])] if len(numbers) else numbers
    group_ptr, rows = rows_by_group(np.searchsorted(numbers, group), np.arange(len(group)), len(numbers))
    if not bool((np.diff(rows) == 1).all()):
        indptr, indices = take_rows(baskets.indptr, baskets.indices, rows)
        baskets = Baskets(indptr=indptr, indices=indices, items=baskets.items, sensitive=baskets.sensitive)
    labels, count_group, count_item, count = _read_counts(*sensitive)
    if not np.isin(count_group, numbers).all():
        raise TamperedRelease("Sensitive counts are given for a group that has no transactions.")
    position = np.searchsorted(numbers, count_group)
    by_group = np.lexsort((count_item, position))
    return GroupedRelease(
        transactions=baskets,
        group_ptr=group_ptr,
        sensitive_items=labels,
        count_group=position[by_group],
        count_item=count_item[by_group],
        count=count[by_group],
        guarantee=manifest.guarantee,
        method=manifest.method,
        options=dict(manifest.options),
    )


def _read_transactions(batches: Iterator[Any], *, escaped: bool) -> tuple[NDArray[np.int64], Baskets]:
    from covey.release.tables import LabelCodes

    codes = LabelCodes()
    groups, lengths, indices = [np.empty(0, np.int64)], [np.zeros(1, np.int64)], [np.empty(0, np.int32)]
    for group, lists in batches:
        if group.null_count or lists.null_count or lists.flatten().null_count:
            raise TamperedRelease("A published transaction has a missing value.")
        groups.append(group.to_numpy(zero_copy_only=False).astype(np.int64, copy=False))
        lengths.append(np.diff(lists.offsets.to_numpy()).astype(np.int64))
        indices.append(codes.encode(lists.flatten()))
    labels = [unquote(label) for label in codes.labels] if escaped else codes.labels
    indptr, entries = np.cumsum(np.concatenate(lengths)), np.concatenate(indices)
    read = len(entries)
    baskets = Baskets.build(indptr, entries, labels)
    if baskets.entries != read:
        raise TamperedRelease("A published transaction holds an item twice.")
    return np.concatenate(groups), baskets


def _read_counts(
    group: Any, item: Any, count: Any
) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    from covey.release.tables import LabelCodes

    if group.null_count or item.null_count or count.null_count:
        raise TamperedRelease("A sensitive count has a missing value.")
    codes = LabelCodes()
    ids = codes.encode(item)
    order = sorted(range(len(codes.labels)), key=codes.labels.__getitem__)
    rename = np.empty(len(order), np.int32)
    rename[order] = np.arange(len(order), dtype=np.int32)
    ids, groups, counts = rename[ids], group.to_numpy().astype(np.int64), count.to_numpy().astype(np.int64)
    if bool((counts < 1).any()):
        raise TamperedRelease("A sensitive count is below 1.")
    cells = np.unique(np.stack([groups, ids.astype(np.int64)]), axis=1)
    if cells.shape[1] != len(groups):
        raise TamperedRelease("A group gives the count of one sensitive item twice.")
    return tuple(codes.labels[i] for i in order), groups, ids, counts
