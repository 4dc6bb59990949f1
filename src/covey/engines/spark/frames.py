"""From a Spark DataFrame, or a file that Spark can read, to sets of numbered items.

Data flow: lists of labels → labels counted (one row per label reaches the driver) → labels numbered in label order →
equal sets counted together. A set is never named by where it stood: partitions, retries and the number of cores change
nothing. Cost: the source is read twice, and each entry is shuffled once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.data import Baskets
from covey.engines.spark.session import on_worker, require_spark, session
from covey.errors import InputError, ParameterError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Sets:
    """Transactions on Spark: the different sets of item numbers, and how often each occurs.

    Attributes
    ----------
    frame : DataFrame
        ``items: array<int>``, ascending, and ``weight: long``; no set stands twice.
    items : tuple of str
        Labels in label order; an item's number is its position here. As many as there are different items, and kept
        on the driver.
    supports : int64 array
        How many transactions hold each item.
    sensitive : bool array
        Which items are sensitive.
    n : int
        Number of transactions.
    """

    frame: DataFrame
    items: tuple[str, ...]
    supports: Ints
    sensitive: Mask
    n: int

    @property
    def d(self) -> int:
        """Number of items."""
        return len(self.items)

    @property
    def entries(self) -> int:
        """Number of (transaction, item) entries."""
        return int(self.supports.sum())

    def rows(self) -> DataFrame:
        """A row per transaction: ``row: long`` and ``items: array<int>``.

        The row's number is a hash of its items and of how many equal ones come before it: whatever the partitions,
        the same data has the same rows. Two rows can have the same number by chance; order by (row, items).
        """
        from pyspark.sql import functions as sf

        copies = sf.explode(sf.sequence(sf.lit(1).cast("long"), sf.col("weight")))
        return self.frame.select("items", copies.alias("copy")).select(
            sf.xxhash64("items", "copy").alias("row"), "items"
        )

    def sensitive_items(self) -> list[str]:
        """Labels of the sensitive items, in label order."""
        return [self.items[i] for i in np.flatnonzero(self.sensitive)]

    def with_sensitive(self, spec: Any) -> Sets:
        """The same sets with exactly these items sensitive: a file, a comma list or a collection."""
        from covey.io.sensitive import mark

        empty = np.zeros(1, np.int64)
        bare = Baskets(
            indptr=empty,
            indices=np.empty(0, np.int32),
            items=self.items,
            sensitive=np.zeros(self.d, np.bool_),
        )
        return replace(self, sensitive=mark(bare, spec).sensitive)

    def summary(self) -> Summary:
        """What guarantees ask about data before a release is made of it."""
        return Summary(n=self.n, items=self.items, sensitive=self.sensitive, _supports=self.supports)

    def persist(self) -> Sets:
        """Keep the sets in the executors' memory, and on their disks what does not fit."""
        from pyspark import StorageLevel

        self.frame.persist(StorageLevel.MEMORY_AND_DISK)
        return self

    def unpersist(self) -> None:
        """Let go of what `persist` keeps."""
        self.frame.unpersist()


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Counts of data that is elsewhere, in the form in which `Baskets` gives them to a guarantee."""

    n: int
    items: tuple[str, ...]
    sensitive: Mask
    _supports: Ints

    def supports(self) -> Ints:
        """Number of transactions that hold each item."""
        return self._supports


def read(
    source: Any,
    *,
    sensitive: Any = None,
    transaction: str | None = None,
    item: str | None = None,
    format: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    master: str | None = None,
) -> Sets:
    """Read sets on Spark.

    Parameters
    ----------
    source : DataFrame, Sets or path
        A Spark DataFrame with a column of lists, or with a row per transaction and item; or a file, a directory or
        an address that Spark can read: FIMI, CSV (long) or Parquet.
    sensitive : path, comma list, collection or None
        The sensitive items.
    transaction, item : str, optional
        The columns to use; recognised by usual names if not given.
    format, separator, encoding : str, optional
        As for `covey.read`; text must be UTF-8.
    master : str, optional
        Where Spark runs, when there is no session yet.

    Returns
    -------
    Sets
    """
    if isinstance(source, Sets):
        return source if sensitive is None else source.with_sensitive(sensitive)
    if isinstance(source, str | os.PathLike):
        from covey.engines.spark.files import open_file

        spark = session(master)
        frame, name = open_file(
            spark, os.fspath(source), format=format, separator=separator, encoding=encoding,
            transaction=transaction, item=item,
        ), os.fspath(source)  # fmt: skip
    elif isinstance(source, require_spark().DataFrame):
        spark, name = session(master), None
        frame = lists_of(source, transaction, item, name)
    else:
        raise ParameterError(
            f"Spark reads a path or a Spark DataFrame, not a {type(source).__name__}. "
            "Make one with spark.createDataFrame, or leave the engine to be local."
        )
    sets = _number(frame, name)
    return sets if sensitive is None else sets.with_sensitive(sensitive)


def lists_of(frame: DataFrame, transaction: str | None, item: str | None, name: str | None) -> DataFrame:
    """A frame in any layout as one column ``labels: array<string>``, each label once in a row.

    Missing values stay in it, for `_number` to complain of.
    """
    from pyspark.sql import functions as sf
    from pyspark.sql import types as st
    from pyspark.sql.pandas.types import to_arrow_schema

    from covey.io.baskets.arrow import choose

    roles = choose(to_arrow_schema(frame.schema), transaction, item, name)
    if roles.layout == "wide":
        raise InputError(
            "a table with a column per item cannot be read on Spark",
            file=name,
            remedy="Give a column of lists, or a row per transaction and item.",
        )
    assert roles.item is not None
    kind = frame.schema[roles.item].dataType
    one = kind.elementType if isinstance(kind, st.ArrayType) else kind
    if not isinstance(one, st.StringType | st.IntegralType):
        raise InputError(
            f"values of type {one.simpleString()} cannot be read as labels",
            file=name,
            column=roles.item,
            remedy="Turn the column into text or integers first.",
        )
    if roles.layout == "long":
        entries = frame.select(
            sf.col(f"`{roles.transaction}`").alias("transaction"),
            sf.col(f"`{roles.item}`").cast("string").alias("label"),
        )
        # collect_set drops missing values, so they travel as an empty label, which is refused as well.
        gathered = entries.groupBy("transaction").agg(
            sf.collect_set(sf.coalesce("label", sf.lit(""))).alias("labels")
        )
        return gathered.select(sf.when(sf.col("transaction").isNotNull(), sf.col("labels")).alias("labels"))
    lists = sf.col(f"`{roles.item}`").cast("array<string>")
    if roles.transaction is None:
        return frame.select(sf.array_distinct(lists).alias("labels"))
    joined = frame.select(sf.col(f"`{roles.transaction}`").alias("transaction"), lists.alias("labels"))
    merged = sf.array_distinct(sf.flatten(sf.collect_list(sf.coalesce("labels", sf.array(sf.lit(""))))))
    return joined.groupBy("transaction").agg(merged.alias("labels")).select("labels")


def _number(frame: DataFrame, name: str | None) -> Sets:
    """Count the labels and number them, then count equal sets together."""
    from pyspark.sql import functions as sf

    exploded = frame.select(sf.explode("labels").alias("label"))
    counted = exploded.groupBy("label").agg(sf.count("*").alias("support")).toArrow()
    totals = frame.agg(
        sf.count("*").alias("n"), sf.count_if(sf.col("labels").isNull()).alias("missing")
    ).first()
    assert totals is not None
    if totals["n"] == 0:
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
            what = (
                "an item is empty text or missing"
                if label == ""
                else f"a line end stands in the item {label!r}"
            )
            raise InputError(what, file=name, remedy="Mend or drop the rows that hold it.")
    order = sorted(range(len(labels)), key=labels.__getitem__)
    items = tuple(labels[i] for i in order)
    coded = frame.mapInArrow(on_worker(numbering(items)), "items array<int>")
    return Sets(
        frame=coded.groupBy("items").agg(sf.count("*").alias("weight")),
        items=items,
        supports=np.asarray(supports, np.int64)[np.array(order, np.int64)],
        sensitive=np.zeros(len(items), np.bool_),
        n=int(totals["n"]),
    )


def numbering(items: tuple[str, ...]) -> Any:
    """A function for `mapInArrow` that replaces labels by their numbers, ascending."""

    def code(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.compute as pc

        from covey.kernels.shared.csr import canonicalize

        known = pa.array(items, pa.string())
        same = np.arange(len(items), dtype=np.int32)
        for batch in batches:
            lists = batch.column(0)
            values = pc.cast(lists.flatten(), pa.string())
            indices = np.array(pc.index_in(values, known).to_numpy(zero_copy_only=False), np.int32)
            lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
            indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
            canonicalize(indptr, indices, same)
            yield as_batch({"items": (indptr, indices)})

    return code


def as_batch(columns: dict[str, Any]) -> Any:
    """An Arrow batch from arrays, and from (offsets, values) for columns of lists."""
    import pyarrow as pa

    arrays = []
    for column in columns.values():
        if isinstance(column, tuple):
            offsets, values = column
            arrays.append(
                pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(values[: offsets[-1]]))
            )
        else:
            arrays.append(pa.array(column))
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


def csr_of(column: Any) -> tuple[Ints, Ids]:
    """The offsets and values of an Arrow column of lists of numbers, as compressed sparse rows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False)
    indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return indptr, np.array(column.flatten().to_numpy(zero_copy_only=False), np.int32)


def frame_of(baskets: Baskets, spark: SparkSession) -> DataFrame:
    """Baskets in memory as a DataFrame with a column ``items`` of lists of labels; for small data."""
    from covey.release.item_columns import as_frame, item_batches

    return spark.createDataFrame(as_frame(item_batches(baskets), "arrow"))
