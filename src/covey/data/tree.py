"""Rooted trees in tour order, and baskets seen through them.

A tree is `parent` (int32, parents before children, -1 for the root), numbered by an Euler tour, so the nodes
below x are ``x + 1 .. last[x]``. Baskets come as rows of leaf numbers, ascending, so the leaves below one node
stand next to each other in a row.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Words
from covey.data.jit import NONE, ONE, kernel, lowest, sort_ids


@kernel
def tour(parent: Ids) -> tuple[Ids, Ids, Ints, Ints, Ids]:
    """Return last node below, depth, number of leaves below, and the children of each node (CSR). O(nodes).

    Precondition: nodes are numbered by an Euler tour.
    """
    size = len(parent)
    last = np.arange(size).astype(np.int32)
    depth = np.zeros(size, np.int32)
    leaves = np.zeros(size, np.int64)
    ptr = np.zeros(size + 1, np.int64)
    for x in range(1, size):
        depth[x] = depth[parent[x]] + 1
        ptr[parent[x] + 1] += 1
    for x in range(size - 1, -1, -1):
        if last[x] == x:
            leaves[x] = 1
        if x > 0:
            p = parent[x]
            last[p] = max(last[p], last[x])
            leaves[p] += leaves[x]
    for x in range(size):
        ptr[x + 1] += ptr[x]
    child = np.empty(size - 1, np.int32)
    cursor = ptr[:-1].copy()
    for x in range(1, size):
        child[cursor[parent[x]]] = x
        cursor[parent[x]] += 1
    return last, depth, leaves, ptr, child


@kernel
def chain_ends(child_ptr: Ints, child: Ids) -> Ids:
    """Return for each node where the chain of only children that begins at it ends. O(nodes).

    All nodes of a chain stand for the same leaves, so the last one says most and costs no more.
    """
    size = len(child_ptr) - 1
    end = np.arange(size).astype(np.int32)
    for x in range(size - 1, -1, -1):
        if child_ptr[x + 1] - child_ptr[x] == 1:
            end[x] = end[child[child_ptr[x]]]
    return end


@kernel
def supports_of_nodes(indptr: Ints, leaf: Ids, parent: Ids) -> tuple[Ints, Ints]:
    """Return for each node how many rows hold a leaf below it, and its leaf occurrences; as `rows_of_nodes`."""
    held, seen, occurrences = np.zeros(len(parent), np.int64), np.full(len(parent), -1), np.zeros(len(parent), np.int64)
    for row in range(len(indptr) - 1):
        for e in range(indptr[row], indptr[row + 1]):
            x = leaf[e]
            occurrences[x] += 1
            while x >= 0 and seen[x] != row:
                seen[x] = row
                held[x] += 1
                x = parent[x]
    for x in range(len(parent) - 1, 0, -1):
        occurrences[parent[x]] += occurrences[x]
    return held, occurrences


@kernel
def rows_of_nodes(indptr: Ints, leaf: Ids, parent: Ids) -> tuple[Ints, Ids, Ints]:
    """Return for each node the rows that hold a leaf below it (CSR, ascending), and its leaf occurrences.

    Precondition: rows of leaf numbers. O(entries times depth) at most; a climb stops where the row was before.
    """
    held, occurrences = supports_of_nodes(indptr, leaf, parent)
    ptr = np.zeros(len(parent) + 1, np.int64)
    ptr[1:] = np.cumsum(held)
    cursor, out, seen = ptr[:-1].copy(), np.empty(ptr[-1], np.int32), np.full(len(parent), -1)
    for row in range(len(indptr) - 1):
        for e in range(indptr[row], indptr[row + 1]):
            x = leaf[e]
            while x >= 0 and seen[x] != row:
                seen[x] = row
                out[cursor[x]] = row
                cursor[x] += 1
                x = parent[x]
    return ptr, out, occurrences


@kernel
def recode(indptr: Ints, leaf: Ids, label_of: Ids) -> tuple[Ints, Ids]:
    """Return the rows with every leaf replaced by ``label_of[leaf]``, -1 left out. O(entries log entries of a row).

    Labels come out ascending and once per row.
    """
    n = len(indptr) - 1
    ptr = np.zeros(n + 1, np.int64)
    out = np.empty(len(leaf), np.int32)
    write = np.int64(0)
    for row in range(n):
        first = write
        for e in range(indptr[row], indptr[row + 1]):
            x = label_of[leaf[e]]
            if x >= 0:
                out[write] = x
                write += 1
        if write - first > 1:
            sort_ids(out[first:write])
            keep = first + 1
            for e in range(first + 1, write):
                if out[e] != out[keep - 1]:
                    out[keep] = out[e]
                    keep += 1
            write = keep
        ptr[row + 1] = write
    return ptr, out[:write].copy()


@kernel
def rows_below(x: int, last: Ids, leaf_ptr: Ints, leaf_rows: Ids, marks: Words) -> Ids:
    """Return the rows that hold a leaf below a node, ascending. O(leaf occurrences), plus rows / 64 if they are many.

    Precondition: ``leaf_ptr``/``leaf_rows`` list the rows of each leaf by its number, so that those of all leaves below
    a node stand together; `marks` has a bit for each row, all of them 0, and is left so.
    """
    held = leaf_rows[leaf_ptr[x] : leaf_ptr[last[x] + 1]]
    if last[x] == x:
        return held
    write = np.int64(0)
    if 8 * len(held) < len(marks):
        out = held.copy()
        sort_ids(out)
        for e in range(len(out)):
            if e == 0 or out[e] != out[write - 1]:
                out[write] = out[e]
                write += 1
        return out[:write]
    for e in range(len(held)):
        marks[held[e] >> 6] |= ONE << np.uint64(held[e] & 63)
    out = np.empty(min(len(held), 64 * len(marks)), np.int32)
    for w in range(len(marks)):
        word, marks[w] = marks[w], NONE
        while word != NONE:
            out[write] = 64 * w + lowest(word)
            write += 1
            word &= word - ONE
    return out[:write]


@kernel
def support_reaches(
    indptr: Ints, leaf: Ids, last: Ids, leaf_ptr: Ints, leaf_rows: Ids, nodes: Ints, k: int
) -> bool:  # fmt: skip
    """Whether at least k rows hold a leaf below each of the given nodes. O(occurrences below one · entries of a row).

    Precondition: as for `rows_below`. A row that holds several leaves below the rarest node is counted at its first.
    """
    rarest = nodes[0]
    for x in nodes:
        if leaf_ptr[last[x] + 1] - leaf_ptr[x] < leaf_ptr[last[rarest] + 1] - leaf_ptr[rarest]:
            rarest = x
    left, count = leaf_ptr[last[rarest] + 1] - leaf_ptr[rarest], np.int64(0)
    for own in range(rarest, last[rarest] + 1):
        for q in range(leaf_ptr[own], leaf_ptr[own + 1]):
            if count + left < k:
                return False
            left -= 1
            start, stop = indptr[leaf_rows[q]], indptr[leaf_rows[q] + 1]
            inside = True
            for x in nodes:
                e = start
                while e < stop and leaf[e] < x:
                    e += 1
                inside = inside and e < stop and (leaf[e] == own if x == rarest else leaf[e] <= last[x])
            if inside:
                count += 1
                if count >= k:
                    return True
    return count >= k
