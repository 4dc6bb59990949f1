"""The files of a ratings release: one table (record, issue, rating), as Parquet or CSV.

A record without any rating has one row with neither issue nor rating. The scale and the sensitive issues are in
the manifest, so that the promise can be checked from the files alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from covey.contracts import Progress
from covey.data import Ratings, Scale
from covey.errors import CoveyError, TamperedRelease
from covey.release.manifest import Manifest
from covey.release.ratings.model import RatingsRelease
from covey.verify.ratings_fidelity import compare

__all__ = ["compare", "rating_batches", "read", "write"]

#: Records per piece; a row group of the Parquet file.
PIECE = 1 << 17

SCHEMA = pa.schema([("record", pa.int64()), ("issue", pa.string()), ("rating", pa.float64())])


def rating_batches(release: RatingsRelease, records: int = PIECE) -> Iterator[pa.RecordBatch]:
    """The table (record, issue, rating) in pieces; at least one piece, perhaps empty."""
    data = release.ratings
    labels = pa.array(data.issues, pa.string())
    for first in range(0, max(data.n, 1), records):
        last = min(first + records, data.n)
        lengths = np.diff(data.indptr[first : last + 1])
        number = np.repeat(np.arange(first + 1, last + 1), np.maximum(lengths, 1))
        filled = np.repeat(lengths > 0, np.maximum(lengths, 1))
        issue, rating = np.zeros(len(number), np.int32), np.zeros(len(number))
        part = slice(data.indptr[first], data.indptr[last])
        issue[filled], rating[filled] = data.indices[part], data.scale.decode(data.codes[part])
        codes = pa.array(issue, mask=~filled)
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(number.astype(np.int64)),
                pa.DictionaryArray.from_arrays(codes, labels).cast(pa.string()),
                pa.array(rating, mask=~filled),
            ],
            schema=SCHEMA,
        )


def write(release: RatingsRelease, directory: Path, *, csv: bool, progress: Progress) -> list[str]:
    """Write the table of `release` into `directory` and return the names of the files."""
    import pyarrow.csv as pacsv
    import pyarrow.parquet as pq

    name = f"ratings.{'csv' if csv else 'parquet'}"
    if csv:
        writer = pacsv.CSVWriter(directory / name, SCHEMA)
    else:
        writer = pq.ParquetWriter(directory / name, SCHEMA, compression="zstd", store_schema=False)
    with writer:
        for piece, batch in enumerate(rating_batches(release)):
            writer.write_batch(batch)
            progress("writing", min((piece + 1) * PIECE / max(release.ratings.n, 1), 1.0))
    return [name]


def read(directory: Path, manifest: Manifest) -> RatingsRelease:
    """Read the table back, whatever its digest; rows may stand in any order."""
    import pyarrow.csv as pacsv
    import pyarrow.parquet as pq

    if "ratings.csv" in manifest.files:
        # Only unquoted cells are null: an issue may be called "".
        types = {field.name: field.type for field in SCHEMA}
        convert = pacsv.ConvertOptions(
            column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
        )
        table = pacsv.read_csv(directory / "ratings.csv", convert_options=convert)
    else:
        table = pq.read_table(directory / "ratings.parquet")
    try:
        scale = Scale.parse(str(manifest.options["scale"]))
        ratings = _assemble(table, scale, [str(name) for name in manifest.options["sensitive"]])
    except (CoveyError, KeyError, TypeError) as error:
        if isinstance(error, TamperedRelease):
            raise
        raise TamperedRelease(f"The table and the manifest do not fit together: {error}") from None
    return RatingsRelease(
        ratings=ratings,
        guarantee=manifest.guarantee,
        method=manifest.method,
        suppressed_ratings=int(manifest.counts.get("suppressed_ratings", 0)),
        suppressed_records=int(manifest.counts.get("suppressed_records", 0)),
        options=dict(manifest.options),
    )


def _assemble(table: Any, scale: Scale, sensitive: list[str]) -> Ratings:
    from covey.release.item_columns import LabelCodes

    record, issue, rating = (table.column(name).combine_chunks() for name in ("record", "issue", "rating"))
    missing = issue.is_null().to_numpy(zero_copy_only=False)
    if record.null_count or bool((missing != rating.is_null().to_numpy(zero_copy_only=False)).any()):
        raise TamperedRelease("A published rating has a missing value.")
    numbers, row = np.unique(record.to_numpy(zero_copy_only=False), return_inverse=True)
    codes = LabelCodes()
    column = codes.encode(issue.drop_null())
    labels = [*codes.labels, *(name for name in sensitive if name not in set(codes.labels))]
    values, bad = scale.encode(rating.drop_null().to_numpy(zero_copy_only=False).astype(np.float64))
    if len(bad):
        raise TamperedRelease(f"A published rating is not on the scale {scale.text}.")
    rows = row[~missing].astype(np.int64)
    cells = rows * max(len(labels), 1) + column
    if len(np.unique(cells)) < len(cells):
        raise TamperedRelease("A published record rates an issue twice.")
    names = [str(number) for number in numbers.tolist()]
    return Ratings.build(rows, column, values, users=names, labels=labels, scale=scale, sensitive=sensitive)
