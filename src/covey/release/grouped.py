"""Grouped releases: ordinary items exact per transaction, sensitive items only as counts per group.

Where persons are counted, the manifest states ``"unit": "person"``; groups state how many persons they have and how
many of them hold each item, never in how many transactions. ``totals`` states that once for the whole release.
Of records the manifest also states the ``sensitive_columns``. Then ``table`` and ``columns`` are as in a released
table, and row i of ``table`` and of ``transactions`` is the same person.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa

from covey.arrays import Floats, Ids, Ints
from covey.counting import counted
from covey.data import Baskets
from covey.errors import TamperedRelease
from covey.release.attributes import WithAttributes, misstated_columns, with_attributes
from covey.release.base import BY_PERSON, SECRET_COLUMNS, Words, counts_persons
from covey.release.estimate import Estimate
from covey.release.grouped_estimates import drawn, estimated
from covey.release.item_columns import LabelCodes, assemble_baskets, item_batches, require_named
from covey.release.manifest import Manifest
from covey.release.table import COLUMNS, TABLE, TableRelease
from covey.release.tables import INT, TEXT, TEXTS, Schema, Tables

USE = """\
Questions about ordinary items alone have exact answers: count rows of `transactions`.

Nobody is told which transactions hold a sensitive item. Estimate: add up count × matching / size over the
groups, where *count* is the item's `count` in the group, *size* the group's number of transactions, and *matching* how
many of them match the rest of your question. This treats every transaction of a group as equally likely to hold the
item. Where the item really occurs together with what you ask for, the truth is higher than the estimate; it is never
outside the sums of max(0, count + matching - size) and of min(count, matching). In DuckDB:

```sql
WITH sizes AS (
    SELECT "group", count(*) AS size, count(*) FILTER (WHERE list_contains($labels, 'AN ORDINARY ITEM')) AS matching
    FROM $transactions GROUP BY "group"
)
SELECT sum(counted.count * matching / size) AS estimate,
       sum(greatest(0, counted.count + matching - size)) AS at_least,
       sum(least(counted.count, matching)) AS at_most
FROM $sensitive AS counted JOIN sizes USING ("group")
WHERE item = 'A SENSITIVE ITEM'
```"""

USE_BY_PERSON = """\
Questions about ordinary items alone have exact answers: count rows of `transactions`. How many persons hold a
sensitive item has one, too: add up its `persons` over the groups.

Nobody is told which transactions hold a sensitive item, nor how many of a group do. Estimate: add up persons ×
matching / size over the groups, where *persons* is the item's number in the group, *size* the group's number of
transactions, and *matching* how many of them match the rest of your question. Multiply by the transactions with the
item for each of its holders: where there is a table of `totals`, the item's transactions there divided by the sum of
its persons; else 1. Such estimates are approximate. In DuckDB, before that multiplication:

```sql
WITH sizes AS (
    SELECT "group", count(*) AS size, count(*) FILTER (WHERE list_contains($labels, 'AN ORDINARY ITEM')) AS matching
    FROM $transactions GROUP BY "group"
)
SELECT sum(counted.persons * matching / size) AS estimate
FROM $sensitive AS counted JOIN sizes USING ("group")
WHERE item = 'A SENSITIVE ITEM'
```"""

WORDS = Words(
    row="basket",
    group="group",
    groups="groups",
    counts={
        "transactions": "transactions",
        "persons": "persons who made them",
        "columns": "attributes of each person, as they were",
        "items": "published items",
        "entries": "published entries",
        "groups": "groups",
        "sensitive_items": "sensitive items",
        "sensitive_entries": "sensitive entries, as counts only",
    },
    of_records={
        "transactions": "sets of items, one for each person: all that the original has of them together",
        "persons": "persons",
        "entries": "published entries of items, beside the attributes",
    },
    facts={"unit": "What groups are made of", "sensitive_columns": "Columns whose values are counts only"},
    drawn="The ordinary items are as published. The sensitive ones were dealt at random, within each group, to as many "
    "baskets as the release counts: **who has them is made up**.",
    use=USE,
    use_by_person=USE_BY_PERSON,
)

_GROUP = "The group that it belongs to; the number means nothing else."
TRANSACTIONS = Schema(
    {"group": INT, "items": TEXTS},
    row="Each row is one transaction, without its sensitive items. Rows are in random order within their group.",
    says={"group": _GROUP, "items": "The ordinary items of the transaction, exactly as they were."},
    refers={"group": "groups"},
)
OF_RECORDS = replace(
    TRANSACTIONS,
    row="Each row is one transaction: all items of one person, without the sensitive ones. Row i belongs to row i of "
    "`table`. Rows are in random order within their group.",
)
SENSITIVE = Schema(
    {"group": INT, "item": TEXT, "count": INT},
    row="Each row counts one sensitive item in one group. What is not listed does not occur.",
    says={"group": "The group.", "item": "The sensitive item.", "count": "How many of its transactions hold the item."},
    key=("group", "item"),
    refers={"group": "groups"},
)
GROUPS = Schema(
    {"group": INT, "transactions": INT},
    row="Each row is one group.",
    says={"group": "The group.", "transactions": "How many transactions it has."},
    key=("group",),
)
SENSITIVE_BY_PERSON = replace(
    SENSITIVE,
    columns={"group": INT, "item": TEXT, "persons": INT},
    says={
        "group": "The group.",
        "item": "The sensitive item.",
        "persons": "How many of its persons hold the item in any of their transactions.",
    },
)
TOTALS = Schema(
    {"item": TEXT, "transactions": INT},
    row="Each row is one sensitive item that two or more groups count.",
    says={"item": "The sensitive item.", "transactions": "In how many transactions of the whole release it is."},
    key=("item",),
)
GROUPS_BY_PERSON = replace(
    GROUPS,
    columns={"group": INT, "transactions": INT, "persons": INT},
    says={**GROUPS.says, "persons": "How many persons made them."},
)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class GroupedRelease(WithAttributes):
    """Transactions in groups, with sensitive items counted per group.

    Rows ``group_ptr[g]`` to ``group_ptr[g + 1]`` of `transactions` are group g. Arrays are not to be changed.
    """

    kind: ClassVar[str] = "grouped"
    data_kinds: ClassVar[tuple[str, ...]] = ("baskets", "records")
    words: ClassVar[Words] = WORDS
    stated: ClassVar[tuple[str, ...]] = ("unit", SECRET_COLUMNS)
    framed: ClassVar[tuple[str, ...]] = ("transactions", "table")

    #: The published items of each transaction; of records with the values of attributes, such as ``age=30``.
    transactions: Baskets
    group_ptr: Ints
    #: In label order; of records the values of sensitive columns, such as ``illness=flu``, among them.
    sensitive_items: tuple[str, ...]
    #: Group, position in `sensitive_items`, and how many transactions hold it, or persons where these are counted; by
    #: group, then item.
    count_group: Ints
    count_item: Ids
    count: Ints
    #: Where persons are counted: how many each group has.
    group_persons: Ints | None = None
    #: Where persons have several transactions each: in how many transactions of the release each sensitive item is;
    #: 0 for an item that only one group counts, of which the number would be that group's.
    totals: Ints | None = None

    def __post_init__(self) -> None:
        given = (self.group_ptr, self.count_group, self.count_item, self.count)
        for array in (*given, self.group_persons, self.totals):
            if array is not None:
                array.flags.writeable = False

    def __repr__(self) -> str:
        whose = "" if self.persons is None else f" of {counted(self.persons, 'person')}"
        return (
            f"GroupedRelease({self.guarantee} by {self.method}: {counted(self.transactions.n, 'transaction')}{whose}, "
            f"{counted(self.groups, 'group')}, {counted(len(self.sensitive_items), 'sensitive item')})"
        )

    @property
    def items(self) -> tuple[str, ...]:
        """The items that are published as they were, in label order."""
        return self.transactions.items

    @property
    def n(self) -> int:
        """Number of transactions."""
        return self.transactions.n

    def supports(self) -> Ints:
        """In how many transactions each of these items is."""
        return self.transactions.supports()

    @property
    def groups(self) -> int:
        """Number of groups."""
        return len(self.group_ptr) - 1

    @property
    def persons(self) -> int | None:
        """Number of persons, as far as it is stated; None where transactions are counted."""
        return None if self.group_persons is None else sum(self.group_persons.tolist())

    def group_sizes(self) -> Ints:
        """Number of transactions in each group."""
        return np.diff(self.group_ptr)

    def members(self) -> Ints:
        """How many each group has of what is counted: persons, or transactions."""
        return self.group_sizes() if self.group_persons is None else self.group_persons

    def sensitive_totals(self) -> Ints:
        """How many hold each sensitive item in the whole release: transactions, or persons where these are counted."""
        return np.bincount(self.count_item, weights=self.count, minlength=len(self.sensitive_items)).astype(np.int64)

    def transactions_per_holder(self) -> Floats:
        """For each sensitive item, how many transactions with it a holder has in the mean; 1 unless persons count.

        An item without a total has the mean of the others.
        """
        if self.totals is None:
            return np.ones(len(self.sensitive_items))
        stated, holders = self.totals > 0, self.sensitive_totals()
        overall = self.totals[stated].sum() / max(int(holders[stated].sum()), 1)
        return np.where(stated, self.totals / np.maximum(holders, 1), max(float(overall), 1.0))

    def expected_count(self) -> Floats:
        """For each count, in how many transactions of the group the item is expected."""
        return self.count * self.transactions_per_holder()[self.count_item]

    def most_count(self) -> Ints:
        """For each count, in how many transactions of the group the item can be at most.

        Every person who does not hold it has a transaction without it.
        """
        if self.totals is None:
            return self.count
        return self.group_sizes()[self.count_group] - (self.members()[self.count_group] - self.count)

    @classmethod
    def schemas(cls, manifest: Manifest) -> Mapping[str, Schema]:
        """Return the exact tables."""
        exact = {"transactions": TRANSACTIONS, "sensitive": SENSITIVE, "groups": GROUPS}
        if counts_persons(manifest.facts):
            exact |= {"sensitive": SENSITIVE_BY_PERSON, "groups": GROUPS_BY_PERSON}
            if SECRET_COLUMNS in manifest.facts:
                exact |= {"transactions": OF_RECORDS, "table": TABLE, "columns": COLUMNS}
            else:
                exact["totals"] = TOTALS
        return exact

    @classmethod
    def problem(cls, manifest: Manifest) -> str:
        """Return what is wrong with the facts of a manifest, in words; "" when nothing is."""
        return super(GroupedRelease, cls).problem(manifest) or misstated_columns(manifest.facts)

    @classmethod
    def from_tables(cls, found: Tables, manifest: Manifest) -> Self:
        """The release that such tables are of."""
        by_person, secret = counts_persons(manifest.facts), manifest.facts.get(SECRET_COLUMNS)
        baskets, columns = assemble_baskets(found.batches("transactions"))
        group = columns["group"]
        steps = np.diff(group, prepend=-1)
        if not bool(((steps == 0) | (steps == 1)).all()) or (len(group) and group[0] != 0):
            raise TamperedRelease("The transactions are not in the order of their groups, numbered 0, 1, 2 and so on.")
        group_ptr = np.append(np.flatnonzero(steps), len(group))
        groups = len(group_ptr) - 1
        labels, count_group, count_item, count = _counts(found, "persons" if by_person else "count", groups)
        attributes = None if secret is None else TableRelease.from_tables(found, manifest, ranges=False)
        return cls(
            transactions=baskets if attributes is None else with_attributes(baskets, attributes, secret or [], labels),
            group_ptr=group_ptr,
            sensitive_items=labels,
            count_group=count_group,
            count_item=count_item,
            count=count,
            group_persons=found.persons("groups", groups) if by_person else None,
            totals=totals_in(found, labels) if "totals" in found.schemas else None,
            attributes=attributes,
            secret_columns=tuple(secret or ()),
            made=manifest.made,
        )

    def tables(self) -> Mapping[str, Iterator[pa.RecordBatch]]:
        """Return the tables as they are written: rows by group, counts by group and item."""
        numbers, sizes = np.arange(self.groups), self.group_sizes()
        labels = pa.array(self.sensitive_items, pa.string())
        items = pa.DictionaryArray.from_arrays(pa.array(self.count_item), labels).cast(pa.string())
        persons = [] if self.group_persons is None else [self.group_persons]
        counts, groups = (SENSITIVE_BY_PERSON, GROUPS_BY_PERSON) if persons else (SENSITIVE, GROUPS)
        made = {
            "transactions": item_batches(self.items_alone(), {"group": np.repeat(numbers, sizes)}),
            "sensitive": iter([counts.batch(self.count_group, items, self.count)]),
            "groups": iter([groups.batch(numbers, sizes, *persons)]),
        }
        if self.totals is not None:
            made["totals"] = iter([totals_batch(self.sensitive_items, self.totals)])
        if self.attributes is not None:
            made |= self.attributes.tables()
        return made

    def counts(self) -> dict[str, int]:
        """The figures that the manifest states; nothing about single rows."""
        items = self.items_alone()
        return {
            "transactions": items.n,
            **({} if self.persons is None else {"persons": self.persons}),
            **({} if self.attributes is None else {"columns": len(self.attributes.columns)}),
            "items": items.d,
            "entries": items.entries,
            "groups": self.groups,
            "sensitive_items": len(self.sensitive_items),
            "sensitive_entries": int(self.count.sum()),
        }

    def facts(self) -> dict[str, object]:
        """What the groups are made of, if not of transactions, and which columns of records are sensitive."""
        return {**({} if self.group_persons is None else BY_PERSON), **self.column_facts()}

    def estimate(
        self, sensitive: str | None = None, *, present: Collection[str] = (), absent: Collection[str] = ()
    ) -> Estimate:
        """Estimate how many transactions hold `sensitive`, all of `present` and none of `absent`.

        Examples
        --------
        >>> import covey
        >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["a"], ["b"]], sensitive=["s"])
        >>> release = covey.anonymize(baskets, "degree(p=2)", seed=1)
        >>> release.estimate("s").estimate
        1.0
        """
        return estimated(self, sensitive, present, absent)

    def draw(self, seed: int | None = None) -> Baskets:
        """Complete baskets that this release allows, each group's sensitive items dealt to its members at random.

        One draw is taken from all worlds that the release allows with equal chances, so it discloses nothing about
        anybody that the release does not. Row i is row i of the release. Compute on several draws, and combine them
        with `covey.combine`: the mean agrees with `estimate`. Where persons are counted, baskets are drawn, not
        persons: which baskets belong to one person is not published, and how often each group has an item is drawn
        first.

        Examples
        --------
        >>> import covey
        >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["a"], ["b"]], sensitive=["s"])
        >>> covey.anonymize(baskets, "degree(p=2)", seed=1).draw(seed=3)
        Baskets(4 transactions, 3 items, 5 entries, 1 sensitive)
        """
        return drawn(self, seed)


def totals_batch(items: tuple[str, ...], totals: Ints) -> pa.RecordBatch:
    """The table (item, transactions) of the items whose total is stated."""
    stated = np.flatnonzero(totals)
    return TOTALS.batch(pa.array([items[i] for i in stated], pa.string()), totals[stated])


def totals_in(found: Tables, labels: tuple[str, ...]) -> Ints:
    """The stated total of each sensitive item; whether it is possible is for the check of the guarantee to decide."""
    item, total = found.columns("totals", "item", "transactions")
    place = {label: i for i, label in enumerate(labels)}
    totals = np.zeros(len(labels), np.int64)
    for label, number in zip(item.to_pylist(), total.tolist(), strict=True):
        if label not in place or number < 1 or totals[place[label]]:
            raise TamperedRelease("The totals do not state a number of 1 or more once for items that groups count.")
        totals[place[label]] = number
    return totals


def _counts(found: Tables, what: str, groups: int) -> tuple[tuple[str, ...], Ints, Ids, Ints]:
    """The sensitive items, and group, item and number of every count, by group and item."""
    group, item, count = found.columns("sensitive", "group", "item", what)
    codes = LabelCodes()
    ids = codes.encode(item)
    require_named(codes.labels)
    labels, rename = codes.in_label_order()
    order = np.lexsort((rename[ids], group))
    group, ids, count = group[order], rename[ids][order], count[order]
    if bool((count < 1).any()):
        raise TamperedRelease("A sensitive count is below 1.")
    if bool(((np.diff(group) == 0) & (np.diff(ids) == 0)).any()):
        raise TamperedRelease("A group gives the count of one sensitive item twice.")
    if not bool(((group >= 0) & (group < groups)).all()):
        raise TamperedRelease("Sensitive counts are given for a group that has no transactions.")
    return labels, group, ids, count
