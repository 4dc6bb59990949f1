"""Sizes and spreads of the groups of epsilon-proximate records, inside buckets (Sun et al. 2010, Def. 1 to 3).

Small buckets are compared pair by pair. In a large one the distinct records are sorted and read as a trie, one
issue per level; the records proximate to one of them are sliced out level by level, and neighbours in the
order share the slices of the levels they agree on.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Codes, Floats, Ids, Ints
from covey.data.jit import kernel
from covey.verify.spread import add_class, add_record, empty_sums, take_lowest

Secret = tuple[Ints, Ids, Codes]
Classes = tuple[Ints, Ids, Ints]
Found = tuple[Ints, Floats, Ids]


@kernel
def groups_in_buckets(
    buckets: Ints,
    ptr: Ints,
    codes: Codes,
    epsilon: int,
    secret: Secret,
    issues: int,
    zero: bool,
    found: Found,
) -> None:
    """Write size, lowest variance and its issue for each record of the buckets ``buckets[b]:buckets[b + 1]``.

    `epsilon` in steps. Precondition: the records of a bucket have equally many codes, of the same issues.
    O(sum of squared bucket sizes, times the issues looked at before two records part).
    """
    sums = empty_sums(issues)
    size, lowest, worst = found
    for b in range(len(buckets) - 1):
        for i in range(buckets[b], buckets[b + 1]):
            count = 0
            for j in range(buckets[b], buckets[b + 1]):
                at, other = ptr[i], ptr[j]
                while at < ptr[i + 1] and abs(np.int64(codes[at]) - codes[other]) <= epsilon:
                    at += 1
                    other += 1
                if at == ptr[i + 1]:
                    count += 1
                    if issues > 0:
                        add_record(sums, j, secret[0], secret[1], secret[2])
            size[i] = count
            variance, issue = take_lowest(sums, count, zero)
            lowest[i], worst[i] = variance, issue


@kernel
def shared_prefixes(columns: Codes) -> Ids:
    """Return how many leading levels each sorted record shares with the one before it (0 for the first).

    `columns` holds one row per level. O(records × levels).
    """
    levels, n = columns.shape
    shared = np.zeros(n, np.int32)
    for i in range(1, n):
        t = 0
        while t < levels and columns[t, i] == columns[t, i - 1]:
            t += 1
        shared[i] = t
    return shared


@kernel
def build_trie(shared: Ids, levels: int) -> tuple[Ids, Ids, Ids]:
    """Return (first record, end, first child) of each node of the trie over sorted distinct records.

    Node 0 is the root. The children of node x are ``child[x]:child[x + 1]``, a level deeper; a node of one
    record has none. Precondition: records are distinct. O(records × levels).
    """
    room = 2 * len(shared) + 2
    low, high, child = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room + 1, np.int32)
    low[0], high[0], child[0] = 0, len(shared), 1
    used, node = 1, 0
    for depth in range(levels + 1):
        last = used
        while node < last:
            child[node] = used
            if high[node] - low[node] > 1:
                if used + high[node] - low[node] + 1 > room:
                    room = 2 * (used + high[node] - low[node] + 1)
                    wider = np.empty((3, room + 1), np.int32)
                    wider[0, :used], wider[1, :used], wider[2, :used] = low[:used], high[:used], child[:used]
                    low, high, child = wider[0], wider[1], wider[2]
                low[used] = low[node]
                for i in range(low[node] + 1, high[node]):
                    if shared[i] <= depth:
                        high[used] = i
                        used += 1
                        low[used] = i
                high[used] = high[node]
                used += 1
            node += 1
    child[used] = used
    return low[:used].copy(), high[:used].copy(), child[: used + 1].copy()


@kernel
def groups_by_slices(
    columns: Codes, shared: Ids, trie: tuple[Ids, Ids, Ids], weight: Ints, epsilon: int, classes: Classes,
    issues: int, zero: bool, first: int, last: int, found: Found,
) -> None:  # fmt: skip
    """Write size, lowest variance and its issue for the distinct records ``first:last``.

    The stack holds, for each level, the nodes proximate to the current record's prefix of that length; only
    levels behind the prefix shared with the previous record are sliced anew. `weight` counts the records
    behind a distinct one and `classes` sums up their sensitive ratings. Precondition: records are sorted,
    `columns` holds one row per level, `epsilon` is in steps. O(pairs of proximate prefixes).
    """
    low, high, child = trie
    levels = len(columns)
    size, lowest, worst = found
    sums = empty_sums(issues)
    stack = np.zeros(1024, np.int32)
    start = np.zeros(levels + 2, np.int64)
    start[1] = 1
    for i in range(first, last):
        for t in range(shared[i] if i > first else 0, levels):
            value, write = np.int64(columns[t, i]), start[t + 1]
            for e in range(start[t], start[t + 1]):
                node = stack[e]
                alone = high[node] - low[node] == 1
                begin = node if alone else child[node]
                end = node + 1 if alone else child[node + 1]
                if write + end - begin > len(stack):
                    wider = np.zeros(2 * len(stack) + end - begin, np.int32)
                    wider[:write] = stack[:write]
                    stack = wider
                for x in range(begin, end):
                    if abs(columns[t, low[x]] - value) <= epsilon:
                        stack[write] = x
                        write += 1
            start[t + 2] = write
        count = 0
        for e in range(start[levels], start[levels + 1]):
            near = low[stack[e]]
            count += weight[near]
            if issues > 0:
                add_class(sums, near, classes[0], classes[1], classes[2])
        size[i] = count
        variance, issue = take_lowest(sums, count, zero)
        lowest[i], worst[i] = variance, issue


@kernel
def sum_classes(starts: Ints, members: Ints, secret: Secret, issues: int) -> Classes:
    """Sum up the sensitive ratings of each class ``members[starts[c]:starts[c + 1]]``: offsets, issues, figures.

    The figures of an issue are the number, sum and sum of squares of its ratings. O(ratings).
    """
    ptr, issue, code = secret
    sums = empty_sums(issues)
    count, total, squares, met, used = sums
    out = np.zeros(len(starts), np.int64)
    room = 0
    for i in range(len(members)):
        room += ptr[members[i] + 1] - ptr[members[i]]
    which, figures = np.empty(room, np.int32), np.empty((room, 3), np.int64)
    write = 0
    for c in range(len(starts) - 1):
        for i in range(starts[c], starts[c + 1]):
            add_record(sums, members[i], ptr, issue, code)
        for m in range(used[0]):
            s = met[m]
            which[write] = s
            figures[write, 0], figures[write, 1], figures[write, 2] = count[s], total[s], squares[s]
            count[s] = total[s] = squares[s] = 0
            write += 1
        used[0] = 0
        out[c + 1] = write
    return out, which[:write].copy(), figures[:write].copy()
