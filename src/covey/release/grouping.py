"""Publishing without leaking: the only way a method may make a grouped release.

Groups are renumbered at random and rows are shuffled within their group; rows are then stored group by group.
That is as good as a shuffle of all rows, since whoever has the release can sort it by group anyway, and it
keeps files small and queries local. Items stand in label order. The random numbers come from the system's
entropy unless a seed is given, and a seed is never written down.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets, Records
from covey.data.baskets import unmarked
from covey.data.csr import rows_by_group, take_rows
from covey.release.attributes import attributes_of
from covey.release.base import Statement
from covey.release.grouped import GroupedRelease
from covey.release.trace import Trace, remember


def grouped(
    original: Baskets | Records,
    group: Ints,
    groups: int,
    *,
    made: Statement,
    seed: int | None,
) -> GroupedRelease:
    """Make a grouped release of the `original` from the group number of each row.

    Sensitive items and columns of the original are marked; other attributes are published as they are. Every number in
    ``range(groups)`` is used, and all rows of a person have the same. Without a seed, the system's entropy decides.
    """
    return arranged(original, group, groups, made=made, seed=seed)[0]


def arranged(
    original: Baskets | Records, group: Ints, groups: int, *, made: Statement, seed: int | None
) -> tuple[GroupedRelease, Ints]:
    """As `grouped`, and the original row of each published one."""
    data = original.as_baskets()
    rng = np.random.default_rng(seed)
    relabelled = rng.permutation(groups)[group]
    group_ptr, rows = rows_by_group(relabelled, rng.permutation(data.n), groups)

    occurring = data.supports() > 0
    public = data.only(~data.sensitive & occurring)
    secret = data.only(data.sensitive & occurring)
    count_group, count_item, count, group_persons = counts_of(relabelled, groups, secret)
    release = GroupedRelease(
        transactions=unmarked(*take_rows(public.indptr, public.indices, rows), public.items),
        group_ptr=group_ptr,
        sensitive_items=secret.items,
        count_group=count_group,
        count_item=count_item.astype(np.int32),
        count=count,
        group_persons=group_persons,
        totals=totals_of(count_item, secret) if isinstance(original, Baskets) else None,
        **attributes_of(original, rows, made),
        made=made,
    )
    remember(release, Trace(rows=rows))
    return release, rows


def merged(group: Ints, groups: int, secret: Baskets) -> tuple[Ints, int]:
    """Give rows of groups that look alike one number, and return it for each row, with how many groups are left.

    Where `secret` names persons, groups must also agree in how many there are, and in how many of them hold each item.

    Examples
    --------
    >>> secret = Baskets.of([["s"], [], ["s"], [], []])
    >>> group, left = merged(np.array([0, 0, 1, 1, 2]), 3, secret)
    >>> group.tolist(), left
    ([0, 0, 0, 0, 1], 2)
    """
    while True:
        # Merged groups may look like others in their turn.
        group, left = _once(group, groups, secret)
        if left == groups:
            return group, groups
        groups = left


def _once(group: Ints, groups: int, secret: Baskets) -> tuple[Ints, int]:
    """The same for groups that look alike as they are. O(rows + sensitive entries · log)."""
    size = np.bincount(group, minlength=groups)
    at, item, count, persons = counts_of(group, groups, secret)
    sized = np.stack([size] if persons is None else [size, persons], axis=1)
    told = np.stack([item, count], axis=1)
    first = np.searchsorted(at, np.arange(groups + 1))
    number: dict[bytes, int] = {}
    renamed = np.empty(groups, np.int64)
    for g in range(groups):
        profile = sized[g].tobytes() + told[first[g] : first[g + 1]].tobytes()
        renamed[g] = number.setdefault(profile, len(number))
    return renamed[group], len(number)


def counts_of(group: Ints, groups: int, secret: Baskets) -> tuple[Ints, Ints, Ints, Ints | None]:
    """The group, the item and the number of holders of every sensitive item in every group that has it.

    Where persons are named they are the holders, and the last array says how many each group has; else it is None.
    """
    m, persons = max(secret.d, 1), None
    if secret.person is not None:
        people = secret.by_person()
        home = np.empty(people.n, np.int64)
        home[secret.person] = group
        secret, group, persons = people, home, np.bincount(home, minlength=groups)
    cells, count = np.unique(np.repeat(group, secret.lengths()) * m + secret.indices, return_counts=True)
    return cells // m, cells % m, count, persons


def totals_of(count_item: Ints, secret: Baskets) -> Ints | None:
    """In how many transactions each sensitive item is; 0 for one that a single group counts, None without persons.

    Whoever knows how many transactions each member of a group has could tell holders by the group's own number.
    """
    if secret.person is None:
        return None
    in_groups = np.bincount(count_item, minlength=secret.d)
    return np.where(in_groups > 1, secret.supports(), 0)
