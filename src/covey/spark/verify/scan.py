"""One pass over the files of a table: is every row where and as covey would have written it?

Every file is looked at by itself, in one task, and leaves a line of figures and the labels in it; the driver then sees
whether each file goes on where the one before it ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from covey.errors import TamperedRelease
from covey.release.item_columns import require_named
from covey.release.tables import Tables
from covey.spark.tables import over_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Where a row stands in the order of its table: by group, and by item in it.
Key = tuple[int, str]

_COLUMNS = (
    "table string, file int, problem string, rows long, entries long, empty long, total long, persons long, "
    "smallest long, largest long, first long, first_item string, last long, last_item string, labels array<string>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """What a table holds, all of its files together.

    Attributes
    ----------
    rows, entries, empty : int
        Rows, items in their lists, and rows whose list is empty.
    total, smallest, largest : int
        Of a table with a count in each row: what the counts add up to, and the ends of their range; 0 without any.
    persons : int
        Of a table with a number of persons in each row: what these add up to.
    groups : int
        Of a table with groups: how many there are, if they are numbered 0, 1, 2 and so on.
    labels : tuple of str
        Every label in it, in label order.
    """

    rows: int
    entries: int
    empty: int
    total: int
    persons: int
    smallest: int
    largest: int
    groups: int
    labels: tuple[str, ...]


def scan(spark: SparkSession, tables: Tables) -> dict[str, Scanned]:
    """Look at every file of every table, in one job.

    Raises
    ------
    TamperedRelease
        A file is not as covey writes it.
    """
    from pyspark.sql import functions as sf

    #: The totals of items are as few as these, and read on the driver.
    large = [table for table in tables.schemas if table != "totals"]
    found = over_files(spark, tables, large, _look, _COLUMNS)
    line = sf.struct(*(column for column in found.columns if column != "labels"))
    # The line of a file goes with the first of its labels, or with none if there are none.
    seen = (
        found.select("table", line.alias("line"), sf.posexplode_outer("labels").alias("at", "label"))
        .groupBy("table", "label")
        .agg(sf.collect_list(sf.when(sf.coalesce("at", sf.lit(0)) == 0, sf.col("line"))).alias("lines"))
        .toArrow()
        .to_pylist()
    )
    files = sorted((file for one in seen for file in one["lines"]), key=lambda file: file["file"])
    listed = [one for one in seen if one["label"] is not None]
    return {
        table: _together(
            table,
            [file for file in files if file["table"] == table],
            [pair["label"] for pair in listed if pair["table"] == table],
        )
        for table in large
    }


def _together(table: str, files: list[dict[str, Any]], labels: list[str]) -> Scanned:
    for file in files:
        if file["problem"] is not None:
            raise TamperedRelease(file["problem"])
    counted = [file for file in files if file["rows"]]
    return Scanned(
        **{name: sum(file[name] for file in files) for name in ("rows", "entries", "empty", "total", "persons")},
        smallest=min((file["smallest"] for file in counted), default=0),
        largest=max((file["largest"] for file in counted), default=0),
        groups=_require_in_order(table, files) + 1,
        labels=tuple(sorted(labels)),
    )


def _require_in_order(name: str, files: list[dict[str, Any]]) -> int:
    """Raise unless each file goes on where the one before it ended; returns the last group."""
    last: Key | None = None
    for file in files:
        if file["first"] is None:
            continue
        first = (file["first"], file["first_item"])
        if first[0] < 0 or (last is None and name != "sensitive" and first[0] > 0):
            raise _unordered(name)
        _require_follows(name, last, first)
        last = (file["last"], file["last_item"])
    return -1 if last is None else last[0]


def _require_follows(name: str, last: Key | None, first: Key) -> None:
    """Raise unless a row may stand right behind another one in a table."""
    if last is None:
        return
    step = first[0] - last[0]
    allowed = {"transactions": step in (0, 1), "groups": step == 1, "sensitive": first > last}[name]
    if not allowed:
        raise _unordered(name)


def _unordered(name: str) -> TamperedRelease:
    if name == "sensitive":
        return TamperedRelease("The sensitive counts are not in the order of groups and items, or one is given twice.")
    return TamperedRelease(f"The groups are not numbered 0, 1, 2 and so on in the order of the table {name}.")


def _look(table: str, number: int, pieces: Iterator[Any]) -> Iterator[Any]:
    """For `over_files`: one line about a file."""
    import pyarrow as pa

    seen = _File(table)
    try:
        for piece in pieces:
            seen.take(piece)
    except Exception as error:  # whatever a damaged file makes a library raise, the file is damaged
        seen.problem = (str(error).splitlines() or [type(error).__name__])[0][:300]
    first, last = seen.first or (None, None), seen.last or (None, None)
    line = {
        "table": table,
        "file": number,
        **{name: getattr(seen, name) for name in ("problem", "rows", "entries", "empty", "smallest", "largest")},
        "total": min(seen.total, 2**63 - 1),
        "persons": max(min(seen.persons, 2**63 - 1), -(2**63)),
        "first": first[0],
        "first_item": first[1],
        "last": last[0],
        "last_item": last[1],
        "labels": sorted(seen.labels),
    }
    yield pa.RecordBatch.from_pylist([line], schema=_schema())


def _schema() -> Any:
    """`_COLUMNS` as Arrow has them."""
    import pyarrow as pa

    types = {
        "string": pa.string(),
        "int": pa.int32(),
        "long": pa.int64(),
        "array<string>": pa.list_(pa.string()),
    }
    stated = (column.split(" ") for column in _COLUMNS.split(", "))
    return pa.schema([(name, types[text]) for name, text in stated])


class _File:
    """What has been seen of a file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.problem: str | None = None
        self.rows = self.entries = self.empty = self.total = self.persons = self.smallest = self.largest = 0
        self.first: Key | None = None
        self.last: Key | None = None
        self.labels: set[str] = set()

    def take(self, piece: Any) -> None:
        """Look at one piece of the file."""
        if not piece.num_rows:
            return
        self.rows += piece.num_rows
        if self.name in ("transactions", "sets"):
            self._lists(piece.column("items"))
        if self.name == "sensitive":
            self._counts(piece)
        elif self.name == "groups":
            self._sum(piece.column("transactions"), "The size of a group")
        if "persons" in piece.schema.names:
            # Whether these are possible is for the check of the promise to say.
            self.persons += sum(_whole(piece.column("persons"), "A number of persons is missing.").tolist())
        if self.name in ("transactions", "groups"):
            group = _whole(piece.column("group"), "A row has no group.")
            before, after = group[:-1], group[1:]
            same = (after == before) & (self.name == "transactions")
            if not bool((same | ((after > before) & (after - before == 1))).all()):
                raise _unordered(self.name)
            self._ends((int(group[0]), ""), (int(group[-1]), ""))

    def _lists(self, lists: Any) -> None:
        entries = lists.flatten()
        if lists.null_count or entries.null_count:
            raise TamperedRelease("A published transaction has a missing value.")
        rank = self._ranks(entries)
        lengths = np.diff(lists.offsets.to_numpy())
        ends = np.cumsum(lengths)
        rises = np.diff(rank) > 0
        # Between the last item of a row and the first of the next one there is nothing to compare.
        between = ends[(ends > 0) & (ends < len(rank))] - 1
        rises[between] = True
        if not bool(rises.all()):
            raise TamperedRelease("The items of a published transaction are not in label order, or one stands twice.")
        self.entries += len(rank)
        self.empty += int((lengths == 0).sum())

    def _counts(self, piece: Any) -> None:
        group = _whole(piece.column("group"), "A sensitive count has a missing value.")
        items = piece.column("item")
        if items.null_count:
            raise TamperedRelease("A sensitive count has a missing value.")
        self._sum(piece.column("count" if "count" in piece.schema.names else "persons"), "A sensitive count")
        rank = self._ranks(items)
        before, after = group[:-1], group[1:]  # compared, not subtracted: differences overflow
        if not bool(((after > before) | ((after == before) & (np.diff(rank) > 0))).all()):
            raise _unordered(self.name)
        self._ends((int(group[0]), items[0].as_py()), (int(group[-1]), items[-1].as_py()))

    def _sum(self, column: Any, what: str) -> None:
        """Add up a column of counts, none of which may be missing or below 1."""
        numbers = _whole(column, f"{what} is missing.").tolist()
        smallest, largest = min(numbers), max(numbers)
        if smallest < 1:
            raise TamperedRelease(f"{what} is below 1.")
        self.smallest = min(self.smallest or smallest, smallest)
        self.largest = max(self.largest, largest)
        self.total += sum(numbers)  # of Python's numbers, which do not overflow

    def _ranks(self, labels: Any) -> Any:
        """The place of each label in label order among those of the piece; notes the labels."""
        names = labels.dictionary.to_pylist()
        codes = labels.indices.to_numpy(zero_copy_only=False)
        self.labels.update(names[code] for code in np.unique(codes).tolist())
        require_named(self.labels)
        # A forged dictionary may list a label twice; it is one label all the same.
        place = {label: rank for rank, label in enumerate(sorted(set(names)))}
        return np.array([place[label] for label in names], np.int64)[codes]

    def _ends(self, first: Key, last: Key) -> None:
        """Note where the piece begins and ends; it must go on where the one before it ended."""
        _require_follows(self.name, self.last, first)
        self.first, self.last = self.first or first, last


def _whole(column: Any, problem: str) -> Any:
    if column.null_count:
        raise TamperedRelease(problem)
    return column.to_numpy()
