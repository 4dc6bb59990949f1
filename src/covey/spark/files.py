"""Opening files with Spark as lists of labels: FIMI, CSV (long) and Parquet, one file, a directory or an address."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlparse

from covey.errors import InputError, ParameterError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from covey.io.recognition import Recognised


def open_file(
    spark: SparkSession,
    source: str,
    *,
    format: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    transaction: str | None = None,
    item: str | None = None,
) -> DataFrame:
    """Return the transactions in `source` as a frame with one column ``labels: array<string>``.

    A single file is recognised as `covey.read` does; of a directory or an address elsewhere, the format must be given
    or be plain from the name.
    """
    from covey.spark.frames import lists_of

    if encoding is not None and encoding.lower().replace("-", "") != "utf8":
        raise ParameterError(f"Spark reads text in UTF-8 only, not in {encoding}. Convert the files first.")
    known = _recognised(source, format, separator, transaction, item)
    if known.format == "parquet":
        return lists_of(spark.read.parquet(source), transaction, item, source)
    if known.format == "fimi":
        return _lines(spark, source, known.delimiter)
    if known.format == "csv-wide":
        raise InputError(
            "a table with a column per item cannot be read on Spark",
            file=source,
            remedy="Leave the engine to be local, or write a row per transaction and item.",
        )
    table = spark.read.csv(
        source,
        sep=known.delimiter or ",",
        header=known.header,
        quote='"',
        escape='"',
        ignoreLeadingWhiteSpace=True,
        ignoreTrailingWhiteSpace=True,
        mode="FAILFAST",
    )
    if not known.header:
        table = table.toDF(*known.columns)
    return lists_of(table, known.transaction, known.item, source)


def _lines(spark: SparkSession, source: str, separator: str | None) -> DataFrame:
    """A transaction a line: an empty line is a transaction without items; blanks around items do not count."""
    from pyspark.sql import functions as sf

    # Spark's own line ends would take a lone carriage return for one, which `covey.read` refuses.
    text = sf.regexp_replace(sf.col("value"), "^\ufeff|\r$", "")
    if separator is None:
        parts = sf.split(text, "[ \t]+")
    else:
        trimmed = sf.split(text, re.escape(separator))
        parts = sf.transform(trimmed, lambda part: sf.regexp_replace(part, "^[ \t]+|[ \t]+$", ""))
    labels = sf.array_distinct(sf.filter(parts, lambda part: part != ""))
    return spark.read.text(source, lineSep="\n").select(labels.alias("labels"))


def _recognised(
    source: str, format: str | None, separator: str | None, transaction: str | None, item: str | None
) -> Recognised:
    from covey.io.recognition import FORMATS, Recognised, kind_of, recognise

    address = urlparse(source)
    local = address.scheme in ("", "file")
    path = Path(address.path if address.scheme == "file" else source)
    if local and path.is_file():
        known = recognise(path, format=format, separator=separator, transaction=transaction, item=item)
        ending = {"gzip": ".gz", None: ""}.get(known.compression)
        if ending is None or not path.name.endswith(ending):
            raise InputError(
                f"Spark cannot read this file, which is compressed with {known.compression}",
                file=source,
                remedy="Decompress it, or compress it with gzip and name it .gz.",
            )
        return known
    if local and not path.exists():
        raise InputError("there is no such file or directory", file=source, remedy="Check the path.")
    if format is None:
        inside = sorted(p for p in path.iterdir() if p.name[0] not in "._") if local else []
        kinds = {kind_of(p) for p in inside} or {kind_of(Path(address.path))}
        format = {".parquet": "parquet", ".dat": "fimi"}.get(kinds.pop()) if len(kinds) == 1 else None
    if format == "parquet":
        return Recognised(format="parquet", layout="lists")
    if format == "fimi":
        return Recognised(format="fimi", layout="lines", delimiter=None if separator == " " else separator)
    if format == "csv-long" and transaction and item:
        return Recognised(
            format="csv-long", layout="long", delimiter=separator or ",", header=True,
            transaction=transaction, item=item,
        )  # fmt: skip
    raise InputError(
        "it is not plain what this holds",
        file=source,
        remedy=f"Give --format ({', '.join(FORMATS)}); for csv-long also --transaction and --item.",
    )
