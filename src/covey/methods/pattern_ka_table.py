"""PatternKa on tables (PatternKa 2020, Algorithms 2 and 3): rows to items, longest patterns first, least loss first.

Data flow: bucket the columns into items → for each length, from all columns down to none, classes of equal rows on
choices of columns → groups, cheapest first → leftovers to the group they cost least → publication.
"""

from __future__ import annotations

import heapq
from math import comb
from typing import Any

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.data import Table
from covey.guarantees.base import Guarantee
from covey.methods.extents import extents_of, merged
from covey.progress import Progress
from covey.release.table import publish as publish_table
from covey.release.table.model import TableRelease

#: Choices of columns looked at per length: all of them for up to 11 columns.
CHOICES = 512

#: Entries of classes held at once, 4 bytes each.
ENTRIES = 1 << 27


def anonymize_table(method: Any, data: Table, guarantee: Guarantee, progress: Progress) -> TableRelease:
    """Return a release of `data` in which rows that share long patterns are published alike.

    Parameters
    ----------
    method : PatternKa
        Its `buckets`, `seed` and `name` are used.
    data : Table
        The original.
    guarantee : k-anonymity or l-diversity
        With the parameter k, perhaps l.
    progress : callable
        Told of the stages.
    """
    from covey.kernels.methods.extents import group_extents
    from covey.kernels.methods.table_patterns import place_leftovers
    from covey.kernels.shared.groups import rows_by_group

    guarantee.require_feasible(data)  # type: ignore[arg-type]
    extents = extents_of(data, guarantee)
    group, groups = pattern_groups(
        bucket_items(data, method.buckets), extents.codes, extents.scale, extents.k, progress
    )
    ptr, rows = rows_by_group(np.where(group < 0, groups, group), np.arange(data.n), groups + 1)
    left = rows[ptr[groups] :]
    if len(left):
        low, high = group_extents(extents.codes, ptr[: groups + 1], rows)
        place_leftovers(left, extents.codes, extents.scale, low, high, np.diff(ptr)[:groups], group)
        ptr, rows = rows_by_group(group, np.arange(data.n), groups)
    else:
        ptr = ptr[: groups + 1]
    group, groups = merged(extents, ptr, rows)
    progress("publishing", 0.0)
    return publish_table.table(
        data,
        group,
        groups,
        guarantee=guarantee.text,
        method=method.name,
        options={"buckets": method.buckets},
        seed=method.seed,
    )


def bucket_items(data: Table, buckets: int) -> Ids:
    """The item of each row and column (Alg. 3): the place in the hierarchy's walk, or one of `buckets` ranges."""
    columns = []
    for column in data.of_role("quasi"):
        if column.numeric:
            places = column.positions()
            cut = np.minimum((places * buckets).astype(np.int32), buckets - 1)
            cut[places > 1] = buckets  # the missing value
            columns.append(cut[column.codes])
        else:
            columns.append(column.codes)
    return np.stack(columns, axis=1).astype(np.int32)


def pattern_groups(items: Ids, codes: Ids, scale: Any, k: int, progress: Progress) -> tuple[Ints, int]:
    """The group of each row, -1 for fewer than k leftovers, and the number of groups.

    Removing rows never makes a pattern frequent, so lengths are passed once, from the longest down.
    """
    from covey.kernels.methods.table_patterns import pattern_classes, take_groups

    n, q = items.shape
    group = np.full(n, -1, np.int64)
    groups = 0
    # The same words in every run: they decide between equal choices, and the same data has the same release.
    words = np.random.default_rng(0).integers(0, 2**64, (q, int(items.max(initial=0)) + 1), np.uint64)
    shared = np.array([_log_chance(items[:, a]) for a in range(q)])
    for length in range(q, -1, -1):
        live = np.flatnonzero(group < 0)
        if len(live) < k:
            break
        progress("grouping", 1.0 - len(live) / n)
        most = max(min(CHOICES, ENTRIES // len(live)), 1)
        ptr, classes = pattern_classes(items, live, column_choices(shared, length, most), words, k)
        if len(ptr) > 1:
            groups = take_groups(ptr, classes, codes, items, scale, k, group, groups)
    return group, groups


def _log_chance(column: Ids) -> float:
    """Log of the chance that two rows agree on a column."""
    share = np.bincount(column) / max(len(column), 1)
    return float(np.log(max((share * share).sum(), 1e-300)))


def column_choices(weight: Floats, length: int, most: int) -> Mask:
    """At most `most` choices of `length` columns, those with the largest summed weight first.

    Examples
    --------
    >>> column_choices(np.array([0.0, -1.0, -3.0]), 2, 2).astype(int).tolist()
    [[1, 1, 0], [1, 0, 1]]
    """
    q = len(weight)
    order = np.argsort(-weight, kind="stable")
    loss = [float(-weight[a]) for a in order]
    start = tuple(range(length))
    heap = [(sum(loss[:length]), start)]
    seen = {start}
    chosen = np.zeros((min(most, comb(q, length)), q), np.bool_)
    for i in range(len(chosen)):
        total, places = heapq.heappop(heap)
        chosen[i, order[list(places)]] = True
        # Every choice is reached from a better one by moving one of its places on by one.
        for j, place in enumerate(places):
            moved = (*places[:j], place + 1, *places[j + 1 :])
            if place + 1 < q and place + 1 not in places and moved not in seen:
                seen.add(moved)
                heapq.heappush(heap, (total - loss[place] + loss[place + 1], moved))
    return chosen
