"""PatternKa on tables (PatternKa 2020, Algorithms 2 and 3): rows to items, longest patterns first, least loss first.

A row is a set of one item per column, so a pattern is a choice of columns and a value in each, and the frequent
patterns on a choice of columns are the classes of equal rows with at least k members. Data flow: bucket the columns
into items → for each length, from all columns down to none, classes of equal rows on choices of columns,
O(choices · rows · (columns + log(rows))) → groups, cheapest first → leftovers to the group they cost least →
publication. Of a class, the most typical row and those that add least loss make a group; Algorithm 2 takes those with
the rarest values, which loses 13 to 25 % more. Oracle: `tests/oracles/tables.py`; page:
`docs/methods.md`.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from math import comb

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask, Words, offsets_of
from covey.data import Table
from covey.data.csr import rows_by_group
from covey.data.jit import kernel
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.l_diversity import LDiversity
from covey.methods.base import Groups, GroupsTables
from covey.methods.extents import Scale, extents_loss, extents_of, group_extents, joined_loss, merged
from covey.parameters import parameter
from covey.progress import Progress

#: With more rows than this, fewer choices of columns are looked at: the rows of all of them are held at once.
ROWS = 1 << 18

#: Into how many equal ranges a numeric column is cut to look for patterns.
BUCKETS = 20


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

    choices: int = parameter(
        512,
        at_least=1,
        says=f"How many choices of columns are searched for patterns of one length; fewer above {ROWS:,} rows.",
        cut_short="Not all choices of columns were searched for patterns; more choices, or fewer quasi-identifiers, "
        "may lose less.",
    )

    def groups(self, data: Table, promise: KAnonymity | LDiversity, progress: Progress) -> Groups:
        """Groups that keep `promise`."""
        e = extents_of(data, promise)
        items = bucket_items(data, BUCKETS)
        group, groups, notes = self.pattern_groups(items, e.codes, e.scale, e.k, progress)
        ptr, rows = rows_by_group(np.where(group < 0, groups, group), np.arange(data.n), groups + 1)
        left = rows[ptr[groups] :]
        if len(left):
            low, high = group_extents(e.codes, ptr[: groups + 1], rows)
            sizes = np.diff(ptr)[:groups]
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
                groups = take_groups(ptr, classes, codes, items, scale, k, group, groups)
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


#: How many rows of a class are looked at for one group, in multiples of k; bounds the work for huge classes.
WINDOW = 64


def pattern_classes(items: Ids, live: Ints, choices: Mask, words: Words, k: int) -> tuple[Ints, Ids]:
    """The frequent patterns on each choice of columns: (offsets, rows) of the classes of at least k live rows.

    `choices` has one row per choice of columns, `words` a random word for each column and item. Rows are hashed
    with them; a collision could only make a class less alike, never a release less safe.
    O(choices · live · (columns + log live)).
    """
    coded = np.stack([words[a, items[live, a]] for a in range(items.shape[1])])
    rows, sizes = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for choice in choices:
        key = np.bitwise_xor.reduce(coded[choice], axis=0)
        order = np.argsort(key, kind="stable")
        begin = np.flatnonzero(np.append(True, np.diff(key[order]) != 0))
        size = np.diff(begin, append=len(order))
        rows.append(live[order[np.repeat(size >= k, size)]])
        sizes.append(size[size >= k])
    return offsets_of(np.concatenate(sizes)), np.concatenate(rows).astype(np.int32)


@kernel
def typicality(rows: Ids, items: Ids, counts: Ints) -> Floats:
    """Return for each row the logarithm of the product of its items' frequencies among `rows` (eq. 21).

    `counts` has a zero for every item and has so again on return. O(rows · columns).
    """
    score = np.zeros(len(rows), np.float64)
    for a in range(items.shape[1]):
        for i in range(len(rows)):
            counts[items[rows[i], a]] += 1
        for i in range(len(rows)):
            score[i] += np.log(counts[items[rows[i], a]])
        for i in range(len(rows)):
            counts[items[rows[i], a]] = 0
    return score


@kernel
def grow_group(rows: Ids, codes: Ids, items: Ids, scale: Scale, k: int, counts: Ints) -> tuple[float, int]:
    """Bring the k rows of a group to the front of `rows`, and behind them those that join it for nothing.

    The first is the most typical row, each next one adds the least loss. Rows for nothing join only if they are
    fewer than k, else they are a group of their own. Returns (loss of the group, its size).
    Precondition: at least k rows. O(rows · k · columns).
    """
    n, q = len(rows), codes.shape[1]
    first = np.argmax(typicality(rows, items, counts)) if n > k else 0
    rows[0], rows[first] = rows[first], rows[0]
    low, high = codes[rows[0]].copy(), codes[rows[0]].copy()
    for size in range(1, k):
        best, least = size, np.inf
        for i in range(size, n):
            loss = joined_loss(scale, low, high, codes[rows[i]], codes[rows[i]], least)
            if loss < least:
                best, least = i, loss
                if n == k:
                    break
        rows[size], rows[best] = rows[best], rows[size]
        for a in range(q):
            low[a] = min(low[a], codes[rows[size], a])
            high[a] = max(high[a], codes[rows[size], a])
    own = extents_loss(scale, low, high)
    size = np.int64(k)
    for i in range(k, n):
        if joined_loss(scale, low, high, codes[rows[i]], codes[rows[i]], np.inf) <= own + 1e-12:
            rows[size], rows[i] = rows[i], rows[size]
            size += 1
    return own, size if size < 2 * k else np.int64(k)


@kernel
def take_groups(ptr: Ints, classes: Ids, codes: Ids, items: Ids, scale: Scale, k: int, group: Ints, groups: int) -> int:
    """Form groups of live rows from frequent patterns of one length, least loss first (Alg. 2); return their number.

    ``group[row]`` is -1 for a live row and is set when the row is taken. The loss of a pattern only matters at the
    top of the heap, so it is brought up to date there: taking rows elsewhere can only make a pattern worse or
    infrequent. O((classes + groups) · WINDOW · k² · columns) at worst, far less for classes of few rows.
    """
    counts = np.zeros(items.max() + 1, np.int64)
    alive = np.diff(ptr)
    heap = [(0.0, np.int64(c)) for c in range(len(alive))]
    grown = np.zeros(len(alive), np.int64)
    while len(heap) > 0:
        loss, c = heapq.heappop(heap)
        rows = classes[ptr[c] : ptr[c] + alive[c]]
        count = np.int64(0)
        for i in range(len(rows)):
            if group[rows[i]] < 0:
                rows[count] = rows[i]
                count += 1
        if count < k:
            continue
        # A pattern that lost no rows since it was grown still has its group at the front.
        if grown[c] == 0 or count < alive[c]:
            alive[c] = count
            loss, grown[c] = grow_group(rows[: min(count, WINDOW * k)], codes, items, scale, k, counts)
            if len(heap) > 0 and loss > heap[0][0]:
                heapq.heappush(heap, (loss, c))
                continue
        for i in range(grown[c]):
            group[rows[i]] = groups
        groups += 1
        heapq.heappush(heap, (loss, c))
    return groups


@kernel
def place_leftovers(rows: Ints, codes: Ids, scale: Scale, low: Ids, high: Ids, size: Ints, group: Ints) -> None:
    """Put each of `rows` into the group whose summed loss it raises least, which grows its extents.

    O(rows · groups · columns); fewer than k rows are left when the patterns are exhausted.
    """
    own = np.empty(len(size), np.float64)
    for g in range(len(size)):
        own[g] = extents_loss(scale, low[g], high[g])
    for i in range(len(rows)):
        row = rows[i]
        best, least = 0, np.inf
        for g in range(len(size)):
            bound = (least + own[g] * size[g]) / (size[g] + 1)
            loss = joined_loss(scale, low[g], high[g], codes[row], codes[row], bound)
            rise = loss * (size[g] + 1) - own[g] * size[g]
            if rise < least:
                best, least = g, rise
        group[row] = best
        size[best] += 1
        for a in range(codes.shape[1]):
            low[best, a] = min(low[best, a], codes[row, a])
            high[best, a] = max(high[best, a], codes[row, a])
        own[best] = extents_loss(scale, low[best], high[best])
