"""Rooted trees in tour order, and baskets seen through them.

A tree is `parent` (int32, parents before children, -1 for the root), numbered by an Euler tour, so the nodes
below x are ``x + 1 .. last[x]``. Baskets come as rows of leaf numbers, ascending, so the leaves below one node
stand next to each other in a row.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.kernels.shared.csr import pieces
from covey.kernels.shared.jit import kernel
from covey.kernels.shared.sorting import sort_ids
from covey.threads import side_by_side


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


def rows_of_nodes(indptr: Ints, leaf: Ids, parent: Ids) -> tuple[Ints, Ids, Ints]:
    """Return for each node the rows that hold a leaf below it (CSR, ascending), and its leaf occurrences.

    Precondition: rows of leaf numbers. O(entries times depth) at most; a climb stops where the row was before.
    """
    ranges = pieces(len(indptr) - 1)
    counted = side_by_side(lambda rows: count_rows(indptr, leaf, parent, rows.start, rows.stop), ranges)
    held, occurrences = (np.stack(parts) for parts in zip(*counted, strict=True))
    ptr = np.zeros(len(parent) + 1, np.int64)
    np.cumsum(held.sum(axis=0), out=ptr[1:])
    node_rows = np.empty(ptr[-1], np.int32)
    starts = ptr[:-1] + np.cumsum(held, axis=0) - held
    side_by_side(
        lambda part: list_rows(indptr, leaf, parent, part[0].start, part[0].stop, part[1], node_rows),
        zip(ranges, starts, strict=True),
    )
    return ptr, node_rows, occurrences_below(occurrences.sum(axis=0), parent)


@kernel
def count_rows(indptr: Ints, leaf: Ids, parent: Ids, start: int, stop: int) -> tuple[Ints, Ints]:
    """Return for each node how many rows from `start` up to `stop` have a leaf below it, and how often each leaf is."""
    count, seen = np.zeros(len(parent), np.int64), np.full(len(parent), -1, np.int64)
    occurrences = np.zeros(len(parent), np.int64)
    for row in range(start, stop):
        for e in range(indptr[row], indptr[row + 1]):
            x = leaf[e]
            occurrences[x] += 1
            while x >= 0 and seen[x] != row:
                seen[x] = row
                count[x] += 1
                x = parent[x]
    return count, occurrences


@kernel
def list_rows(indptr: Ints, leaf: Ids, parent: Ids, start: int, stop: int, cursor: Ints, out: Ids) -> None:
    """Write each of these rows to `out`, where the lists of the nodes above its leaves go on; `cursor` moves."""
    seen = np.full(len(parent), -1, np.int64)
    for row in range(start, stop):
        for e in range(indptr[row], indptr[row + 1]):
            x = leaf[e]
            while x >= 0 and seen[x] != row:
                seen[x] = row
                out[cursor[x]] = row
                cursor[x] += 1
                x = parent[x]


@kernel
def occurrences_below(occurrences: Ints, parent: Ids) -> Ints:
    """Return how often leaves below each node occur, from how often each leaf does; in place. O(nodes)."""
    for x in range(len(parent) - 1, 0, -1):
        occurrences[parent[x]] += occurrences[x]
    return occurrences


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
def support_reaches(node_ptr: Ints, node_rows: Ids, nodes: Ints, k: int) -> bool:
    """Whether at least k rows hold a leaf below each of the given nodes. O(shortest list · log longest)."""
    shortest = nodes[0]
    for i in range(len(nodes)):
        if node_ptr[nodes[i] + 1] - node_ptr[nodes[i]] < node_ptr[shortest + 1] - node_ptr[shortest]:
            shortest = nodes[i]
    left, count = node_ptr[shortest + 1] - node_ptr[shortest], np.int64(0)
    for e in range(node_ptr[shortest], node_ptr[shortest + 1]):
        if count + left < k:
            return False
        left -= 1
        inside = True
        for i in range(len(nodes)):
            if inside and nodes[i] != shortest:
                low, high = node_ptr[nodes[i]], node_ptr[nodes[i] + 1]
                while low < high:
                    middle = (low + high) // 2
                    if node_rows[middle] < node_rows[e]:
                        low = middle + 1
                    else:
                        high = middle
                inside = low < node_ptr[nodes[i] + 1] and node_rows[low] == node_rows[e]
        if inside:
            count += 1
            if count >= k:
                return True
    return count >= k
