"""Releases of tables: quasi-identifiers as ranges and broader groups, rows in random order.

A range of numbers is written ``[20-30]``, a group of a hierarchy by its label, anything at all ``*``; a missing
value is null, which in CSV is an empty cell. Where persons are counted, the manifest states ``"unit": "person"``, and a
table of classes says how many each has; classes are numbered in the label order of their quasi-identifiers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Ids, Ints
from covey.counting import counted, sizes
from covey.data import Column, Table
from covey.data.hierarchy import MISSING, ROOT
from covey.data.labels import alike
from covey.data.spans import ends_of
from covey.data.table import ROLES
from covey.errors import InputError, TamperedRelease
from covey.release.base import BY_PERSON, Release, Statement, Words, counts_persons
from covey.release.item_columns import LabelCodes
from covey.release.manifest import Manifest
from covey.release.tables import INT, TEXT, Schema, Tables
from covey.release.trace import Trace, remember

USE = """\
Count rows of `table`. A range such as `[20-30]` stands for any value in it, a broader group for any value below it,
and `*` for any value at all. To estimate how many rows of the original lie in a range of your own, weight each
published row by the share of its range that lies in yours: half of `[20-30]` is below 25. Sensitive and other columns
are exact. In DuckDB:

```sql
SELECT count(*) FROM $table
```"""

WORDS = Words(
    row="row",
    group="class",
    groups="classes of rows that look alike",
    counts={
        "rows": "rows",
        "persons": "persons whose rows they are",
        "columns": "columns",
        "classes": "classes of rows that look alike",
    },
    facts={"unit": "What classes are made of"},
    use=USE,
)

TABLE = Schema(None, row="Each row is one row of the original, in random order. An empty cell is a missing value.")
COLUMNS = Schema(
    {"column": TEXT, "role": TEXT, "kind": TEXT},
    always_csv=True,
    row="Each row describes one column of `table`, in their order.",
    says={
        "column": "Its name.",
        "role": "quasi (someone outside might know it), sensitive, or other.",
        "kind": "numeric (numbers and ranges) or categorical (labels).",
    },
    key=("column",),
)
CLASSES = Schema(
    {"class": INT, "rows": INT, "persons": INT},
    row="Each row is one class: all rows of `table` whose quasi-identifiers are published alike, in label order.",
    says={"class": "Its number.", "rows": "How many rows it has.", "persons": "How many persons these rows belong to."},
    key=("class",),
)
HOLDERS = Schema(
    {"class": INT, "column": TEXT, "value": TEXT, "persons": INT},
    row="Each row is one sensitive value in one class.",
    says={
        "class": "The class.",
        "column": "The sensitive column.",
        "value": "The value.",
        "persons": "How many persons hold it.",
    },
    refers={"class": "classes"},
)
KINDS = ("categorical", "numeric")

#: What became of a column, by its role.
ROLES_SAY = {
    "quasi": "A quasi-identifier: a value, a range such as [20-30], a broader group, or * for anything.",
    "sensitive": "Sensitive; published as it was.",
    "other": "Published as it was.",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PublishedColumn:
    """One column as it is published."""

    name: str
    #: ``quasi``, ``sensitive`` or ``other``.
    role: str
    #: Whether its values are numbers and ranges such as ``[20-30]``, rather than labels.
    numeric: bool
    #: The value of each row as a position in `labels`.
    codes: Ids
    #: The distinct published values in label order; ``""`` is the missing value.
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class TableRelease(Release):
    """A published table, rows in random order."""

    kind: ClassVar[str] = "table"
    data_kinds: ClassVar[tuple[str, ...]] = ("table",)
    words: ClassVar[Words] = WORDS
    stated: ClassVar[tuple[str, ...]] = ("unit",)

    #: All equally long.
    columns: tuple[PublishedColumn, ...]
    #: Where persons are counted: how many each class has; all rows of a person are in one class.
    class_persons: Ints | None = None
    #: With l-diversity of the kind frequency: how many persons hold each value of `held`, in that order.
    holders: Ints | None = None

    def __repr__(self) -> str:
        whose = "" if self.persons is None else f" of {counted(self.persons, 'person')}"
        return (
            f"TableRelease({self.guarantee} by {self.method}: {counted(self.n, 'row')}{whose}, "
            f"{sizes(columns=len(self.columns), classes=int(self.classes().max(initial=-1)) + 1)})"
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.columns[0].codes)

    @property
    def persons(self) -> int | None:
        """Number of persons, as far as it is stated; None where rows are counted."""
        return None if self.class_persons is None else sum(self.class_persons.tolist())

    def of_role(self, role: str) -> tuple[PublishedColumn, ...]:
        """The columns with a role, in order."""
        return tuple(column for column in self.columns if column.role == role)

    def column(self, name: str) -> PublishedColumn:
        """The column of this name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError(f"the release has no column {name!r}")

    def classes(self) -> Ints:
        """A number for each row, equal for rows whose quasi-identifiers are published alike. O(n log n).

        Classes are numbered in the label order of their quasi-identifiers, the first column first.
        """
        return number_rows([column.codes for column in self.of_role("quasi")], self.n)

    def held(self) -> Iterator[tuple[str, Ints, Ids, Ints, Ints]]:
        """For each sensitive column its name, classes, the values held in them, and rows and stated holders of each.

        Values that people take for the same are one, by the first label. Without stated holders there are none.
        """
        kind, start = self.classes(), 0
        for column in self.of_role("sensitive"):
            width = max(len(column.labels), 1)
            cells, rows = np.unique(kind * width + alike(column.labels)[column.codes], return_counts=True)
            holders = rows[:0] if self.holders is None else self.holders[start : start + len(cells)]
            yield column.name, cells // width, (cells % width).astype(np.int32), rows, holders
            start += len(cells)

    def distinct_rows(self) -> list[tuple[str, ...]]:
        """The distinct published quasi-identifiers, sorted; for small releases."""
        columns = self.of_role("quasi")
        _, first = np.unique(self.classes(), return_index=True)
        return sorted(tuple(c.labels[c.codes[row]] for c in columns) for row in first)

    @classmethod
    def schemas(cls, manifest: Manifest) -> Mapping[str, Schema]:
        """Return the exact tables."""
        exact = {"table": TABLE, "columns": COLUMNS}
        if counts_persons(manifest.facts):
            exact["classes"] = CLASSES
            if states_holders(manifest.guarantee):
                exact["holders"] = HOLDERS
        return exact

    @classmethod
    def from_tables(cls, found: Tables, manifest: Manifest, *, ranges: bool = True) -> Self:
        """The release that such tables are of; without `ranges`, all columns are published as they were."""
        described = found.table("columns").to_pylist()
        rows = pa.Table.from_batches(found.batches("table"))
        names = [row["column"] for row in described]
        if not names or len(set(names)) < len(names) or rows.column_names != names:
            raise TamperedRelease("The table of columns does not name the columns of the table.")
        for row in described:
            if row["role"] not in ROLES or row["kind"] not in KINDS:
                raise TamperedRelease(f"The column {row['column']!r} has an unknown role or kind.")
        columns = [
            _column(row["column"], row["role"], row["kind"] == "numeric", rows.column(row["column"]))
            for row in described
        ]
        for column in columns:
            _require_numbers(column, ranges and column.role == "quasi")
        release = cls(columns=tuple(columns), made=manifest.made)
        if "classes" not in found.schemas:
            return release
        classes = int(release.classes().max(initial=-1)) + 1
        cells = sum(len(kind) for _, kind, *_ in release.held())
        return replace(
            release,
            class_persons=found.persons("classes", classes),
            holders=found.persons("holders", cells) if "holders" in found.schemas else None,
        )

    def tables(self) -> Mapping[str, Iterator[pa.RecordBatch]]:
        """Return the tables as they are written."""
        described = ((column.name, column.role, KINDS[column.numeric]) for column in self.columns)
        made = {
            "table": iter([table_batch(self)]),
            "columns": iter([COLUMNS.batch(*zip(*described, strict=True))]),
        }
        if self.class_persons is not None:
            rows = np.bincount(self.classes())
            made["classes"] = iter([CLASSES.batch(np.arange(len(rows)), rows, self.class_persons)])
        if self.holders is not None:
            made["holders"] = iter([_holders_batch(self)])
        return made

    def counts(self) -> dict[str, int]:
        """The figures that the manifest states; nothing about single rows."""
        return {
            "rows": self.n,
            **({} if self.persons is None else {"persons": self.persons}),
            "columns": len(self.columns),
            "classes": int(self.classes().max(initial=-1)) + 1,
        }

    def facts(self) -> dict[str, object]:
        """What classes are made of, if not of rows."""
        return {} if self.class_persons is None else dict(BY_PERSON)

    def named_columns(self) -> dict[str, dict[str, str]]:
        """The published columns, and what became of each."""
        return {"table": {column.name: ROLES_SAY[column.role] for column in self.columns}}

    def reading_options(self) -> Mapping[str, object]:
        """Return the roles with which the original must be read to be compared."""
        return {role: [column.name for column in self.of_role(role)] for role in ("quasi", "sensitive", "other")}

    def unprotected(self) -> list[tuple[str, float]]:
        """Return the columns published as they were, each with its number of distinct values per row."""
        return [(c.name, len(c.labels) / max(self.n, 1)) for c in self.columns if c.role != "quasi"]


def states_holders(guarantee: str) -> bool:
    """Whether a promise is about how many persons hold a value, so that a release which counts persons must say it.

    Examples
    --------
    >>> states_holders("l-diversity(l=2, k=3, kind=frequency)"), states_holders("k-anonymity(k=3)")
    (True, False)
    """
    return guarantee.startswith("l-diversity(") and "kind=frequency" in guarantee


def number_rows(codes: list[Ids], n: int) -> Ints:
    """A number for each row, equal for rows with equal codes in every column; 0 up, without gaps.

    Examples
    --------
    >>> number_rows([np.array([0, 0, 1]), np.array([5, 5, 5])], 3).tolist()
    [0, 0, 1]
    """
    number = np.zeros(n, np.int64)
    for column in codes:
        # Both factors are at most n, or the number of labels; their product fits for any table in memory.
        key = number * (int(column.max(initial=0)) + 1) + column
        number = np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return number


def commonest(like: Ints, value: Ids) -> Ints:
    """How many rows of each class have its most frequent value."""
    values = int(value.max(initial=0)) + 1
    pair, count = np.unique(like * values + value, return_counts=True)
    most = np.zeros(int(like.max(initial=-1)) + 1, np.int64)
    np.maximum.at(most, pair // values, count)
    return most


def _holders_batch(release: TableRelease) -> pa.RecordBatch:
    """The table (class, column, value, persons), column by column."""
    kinds, names, values = [np.empty(0, np.int64)], [], []
    for column, kind, code, *_ in release.held():
        labels = release.column(column).labels
        kinds.append(kind)
        names += [column] * len(kind)
        values += [labels[i] or None for i in code]
    return HOLDERS.batch(np.concatenate(kinds), names, values, release.holders)


def table_batch(release: TableRelease) -> pa.RecordBatch:
    """The published rows in Arrow, as plain texts; missing values are null."""
    arrays = []
    for column in release.columns:
        labels = pa.array([label or None for label in column.labels], pa.string())
        arrays.append(labels.take(pa.array(column.codes)))
    return pa.RecordBatch.from_arrays(arrays, names=[column.name for column in release.columns])


def _require_numbers(column: PublishedColumn, ranges: bool) -> None:
    """Refuse a column of numbers with anything but numbers and, if it may, ranges and ``*``, as covey writes them."""
    for label in column.labels if column.numeric else ():
        ends = ends_of(label)
        alone = label == MISSING or (ends is not None and ends[0] == ends[1])
        if not (alone or (ranges and (label == ROOT or ends is not None))):
            what = "number or range" if ranges else "number"
            raise TamperedRelease(
                f"The column {column.name!r} has {label[:60]!r}, which is no {what} as covey writes it."
            )


def _column(name: str, role: str, numeric: bool, values: pa.ChunkedArray) -> PublishedColumn:
    codes = LabelCodes()
    ids = codes.encode(pc.fill_null(values.cast(TEXT), "").combine_chunks())
    labels, place = codes.in_label_order()
    return PublishedColumn(name=name, role=role, numeric=numeric, codes=place[ids], labels=labels)


def table(
    data: Table,
    group: Ints,
    groups: int,
    *,
    made: Statement,
    seed: int | None = None,
    order: Ints | None = None,
) -> TableRelease:
    """Make a release of `data` from the group number of each row.

    In each group a quasi-identifier is published as the narrowest range, or the lowest node of its hierarchy, that
    covers the group's values. Other columns are published as they are.

    Every number in ``range(groups)`` is used, and all rows of a person have the same. Rows are published in the given
    `order`, or in a random one; without a seed, the system's entropy decides.
    """
    order = np.random.default_rng(seed).permutation(data.n) if order is None else order
    shuffled = group[order]
    columns = []
    for column in data.columns:
        if column.role == "quasi":
            codes, texts = _spans(column, group, groups)
            codes = codes[shuffled]
        else:
            codes, texts = column.codes[order], list(column.values)
        codes, labels = _canonical(codes, texts)
        columns.append(
            PublishedColumn(name=column.name, role=column.role, numeric=column.numeric, codes=codes, labels=labels)
        )
    release = TableRelease(columns=tuple(columns), made=made)
    release = release if data.person is None else _with_persons(release, data.person[order])
    remember(release, Trace(rows=order))
    return release


def _with_persons(release: TableRelease, person: Ids) -> TableRelease:
    """The same release with the number of persons in each class and, where the promise is about it, of holders."""
    kind = release.classes()
    persons = int(person.max(initial=0)) + 1
    members = np.unique(kind * persons + person) // persons
    holders = None
    if states_holders(release.guarantee):
        found = []
        for column in release.of_role("sensitive"):
            width = max(len(column.labels), 1)
            held = np.unique((kind * width + alike(column.labels)[column.codes]) * persons + person) // persons
            found.append(np.unique(held, return_counts=True)[1])
        holders = np.concatenate([np.empty(0, np.int64), *found]).astype(np.int64)
    return replace(release, class_persons=np.bincount(members).astype(np.int64), holders=holders)


def _spans(column: Column, group: Ints, groups: int) -> tuple[Ids, list[str]]:
    """The published value of each group, as a code into distinct texts."""
    low = np.full(groups, len(column.values), np.int64)
    high = np.full(groups, -1, np.int64)
    np.minimum.at(low, group, column.codes)
    np.maximum.at(high, group, column.codes)
    spans, at = np.unique(low * (len(column.values) + 1) + high, return_inverse=True)
    width = len(column.values) + 1
    texts = [column.span_text(int(span // width), int(span % width)) for span in spans]
    return at.reshape(-1).astype(np.int32), texts


def _canonical(codes: Ids, texts: list[str]) -> tuple[Ids, tuple[str, ...]]:
    """The same values over distinct labels in label order, without labels that no row has."""
    used = np.unique(codes)
    labels = sorted({texts[i] for i in used})
    place = {label: i for i, label in enumerate(labels)}
    rename = np.zeros(max(len(texts), 1), np.int32)
    rename[used] = [place[texts[i]] for i in used]
    return rename[codes], tuple(labels)
