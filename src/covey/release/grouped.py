"""Grouped releases: ordinary items exact per transaction, sensitive items only as counts per group.

Where persons are counted, the manifest states ``"unit": "person"``; groups state how many persons they have and how
many of them hold each item, never in how many transactions. ``totals`` states that once for the whole release.
Of records the manifest also states the ``sensitive_columns``. Then ``table`` and ``columns`` are as in a released
table, and row i of ``table`` and of ``transactions`` is the same person.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from covey.arrays import Floats, Ids, Ints
from covey.counting import counted
from covey.data import Baskets
from covey.data.csr import beside, matches_per_group, rows_from_pairs
from covey.errors import InputError, ParameterError, TamperedRelease
from covey.parameters import did_you_mean
from covey.release.attributes import WithAttributes, misstated_columns, with_attributes
from covey.release.base import Words
from covey.release.estimate import Estimate
from covey.release.item_columns import LabelCodes, assemble_baskets, item_batches, require_named
from covey.release.manifest import Manifest
from covey.release.persons import BY_PERSON, SECRET_COLUMNS, counts_persons, misstated
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

    Attributes
    ----------
    transactions : Baskets
        The published items of each transaction; rows of one group stand together.
    group_ptr : int64 array
        Rows ``group_ptr[g]`` to ``group_ptr[g + 1]`` are group g.
    sensitive_items : tuple of str
        Labels of the sensitive items, in label order.
    count_group, count_item, count : arrays
        Group, position in `sensitive_items`, and how many transactions hold it, or persons where these are counted; by
        group, then item.
    group_persons : int64 array or None
        Where persons are counted: how many each group has.
    totals : int64 array or None
        Where persons have several transactions each: in how many transactions of the release each sensitive item is.
        0 for an item that only one group counts, of which the number would be that group's.
    made : Statement
        How it was made.
    """

    kind: ClassVar[str] = "grouped"
    data_kinds: ClassVar[tuple[str, ...]] = ("baskets", "records")
    words: ClassVar[Words] = WORDS
    framed: ClassVar[tuple[str, ...]] = ("transactions", "table")

    transactions: Baskets
    group_ptr: Ints
    sensitive_items: tuple[str, ...]
    count_group: Ints
    count_item: Ids
    count: Ints
    group_persons: Ints | None = None
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
        """For each sensitive item, how many transactions with it a holder has in the mean; 1 unless persons count."""
        if self.totals is None:
            return np.ones(len(self.sensitive_items))
        return transactions_per_holder(self.totals, self.sensitive_totals())

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
        """Return what is stated besides the unit and the sensitive columns of records; "" for nothing."""
        return misstated(manifest.facts, [SECRET_COLUMNS]) or misstated_columns(manifest.facts)

    @classmethod
    def from_tables(cls, found: Tables, manifest: Manifest) -> Self:
        """The release that such tables are of."""
        by_person = counts_persons(manifest.facts)
        baskets, rest = assemble_baskets(found.batches("transactions"))
        columns = [piece.column("group") for piece in rest]
        if any(column.null_count for column in columns):
            raise TamperedRelease("A published transaction has no group.")
        group = np.concatenate([np.empty(0, np.int64), *(column.to_numpy() for column in columns)])
        steps = np.diff(group, prepend=-1)
        if not bool(((steps == 0) | (steps == 1)).all()) or (len(group) and group[0] != 0):
            raise TamperedRelease("The transactions are not in the order of their groups, numbered 0, 1, 2 and so on.")
        group_ptr = np.append(np.flatnonzero(steps), len(group))
        labels, count_group, count_item, count = _counts(found, "persons" if by_person else "count")
        secret = manifest.facts.get(SECRET_COLUMNS)
        attributes = None if secret is None else TableRelease.from_tables(found, manifest, ranges=False)
        if not bool(((count_group >= 0) & (count_group < len(group_ptr) - 1)).all()):
            raise TamperedRelease("Sensitive counts are given for a group that has no transactions.")
        by_group = np.lexsort((count_item, count_group))
        return cls(
            transactions=baskets if attributes is None else with_attributes(baskets, attributes, secret or [], labels),
            group_ptr=group_ptr,
            sensitive_items=labels,
            count_group=count_group[by_group],
            count_item=count_item[by_group],
            count=count[by_group],
            group_persons=_persons(found, len(group_ptr) - 1) if by_person else None,
            totals=totals_in(found, labels) if "totals" in found.schemas else None,
            attributes=attributes,
            secret_columns=tuple(secret or ()),
            made=manifest.made,
        )

    def tables(self) -> Mapping[str, Iterator[pa.RecordBatch]]:
        """Return the tables as they are written: rows by group, counts by group and item."""
        numbers = np.arange(self.groups)
        sizes = self.group_sizes()
        made = {
            "transactions": item_batches(self.items_alone(), {"group": np.repeat(numbers, sizes)}),
            "sensitive": iter([sensitive_batch(self)]),
        }
        if self.group_persons is None:
            made["groups"] = iter([GROUPS.batch(numbers, sizes)])
        else:
            made["groups"] = iter([GROUPS_BY_PERSON.batch(numbers, sizes, self.group_persons)])
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
        sign = self._signs(present, absent)
        matches = matches_per_group(
            self.transactions.indptr, self.transactions.indices, self.group_ptr, sign, len(set(present))
        )
        if sensitive is None:
            found = int(matches.sum())
            return Estimate(estimate=float(found), standard_error=0.0, lower=found, upper=found, matching=found)
        rows = self.count_item == self._sensitive_position(sensitive)
        groups, least, most = self.count_group[rows], self.count[rows], self.most_count()[rows]
        size, b = self.group_sizes()[groups], matches[groups]
        lower, upper = int(np.maximum(0, least + b - size).sum()), int(np.minimum(most, b).sum())
        total = 0 if self.totals is None else int(self.totals[self._sensitive_position(sensitive)])
        if total:
            lower = max(lower, total - int(np.minimum(most, size - b).sum()))
            upper = min(upper, total - int(np.maximum(0, least - b).sum()))
        a, share = np.minimum(self.expected_count()[rows], most), b / size
        variance = a * share * (1 - share) * (size - a) / np.maximum(size - 1, 1)
        return Estimate(
            estimate=min(max(float((a * share).sum()), lower), upper),
            standard_error=math.sqrt(float(variance.sum())),
            lower=lower,
            upper=upper,
            matching=int(matches.sum()),
            persons=None if self.group_persons is None else int(least.sum()),
        )

    def draw(self, seed: int | None = None) -> Baskets:
        """Complete baskets that this release allows, each group's sensitive items dealt to its members at random.

        One draw is taken from all worlds that the release allows with equal chances, so it tells nothing about anybody
        that the release does not. Row i is row i of the release. Compute on several draws, and combine them with
        `covey.combine`: the mean agrees with `estimate`. Where persons are counted, baskets are drawn, not persons:
        which baskets belong to one person is not published, and how often each group has an item is drawn first.

        Examples
        --------
        >>> import covey
        >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["a"], ["b"]], sensitive=["s"])
        >>> covey.anonymize(baskets, "degree(p=2)", seed=1).draw(seed=3)
        Baskets(4 transactions, 3 items, 5 entries, 1 sensitive)
        """
        rng = np.random.default_rng(seed)
        sizes, first, occurrences = self.group_sizes(), self.group_ptr, self._drawn_counts(rng)
        dealt = [
            first[group] + rng.choice(sizes[group], count, replace=False, shuffle=False)
            for group, count in zip(self.count_group, occurrences, strict=True)
        ]
        public = self.transactions
        rows = np.concatenate([np.empty(0, np.int64), *dealt]).astype(np.int32)
        secret = np.repeat(self.count_item, occurrences) + np.int32(public.d)
        indptr, indices = beside(public.indptr, public.indices, *rows_from_pairs(rows, secret, public.n))
        return Baskets.build(indptr, indices, [*public.items, *self.sensitive_items], self.sensitive_items)

    def _drawn_counts(self, rng: np.random.Generator) -> Ints:
        """For each count a number of transactions that the release allows; those of an item add up to its total."""
        found, slack = self.count.copy(), self.most_count() - self.count
        ratio = self.transactions_per_holder() - 1
        for item in np.flatnonzero(ratio > 0):
            cells = np.flatnonzero(self.count_item == item)
            more = min(round(ratio[item] * int(self.count[cells].sum())), int(slack[cells].sum()))
            found[cells] += rng.multivariate_hypergeometric(slack[cells], more, method="marginals")
        return found

    def _signs(self, present: Collection[str], absent: Collection[str]) -> NDArray[np.int8]:
        for given in (present, absent):
            if isinstance(given, str):
                raise ParameterError(f"Give items as a list, such as [{given!r}], not as the text {given!r}.")
        both = sorted(set(present) & set(absent))
        if both:
            raise ParameterError(f"The item {both[0]!r} cannot be both present and absent.")
        sign = np.zeros(self.transactions.d, np.int8)
        position = {name: i for i, name in enumerate(self.transactions.items)}
        for names, value in ((present, 1), (absent, -1)):
            for name in names:
                if name not in position:
                    remedy = did_you_mean(name, self.transactions.items).strip()
                    if name in self.sensitive_items:
                        remedy = "It is sensitive: ask for it with --sensitive (one sensitive item per query)."
                    raise InputError(f"the release has no item {name!r}", remedy=remedy)
                sign[position[name]] = value
        return sign

    def _sensitive_position(self, name: str) -> int:
        if name in self.sensitive_items:
            return self.sensitive_items.index(name)
        known = ", ".join(self.sensitive_items[:8]) + (" …" if len(self.sensitive_items) > 8 else "")
        hint = did_you_mean(name, self.sensitive_items).strip()
        raise InputError(f"{name!r} is not a sensitive item of this release", remedy=f"{hint} It has: {known}.".strip())


def transactions_per_holder(totals: Ints, holders: Ints) -> Floats:
    """Return for each item how many transactions with it a holder has; without a total, the mean of the other items.

    Examples
    --------
    >>> transactions_per_holder(np.array([12, 0, 8]), np.array([4, 1, 4]))
    array([3. , 2.5, 2. ])
    """
    stated = totals > 0
    overall = totals[stated].sum() / max(int(holders[stated].sum()), 1)
    return np.where(stated, totals / np.maximum(holders, 1), max(float(overall), 1.0))


def sensitive_batch(release: GroupedRelease) -> pa.RecordBatch:
    """The table (group, item, count), by group and then item."""
    labels = pa.array(release.sensitive_items, pa.string())
    items = pa.DictionaryArray.from_arrays(pa.array(release.count_item), labels).cast(pa.string())
    schema = SENSITIVE if release.group_persons is None else SENSITIVE_BY_PERSON
    return schema.batch(release.count_group, items, release.count)


def totals_batch(items: tuple[str, ...], totals: Ints) -> pa.RecordBatch:
    """The table (item, transactions) of the items whose total is stated."""
    stated = np.flatnonzero(totals)
    return TOTALS.batch(pa.array([items[i] for i in stated], pa.string()), totals[stated])


def _persons(found: Tables, groups: int) -> Ints:
    """How many persons each group has; whether that is possible is for the check of the promise to say."""
    table = found.table("groups")
    group, persons = (table.column(name).combine_chunks() for name in ("group", "persons"))
    if group.null_count or persons.null_count or len(group) != groups:
        raise TamperedRelease("The table of groups does not say of every group how many persons it has.")
    numbers: Ints = persons.to_numpy()
    return numbers


def totals_in(found: Tables, labels: tuple[str, ...]) -> Ints:
    """The stated total of each sensitive item; whether it is possible is for the check of the promise to say."""
    table = found.table("totals")
    item, total = (table.column(name).combine_chunks() for name in ("item", "transactions"))
    if item.null_count or total.null_count:
        raise TamperedRelease("A total has a missing value.")
    place = {label: i for i, label in enumerate(labels)}
    totals = np.zeros(len(labels), np.int64)
    for label, number in zip(item.to_pylist(), total.to_pylist(), strict=True):
        if label not in place or number < 1 or totals[place[label]]:
            raise TamperedRelease("The totals do not state a number of 1 or more once for items that groups count.")
        totals[place[label]] = number
    return totals


def _counts(found: Tables, what: str) -> tuple[tuple[str, ...], Ints, Ids, Ints]:
    table = found.table("sensitive")
    group, item, count = (table.column(name).combine_chunks() for name in ("group", "item", what))
    if group.null_count or item.null_count or count.null_count:
        raise TamperedRelease("A sensitive count has a missing value.")
    codes = LabelCodes()
    ids = codes.encode(item)
    require_named(codes.labels)
    labels, rename = codes.in_label_order()
    ids, groups, counts = rename[ids], group.to_numpy(), count.to_numpy()
    if bool((counts < 1).any()):
        raise TamperedRelease("A sensitive count is below 1.")
    cells = np.unique(np.stack([groups, ids.astype(np.int64)]), axis=1)
    if cells.shape[1] != len(groups):
        raise TamperedRelease("A group gives the count of one sensitive item twice.")
    return labels, groups, ids, counts
