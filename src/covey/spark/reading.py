"""Read Parquet, a Spark DataFrame or data in memory into rows of numbered items.

Data flow: lists of labels → labels counted (one row per label reaches the driver) → labels numbered in label order.
A row is never named by where it stood: partitions, retries and the number of cores change nothing. Cost: the source is
read twice, and each entry is shuffled once where a transaction has several lines or no id.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlparse

import numpy as np
import pyarrow as pa

from covey.arrays import Ints
from covey.data import Baskets
from covey.data.csr import canonicalize
from covey.data.kinds import PERSON_OPTIONS
from covey.data.labels import in_label_order
from covey.errors import InputError, NamelessRows, ParameterError, UnnamedPersons
from covey.io.columns import means_persons
from covey.io.files import file_of
from covey.io.persons import NOTHING_STATED, WhoIsWho
from covey.io.recognition import roles_of
from covey.io.sensitive import named_among
from covey.release.item_columns import item_batches
from covey.spark.batches import Work, coded, mapped
from covey.spark.session import require_spark, session, spark_errors
from covey.spark.sets import Sets
from covey.tabular import as_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The reading options that name columns.
COLUMNS = ("transaction", "item")
#: The column with the ids of rows in memory: their numbers.
ROW = "transaction"


def read(source: Any, *, sensitive: Any = None, master: str | None = None, **options: Any) -> Sets:
    """Read a Spark DataFrame or Parquet (a file, a directory or an address), or take data in memory.

    With a column of lists, or with a row per transaction and item. Options are the columns ``transaction`` and
    ``item``, and who the persons are, as for `covey.read`; any other is refused. Without `sensitive`, the marks stay
    that `source` has. `master` says where Spark runs, when there is no session yet.
    """
    absent = options.pop("sensitive_missing", None)
    choice, columns = _who({name: value for name, value in options.items() if value not in (None, False, [], ())})
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
            sets = _in_memory(source, spark) if isinstance(source, Baskets) else _opened(source, spark, columns, choice)
    if sensitive is None:
        return sets
    return sets.with_sensitive(named_among(sensitive, sets.items, "item", absent))


def _who(options: dict[str, Any]) -> tuple[WhoIsWho, dict[str, Any]]:
    """The choice of persons, and the other options."""
    names = [option.name for option in PERSON_OPTIONS] + (["missing"] if "person" in options else [])
    choice = WhoIsWho(**{name: options.pop(name, None) for name in names})
    if choice.person is not None and choice.unit == "row":  # named for other purposes only
        choice = replace(choice, person=None, row_is_person=True)
    if choice.person is not None and choice.missing == "keep":
        raise ParameterError(
            "On Spark rows without a person are refused or left out (--missing drop), not counted as "
            "different persons. Use --engine local for that."
        )
    return choice, options


def _opened(source: Any, spark: SparkSession, columns: Mapping[str, str], choice: WhoIsWho) -> Sets:
    """Read a frame or Parquet."""
    name = file_of(source)
    if isinstance(source, str | os.PathLike):
        frame = spark.read.parquet(parquet_address(os.fspath(source), explicit="format" in columns))
    elif isinstance(source, require_spark().DataFrame):
        frame = source
    else:
        raise ParameterError(
            f"Spark reads a path or a Spark DataFrame, not a {type(source).__name__}. "
            "Make one with spark.createDataFrame, or use the engine local."
        )
    return _number(lists_of(frame, columns.get("transaction"), columns.get("item"), name, choice), name, choice)


def _in_memory(baskets: Baskets, spark: SparkSession) -> Sets:
    """Send baskets to the executors, with the marks and persons that they have."""
    choice = WhoIsWho(person="person") if baskets.person is not None else WhoIsWho(row_is_person=True)
    frame = frame_of(baskets, spark, {ROW: np.arange(baskets.n)})
    frame = lists_of(frame, ROW, "items", None, choice)
    return _number(frame, None, choice).with_sensitive(baskets.sensitive_items())


def parquet_address(source: str, *, explicit: bool = False) -> str:
    """Return what Spark opens to read Parquet; a file of another format is refused unless `explicit`.

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
    if not explicit and not all(one.is_dir() or one.suffix == ".parquet" for one in inside):
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
    frame: DataFrame, transaction: str | None, item: str | None, name: str | None, choice: WhoIsWho = NOTHING_STATED
) -> DataFrame:
    """A frame in any layout as ``labels: array<string>``, each label once in a row, and ``id: string`` if there is one.

    Where a person is named, ``person`` and ``other`` are the first and the last name in the lines of the transaction.
    Missing values stay in it, for `_number` to complain of. Warns of columns that may name persons if nobody chose.
    """
    from pyspark.sql import functions as sf
    from pyspark.sql import types as st
    from pyspark.sql.pandas.types import to_arrow_schema

    roles = roles_of(to_arrow_schema(frame.schema), replace(choice, transaction=transaction, item=item), name)
    if roles.layout == "wide":
        raise InputError(
            "a table with a column per item cannot be read on Spark",
            file=name,
            remedy="Give a column of lists, or a row per transaction and item.",
        )
    assert roles.item is not None
    if choice.person is None and not choice.silent:
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
    listed = roles.layout == "lists"
    labels = sf.col(f"`{roles.item}`").cast("array<string>" if listed else "string")
    # A missing person is an empty one, so that a transaction which names nobody in some of its lines has two.
    who = [] if choice.person is None else [sf.coalesce(sf.col(f"`{roles.people[0]}`").cast("string"), sf.lit(""))]
    if roles.transaction is None:
        names = (one.alias(name) for one in who for name in ("person", "other"))
        return frame.select(sf.array_distinct(labels).alias("labels"), *names)
    own = sf.col(f"`{roles.transaction}`").cast("string").alias("id")
    lines = frame.select(own, labels.alias("labels"), *(one.alias("name") for one in who))
    # Missing labels and lists travel as an empty label, which is refused as well.
    if listed:
        lists = sf.collect_list(sf.coalesce("labels", sf.array(sf.lit(""))))
        gathered = sf.array_distinct(sf.flatten(lists))
    else:
        gathered = sf.collect_set(sf.coalesce("labels", sf.lit("")))
    ends = [sf.min("name").alias("person"), sf.max("name").alias("other")] if who else []
    whole = lines.groupBy("id").agg(gathered.alias("labels"), *ends)
    return whole.withColumn("labels", sf.when(sf.col("id").isNotNull(), sf.col("labels")))


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


def _number(frame: DataFrame, name: str | None, choice: WhoIsWho) -> Sets:
    """Count the labels and number them, then number the rows."""
    from pyspark.sql import functions as sf

    if choice.person is not None:
        frame = with_whole_persons(frame, choice, name)
    supports, n, empty = _counted(frame, "labels")
    if n == 0:
        raise InputError("the data has no rows", file=name, remedy="Check that it was written completely.")
    if empty < 0 or None in supports:
        raise InputError(
            "a transaction or its list of items is missing (null)",
            file=name,
            remedy="Fill it in, drop the row, or give a transaction without items an empty list.",
        )
    for label in supports:
        if label == "" or "\r" in label:
            what = "an item is empty text or missing" if label == "" else f"there is a line break in the item {label!r}"
            raise InputError(what, file=name, remedy="Correct or drop the rows that contain it.")
    items, _ = in_label_order(list(supports))
    others = [column for column in ("id", "person") if column in frame.columns]
    rows = mapped(frame, _numbering(items), "items array<int>", keep=others)
    if "id" in others:
        rows = rows.withColumn("row", sf.xxhash64("id"))
    else:
        alike = rows.groupBy("items", *others).agg(sf.count("*").alias("weight"))
        copies = sf.explode(sf.sequence(sf.lit(1).cast("long"), sf.col("weight"))).alias("copy")
        rows = alike.select("items", *others, copies)
        rows = rows.withColumn("row", sf.xxhash64("items", *others, "copy")).drop("copy")
    of_items = np.array([supports[item] for item in items], np.int64)
    unmarked = np.zeros(len(items), np.bool_)
    sets = Sets(rows=rows, items=items, supports=of_items, sensitive=unmarked, n=n, empty=empty)
    if choice.person is None:
        return sets
    union = sf.sort_array(sf.array_distinct(sf.flatten(sf.collect_list("items")))).alias("items")
    people = rows.groupBy(sf.col("person").alias("id")).agg(union).withColumn("row", sf.xxhash64("id"))
    holders, n, empty = _counted(people, "items")
    of_items = np.array([holders[item] for item in range(len(items))], np.int64)
    return replace(sets, people=replace(sets, rows=people, supports=of_items, n=n, empty=empty, unit="persons"))


def _counted(frame: DataFrame, lists: str) -> tuple[dict[Any, int], int, int]:
    """Return how many rows hold each element, and how many there are, and without any (below 0: a list is missing)."""
    from pyspark.sql import functions as sf

    held = frame.select(sf.explode(lists).alias("label")).groupBy("label").agg(sf.count("*").alias("rows")).toArrow()
    # In a job of its own: with each label there comes its support to the driver, and nothing else.
    bare = sf.when(sf.col(lists).isNull(), sf.lit(None)).otherwise((sf.size(lists) == 0).cast("long"))
    n, listed, empty = frame.agg(sf.count("*"), sf.count(bare), sf.sum(bare)).first() or (0, 0, 0)
    supports = dict(zip(held.column("label").to_pylist(), held.column("rows").to_pylist(), strict=True))
    return supports, n, -1 if listed < n else int(empty or 0)


def _numbering(items: tuple[str, ...]) -> Work:
    """For `mapped`: the numbers of labels, ascending."""

    def code(batch: pa.RecordBatch) -> dict[str, Any]:
        indptr, indices = coded(batch.column("labels"), pa.array(items, pa.string()))
        canonicalize(indptr, indices, np.arange(len(items), dtype=np.int32))
        return {"items": (indptr, indices)}

    return code


def frame_of(baskets: Baskets, spark: SparkSession, more: Mapping[str, Ints] = MappingProxyType({})) -> DataFrame:
    """Return baskets in memory as a frame with a column ``items`` of labels and, if persons are named, ``person``."""
    persons = {} if baskets.person is None else {"person": baskets.person}
    return spark.createDataFrame(as_frame(item_batches(baskets, {**more, **persons}), library="arrow"))


def with_whole_persons(frame: DataFrame, choice: WhoIsWho, file: str | None) -> DataFrame:
    """Transactions of one ``person`` each, from those with the first and last name in their lines.

    Raises
    ------
    InputError
        A transaction has two persons, persons are missing and are not to be left out, or all are one and the same.
    """
    from pyspark.sql import functions as sf

    missing, torn = sf.col("person") == "", sf.col("person") != sf.col("other")
    found = frame.agg(
        sf.count("*"),
        sf.count_if(missing & ~torn),
        sf.count_if(torn),
        sf.count_distinct(sf.when(~missing, sf.col("person"))),
    ).first()
    assert found is not None
    rows, unnamed, shared, names = (int(figure) for figure in found)
    problem, remedy = "", ""
    if shared:
        problem = f"{shared:,} of {rows:,} transactions name two persons, or one and none"
        remedy = "All lines of a transaction must name the same person; split the transactions, or correct the lines."
    elif unnamed and choice.missing == "error":
        problem = f"{unnamed:,} of {rows:,} transactions name no person"
        remedy = f"Leave {'it' if unnamed == 1 else 'them'} out with --missing drop."
    elif names < 2 <= rows:
        problem = "no row names a person" if not names else f"all {rows:,} transactions belong to the same person"
        remedy = "Name the column that identifies persons."
    if problem:
        raise InputError(problem, file=file, column=choice.person, remedy=remedy)
    if unnamed:
        warnings.warn(NamelessRows(str(choice.person), rows, rows - unnamed), stacklevel=2)
    return frame.where(~missing).drop("other")
