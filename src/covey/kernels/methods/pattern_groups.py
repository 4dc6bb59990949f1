"""Forming groups of rows around patterns, and moving rows between groups (PatternKa 2020, Alg. 1).

Rows are distinct sets with a weight, the number of transactions that are equal to them. ``group[r]`` is the
group of row r, or -1; a group's center is the set that all its rows are published as.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Mask, Words
from covey.kernels.shared.jit import kernel


@kernel
def row_keys(indptr: Ints, indices: Ids, words: Words) -> Words:
    """Return a key of each row, the XOR of its items' words; few different rows share one. O(nnz)."""
    keys = np.zeros(len(indptr) - 1, np.uint64)
    for r in range(len(keys)):
        for e in range(indptr[r], indptr[r + 1]):
            keys[r] ^= words[indices[e]]
    return keys


@kernel
def number_rows(indptr: Ints, indices: Ids, keys: Words, order: Ints) -> tuple[Ints, Ints]:
    """Return the number of each row among the distinct ones, and one row for each number.

    Precondition: `order` sorts the rows by `keys`, equal keys by row. Rows that only share a key stay apart
    (they may then be numbered more than once, which costs time but is no error). O(nnz).
    """
    n = len(order)
    number, example = np.empty(n, np.int64), np.empty(n, np.int64)
    distinct = np.int64(-1)
    for i in range(n):
        r = order[i]
        same = i > 0 and keys[r] == keys[order[i - 1]]
        if same:
            a, b = indptr[r], indptr[example[distinct]]
            same = indptr[r + 1] - a == indptr[example[distinct] + 1] - b
            if same:
                for e in range(indptr[r + 1] - a):
                    if indices[a + e] != indices[b + e]:
                        same = False
                        break
        if not same:
            distinct += 1
            example[distinct] = r
        number[r] = distinct
    return number, example[: distinct + 1].copy()


@kernel
def worth(rows: Ids, weight: Ints, free: Mask, now: Ints, length: int, k: int, slack: int) -> tuple[int, int]:
    """Return what a new center of `length` items would gain in these rows, and how many rows must give way.

    A free row whose center has fewer items gains the difference. If the rows that gain weigh less than k, rows
    with centers of `length` to `length` + `slack` items fill up, those that lose least first; the second number
    is the weight they must bring. The gain is 0 when k cannot be reached. O(slack · rows).
    """
    gain, have = np.int64(0), np.int64(0)
    for x in range(len(rows)):
        r = rows[x]
        if free[r] and now[r] < length:
            gain += weight[r] * (length - now[r])
            have += weight[r]
    short = np.int64(k - have) if have < k else np.int64(0)
    lacking = short
    for loss in range(slack + 1):
        if lacking <= 0:
            break
        for x in range(len(rows)):
            r = rows[x]
            if free[r] and now[r] == length + loss and lacking > 0:
                lacking -= weight[r]
                gain -= weight[r] * loss
    if lacking > 0:
        return 0, short
    return max(gain, 0), short


@kernel
def open_groups(
    ptr: Ints,
    tids: Ids,
    weight: Ints,
    free: Mask,
    now: Ints,
    length: int,
    k: int,
    slack: int,
    group: Ints,
    groups: int,
) -> Ints:
    """Make groups of the patterns of one length, the one that gains most first; return the patterns used.

    Pattern p is held by the rows ``tids[ptr[p]:ptr[p + 1]]``; `now` is the length of each row's center (0 when it
    has none). Rows that join are no longer `free`; their `group` is numbered from `groups` on. Gains only fall,
    so a pattern waits at the gain it had when last looked at and is looked at again only when its turn comes.
    O(rows listed) for each look.
    """
    n = len(ptr) - 1
    gain, top = np.zeros(n, np.int64), np.int64(0)
    for p in range(n):
        gain[p], _ = worth(tids[ptr[p] : ptr[p + 1]], weight, free, now, length, k, slack)
        top = max(top, gain[p])
    waiting, behind = np.full(top + 1, -1, np.int64), np.full(n, -1, np.int64)
    for p in range(n - 1, -1, -1):
        behind[p] = waiting[gain[p]]
        waiting[gain[p]] = p
    used, made = np.empty(n, np.int64), np.int64(0)
    while top > 0:
        p = waiting[top]
        if p < 0:
            top -= 1
            continue
        waiting[top] = behind[p]
        rows = tids[ptr[p] : ptr[p + 1]]
        gained, short = worth(rows, weight, free, now, length, k, slack)
        if gained < top:
            behind[p] = waiting[gained]
            waiting[gained] = p
            continue
        for loss in range(-1, slack + 1):
            for x in range(len(rows)):
                r = rows[x]
                joins = now[r] < length if loss < 0 else now[r] == length + loss and short > 0
                if free[r] and joins:
                    free[r] = False
                    group[r] = groups + made
                    if loss >= 0:
                        short -= weight[r]
        used[made] = p
        made += 1
    return used[:made].copy()


@kernel
def common_items(indptr: Ints, indices: Ids, begin: Ints, order: Ids, least: Ints) -> tuple[Ints, Ids]:
    """Return the items that all rows of each group hold: the largest center it can have.

    Precondition: rows are ascending; those of group g are ``order[begin[g]:begin[g + 1]]``, and at least ``least[g]``
    items are common to them. Once no more are left, its other rows need not be read. O(nnz), mostly far less.
    """
    groups, room = len(least), np.int64(0)
    for g in range(groups):
        if begin[g] < begin[g + 1]:
            room += indptr[order[begin[g]] + 1] - indptr[order[begin[g]]]
    ptr, out, write = np.zeros(groups + 1, np.int64), np.empty(room, np.int32), np.int64(0)
    for g in range(groups):
        start, x = write, begin[g]
        if x < begin[g + 1]:
            for e in range(indptr[order[x]], indptr[order[x] + 1]):
                out[write] = indices[e]
                write += 1
            x += 1
        while x < begin[g + 1] and write - start > least[g]:
            e, stop, kept = indptr[order[x]], indptr[order[x] + 1], start
            for c in range(start, write):
                while e < stop and indices[e] < out[c]:
                    e += 1
                if e < stop and indices[e] == out[c]:
                    out[kept] = out[c]
                    kept += 1
            write = kept
            x += 1
        ptr[g + 1] = write
    return ptr, out[:write].copy()


@kernel
def join_longer(
    indptr: Ints,
    indices: Ids,
    weight: Ints,
    group: Ints,
    size: Ints,
    k: int,
    center_ptr: Ints,
    centers: Ids,
    under_ptr: Ints,
    under: Ids,
    d: int,
) -> None:
    """Move rows to the longest center they hold if it is longer than theirs.

    A row leaves its group only when the rest weighs k or more. Each center is listed under one of its items
    (`under`, longest first). `group` and `size` (weights) are changed. O(nnz + centers under the rows' items,
    times their length).
    """
    marked = np.full(d, -1, np.int64)
    for r in range(len(indptr) - 1):
        g = group[r]
        best, home = np.int64(0), g
        if g >= 0:
            best = center_ptr[g + 1] - center_ptr[g]
            if size[g] - weight[r] < k:
                continue
        for e in range(indptr[r], indptr[r + 1]):
            marked[indices[e]] = r
        for e in range(indptr[r], indptr[r + 1]):
            for f in range(under_ptr[indices[e]], under_ptr[indices[e] + 1]):
                c = under[f]
                length = center_ptr[c + 1] - center_ptr[c]
                if length <= best:
                    break
                holds = size[c] > 0
                for x in range(center_ptr[c], center_ptr[c + 1]):
                    if marked[centers[x]] != r:
                        holds = False
                        break
                if holds:
                    best, home = length, c
        if home != g:
            group[r] = home
            size[home] += weight[r]
            if g >= 0:
                size[g] -= weight[r]
