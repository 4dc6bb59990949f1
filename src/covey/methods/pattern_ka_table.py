"""PatternKa on tables (PatternKa 2020, Algorithms 2 and 3): rows to items, longest patterns first, least loss first.

Data flow: bucket the columns into items → for each length, from all columns down to none, classes of equal rows on
choices of columns → groups, cheapest first → leftovers to the group they cost least → publication.
With ``row_choice=paper`` the rows of a pattern, and where leftovers go, are as the paper has them.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from math import comb

import numpy as np

from covey.arrays import Floats, Ids, Mask
from covey.data import Table
from covey.data.groups import rows_by_group
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.l_diversity import LDiversity
from covey.methods.base import Groups, GroupsTables
from covey.methods.extents import Scale, extents_loss, extents_of, group_extents, merged
from covey.methods.table_patterns import pattern_classes, place_leftovers, take_groups, take_groups_as_written
from covey.parameters import parameter
from covey.progress import Progress

#: With more rows than this, fewer choices of columns are looked at: the rows of all of them are held at once.
ROWS = 1 << 18

ROW_CHOICES = ("least-loss", "paper")


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternKaTable(GroupsTables):
    """Rows that share most values are published alike, longest frequent patterns first.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> people = Table.of({"age": [21, 40, 23, 44], "sex": ["f", "m", "f", "m"]})
    >>> PatternKaTable(seed=0).anonymize(people, guarantee("k-anonymity(k=2)")).distinct_rows()
    [('[21-23]', 'f'), ('[40-44]', 'm')]
    """

    name = "pattern-ka"

    buckets: int = parameter(
        20,
        at_least=1,
        says="Into how many equal ranges a numeric column is cut to look for patterns.",
    )
    choices: int = parameter(
        512,
        at_least=1,
        says=f"How many choices of columns are searched for patterns of one length; fewer above {ROWS:,} rows.",
        cut_short="Not all choices of columns were searched for patterns; more choices, or fewer quasi-identifiers, "
        "may lose less.",
    )
    row_choice: str = parameter(
        "least-loss",
        one_of=ROW_CHOICES,
        expert=True,
        says="Which rows of a pattern make a group: the most typical one and those that add least loss, or, as "
        "Algorithm 2 of the paper says, those with the rarest values; all leftovers then join the group with the "
        "least loss, as in Algorithm 1. For comparison only: it loses more.",
    )

    def groups(self, data: Table, promise: KAnonymity | LDiversity, progress: Progress) -> Groups:
        """Groups that keep `promise`."""
        e = extents_of(data, promise)
        items = bucket_items(data, self.buckets)
        group, groups, notes = self.pattern_groups(items, e.codes, e.scale, e.k, progress)
        ptr, rows = rows_by_group(np.where(group < 0, groups, group), np.arange(data.n), groups + 1)
        left = rows[ptr[groups] :]
        if len(left):
            low, high = group_extents(e.codes, ptr[: groups + 1], rows)
            sizes = np.diff(ptr)[:groups]
            if self.row_choice == "paper":
                losses = [extents_loss(e.scale, low[g], high[g]) for g in range(groups)]
                group[left] = int(np.argmin(sizes * np.array(losses)))
            else:
                place_leftovers(left, e.codes, e.scale, low, high, sizes, group)
            ptr, rows = rows_by_group(group, np.arange(data.n), groups)
        else:
            ptr = ptr[: groups + 1]
        return merged(e, ptr, rows)._replace(notes=notes)

    def pattern_groups(self, items: Ids, codes: Ids, scale: Scale, k: int, progress: Progress) -> Groups:
        """The group of each row, -1 for fewer than k leftovers.

        Removing rows never makes a pattern frequent, so lengths are passed once, from the longest down.
        """
        n, q = items.shape
        group = np.full(n, -1, np.int64)
        groups, cut_short = 0, False
        # The same words in every run: they decide between equal choices, and the same data has the same release.
        words = np.random.default_rng(0).integers(0, 2**64, (q, int(items.max(initial=0)) + 1), np.uint64)
        take = take_groups_as_written if self.row_choice == "paper" else take_groups
        shared = np.array([_log_chance(items[:, a]) for a in range(q)])
        for length in range(q, -1, -1):
            live = np.flatnonzero(group < 0)
            if len(live) < k:
                break
            progress("grouping", 1.0 - len(live) / n)
            most = max(min(self.choices, self.choices * ROWS // len(live)), 1)
            cut_short |= comb(q, length) > most
            ptr, classes = pattern_classes(items, live, column_choices(shared, length, most), words, k)
            if len(ptr) > 1:
                groups = take(ptr, classes, codes, items, scale, k, group, groups)
        return Groups(group, groups, ("choices",) if cut_short else ())


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
