"""Opening Parquet files of any kind of data: damaged ones, and ones that would flood the memory, are told as such."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from covey.errors import InputError
from covey.io.decompression import refuse_flood


@contextmanager
def open_parquet(path: Path, name: str) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file; what Arrow cannot read of it inside the block is an error that names it."""
    try:
        with pa.OSFile(os.fsencode(path), "rb") as raw, pq.ParquetFile(raw) as file:
            about = file.metadata
            groups = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
            # A value counts as one byte at least, however well it is packed.
            refuse_flood(int(max(groups, about.num_rows * about.num_columns)), raw.size(), name)
            file.schema_arrow.names  # noqa: B018 - names are decoded when they are asked for
            yield file
    except UnicodeDecodeError as error:
        raise InputError(
            f"the column name {error.object[:40]!r} is not valid UTF-8",
            file=name,
            remedy="Rename the column.",
        ) from error
    except (OSError, pa.ArrowException) as error:
        text = str(error).split("\n")[0].rstrip(".")
        raise InputError(
            f"is not a Parquet file or is damaged ({text})",
            file=name,
            remedy="Write or download it again; if it is another format, say which with --format.",
        ) from error
