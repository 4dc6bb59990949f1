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
from covey.kernels.shared.csr import take_rows
from covey.kernels.shared.groups import rows_by_group
from covey.release.base import Statement
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
    indptr, indices = take_rows(public.indptr, public.indices, rows)
    transactions = Baskets(indptr=indptr, indices=indices, items=public.items, sensitive=np.zeros(public.d, np.bool_))
    secret = data.only(data.sensitive & occurring)
    keys = np.repeat(relabelled, secret.lengths()) * max(secret.d, 1) + secret.indices
    cells, count = np.unique(keys, return_counts=True)
    group_persons = holders = None
    if data.person is not None:
        group_of_person = np.empty(int(data.person.max(initial=-1)) + 1, np.int64)
        group_of_person[data.person] = relabelled
        group_persons = np.bincount(group_of_person, minlength=groups).astype(np.int64)
        people = secret.by_person()
        held = np.repeat(group_of_person, people.lengths()) * max(secret.d, 1) + people.indices
        holders = np.unique(held, return_counts=True)[1].astype(np.int64)
    return GroupedRelease(
        transactions=transactions,
        group_ptr=group_ptr,
        sensitive_items=secret.items,
        count_group=cells // max(secret.d, 1),
        count_item=(cells % max(secret.d, 1)).astype(np.int32),
        count=count.astype(np.int64),
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
