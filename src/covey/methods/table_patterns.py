"""PatternKa on tables: groups of rows that share the longest frequent patterns (PatternKa 2020, section 3.2).

A row of a table is a set of one item per column, so a pattern is a choice of columns and a value in each, and the
frequent patterns on a choice of columns are the classes of equal rows with at least k members.

PatternKa's choice of patterns and rows on tables, exactly as Algorithm 2 of the paper has it.
"""

from __future__ import annotations

import heapq

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask, Words
from covey.data.csr import transpose_rows
from covey.data.jit import kernel
from covey.methods.extents import Scale, extents_loss, joined_loss
from covey.methods.growing import larger

#: How many rows of a class are looked at for one group, in multiples of k; bounds the work for huge classes.
WINDOW = 64


@kernel
def pattern_classes(items: Ids, live: Ints, choices: Mask, words: Words, k: int) -> tuple[Ints, Ids]:
    """The frequent patterns on each choice of columns: (offsets, rows) of the classes of at least k live rows.

    `choices` has one row per choice of columns, `words` a random word for each column and item. Rows are hashed
    with them; a collision could only make a class less alike, never a release less safe.
    O(choices · live · (columns + log live)).
    """
    n, q = len(live), items.shape[1]
    key = np.empty(n, np.uint64)
    ptr = np.zeros(16, np.int64)
    rows = np.empty(n, np.int32)
    classes, used = np.int64(0), np.int64(0)
    for c in range(len(choices)):
        for i in range(n):
            word = np.uint64(0)
            for a in range(q):
                if choices[c, a]:
                    word ^= words[a, items[live[i], a]]
            key[i] = word
        order = np.argsort(key, kind="mergesort")
        begin = np.int64(0)
        for i in range(1, n + 1):
            if i < n and key[order[i]] == key[order[begin]]:
                continue
            if i - begin >= k:
                rows, ptr = larger(rows, used + i - begin), larger(ptr, classes + 2)
                for e in range(begin, i):
                    rows[used] = live[order[e]]
                    used += 1
                classes += 1
                ptr[classes] = used
            begin = np.int64(i)
    return ptr[: classes + 1].copy(), rows[:used].copy()


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
def most_typical(rows: Ids, items: Ids, counts: Ints) -> int:
    """The position in `rows` of the most typical row (eq. 21); for `counts` and cost see `typicality`."""
    return np.argmax(typicality(rows, items, counts))


@kernel
def grow_group(rows: Ids, codes: Ids, items: Ids, scale: Scale, k: int, counts: Ints) -> tuple[float, int]:
    """Bring the k rows of a group to the front of `rows`, and behind them those that join it for nothing.

    The first is the most typical row, each next one adds the least loss. Rows for nothing join only if they are
    fewer than k, else they are a group of their own. Returns (loss of the group, its size).
    Precondition: at least k rows. O(rows · k · columns).
    """
    n, q = len(rows), codes.shape[1]
    first = most_typical(rows, items, counts) if n > k else 0
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
def take_groups(
    ptr: Ints,
    classes: Ids,
    codes: Ids,
    items: Ids,
    scale: Scale,
    k: int,
    group: Ints,
    groups: int,
) -> int:
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


#: Logarithms of equal products may differ by this much.
SAME = 1e-9


@kernel
def least_scored(rows: Ids, items: Ids, k: int, counts: Ints) -> int:
    """Bring C_p to the front of `rows`: all that score no more than the k-th smallest; return how many (eq. 21 to 23).

    A row's score is the product of how often each of its items occurs among `rows`; ties with the k-th row are in.
    `counts` has a zero for every item and has so again on return. O(rows · (columns + log rows)).
    """
    score = typicality(rows, items, counts)
    most = np.sort(score)[k - 1] + SAME
    size = np.int64(0)
    for i in range(len(rows)):
        if score[i] <= most:
            rows[size], rows[i] = rows[i], rows[size]
            score[size], score[i] = score[i], score[size]
            size += 1
    return size


@kernel
def assess(
    rows: Ids, alive: int, codes: Ids, items: Ids, scale: Scale, k: int, group: Ints, counts: Ints
) -> tuple[float, int, int]:
    """NCP of the group that a pattern would make now (eq. 8), its size, and the live rows of the pattern.

    Live rows come to the front of `rows`, those of the group first; the size is 0 for a pattern that is rare by now.
    """
    count = np.int64(0)
    for i in range(alive):
        if group[rows[i]] < 0:
            rows[count] = rows[i]
            count += 1
    if count < k:
        return 0.0, 0, count
    size = least_scored(rows[:count], items, k, counts)
    low, high = codes[rows[0]].copy(), codes[rows[0]].copy()
    for i in range(1, size):
        for a in range(codes.shape[1]):
            low[a] = min(low[a], codes[rows[i], a])
            high[a] = max(high[a], codes[rows[i], a])
    return size * extents_loss(scale, low, high), size, count


@kernel
def take_groups_as_written(
    ptr: Ints, classes: Ids, codes: Ids, items: Ids, scale: Scale, k: int, group: Ints, groups: int
) -> int:
    """Form groups of live rows from frequent patterns of one length, least NCP first (Alg. 2); return their number.

    As `covey.methods.table_patterns.take_groups`, but a pattern that loses rows may come to lose less, so all
    that share a row with a new group are assessed anew. Of equally good patterns the first is the random one.
    O(groups · k · choices · rows of a pattern · columns) at worst.
    """
    counts = np.zeros(items.max() + 1, np.int64)
    of_ptr, of_row = transpose_rows(ptr, classes, len(items))
    alive, size = np.diff(ptr), np.zeros(len(ptr) - 1, np.int64)
    stamp, touched = np.zeros(len(alive), np.int64), np.full(len(alive), -1, np.int64)
    heap = [(np.inf, np.int64(-1), np.int64(0))]
    for c in range(len(alive)):
        loss, size[c], alive[c] = assess(classes[ptr[c] : ptr[c + 1]], alive[c], codes, items, scale, k, group, counts)
        if size[c]:
            heapq.heappush(heap, (loss, np.int64(c), stamp[c]))
    while True:
        _, c, at = heapq.heappop(heap)
        if c < 0:
            return groups
        if at != stamp[c]:
            continue
        taken = classes[ptr[c] : ptr[c] + size[c]].copy()
        group[taken] = groups
        for row in taken:
            for e in range(of_ptr[row], of_ptr[row + 1]):
                b = np.int64(of_row[e])
                if touched[b] == groups or not size[b]:
                    continue
                touched[b], stamp[b] = groups, stamp[b] + 1
                rows = classes[ptr[b] : ptr[b + 1]]
                loss, size[b], alive[b] = assess(rows, alive[b], codes, items, scale, k, group, counts)
                if size[b]:
                    heapq.heappush(heap, (loss, b, stamp[b]))
        groups += 1
