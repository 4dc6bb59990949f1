"""Read Parquet, a Spark DataFrame or data in memory into sets of numbered items.

Data flow: lists of labels → labels counted (one row per label reaches the driver) → labels numbered in label order →
equal sets counted together. A set is never named by where it stood: partitions, retries and the number of cores change
nothing. Cost: the source is read twice, and each entry is shuffled once.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlparse

import numpy as np

from covey.data import Baskets
from covey.data.csr import canonicalize
from covey.data.kinds import PERSON_OPTIONS
from covey.data.labels import in_label_order
from covey.errors import InputError, NamelessRows, ParameterError, UnnamedPersons
from covey.io.baskets.arrow import choose
from covey.io.files import file_of
from covey.io.persons import NOTHING_SAID, WhoIsWho
from covey.io.sensitive import named_among
from covey.io.suspicion import means_persons
from covey.release.item_columns import item_batches
from covey.spark.batches import as_batch, coded
from covey.spark.session import on_worker, require_spark, session, spark_errors
from covey.spark.sets import Sets
from covey.tabular import as_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The reading options that name columns.
COLUMNS = ("transaction", "item")


def read(source: Any, *, sensitive: Any = None, master: str | None = None, **options: Any) -> Sets:
    """Read sets on Spark.

    Parameters
    ----------
    source : DataFrame, path, Baskets or Sets
        A Spark DataFrame, or Parquet: a file, a directory or an address that Spark can read. With a column of lists, or
        with a row per transaction and item.
    sensitive : path, comma list, collection or None
        The sensitive items; None keeps the marks that `source` has.
    master : str, optional
        Where Spark runs, when there is no session yet.
    **options
        The columns ``transaction`` and ``item``, and who the persons are, as for `covey.read`. Any other reading option
        is refused.
    """
    absent = options.pop("sensitive_missing", None)
    said, columns = _who({name: value for name, value in options.items() if value not in (None, False, [], ())})
    for option in columns.keys() - {*COLUMNS, *(["format"] if columns.get("format") == "parquet" else [])}:
        raise ParameterError(
            f"The engine spark reads Parquet and DataFrames as they are, without --{option.replace('_', '-')}. Clean, "
            "filter and name rows in Spark (DataFrame.where, dropna, fillna) and give the frame; or use --engine local."
        )
    if isinstance(source, Sets | Baskets) and columns:
        raise ParameterError(f"The reading option '{next(iter(columns))}' has no use: the data has been read already.")
    if isinstance(source, Sets):
        sets = source
    else:
        spark, name = session(master), file_of(source)
        with spark_errors(lambda reason: InputError(f"Spark cannot read it: {reason}", file=name)):
            sets = _in_memory(source, spark) if isinstance(source, Baskets) else _opened(source, spark, columns, said)
    if sensitive is None:
        return sets
    return sets.with_sensitive(named_among(sensitive, sets.items, "item", absent))


def _who(options: dict[str, Any]) -> tuple[WhoIsWho, dict[str, Any]]:
    """What was said about persons, and the other options."""
    names = [option.name for option in PERSON_OPTIONS] + (["missing"] if "person" in options else [])
    said = WhoIsWho.of(**{name: options.pop(name, None) for name in names})
    if said.person is not None and said.unit == "row":  # said so that nothing is told; nobody looks at it
        said = replace(said, person=None, row_is_person=True)
    if said.person is not None and said.missing == "keep":
        raise ParameterError(
            "On Spark rows without a person are refused or left out (--missing drop), not counted as "
            "different persons. Use --engine local for that."
        )
    return said, options


def _opened(source: Any, spark: SparkSession, columns: Mapping[str, str], said: WhoIsWho) -> Sets:
    """Read a frame or Parquet."""
    name = file_of(source)
    if isinstance(source, str | os.PathLike):
        frame = spark.read.parquet(parquet_address(os.fspath(source), said_so="format" in columns))
    elif isinstance(source, require_spark().DataFrame):
        frame = source
    else:
        raise ParameterError(
            f"Spark reads a path or a Spark DataFrame, not a {type(source).__name__}. "
            "Make one with spark.createDataFrame, or use the engine local."
        )
    return _number(lists_of(frame, columns.get("transaction"), columns.get("item"), name, said), name, said)


def _in_memory(baskets: Baskets, spark: SparkSession) -> Sets:
    """Send baskets to the executors, with the marks and persons that they have."""
    said = WhoIsWho(person="person") if baskets.person is not None else WhoIsWho(row_is_person=True)
    frame = lists_of(frame_of(baskets, spark), None, "items", None, said)
    return _number(frame, None, said).with_sensitive(baskets.sensitive_items())


def parquet_address(source: str, *, said_so: bool = False) -> str:
    """Return what Spark opens to read Parquet; a file of another format is refused unless it is `said_so`.

    Examples
    --------
    >>> parquet_address("s3://shop/sales.parquet")
    's3://shop/sales.parquet'
    """
    path = local_path(source)
    if path is not None and not path.exists():
        raise InputError("there is no such file or directory", file=source, remedy="Check the path.")
    if path is not None and ":" in path.name:
        raise InputError("Spark reads no files with a colon in their name", file=source, remedy="Rename it.")
    inside = [path] if path is not None and path.is_file() else []
    if path is not None and path.is_dir():
        inside = [one for one in path.iterdir() if one.name[0] not in "._"]
    if not said_so and not all(one.is_dir() or one.suffix == ".parquet" for one in inside):
        raise InputError(
            "Spark reads Parquet only",
            file=source,
            remedy="Write it as Parquet, with a row per transaction and item or a list of items per row; or use "
            "--engine local. Say --format parquet where the name does not tell.",
        )
    return source if path is None else read_from(path)


def local_path(address: str) -> Path | None:
    """Return the path that `address` names on this machine; None for one elsewhere, such as ``s3://shop/sales``.

    Examples
    --------
    >>> local_path("file:///my%20data"), local_path("sales:2026"), local_path("dbfs:/sales")
    (PosixPath('/my data'), PosixPath('sales:2026'), None)
    """
    if address.startswith("file:/"):
        return Path(unquote(urlparse(address).path))
    return None if re.match(r"[A-Za-z][\w+.-]+:/", address) else Path(address)


def read_from(path: Path) -> str:
    """Return the address of a path on this machine for Spark, which would take some characters for patterns.

    Examples
    --------
    >>> read_from(Path("/data[1]"))
    'file:///data\\\\[1\\\\]'
    """
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", f"file://{path.absolute()}")


def lists_of(
    frame: DataFrame, transaction: str | None, item: str | None, name: str | None, said: WhoIsWho = NOTHING_SAID
) -> DataFrame:
    """A frame in any layout as one column ``labels: array<string>``, each label once in a row.

    Where a person is named, ``one`` and ``other`` are the first and the last name in the lines of the transaction.
    Missing values stay in it, for `_number` to complain of. If nobody has said anything of persons, columns that look
    like them are told.
    """
    from pyspark.sql import functions as sf
    from pyspark.sql import types as st
    from pyspark.sql.pandas.types import to_arrow_schema

    roles = choose(to_arrow_schema(frame.schema), transaction, item, name, said)
    if roles.layout == "wide":
        raise InputError(
            "a table with a column per item cannot be read on Spark",
            file=name,
            remedy="Give a column of lists, or a row per transaction and item.",
        )
    assert roles.item is not None
    if said.person is None and not said.silent:
        warn_of_persons(frame, roles.transaction, roles.people)
    kind = frame.schema[roles.item].dataType
    one = kind.elementType if isinstance(kind, st.ArrayType) else kind
    if not isinstance(one, st.StringType | st.IntegralType):
        raise InputError(
            f"values of type {one.simpleString()} cannot be read as labels",
            file=name,
            column=roles.item,
            remedy="Turn the column into text or integers first.",
        )
    # A missing person is an empty one, so that a transaction which names nobody in some of its lines has two.
    who = [] if said.person is None else [sf.coalesce(sf.col(f"`{roles.people[0]}`").cast("string"), sf.lit(""))]
    own = [one.alias("person") for one in who]
    ends = [sf.min("person").alias("one"), sf.max("person").alias("other")] if who else []
    named = ["one", "other"] if who else []
    if roles.layout == "long":
        entries = frame.select(
            sf.col(f"`{roles.transaction}`").alias("transaction"),
            sf.col(f"`{roles.item}`").cast("string").alias("label"),
            *own,
        )
        # collect_set drops missing values, so they travel as an empty label, which is refused as well.
        labels = sf.collect_set(sf.coalesce("label", sf.lit(""))).alias("labels")
        gathered = entries.groupBy("transaction").agg(labels, *ends)
        return gathered.select(sf.when(sf.col("transaction").isNotNull(), sf.col("labels")).alias("labels"), *named)
    lists = sf.col(f"`{roles.item}`").cast("array<string>")
    if roles.transaction is None:
        return frame.select(
            sf.array_distinct(lists).alias("labels"), *(one.alias(name) for one in who for name in named)
        )
    joined = frame.select(sf.col(f"`{roles.transaction}`").alias("transaction"), lists.alias("labels"), *own)
    merged = sf.array_distinct(sf.flatten(sf.collect_list(sf.coalesce("labels", sf.array(sf.lit(""))))))
    return joined.groupBy("transaction").agg(merged.alias("labels"), *ends).select("labels", *named)


def warn_of_persons(frame: DataFrame, transaction: str | None, columns: Collection[str]) -> None:
    """Warn when a column seems to name persons who come back in several transactions."""
    from pyspark.sql import functions as sf

    for column in columns:
        row = sf.monotonically_increasing_id() if transaction is None else sf.col(f"`{transaction}`")
        pairs = frame.select(row.alias("row"), sf.col(f"`{column}`").alias("person")).dropna().distinct()
        rows, pair_count = pairs.agg(sf.countDistinct("row"), sf.count("*")).first() or (0, 0)
        if rows < pair_count:  # a transaction with two of them
            continue
        persons, most = pairs.groupBy("person").count().agg(sf.count("*"), sf.max("count")).first() or (0, 0)
        if means_persons(column, int(persons), int(rows)):
            warnings.warn(UnnamedPersons(column, int(persons), int(rows), int(most)), stacklevel=2)
            return


def _number(frame: DataFrame, name: str | None, said: WhoIsWho) -> Sets:
    """Count the labels and number them, then count equal sets together."""
    from pyspark.sql import functions as sf

    if said.person is not None:
        frame = with_whole_persons(frame, said, name)
    exploded = frame.select(sf.explode("labels").alias("label"))
    counted = exploded.groupBy("label").agg(sf.count("*").alias("support")).toArrow()
    # In a job of its own: with each label there comes its support to the driver, and nothing else.
    totals = frame.agg(
        sf.count("*").alias("n"),
        sf.count_if(sf.size("labels") == 0).alias("empty"),
        sf.count_if(sf.col("labels").isNull()).alias("missing"),
    ).first()
    assert totals is not None
    n, empty = int(totals["n"]), int(totals["empty"])
    if n == 0:
        raise InputError("the data has no rows", file=name, remedy="Check that it was written completely.")
    labels = counted.column("label").to_pylist()
    supports = counted.column("support").to_numpy()
    if totals["missing"] or None in labels:
        raise InputError(
            "a transaction or its list of items is missing (null)",
            file=name,
            remedy="Fill it in, drop the row, or give a transaction without items an empty list.",
        )
    for label in labels:
        if label == "" or "\r" in label:
            what = "an item is empty text or missing" if label == "" else f"there is a line break in the item {label!r}"
            raise InputError(what, file=name, remedy="Correct or drop the rows that contain it.")
    items, place = in_label_order(labels)
    named = said.person is not None
    columns = "items array<int>, person long" if named else "items array<int>"
    coded = frame.mapInArrow(on_worker(_numbering(items)), columns)
    return Sets(
        frame=coded.groupBy("items").agg(sf.count("*").alias("weight")),
        items=items,
        supports=np.asarray(supports, np.int64)[np.argsort(place)],
        sensitive=np.zeros(len(items), np.bool_),
        n=n,
        empty=empty,
        owned=coded if named else None,
        people=people_of(coded, items) if named else None,
    )


def _numbering(items: tuple[str, ...]) -> Any:
    """A function for `mapInArrow` that replaces labels by their numbers, ascending; other columns stay."""

    def code(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        known = pa.array(items, pa.string())
        same = np.arange(len(items), dtype=np.int32)
        for batch in batches:
            indptr, indices = coded(batch.column(0), known)
            canonicalize(indptr, indices, same)
            rest = {name: batch.column(name) for name in batch.schema.names[1:]}
            yield as_batch({"items": (indptr, indices), **rest})

    return code


def frame_of(baskets: Baskets, spark: SparkSession) -> DataFrame:
    """Return baskets in memory as a frame with a column ``items`` of labels and, if persons are named, ``person``."""
    persons = {} if baskets.person is None else {"person": baskets.person}
    return spark.createDataFrame(as_frame(item_batches(baskets, persons), library="arrow"))


def with_whole_persons(frame: DataFrame, said: WhoIsWho, file: str | None) -> DataFrame:
    """Transactions with ``labels`` and ``person: long``, from those with the first and last name in their lines.

    Raises
    ------
    InputError
        A transaction has two persons, persons are missing and are not to be left out, or all are one and the same.
    """
    from pyspark.sql import functions as sf

    missing, torn = sf.col("one") == "", sf.col("one") != sf.col("other")
    found = frame.agg(
        sf.count("*"),
        sf.count_if(missing & ~torn),
        sf.count_if(torn),
        sf.count_distinct(sf.when(~missing, sf.col("one"))),
        sf.count_distinct(sf.when(~missing, sf.xxhash64("one"))),
    ).first()
    assert found is not None
    rows, unnamed, shared, names, hashes = (int(figure) for figure in found)
    problem, remedy = "", ""
    if shared:
        problem = f"{shared:,} of {rows:,} transactions name two persons, or one and none"
        remedy = "All lines of a transaction must name the same person; split the transactions, or correct the lines."
    elif unnamed and said.missing == "error":
        problem = f"{unnamed:,} of {rows:,} transactions name no person"
        remedy = f"Leave {'it' if unnamed == 1 else 'them'} out with --missing drop."
    elif names < 2 <= rows:
        problem = "no row names a person" if not names else f"all {rows:,} transactions belong to the same person"
        remedy = "Name the column that identifies persons."
    elif names != hashes:
        problem, remedy = "two persons have the same hash", "Use --engine local."
    if problem:
        raise InputError(problem, file=file, column=said.person, remedy=remedy)
    if unnamed:
        warnings.warn(NamelessRows(str(said.person), rows, rows - unnamed), stacklevel=2)
    return frame.where(~missing).select("labels", sf.xxhash64("one").alias("person"))


def people_of(owned: DataFrame, items: tuple[str, ...]) -> Sets:
    """The sets of persons, from transactions with ``items`` and ``person``; one job counts persons and holders."""
    from pyspark.sql import functions as sf

    union = sf.sort_array(sf.array_distinct(sf.flatten(sf.collect_list("items")))).alias("items")
    people = owned.groupBy("person").agg(union)
    # A person counts with the first of their items, or without an item if they have none.
    exploded = people.select(sf.posexplode_outer("items").alias("at", "item"))
    counted = (
        exploded.groupBy("item")
        .agg(
            sf.count("at").alias("held"),
            sf.count_if(sf.col("at") == 0).alias("begun"),
            sf.count_if(sf.col("at").isNull()).alias("bare"),
        )
        .toArrow()
        .to_pylist()
    )
    supports = np.zeros(len(items), np.int64)
    for line in counted:
        if line["item"] is not None:
            supports[line["item"]] = line["held"]
    empty = sum(line["bare"] for line in counted)
    return Sets(
        frame=people.groupBy("items").agg(sf.count("*").alias("weight")),
        items=items,
        supports=supports,
        sensitive=np.zeros(len(items), np.bool_),
        n=empty + sum(line["begun"] for line in counted),
        empty=empty,
        owned=people.select("items", "person"),
    )
