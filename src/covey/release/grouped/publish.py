"""Publishing without leaking: the only way a method may make a grouped release.

Groups are renumbered at random and rows are shuffled within their group; rows are then stored group by group.
That is as good as a shuffle of all rows, since whoever has the release can sort it by group anyway, and it
keeps files small and queries local. Items stand in label order. The random numbers come from the system's
entropy unless a seed is given, and a seed is never written down.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets, Records, Table
from covey.data.baskets import unmarked
from covey.kernels.shared.csr import take_rows
from covey.kernels.shared.groups import rows_by_group
from covey.release.base import Statement
from covey.release.grouped.merging import counts_of
from covey.release.grouped.model import GroupedRelease
from covey.release.table.publish import table


def grouped(
    original: Baskets | Records,
    group: Ints,
    groups: int,
    *,
    made: Statement,
    seed: int | None,
) -> GroupedRelease:
    """Make a grouped release of the `original` from the group number of each row.

    Parameters
    ----------
    original : Baskets or Records
        With its sensitive items and columns marked; other attributes are published as they are.
    group : int64 array of length n
        Group numbers in ``range(groups)``, none of them unused; the same for all rows of a person.
    groups : int
        How many groups there are.
    made : Statement
        How it was made.
    seed : int or None
        None draws from the system's entropy.
    """
    data = original.as_baskets()
    rng = np.random.default_rng(seed)
    relabelled = rng.permutation(groups)[group]
    group_ptr, rows = rows_by_group(relabelled, rng.permutation(data.n), groups)

    occurring = data.supports() > 0
    public = data.only(~data.sensitive & occurring)
    secret = data.only(data.sensitive & occurring)
    count_group, count_item, count, group_persons, holders = counts_of(relabelled, groups, secret)
    return GroupedRelease(
        transactions=unmarked(*take_rows(public.indptr, public.indices, rows), public.items),
        group_ptr=group_ptr,
        sensitive_items=secret.items,
        count_group=count_group,
        count_item=count_item.astype(np.int32),
        count=count,
        group_persons=group_persons,
        holders=holders,
        **_attributes(original, rows, made),
        made=made,
    )


def _attributes(original: Baskets | Records, rows: Ints, made: Statement) -> dict[str, Any]:
    """What a release of records has besides: the attributes of each person, and which columns are counts only."""
    if not isinstance(original, Records):
        return {}
    columns = original.attributes.columns
    shown = Table(tuple(column for column in columns if column.role != "sensitive"))
    return {
        # Everybody is a class of their own, which is covered by the values as they are.
        "attributes": table(shown, np.arange(shown.n), shown.n, made=made, order=rows),
        "secret_columns": tuple(column.name for column in columns if column.role == "sensitive"),
    }
