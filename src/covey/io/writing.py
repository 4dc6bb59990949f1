"""Write baskets, ratings and tables to files, complete or not at all."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from covey.data import Baskets, Ratings, Table, Taxonomy
from covey.errors import OutputError, ParameterError
from covey.io.delimited import require_separator
from covey.io.files import COMPRESSIONS, format_suffix
from covey.io.trees import write_taxonomy
from covey.parameters import did_you_mean
from covey.release.ratings import rows_of
from covey.staging import replacing

WRITTEN = ("fimi", "csv-long", "parquet")

_BY_SUFFIX = {".dat": "fimi", ".txt": "fimi", ".csv": "csv-long", ".parquet": "parquet"}
#: Entries in one row group of a Parquet file.
_ENTRIES = 1 << 20
#: Respondents written at a time.
_PIECE = 1 << 16


def write(
    baskets: Baskets | Taxonomy,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    separator: str | None = None,
    force: bool = False,
) -> None:
    """Write baskets to a file that `covey.read` reads back to equal ones; sensitive marks are not written.

    A taxonomy is written as `covey.write_taxonomy` does.

    The name determines the format if `format` is not given: ``.dat`` or ``.txt`` (FIMI), ``.csv`` or ``.tsv`` (long,
    with the columns transaction and item), ``.parquet`` (a column ``items`` of lists); text is compressed if ``.gz`` or
    ``.zst`` follows. Where persons are named, tables have a column ``person`` with their numbers, to be read with
    ``person="person"``; a person has another number then if it was not the order of first sight. What the format cannot
    hold is an `OutputError`: persons or labels with blanks in FIMI, transactions without items in CSV. A file that
    exists is replaced with `force` only.

    Examples
    --------
    >>> import tempfile
    >>> from covey.io import read
    >>> baskets = Baskets.of([["wine", "meat"], [], ["beer"]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(baskets, f"{folder}/sales.dat.gz")
    ...     read(f"{folder}/sales.dat.gz") == baskets
    True
    """
    if isinstance(baskets, Taxonomy):
        return write_taxonomy(baskets, path, force=force)
    target = Path(path)
    suffix = format_suffix(target)
    written = format or _BY_SUFFIX.get(suffix)
    if written not in WRITTEN:
        raise ParameterError(
            f"Cannot tell the format from the name '{target.name}'. End it in .dat, .csv, .tsv or .parquet, "
            f"or give the format: {', '.join(WRITTEN)}."
            if format is None
            else f"The format {format!r} cannot be written.{did_you_mean(format, WRITTEN)} covey writes "
            f"{', '.join(WRITTEN)}."
        )
    if written == "parquet":
        if target.suffix.lower() in COMPRESSIONS:
            raise OutputError(f"{path}: Parquet compresses its own columns; leave out '{target.suffix}'.")
        with replacing(target, force=force) as beside:
            _write_parquet(baskets, beside)
        return
    if written == "fimi":
        pieces = _fimi(baskets, separator or " ", str(path))
    else:
        tabs = {".tsv", ".tab"} & {*map(str.lower, target.suffixes)}
        pieces = _long(baskets, separator or ("\t" if tabs else ","), str(path))
    with _text_file(target, force=force) as sink:
        for piece in pieces:
            sink.write(piece)


@contextmanager
def _text_file(target: Path, *, force: bool) -> Iterator[Any]:
    """Open a file to write to, compressed if its name says so; it appears when it is complete.

    The same data always gives the same bytes.
    """
    codec = COMPRESSIONS.get(target.suffix.lower())
    with replacing(target, force=force) as beside, beside.open("wb") as file:
        if codec == "gzip":
            # Arrow always packs at level 9: on baskets ten times the work of level 6 for 6 % fewer bytes
            with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as sink:
                yield sink
        else:
            with nullcontext(file) if codec is None else pa.CompressedOutputStream(file, codec) as sink:
                yield sink


def _csv_file(path: str | os.PathLike[str], what: str, *, force: bool) -> AbstractContextManager[Any]:
    """Open a CSV file to write a table or ratings to."""
    target = Path(path)
    if not target.name.lower().endswith((".csv", ".csv.gz", ".csv.zst")):
        raise ParameterError(
            f"{what} are written as CSV, and '{target.name}' is another name. End it in .csv, .csv.gz or .csv.zst."
        )
    return _text_file(target, force=force)


def _fimi(baskets: Baskets, mark: str, name: str) -> Iterator[Any]:
    """Check that FIMI can hold every label, and return the pieces of the file."""
    if baskets.person is not None:
        raise OutputError(
            f"{name}: FIMI has no place for persons, and these baskets have. Write csv-long (.csv) or parquet instead."
        )
    require_separator(mark)
    forbidden = {*"\n\r\0", mark, *("\t" if mark == " " else "")}
    for label in baskets.items:
        if forbidden & {*label} or (mark != " " and label != label.strip(" \t")) or label.startswith("\ufeff"):
            raise OutputError(
                f"{name}: FIMI with items separated by {mark!r} cannot hold the label {label!r}. Write csv-long (.csv) "
                "or parquet instead; in Python separator=',' may do as well."
            )
    lines = (pc.binary_join(held, mark) for _, _, held in _portions(baskets, baskets.items))
    return (_bytes(pc.binary_join_element_wise(line, "", "\n")) for line in lines)


def _long(baskets: Baskets, delimiter: str, name: str) -> Iterator[Any]:
    """Check that CSV can hold all, and return the pieces of a file with transaction, person if named, and item."""
    require_separator(delimiter)
    empty = np.flatnonzero(baskets.lengths() == 0)
    if len(empty):
        raise OutputError(
            f"{name}: a long CSV file cannot hold transactions without items. There are {len(empty)}, the "
            f"first being number {empty[0]}. Write fimi (.dat) or parquet instead."
        )
    if any("\0" in label for label in baskets.items):
        raise OutputError(f"{name}: a text file cannot hold a label with a zero byte. Write .parquet instead.")
    return _lines_of_long(baskets, delimiter)


def _lines_of_long(baskets: Baskets, delimiter: str) -> Iterator[Any]:
    special = {delimiter, '"', "\n", "\r"}
    labels = [
        '"' + label.replace('"', '""') + '"\n'
        if special.intersection(label) or label != label.strip() or not label.isprintable()
        else f"{label}\n"
        for label in baskets.items
    ]
    columns = ["transaction", "item"] if baskets.person is None else ["transaction", "person", "item"]
    yield f"{delimiter.join(columns)}\n".encode()
    for row, stop, held in _portions(baskets, labels):
        of = np.repeat(np.arange(row, stop), pc.list_value_length(held).to_numpy())
        ids = [of] if baskets.person is None else [of, baskets.person[of]]
        texts = [pc.cast(pa.array(one), pa.string()) for one in ids]
        yield _bytes(pc.binary_join_element_wise(*texts, held.flatten(), delimiter))


def _bytes(texts: pa.Array) -> pa.Buffer | bytes:
    """Return the texts of an array, one directly after the other."""
    return texts.buffers()[2] or b""


def _portions(baskets: Baskets, labels: Any) -> Iterator[tuple[int, int, pa.Array]]:
    """Yield rows from one to another, with the labels of each as a list; about a million entries at a time."""
    texts, row = pa.array(labels, pa.string()), 0
    while row < baskets.n:
        start = baskets.indptr[row]
        stop = int(np.searchsorted(baskets.indptr, start + _ENTRIES, side="right")) - 1
        stop = min(max(stop, row + 1), row + _ENTRIES, baskets.n)
        values = texts.take(pa.array(baskets.indices[start : baskets.indptr[stop]]))
        yield row, stop, pa.LargeListArray.from_arrays(pa.array(baskets.indptr[row : stop + 1] - start), values)
        row = stop


def _write_parquet(baskets: Baskets, path: Path) -> None:
    """Write a column ``items`` of lists of strings, one row per transaction, and ``person`` where these are named."""
    named = [] if baskets.person is None else [("person", pa.int32())]
    schema = pa.schema([*named, ("items", pa.list_(pa.string()))])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for row, stop, held in _portions(baskets, baskets.items):
            person = [] if baskets.person is None else [pa.array(baskets.person[row:stop])]
            writer.write_table(pa.table([*person, held.cast(schema.field("items").type)], schema=schema))
        if not baskets.n:
            writer.write_table(schema.empty_table())


def write_ratings(ratings: Ratings, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write ratings as CSV with the columns user, issue and rating; sensitive marks and scale are not written.

    A respondent without ratings gets a line with neither issue nor rating. `path` is as for `write_table`.
    """
    schema = pa.schema([("user", pa.string()), ("issue", pa.string()), ("rating", pa.float64())])
    users = pa.array(ratings.users, pa.string())
    with _csv_file(path, "Ratings", force=force) as sink, pacsv.CSVWriter(sink, schema) as writer:
        for row, issue, rating in rows_of(ratings, _PIECE):
            columns = [users.take(pa.array(row)), issue, rating]
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))


def write_table(table: Table, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a table as CSV with a header; roles, hierarchies and persons are not written.

    The name of the file ends in ``.csv``, or in ``.csv.gz`` or ``.csv.zst`` to be compressed. It appears when it is
    complete; a file that exists is replaced with `force` only.
    """
    columns = {one.name: pa.array(one.values, pa.string()).take(pa.array(one.codes)) for one in table.columns}
    with _csv_file(path, "Tables", force=force) as sink:
        pacsv.write_csv(pa.table(columns), sink)
