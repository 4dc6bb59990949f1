"""The tables of a grouped release: transactions, sensitive counts, and the size of each group.

Where persons are counted, the manifest states ``"unit": "person"``; groups state how many persons they have and how
many of them hold each item, never in how many transactions. ``totals`` states that once for the whole release.
Of records the manifest also states the ``sensitive_columns``. Then ``table`` and ``columns`` are as in a released
table, and row i of ``table`` and of ``transactions`` is the same person.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from covey.arrays import Ids, Ints
from covey.data import Baskets
from covey.data.labels import plain, twins
from covey.data.values import like_values, with_values
from covey.errors import InputError, TamperedRelease
from covey.release.grouped.model import GroupedRelease
from covey.release.item_columns import LabelCodes, assemble_baskets, item_batches, require_named
from covey.release.manifest import Manifest
from covey.release.persons import SECRET_COLUMNS, counts_persons, misstated
from covey.release.table import files as table_files
from covey.release.table.model import TableRelease
from covey.release.tables import INT, TEXT, TEXTS, Schema, Tables

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


def tables(manifest: Manifest) -> Mapping[str, Schema]:
    """The exact tables of a release."""
    exact = {"transactions": TRANSACTIONS, "sensitive": SENSITIVE, "groups": GROUPS}
    if counts_persons(manifest.facts):
        exact |= {"sensitive": SENSITIVE_BY_PERSON, "groups": GROUPS_BY_PERSON}
        if SECRET_COLUMNS in manifest.facts:
            exact |= {"transactions": OF_RECORDS, "table": table_files.TABLE, "columns": table_files.COLUMNS}
        else:
            exact["totals"] = TOTALS
    return exact


def problem(manifest: Manifest) -> str:
    """Nothing is stated of a grouped release but whether persons are counted, and the sensitive columns of records."""
    told = misstated(manifest.facts, [SECRET_COLUMNS])
    columns = manifest.facts.get(SECRET_COLUMNS, [])
    if told or SECRET_COLUMNS not in manifest.facts:
        return told
    if not isinstance(columns, list) or not all(isinstance(name, str) and name for name in columns):
        return "does not name its sensitive columns as text"
    return "" if counts_persons(manifest.facts) else "is about attributes, but does not count persons"


def to_tables(release: GroupedRelease) -> Mapping[str, Iterator[pa.RecordBatch]]:
    """The tables as covey writes them: rows by group, counts by group and item."""
    numbers = np.arange(release.groups)
    sizes = release.group_sizes()
    made = {
        "transactions": item_batches(release.items_alone(), {"group": np.repeat(numbers, sizes)}),
        "sensitive": iter([sensitive_batch(release)]),
    }
    if release.group_persons is None:
        made["groups"] = iter([GROUPS.batch(numbers, sizes)])
    else:
        made["groups"] = iter([GROUPS_BY_PERSON.batch(numbers, sizes, release.group_persons)])
    if release.totals is not None:
        made["totals"] = iter([totals_batch(release.sensitive_items, release.totals)])
    if release.attributes is not None:
        made |= table_files.to_tables(release.attributes)
    return made


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


def from_tables(found: Tables, manifest: Manifest) -> GroupedRelease:
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
    attributes = None if secret is None else table_files.from_tables(found, manifest, ranges=False)
    if not bool(((count_group >= 0) & (count_group < len(group_ptr) - 1)).all()):
        raise TamperedRelease("Sensitive counts are given for a group that has no transactions.")
    by_group = np.lexsort((count_item, count_group))
    return GroupedRelease(
        transactions=baskets if attributes is None else _with_values(baskets, attributes, secret or [], labels),
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


def _with_values(baskets: Baskets, attributes: TableRelease, secret: list[str], counted: tuple[str, ...]) -> Baskets:
    """The published items with the values of attributes among them, if it is clear which is which."""
    names = [column.name for column in attributes.columns]
    if attributes.n != baskets.n:
        raise TamperedRelease(f"There are attributes of {attributes.n:,} persons, but items of {baskets.n:,}.")
    if attributes.of_role("sensitive") or twins(names, secret) or len(set(map(plain, secret))) < len(secret):
        raise TamperedRelease("A sensitive column is published next to single persons, or is named twice.")
    for label, _ in like_values((*baskets.items, *names), secret):
        raise TamperedRelease(f"{label!r} reads like a value of a sensitive column, beside single persons.")
    for label, _ in like_values(counted, names):
        raise TamperedRelease(f"{label!r} is counted, but reads like a value of a column that is published.")
    try:
        return with_values(baskets, attributes.columns)
    except InputError as error:
        raise TamperedRelease(f"An item and a column cannot be told apart: {error}") from None


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
