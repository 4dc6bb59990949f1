"""Opening files with Spark as lists of labels: FIMI, CSV (long) and Parquet, one file, a directory or an address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from covey.errors import InputError, ParameterError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from covey.io.baskets.recognition import Recognised
    from covey.io.persons import WhoIsWho


def local_path(address: str) -> Path | None:
    """The path that `address` names on this machine; None for one elsewhere, such as ``s3://shop/sales``.

    Examples
    --------
    >>> local_path("file:///my%20data"), local_path("sales:2026"), local_path("dbfs:/sales")
    (PosixPath('/my data'), PosixPath('sales:2026'), None)
    """
    if address.startswith("file:/"):
        return Path(unquote(urlparse(address).path))
    return None if re.match(r"[A-Za-z][\w+.-]+:/", address) else Path(address)


def written_to(path: Path) -> str:
    """The address of a path on this machine to which Spark is to write; it takes all characters as they are.

    Examples
    --------
    >>> written_to(Path("/my data/50%"))
    'file:///my data/50%'
    """
    return f"file://{path.absolute()}"


def read_from(path: Path) -> str:
    """The address of a path on this machine that Spark is to read, where it would take some characters for patterns.

    Examples
    --------
    >>> read_from(Path("/data[1]"))
    'file:///data\\\\[1\\\\]'
    """
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", written_to(path))


def open_file(spark: SparkSession, source: str, options: Mapping[str, str], said: WhoIsWho) -> DataFrame:
    """Return the transactions in `source` as a frame with one column ``labels: array<string>``.

    A single file is recognised as `covey.read` does; of a directory or an address elsewhere, the format must be given
    or be plain from the name. What is `said` of persons is for `covey.spark.reading.lists_of`.
    """
    from covey.spark.reading import COLUMNS, lists_of, require_used

    encoding = options.get("encoding", "utf-8")
    if encoding.lower().replace("-", "") != "utf8":
        raise ParameterError(f"Spark reads text in UTF-8 only, not in {encoding}. Convert the files first.")
    known = _recognised(source, **{name: value for name, value in options.items() if name != "encoding"})
    path = local_path(source)
    address = source if path is None else read_from(path)
    if known.format == "parquet":
        require_used(options, ("format", *COLUMNS), "Parquet")
        found = spark.read.parquet(address)
        return lists_of(found, options.get("transaction"), options.get("item"), source, said)
    if known.format == "fimi":
        require_used(options, ("format", "separator", "encoding"), "a transaction per line")
        if said.person is not None:
            raise ParameterError(
                f"A file with one transaction per line has no columns, so '{said.person}' cannot name the person."
            )
        return _lines(spark, address, known.delimiter)
    if known.format == "csv-wide":
        raise InputError(
            "a table with a column per item cannot be read on Spark",
            file=source,
            remedy="Use the engine local, or write a row per transaction and item.",
        )
    table = spark.read.csv(
        address,
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
    return lists_of(table, known.transaction, known.item, source, said)


def _lines(spark: SparkSession, address: str, separator: str | None) -> DataFrame:
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
    return spark.read.text(address, lineSep="\n").select(labels.alias("labels"))


def _recognised(
    source: str,
    *,
    format: str | None = None,
    separator: str | None = None,
    transaction: str | None = None,
    item: str | None = None,
    **unknown: str,
) -> Recognised:
    from covey.io.baskets.recognition import FORMATS, Recognised, format_suffix, recognise
    from covey.spark.reading import require_used

    require_used(unknown, (), "files")
    path = local_path(source)
    if path is not None and ":" in path.name:
        raise InputError("Spark reads no files with a colon in their name", file=source, remedy="Rename it.")
    if path is not None and path.is_file():
        known = recognise(path, format=format, separator=separator, transaction=transaction, item=item)
        ending = {"gzip": ".gz", None: ""}.get(known.compression)
        if ending is None or not path.name.endswith(ending):
            raise InputError(
                f"Spark cannot read this file, which is compressed with {known.compression}",
                file=source,
                remedy="Decompress it, or compress it with gzip and name it .gz.",
            )
        return known
    if path is not None and not path.exists():
        raise InputError("there is no such file or directory", file=source, remedy="Check the path.")
    if format is None:
        inside = [] if path is None else [p for p in path.iterdir() if p.name[0] not in "._"]
        suffixes = {format_suffix(p) for p in inside} or {format_suffix(Path(urlparse(source).path))}
        format = {".parquet": "parquet", ".dat": "fimi"}.get(suffixes.pop()) if len(suffixes) == 1 else None
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
        "it is not clear what this contains",
        file=source,
        remedy=f"Give --format ({', '.join(FORMATS)}); for csv-long also --transaction and --item.",
    )
