"""Telling what a file is from its first bytes and its name, before it is read as a whole."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from covey.errors import InputError, ParameterError
from covey.io.arrow import open_parquet
from covey.io.files import beginning, compression, head, locate
from covey.io.rows.loading import CALLED, OTHERS, load_rows, other_format
from covey.parameters import did_you_mean

FORMATS = ("fimi", "csv-long", "csv-wide", "parquet", *OTHERS)
FIMI_SUFFIXES = (".dat", ".fimi", ".basket", ".baskets")
CSV_SUFFIXES = (".csv", ".tsv", ".tab")
PARQUET_SUFFIXES = (".parquet", ".pq")
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}

#: What delimiters are called.
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """What a file was understood to be."""

    #: "fimi", "csv-long", "csv-wide", "parquet", or one of `covey.io.rows.loading.OTHERS`.
    format: str
    #: "lines" (a transaction a line), "long" (a row per transaction and item), "wide" (a row per transaction, a 0/1
    #: column per item) or "lists" (a row per transaction with a list of items).
    layout: str
    #: "gzip", "zstd" or None, by the first bytes of the file.
    compression: str | None = None
    #: The names of the columns; ``column 1`` and so on when there is no header, empty for FIMI.
    columns: tuple[str, ...] = ()
    #: The columns that are used as such; None where the layout needs none.
    transaction: str | None = None
    item: str | None = None
    #: The column that was named as the person's.
    person: str | None = None
    #: What stands between cells or items; None for blanks, and for Parquet.
    delimiter: str | None = None
    #: Whether the first row holds the names of the columns.
    header: bool = False

    def describe(self) -> str:
        """One sentence that tells a person what was understood.

        Examples
        --------
        >>> Recognised(format="fimi", layout="lines", compression="gzip").describe()
        'FIMI, compressed with gzip: one transaction per line, items separated by spaces.'
        """
        called = {"fimi": "FIMI", "parquet": "Parquet", **CALLED}.get(self.format, "CSV")
        packed = f", compressed with {self.compression}" if self.compression else ""
        between = DELIMITERS.get(self.delimiter, repr(self.delimiter)) if self.delimiter else "spaces"
        cells = f", cells separated by {between}" if self.delimiter and called == "CSV" else ""
        by = f" by '{self.transaction}'" if self.transaction else ""
        what = {
            "lines": f"one transaction per line, items separated by {between}",
            "long": f"one row per transaction ('{self.transaction}') and item ('{self.item}')",
            "wide": f"one row per transaction{by}, one 0/1 column per item",
            "lists": f"one list of items ('{self.item}') per transaction{by}",
        }[self.layout]
        whose = f", persons by '{self.person}'" if self.person else ""
        return f"{called}{packed}{cells}: {what}{whose}."


def recognise(
    source: str | os.PathLike[str],
    *,
    format: str | None = None,
    transaction: str | None = None,
    item: str | None = None,
    person: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    **others: Any,
) -> Recognised:
    """Tell what a file of baskets is, without reading all of it.

    Parameters
    ----------
    source : path
        The file; gzip and zstd are recognised by content, whatever the name.
    format : str, optional
        One of "fimi", "csv-long", "csv-wide", "parquet", to be used instead of guessing.
    transaction, item, person : str, optional
        The columns to use, by name.
    separator : str, optional
        What stands between items (FIMI) or cells (CSV).
    encoding : str
        How the text is encoded.
    **others
        More options of `covey.read`, which do not change what a file is.
    """
    if format is not None and format not in FORMATS:
        raise ParameterError(
            f"The format {format!r} is not known.{did_you_mean(format, FORMATS)} covey reads {', '.join(FORMATS)}."
        )
    name = os.fspath(source)
    other = other_format(name, format)
    columns = {"transaction": transaction, "item": item, "person": person}
    headless = bool(others.get("no_header"))
    if other is not None or headless:  # rows are read as a whole before anything can be told
        table = load_rows(
            name, format=other, sheet=others.get("sheet"), no_header=headless, separator=separator, encoding=encoding
        )
        return _of_schema(table.schema, name, other or "csv-long", header=not headless, **columns)
    path = locate(source)
    codec = compression(path, name)
    suffix = format_suffix(path)
    if format == "parquet" or (format is None and (head(path, name, 4) == b"PAR1" or suffix == ".parquet")):
        if codec is not None:
            raise InputError(
                f"a Parquet file that is compressed with {codec} as a whole cannot be read",
                file=name,
                remedy="Decompress it first; Parquet compresses its own columns.",
            )
        with open_parquet(path, name) as file:
            schema = file.schema_arrow
        return _of_schema(schema, name, "parquet", header=True, **columns)
    from covey.io.baskets.layout import Sample, recognise_table, refuse_separated, seems_table

    sample = Sample(data=beginning(path, name, encoding), name=name, separator=separator, **columns)
    if format is not None:
        is_table = format != "fimi"
    elif suffix in (".csv", ".dat"):
        is_table = suffix == ".csv"
    else:
        is_table = seems_table(sample)
    if is_table:
        known = recognise_table(sample, format)
    else:
        if person is not None:
            raise ParameterError(
                f"A file with one transaction per line has no columns, so '{person}' cannot name the person. Give a "
                "table, or in Python Baskets.of(…, persons=[…])."
            )
        if format is None and separator is None:
            refuse_separated(sample)
        known = Recognised(format="fimi", layout="lines", delimiter=None if separator == " " else separator)
    return replace(known, compression=codec)


def _of_schema(
    schema: Any, name: str, format: str, *, header: bool, transaction: str | None, item: str | None, person: str | None
) -> Recognised:
    """What a file is whose columns have types."""
    from covey.io.baskets.arrow import choose
    from covey.io.persons import WhoIsWho

    roles = choose(schema, transaction, item, name, WhoIsWho.of(person))
    return Recognised(
        format=format,
        layout=roles.layout,
        columns=tuple(schema.names),
        transaction=roles.transaction,
        item=roles.item,
        person=roles.people[0] if person is not None else None,
        header=header,
    )


def format_suffix(path: Path) -> str:
    """The format a file name suggests: ".dat", ".csv", ".parquet", or another suffix as it is.

    Examples
    --------
    >>> format_suffix(Path("sales.tsv.gz")), format_suffix(Path("clicks.txt"))
    ('.csv', '.txt')
    """
    name = path.name.lower()
    for packed in COMPRESSIONS:
        name = name.removesuffix(packed)
    suffix = Path(name).suffix
    for format, suffixes in ((".dat", FIMI_SUFFIXES), (".csv", CSV_SUFFIXES), (".parquet", PARQUET_SUFFIXES)):
        if suffix in suffixes:
            return format
    return suffix
