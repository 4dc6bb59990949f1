"""Writing a grouped release from Spark: published items per row, sensitive items as counts per group.

Groups come with random keys, which are never published. Equal ranges of keys are the parts; a small job counts the
groups of each part, and every part then numbers its own: 0, 1, 2, … over all parts, in the order of the keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from covey.arrays import Ints
from covey.release.base import Statement
from covey.release.grouped import (
    GROUPS,
    GROUPS_BY_PERSON,
    SENSITIVE,
    SENSITIVE_BY_PERSON,
    TRANSACTIONS,
    totals_batch,
)
from covey.release.manifest import Manifest, file_digest
from covey.release.persons import BY_PERSON
from covey.release.tables import write_table
from covey.spark.batches import csr_of
from covey.spark.make.parts import (
    hash_seed,
    in_parts,
    labelled,
    numbered,
    part_of,
    parts_of,
    row_groups,
    write_parts,
)
from covey.spark.sets import Sets

#: The one table that the driver writes.
TOTALS_FILE = "totals.parquet"


def write_grouped(rows: DataFrame, sets: Sets, stage: Path, *, made: Statement, seed: int | None) -> Manifest:
    """Write rows in groups as a grouped release.

    Parameters
    ----------
    rows : DataFrame
        ``group: long`` and ``items: array<int>``, a line per transaction, and ``person: long`` where persons are named.
        A group is named by 62 random bits, from which the order of the groups follows.
    sets : Sets
        The data that the rows are of: labels and which of them are sensitive.
    stage : Path
        An empty directory.
    made : Statement
        For the manifest.
    seed : int or None
        For the order of rows; None: the system's entropy.
    """
    public_entries = int(sets.supports[~sets.sensitive].sum())
    parts = parts_of(max(public_entries, sets.n))
    placed = rows.withColumn("part", part_of(sf.col("group"), parts))
    groups = in_parts(placed, parts, sf.count_distinct("group"))
    # The order in a group is a function of what is published alone: with the sensitive items in it, who guesses the
    # seed could tell from the order who holds them.
    whose = [] if sets.persons is None else ["person"]
    keyed = placed.select("part", "group", sets.public().alias("public"), sets.secret().alias("secret"), *whose).select(
        "*", sf.xxhash64(sf.lit(hash_seed(seed)), "public").alias("key")
    )
    first = np.concatenate([[0], np.cumsum(groups)[:-1]])
    order = ["group", "key", "public"]
    files = write_parts(keyed, stage, numbered(groups), order, _tabulation(sets.items, first))
    secret_entries = int(sets.supports[sets.sensitive].sum())
    if sets.persons is not None:
        held = placed.select("group", "person", sf.explode(sets.secret()).alias("code"))
        found = held.groupBy("code").agg(sf.min("group") < sf.max("group"), sf.count_distinct("person")).toArrow()
        code, several, holders = (column.to_numpy() for column in found.columns)
        totals = np.zeros(len(sets.items), np.int64)
        totals[code[several]] = sets.supports[code[several]]
        secret_entries = int(holders.sum())
        with (stage / TOTALS_FILE).open("xb") as sink:
            write_table(iter([totals_batch(sets.items, totals)]), sink, csv=False)
        files[TOTALS_FILE] = file_digest(stage / TOTALS_FILE)
    counts = {
        "transactions": sets.n,
        **({} if sets.persons is None else {"persons": sets.persons}),
        "items": int((~sets.sensitive).sum()),
        "entries": public_entries,
        "groups": int(groups.sum()),
        "sensitive_items": int(sets.sensitive.sum()),
        "sensitive_entries": secret_entries,
    }
    facts = {} if sets.persons is None else BY_PERSON
    return Manifest.of("grouped", made, counts=counts, files=files, facts=facts)


def _tabulation(items: tuple[str, ...], first: Ints) -> Any:
    """For `write_parts`: the tables of a part whose groups are numbered from ``first[part]`` on."""

    def tabulate(part: int, batches: Iterator[Any]) -> Mapping[str, Iterator[Any]]:
        tally = _Tally(items, int(first[part]))
        return {
            "transactions": tally.transactions(batches),
            "sensitive": tally.sensitive(),
            "groups": tally.groups(),
        }

    return tabulate


class _Tally:
    """Numbers the groups of a part and counts in them, while its rows are passed on to be written."""

    def __init__(self, items: tuple[str, ...], first: int) -> None:
        self.labels = pa.array(items, pa.string())
        self.first = first
        self.last = first - 1
        self.key: int | None = None
        self.rows: list[Ints] = []
        self.cells: list[Ints] = []
        self.members: list[Ints] = []
        self.holders: list[Ints] = []

    def transactions(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The published items of each row, and the number of its group."""
        for table in row_groups(batches, "public"):
            number = self._number(table.column("group").to_numpy())
            indptr, codes = csr_of(table.column("public"))
            held, secret = csr_of(table.column("secret"))
            self.rows.append(np.bincount(number - self.first))
            self.cells.append(np.repeat(number, np.diff(held)) * len(self.labels) + secret)
            if "person" in table.column_names:
                person = table.column("person").to_numpy()
                self.members.append(np.stack([number, person]))
                self.holders.append(np.stack([self.cells[-1], np.repeat(person, np.diff(held))]))
            yield TRANSACTIONS.batch(number, labelled(indptr, codes, self.labels))

    def _number(self, keys: Ints) -> Ints:
        """The number of the group of each row, from keys in ascending order."""
        begins = np.concatenate([[keys[0] != self.key], keys[1:] != keys[:-1]])
        number: Ints = self.last + np.cumsum(begins)
        self.key, self.last = int(keys[-1]), int(number[-1])
        return number

    def sensitive(self) -> Iterator[Any]:
        """How often each group holds each sensitive item, when all rows have passed."""
        cells, count = np.unique(np.concatenate([np.empty(0, np.int64), *self.cells]), return_counts=True)
        d = len(self.labels)
        columns = [cells // d, self.labels.take(pa.array(cells % d)), count]
        if not self.members:
            yield SENSITIVE.batch(*columns)
        else:
            yield SENSITIVE_BY_PERSON.batch(*columns[:2], _persons(self.holders, cells))

    def groups(self) -> Iterator[Any]:
        """How many rows each group has, when all have passed."""
        size = np.zeros(self.last + 1 - self.first, np.int64)
        for rows in self.rows:
            size[: len(rows)] += rows
        number = np.arange(self.first, self.last + 1)
        if not self.members:
            yield GROUPS.batch(number, size)
        else:
            yield GROUPS_BY_PERSON.batch(number, size, _persons(self.members, number))


def _persons(pairs: list[Ints], where: Ints) -> Ints:
    """How many different persons stand beside each of the numbers `where`, which ascend and are those in the pairs."""
    number, person = np.concatenate(pairs, axis=1)
    order = np.lexsort((person, number))
    number, person = number[order], person[order]
    new = np.concatenate([[True], (number[1:] != number[:-1]) | (person[1:] != person[:-1])])[: len(number)]
    return np.bincount(np.searchsorted(where, number[new]), minlength=len(where)).astype(np.int64)
