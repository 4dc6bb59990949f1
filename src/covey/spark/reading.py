"""From a Spark DataFrame, or a file that Spark can read, to sets of numbered items.

Data flow: lists of labels → labels counted (one row per label reaches the driver) → labels numbered in label order →
equal sets counted together. A set is never named by where it stood: partitions, retries and the number of cores change
nothing. Cost: the source is read twice, and each entry is shuffled once.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from covey.data import Baskets
from covey.data.csr import canonicalize
from covey.data.kinds import PERSON_OPTIONS
from covey.data.labels import in_label_order
from covey.errors import InputError, NamelessRows, ParameterError, UnnamedPersons
from covey.io.baskets.arrow import choose
from covey.io.files import file_of
from covey.io.persons import NOTHING_SAID, WhoIsWho
from covey.io.rows.loading import CALLED, other_format
from covey.io.rows.preparing import asked
from covey.io.sensitive import named_among
from covey.io.suspicion import means_persons
from covey.release.item_columns import as_frame, item_batches
from covey.spark.batches import as_batch, coded
from covey.spark.files import open_file
from covey.spark.session import on_worker, require_spark, session, spark_errors
from covey.spark.sets import Sets

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The reading options that name columns.
COLUMNS = ("transaction", "item")


def read(source: Any, *, sensitive: Any = None, master: str | None = None, **options: str | None) -> Sets:
    """Read sets on Spark.

    Parameters
    ----------
    source : DataFrame, Sets or path
        A Spark DataFrame with a column of lists, or with a row per transaction and item; or a file, a directory or
        an address that Spark can read: FIMI, CSV (long) or Parquet.
    sensitive : path, comma list, collection or None
        The sensitive items; None keeps the marks that sets have.
    master : str, optional
        Where Spark runs, when there is no session yet.
    **options
        As for `covey.read`: of a frame or a table, the columns ``transaction`` and ``item``; of a file, ``format``,
        ``separator`` and ``encoding``. Text must be UTF-8. An option that this source has no use for is refused.
    """
    _require_able(source, options)
    absent = options.pop("sensitive_missing", None)
    said, given = _who({name: value for name, value in options.items() if value is not None})
    if isinstance(source, Sets):
        require_used(given, (), "sets that have been read")
        sets = source
    else:
        spark, name = session(master), file_of(source)
        with spark_errors(lambda reason: InputError(f"Spark cannot read it: {reason}", file=name)):
            sets = _number(_open(source, spark, given, said), name, said)
    if sensitive is None:
        return sets
    return sets.with_sensitive(named_among(sensitive, sets.items, "item", absent))


def _require_able(source: Any, options: Mapping[str, Any]) -> None:
    """Refuse what only the local engine does with rows and files, before Spark is started."""
    if rows := {name for name in asked(options) if name != "missing" or options.get("person") is None}:
        flag = next(iter(rows)).replace("_", "-")
        raise ParameterError(
            f"The engine spark takes rows as they are, without --{flag}. Leave rows out or correct them in Spark, with "
            "DataFrame.where, dropna or fillna, and give the frame; or use --engine local."
        )
    if options.get("name") is not None:
        raise ParameterError(
            "The engine spark gives no names to codes. Join them with the codes in Spark and give the frame; or use "
            "--engine local."
        )
    other = other_format(source, options.get("format")) if isinstance(source, str | os.PathLike) else None
    if other is not None:
        raise InputError(
            f"Spark cannot read {CALLED[other]}",
            file=os.fspath(source),
            remedy="Use --engine local, or write it as Parquet or CSV first.",
        )


def _who(options: dict[str, Any]) -> tuple[WhoIsWho, dict[str, Any]]:
    """What was said about persons, and the other options."""
    names = ("missing", *(option.name for option in PERSON_OPTIONS))
    said = WhoIsWho.of(**{name: options.pop(name, None) for name in names})
    if said.person is not None and said.unit == "row":  # said so that nothing is told; nobody looks at it
        said = replace(said, person=None, row_is_person=True)
    if said.person is not None and said.missing == "keep":
        raise ParameterError(
            "On Spark rows without a person are refused or left out (--missing drop), not counted as "
            "different persons. Use --engine local for that."
        )
    return said, options


def _open(source: Any, spark: SparkSession, options: dict[str, str], said: WhoIsWho) -> DataFrame:
    """Any source as one column ``labels: array<string>`` and, where persons are named, ``one`` and ``other``."""
    if isinstance(source, str | os.PathLike):
        return open_file(spark, os.fspath(source), options, said)
    if isinstance(source, require_spark().DataFrame):
        require_used(options, COLUMNS, "a Spark DataFrame")
        return lists_of(source, options.get("transaction"), options.get("item"), None, said)
    raise ParameterError(
        f"Spark reads a path or a Spark DataFrame, not a {type(source).__name__}. "
        "Make one with spark.createDataFrame, or use the engine local."
    )


def require_used(options: Mapping[str, str], used: Collection[str], what: str) -> None:
    """Refuse a reading option that would have no effect."""
    for name in options:
        if name not in used:
            raise ParameterError(f"The engine spark does not support the reading option '{name}' with {what}.")


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
    """Baskets in memory as a DataFrame with a column ``items`` of lists of labels; for small data."""
    return spark.createDataFrame(as_frame(item_batches(baskets), library="arrow"))


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
