"""The files of a grouped release: transactions and sensitive counts, as Parquet or CSV.

In CSV the items of a transaction are joined by ``|``; in a label, ``%``, ``|`` and control characters are
written as ``%`` and two hexadecimal digits, as in web addresses.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from covey.arrays import Ids, Ints
from covey.contracts import Progress
from covey.data import Baskets
from covey.errors import TamperedRelease
from covey.release.grouped.model import GroupedRelease
from covey.release.manifest import Manifest
from covey.verify.grouped_fidelity import compare

__all__ = ["compare", "read", "write"]


def write(release: GroupedRelease, directory: Path, *, csv: bool, progress: Progress) -> list[str]:
    """Write the tables of `release` into `directory` and return the names of the files."""
    import pyarrow.csv as pacsv
    import pyarrow.parquet as pq

    from covey.release.item_columns import item_batches, sensitive_table, write_batches

    baskets = release.transactions
    groups = np.repeat(np.arange(release.groups), release.group_sizes())
    suffix = "csv" if csv else "parquet"
    names = [f"sensitive.{suffix}", f"transactions.{suffix}"]
    write_batches(item_batches(baskets, groups), baskets.items, directory / names[1], baskets.n, progress)
    if csv:
        pacsv.write_csv(sensitive_table(release), directory / names[0])
    else:
        pq.write_table(sensitive_table(release), directory / names[0], compression="zstd", store_schema=False)
    return names


def read(directory: Path, manifest: Manifest) -> GroupedRelease:
    """Read the tables back, whatever their digests; rows may stand in any order and groups carry any numbers."""
    from covey.kernels.shared.csr import take_rows
    from covey.kernels.shared.groups import rows_by_group
    from covey.release.item_columns import assemble_baskets, read_table, table_paths

    paths = table_paths(directory, manifest.files, "transactions")
    baskets, rest = assemble_baskets(read_table(paths), escaped="transactions.csv" in manifest.files)
    columns = [piece.column("group") for piece in rest]
    if any(column.null_count for column in columns):
        raise TamperedRelease("A published transaction has no group.")
    group = np.concatenate([np.empty(0, np.int64), *(column.to_numpy() for column in columns)]).astype(
        np.int64
    )
    numbers = group if bool((np.diff(group) >= 0).all()) else np.sort(group)
    numbers = numbers[np.concatenate([[True], np.diff(numbers) > 0])] if len(numbers) else numbers
    group_ptr, rows = rows_by_group(np.searchsorted(numbers, group), np.arange(len(group)), len(numbers))
    if not bool((np.diff(rows) == 1).all()):
        indptr, indices = take_rows(baskets.indptr, baskets.indices, rows)
        baskets = Baskets(indptr=indptr, indices=indices, items=baskets.items, sensitive=baskets.sensitive)
    labels, count_group, count_item, count = _read_counts(
        *_sensitive_columns(table_paths(directory, manifest.files, "sensitive"))
    )
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


def _sensitive_columns(paths: list[Path]) -> tuple[Any, Any, Any]:
    import pyarrow as pa

    if [path.suffix for path in paths] == [".csv"]:
        import pyarrow.csv as pacsv

        types = {"group": pa.int64(), "item": pa.string(), "count": pa.int64()}
        convert = pacsv.ConvertOptions(column_types=types, strings_can_be_null=False)
        table = pacsv.read_csv(paths[0], convert_options=convert)
    else:
        import pyarrow.parquet as pq

        table = pa.concat_tables(pq.read_table(path) for path in paths)
    return tuple(table.column(name).combine_chunks() for name in ("group", "item", "count"))


def _read_counts(group: Any, item: Any, count: Any) -> tuple[tuple[str, ...], Ints, Ids, Ints]:
    from covey.release.item_columns import LabelCodes

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
