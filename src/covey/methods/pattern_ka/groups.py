"""Forming groups of rows around patterns, and moving rows between groups (PatternKa 2020, Alg. 1).

Rows are distinct sets with a weight, the number of transactions that are equal to them. ``group[r]`` is the
group of row r, or -1; a group's center is the set that all its rows are published as.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.data.jit import kernel

#: The length that stands for a row which is not free to join anything.
TAKEN = (1 << 31) - 1


def standing_of(weight: Ints, lengths: Ints, free: Mask) -> Ids:
    """Return what `open_groups` must know of each row: its weight, and the length of its center, `TAKEN` if not free.

    Both lie in one place, and take half of it, as they are read row by row in no order.
    """
    standing = np.empty((len(weight), 2), np.int32)
    standing[:, 0] = weight
    standing[:, 1] = np.where(free, lengths, TAKEN)
    return standing


@kernel
def worth(rows: Ids, standing: Ids, length: int, k: int, slack: int) -> tuple[int, int]:
    """Return what a new center of `length` items would gain in these rows, and how many rows must give way.

    A free row whose center has fewer items gains the difference. If the rows that gain weigh less than k, rows
    with centers of `length` to `length` + `slack` items fill up, those that lose least first; the second number
    is the weight they must bring. The gain is 0 when k cannot be reached. O(slack · rows).
    """
    gain, have, wanted = np.int64(0), np.int64(0), np.int64(length)
    for x in range(len(rows)):  # no branch here: nobody could foretell it
        w, more = np.int64(standing[rows[x], 0]), max(wanted - standing[rows[x], 1], 0)
        gain += w * more
        have += w * np.int64(more > 0)
    short = np.int64(k - have) if have < k else np.int64(0)
    lacking = short
    for loss in range(slack + 1):
        if lacking <= 0:
            break
        for x in range(len(rows)):
            w = np.int64(standing[rows[x], 0])
            if standing[rows[x], 1] == length + loss and lacking > 0:
                lacking -= w
                gain -= w * loss
    if lacking > 0:
        return 0, short
    return max(gain, 0), short


@kernel
def open_groups(ptr: Ints, tids: Ids, standing: Ids, length: int, k: int, slack: int, group: Ints, groups: int) -> Ints:
    """Make groups of the patterns of one length, the one that gains most first; return the patterns used.

    Pattern p is held by the rows ``tids[ptr[p]:ptr[p + 1]]``; `standing` is that of `standing_of`. Rows that join are
    `TAKEN` from then on; their `group` is numbered from `groups` on. Gains only fall, so a pattern waits at the gain it
    had when last looked at and is looked at again only when its turn comes. O(rows listed) for each look.
    """
    n, top, gain = len(ptr) - 1, np.int64(0), np.empty(len(ptr) - 1, np.int64)
    for p in range(n):
        gain[p], _ = worth(tids[ptr[p] : ptr[p + 1]], standing, length, k, slack)
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
        gained, short = worth(rows, standing, length, k, slack)
        if gained < top:
            behind[p] = waiting[gained]
            waiting[gained] = p
            continue
        for loss in range(-1, slack + 1):
            for x in range(len(rows)):
                r = rows[x]
                now = standing[r, 1]
                if now < length if loss < 0 else now == length + loss and short > 0:
                    standing[r, 1] = TAKEN
                    group[r] = groups + made
                    if loss >= 0:
                        short -= standing[r, 0]
        used[made] = p
        made += 1
    return used[:made].copy()


@kernel
def take_in_order(ptr: Ints, tids: Ids, standing: Ids, order: Ints, k: int, group: Ints, groups: int) -> Ints:
    """Make groups of the patterns of one length in a given `order`, whichever still has k free rows; return those used.

    Parameters and cost are those of `open_groups`, without the rows that fill up.
    """
    used, made = np.empty(len(order), np.int64), np.int64(0)
    for p in order:
        rows, weight = tids[ptr[p] : ptr[p + 1]], np.int64(0)
        for r in rows:
            weight += standing[r, 0] if standing[r, 1] < TAKEN else 0
        if weight < k:
            continue
        for r in rows:
            if standing[r, 1] < TAKEN:
                standing[r, 1] = TAKEN
                group[r] = groups + made
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
def longest_held(
    row: Ids, g: int, size: Ints, center_ptr: Ints, centers: Ids, under_ptr: Ints, under: Ids, marked: Mask
) -> int:
    """Return the longest center with rows that the `row` holds, or its group `g` if that is as long (-1: none).

    `marked` is all False before and after. O(items + centers under them, times their length).
    """
    best, home = center_ptr[g + 1] - center_ptr[g] if g >= 0 else np.int64(0), np.int64(g)
    for e in range(len(row)):
        marked[row[e]] = True
    for e in range(len(row)):
        for f in range(under_ptr[row[e]], under_ptr[row[e] + 1]):
            c = under[f]
            length = center_ptr[c + 1] - center_ptr[c]
            if length <= best:
                break
            holds = size[c] > 0
            for x in range(center_ptr[c], center_ptr[c + 1]):
                if not marked[centers[x]]:
                    holds = False
                    break
            if holds:
                best, home = length, np.int64(c)
    for e in range(len(row)):
        marked[row[e]] = False
    return home


@kernel
def join_longer(
    indptr: Ints, indices: Ids, weight: Ints, group: Ints, size: Ints, k: int, center_ptr: Ints, centers: Ids,
    under_ptr: Ints, under: Ids,
) -> None:  # fmt: skip
    """Move rows to the longest center they hold if it is longer than theirs.

    A row leaves its group only when the rest weighs k or more. Each center is listed under one of its items
    (`under`, longest first). `group` and `size` (weights) are changed. O(nnz + centers under the rows' items,
    times their length).
    """
    marked = np.zeros(len(under_ptr) - 1, np.bool_)
    for r in range(len(group)):
        g, row = group[r], indices[indptr[r] : indptr[r + 1]]
        if g >= 0 and size[g] - weight[r] < k:
            continue
        home = longest_held(row, g, size, center_ptr, centers, under_ptr, under, marked)
        if home != g:
            group[r] = home
            size[home] += weight[r]
            if g >= 0:
                size[g] -= weight[r]
