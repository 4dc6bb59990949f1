"""Parquet files: long, lists or wide; read and written in portions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from covey.data import Baskets
from covey.io.baskets.arrow import choose, gather
from covey.io.parquet import open_parquet
from covey.io.persons import NOTHING_SAID, WhoIsWho
from covey.io.quantities import Amounts
from covey.progress import Progress, silent

_ROWS = 1 << 16
_ENTRIES = 1 << 20


def read_parquet(
    path: Path,
    name: str,
    *,
    transaction: str | None = None,
    item: str | None = None,
    said: WhoIsWho = NOTHING_SAID,
    amounts: Amounts | None = None,
    progress: Progress = silent,
    rows: int = _ROWS,
) -> Baskets:
    """Read a Parquet file, `rows` rows at a time; any number gives the same result."""
    with open_parquet(path, name) as file:
        roles = choose(file.schema_arrow, transaction, item, name, said, amounts)
        total = max(file.metadata.num_rows, 1)

        def report(done: int) -> None:
            progress("reading", min(done / total, 1.0))

        batches = file.iter_batches(batch_size=rows, columns=list(roles.columns))
        return gather(batches, roles, name, report, said, amounts)


def write_parquet(baskets: Baskets, path: Path) -> None:
    """Write a column ``items`` of lists of strings, one row per transaction, and ``person`` where these are named."""
    named = [] if baskets.person is None else [("person", pa.int32())]
    schema = pa.schema([*named, ("items", pa.list_(pa.string()))])
    labels = pa.array(baskets.items, pa.string())
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        row = 0
        while row < baskets.n or row == 0:
            start = baskets.indptr[row]
            stop = int(np.searchsorted(baskets.indptr, start + _ENTRIES, side="right")) - 1
            stop = min(max(stop, row + 1), row + _ENTRIES, baskets.n)
            values = labels.take(pa.array(baskets.indices[start : baskets.indptr[stop]]))
            offsets = pa.array((baskets.indptr[row : stop + 1] - start).astype(np.int32))
            person = [] if baskets.person is None else [pa.array(baskets.person[row:stop])]
            writer.write_table(pa.table([*person, pa.ListArray.from_arrays(offsets, values)], schema=schema))
            row = stop or 1
