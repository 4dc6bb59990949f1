"""Structural work on compressed sparse rows: bring rows into canonical form, transpose, split, reorder.

A matrix is (indptr int64[n+1], indices int32[nnz]); row i holds ``indices[indptr[i]:indptr[i+1]]``. Where rows can be
worked on one by one, those of a large matrix are shared out among threads.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from covey.arrays import Ids, Ints, Places, Signs
from covey.data.jit import kernel
from covey.threads import parallel, threads

#: A thread gets so many rows or entries, or more; so many share work of which each needs memory of its own.
LARGE, MOST_SHARES = 20_000, 4

#: Rows that are brought near together.
NEAR = 64


def pieces(n: int) -> list[slice]:
    """Ranges of `n` rows, one for each thread where they are many."""
    parts = max(min(threads(), n // LARGE), 1)
    return [slice(start, stop) for start, stop in pairwise(n * part // parts for part in range(parts + 1))]


def shares(work: Ints) -> list[slice]:
    """Ranges of about equal work, one for each thread where it is much; `work` is the entries read for each thing."""
    done = np.cumsum(work)
    whole = int(done[-1]) if len(done) else 0
    parts = max(min(threads(), MOST_SHARES, len(done), whole // LARGE), 1)
    cuts = np.searchsorted(done, np.linspace(0, whole, parts + 1)[1:-1])
    return [slice(start, stop) for start, stop in pairwise([0, *cuts.tolist(), len(done)])]


@kernel
def canonicalize(indptr: Ints, indices: Ids, rename: Ids) -> int:
    """Rename ids, sort each row and drop its duplicates, in place; return the new number of entries.

    Precondition: every id is in ``range(len(rename))``. On return the first `result` entries of `indices`
    and all of `indptr` hold the canonical matrix. O(nnz log(longest row)).
    """
    write = np.int64(0)
    start = indptr[0]
    for row in range(len(indptr) - 1):
        stop = indptr[row + 1]
        for e in range(start, stop):
            indices[e] = rename[indices[e]]
        if stop - start <= 32:
            for e in range(start + 1, stop):
                value = indices[e]
                hole = e
                while hole > start and indices[hole - 1] > value:
                    indices[hole] = indices[hole - 1]
                    hole -= 1
                indices[hole] = value
        else:
            indices[start:stop] = np.sort(indices[start:stop])
        first = write
        for e in range(start, stop):
            if write == first or indices[write - 1] != indices[e]:
                indices[write] = indices[e]
                write += 1
        start = stop
        indptr[row + 1] = write
    indptr[0] = 0
    return write


@kernel
def first_bad_row(indptr: Ints, indices: Ids, d: int) -> int:
    """Return the first row that is not strictly ascending ids in ``range(d)``, or -1. O(nnz)."""
    for row in range(len(indptr) - 1):
        previous = np.int64(-1)
        for e in range(indptr[row], indptr[row + 1]):
            if indices[e] <= previous or indices[e] >= d:
                return row
            previous = indices[e]
    return -1


@kernel
def count_items(indices: Ids, d: int) -> Ints:
    """Return how often each of the `d` ids occurs. O(nnz + d)."""
    counts = np.zeros(d, np.int64)
    for e in range(len(indices)):
        counts[indices[e]] += 1
    return counts


@kernel
def count_behind(indptr: Ints, indices: Ids, d: int) -> Ints:
    """Return how many entries stand behind each of the `d` ids in its rows, all together. O(nnz + d)."""
    behind = np.zeros(d, np.int64)
    for row in range(len(indptr) - 1):
        for e in range(indptr[row], indptr[row + 1]):
            behind[indices[e]] += indptr[row + 1] - e - 1
    return behind


def transpose(indptr: Ints, indices: Ids, d: int) -> tuple[Ints, Ids]:
    """Return the transposed matrix: for each item the ascending rows that hold it. O(nnz + d)."""
    ranges = pieces(len(indptr) - 1)
    if len(ranges) == 1:
        return transpose_rows(indptr, indices, d)
    ptr, starts = item_starts(indptr, indices, d, ranges)
    out = np.empty(len(indices), np.int32)
    parallel(
        lambda part: list_by_item(indptr, indices, part[0].start, part[0].stop, part[1], out),
        zip(ranges, starts, strict=True),
    )
    return ptr, out


def item_starts(indptr: Ints, indices: Ids, d: int, ranges: list[slice]) -> tuple[Ints, Ints]:
    """Return where the list of each item begins in the transposed matrix, and where each range of rows goes on in it.

    Precondition: `ranges` are all rows, in order. O(nnz + ranges · d).
    """
    held = np.stack(parallel(lambda rows: count_items(indices[indptr[rows.start] : indptr[rows.stop]], d), ranges))
    ptr = np.zeros(d + 1, np.int64)
    np.cumsum(held.sum(axis=0), out=ptr[1:])
    return ptr, ptr[:-1] + np.cumsum(held, axis=0) - held


@kernel
def transpose_rows(indptr: Ints, indices: Ids, d: int) -> tuple[Ints, Ids]:
    """Do what `transpose` does, in one thread."""
    ptr = np.zeros(d + 1, np.int64)
    for e in range(len(indices)):
        ptr[indices[e] + 1] += 1
    for j in range(d):
        ptr[j + 1] += ptr[j]
    rows = np.empty(len(indices), np.int32)
    list_by_item(indptr, indices, 0, len(indptr) - 1, ptr[:-1].copy(), rows)
    return ptr, rows


@kernel
def list_by_item(indptr: Ints, indices: Ids, start: int, stop: int, cursor: Ints, out: Ids) -> None:
    """Write each row from `start` up to `stop` to `out`, where the lists of its items go on; `cursor` moves. O(nnz)."""
    for row in range(start, stop):
        for e in range(indptr[row], indptr[row + 1]):
            j = indices[e]
            out[cursor[j]] = row
            cursor[j] += 1


@kernel
def transpose_some(indptr: Ints, indices: Ids, rows: Ints, count: Ints, start: Ints) -> tuple[Ints, Ints]:
    """Return the items of some rows, as met, and their holders, as places in `rows`, item after item. O(entries).

    `count` and `start` are as long as there are items. `count` is zero before, and how many of the rows hold each item
    after; ``start[item]`` is where its holders begin.
    """
    entries, found, at = np.int64(0), np.int64(0), np.int64(0)
    for row in rows:
        entries += indptr[row + 1] - indptr[row]
    met, holders = np.empty(len(count), np.int64), np.empty(int(entries), np.int64)
    for row in rows:
        for e in range(indptr[row], indptr[row + 1]):
            if count[indices[e]] == 0:
                met[found] = indices[e]
                found += 1
            count[indices[e]] += 1
    for item in met[:found]:
        start[item] = at
        at += count[item]
    for place in range(len(rows)):
        for e in range(indptr[rows[place]], indptr[rows[place] + 1]):
            holders[start[indices[e]]] = place
            start[indices[e]] += 1
    for item in met[:found]:
        start[item] -= count[item]
    return met[:found].copy(), holders


def take_rows(indptr: Ints, indices: Ids, order: Ints) -> tuple[Ints, Ids]:
    """Return the matrix whose row i is row ``order[i]`` of the given one. O(entries taken)."""
    ptr = np.zeros(len(order) + 1, np.int64)
    np.cumsum(indptr[order + 1] - indptr[order], out=ptr[1:])
    out = np.empty(ptr[-1], np.int32)
    parallel(
        lambda rows: copy_rows(indptr, indices, order[rows], out[ptr[rows.start] : ptr[rows.stop]]), pieces(len(order))
    )
    return ptr, out


@kernel
def bring_near(indptr: Ints, indices: Ids, rows: Ids | Ints, near: Ints) -> None:
    """Write to `near` where at most `NEAR` rows start and stop, and read both ends of each.

    A loop over scattered rows waits for the memory twice per row. Read beforehand, one right after the other, rows are
    on their way all at once. Precondition: `near` has 3 times `NEAR` places. O(rows).
    """
    for i in range(len(rows)):
        near[0, i], near[1, i] = indptr[rows[i]], indptr[rows[i] + 1]
    for i in range(len(rows)):
        if near[0, i] < near[1, i]:
            near[2, i] = indices[near[0, i]] + indices[near[1, i] - 1]


@kernel
def bring_rests_near(indptr: Ints, indices: Ids, rows: Ids, places: Places, near: Ints) -> None:
    """As `bring_near`, of what each row holds from a place on. O(rows)."""
    for i in range(len(rows)):
        near[0, i], near[1, i] = places[i], indptr[rows[i] + 1]
    for i in range(len(rows)):
        if near[0, i] < near[1, i]:
            near[2, i] = indices[near[0, i]] + indices[near[1, i] - 1]


@kernel
def copy_rows(indptr: Ints, indices: Ids, order: Ints, out: Ids) -> None:
    """Write the rows that `order` names to `out`, one after the other. O(entries taken)."""
    write, near = np.int64(0), np.empty((3, NEAR), np.int64)
    for done in range(0, len(order), NEAR):
        some = order[done : done + NEAR]
        bring_near(indptr, indices, some, near)
        for i in range(len(some)):
            for e in range(near[0, i], near[1, i]):
                out[write] = indices[e]
                write += 1


@kernel
def keep_items(indptr: Ints, indices: Ids, rename: Ids) -> tuple[Ints, Ids]:
    """Return the matrix with each id replaced by ``rename[id]`` and ids renamed to -1 left out. O(nnz).

    Precondition: `rename` is increasing on the ids that it keeps, so rows stay ascending.
    """
    ptr, out, write = np.zeros(len(indptr), np.int64), np.empty(indptr[-1] - indptr[0], np.int32), np.int64(0)
    for row in range(len(indptr) - 1):
        for e in range(indptr[row], indptr[row + 1]):
            new = rename[indices[e]]
            if new >= 0:
                out[write] = new
                write += 1
        ptr[row + 1] = write
    return ptr, out[:write].copy()


@kernel
def rows_from_pairs(row_of: Ids, item_of: Ids, n: int) -> tuple[Ints, Ids]:
    """Return the matrix of (row, item) pairs in any order; rows come out unsorted. O(pairs + n)."""
    ptr = np.zeros(n + 1, np.int64)
    for e in range(len(row_of)):
        ptr[row_of[e] + 1] += 1
    for row in range(n):
        ptr[row + 1] += ptr[row]
    cursor = ptr[:-1].copy()
    out = np.empty(len(item_of), np.int32)
    for e in range(len(row_of)):
        row = row_of[e]
        out[cursor[row]] = item_of[e]
        cursor[row] += 1
    return ptr, out


@kernel
def beside(indptr: Ints, indices: Ids, more_ptr: Ints, more: Ids) -> tuple[Ints, Ids]:
    """Return the matrix whose rows are those of one followed by those of another with as many rows. O(nnz of both)."""
    ptr, out = indptr + more_ptr, np.empty(len(indices) + len(more), np.int32)
    write = np.int64(0)
    for row in range(len(indptr) - 1):
        for e in range(indptr[row], indptr[row + 1]):
            out[write] = indices[e]
            write += 1
        for e in range(more_ptr[row], more_ptr[row + 1]):
            out[write] = more[e]
            write += 1
    return ptr, out


def rows_by_group(group: Ints, order: Ints, groups: int) -> tuple[Ints, Ints]:
    """Return (offsets of the groups, rows sorted by group); within a group rows keep their place in `order`.

    A counting sort: O(n + groups).
    """
    ptr, place = transpose_rows(np.arange(len(order) + 1), group[order].astype(np.int32), groups)
    return ptr, order[place]


@kernel
def matches_per_group(indptr: Ints, indices: Ids, group_ptr: Ints, sign: Signs, present: int) -> Ints:
    """Count in each group the rows that hold all `present` items of sign 1 and none of sign -1. O(nnz)."""
    groups = len(group_ptr) - 1
    matches = np.zeros(groups, np.int64)
    for g in range(groups):
        for row in range(group_ptr[g], group_ptr[g + 1]):
            missing = present
            for e in range(indptr[row], indptr[row + 1]):
                if sign[indices[e]] > 0:
                    missing -= 1
                elif sign[indices[e]] < 0:
                    missing = np.int64(-1)
                    break
            if missing == 0:
                matches[g] += 1
    return matches
