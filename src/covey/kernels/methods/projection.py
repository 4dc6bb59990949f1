"""The rows below one node, seen through the current cut: what mining its threats needs and no more."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.kernels.shared.jit import kernel
from covey.kernels.shared.sorting import stable_order


@kernel
def project(
    rows: Ids, indptr: Ints, leaf: Ids, cut_of: Ids, x: int, last_below: int, children: Ids, support: Ints, k: int
) -> tuple[Ints, Ids]:  # fmt: skip
    """Return the given rows as labels of the cut, with the children of x instead of x.

    Precondition: `rows` hold a leaf below x. Labels with fewer than k rows are left out: alone they are threats
    already. Labels of a row come in tour order, once each. O(entries of the rows, times log of the children).
    """
    ptr = np.zeros(len(rows) + 1, np.int64)
    entries = np.int64(0)
    for i in range(len(rows)):
        entries += indptr[rows[i] + 1] - indptr[rows[i]]
    out = np.empty(entries, np.int32)
    write = np.int64(0)
    for i in range(len(rows)):
        previous = np.int64(-1)
        for e in range(indptr[rows[i]], indptr[rows[i] + 1]):
            y = np.int64(leaf[e])
            if x <= y <= last_below:
                y = np.int64(children[np.searchsorted(children, y, side="right") - 1])
            else:
                y = np.int64(cut_of[y])
            if y != previous and y >= 0 and support[y] >= k:
                out[write] = y
                write += 1
            previous = y
        ptr[i + 1] = write
    return ptr, out[:write]


@kernel
def frequencies(names: Ids, count: Ints) -> Ints:
    """Return where the rows of each name begin if all are listed name after name. O(names)."""
    start = np.zeros(len(names) + 1, np.int64)
    for i in range(len(names)):
        start[i + 1] = start[i] + count[names[i]]
    return start


@kernel
def order_rows(ptr: Ints, nodes: Ids, number: Ids, start: Ints, local: Ids) -> None:
    """Write each row's nodes as their numbers, ascending, by listing the rows of each number. O(entries).

    ``start[i]`` is where the rows of number i begin; it is used up.
    """
    row_of = np.empty(len(nodes), np.int32)
    for r in range(len(ptr) - 1):
        for e in range(ptr[r], ptr[r + 1]):
            i = number[nodes[e]]
            row_of[start[i]] = r
            start[i] += 1
    write, q = ptr[:-1].copy(), np.int64(0)
    for i in range(len(start) - 1):
        while q < start[i]:
            r = row_of[q]
            local[write[r]] = i
            write[r] += 1
            q += 1


@kernel
def localize(ptr: Ints, nodes: Ids, heads: Ids, number: Ids, count: Ints) -> tuple[Ids, Ids]:
    """Renumber nodes from 0: the heads first, the others by ascending frequency; sort each row; return names.

    `number` (all -1) and `count` (all 0) are as long as there are nodes, and are left as they were.
    Returns (local numbers in place of nodes, node of each local number). O(entries + names log names).
    """
    seen = np.empty(len(heads) + len(nodes), np.int32)
    found = np.int64(0)
    for h in range(len(heads)):
        number[heads[h]] = h
        seen[found] = heads[h]
        found += 1
    for e in range(len(nodes)):
        x = nodes[e]
        if number[x] < 0:
            number[x] = found
            seen[found] = x
            found += 1
        count[x] += 1
    names = seen[:found].copy()
    frequency = np.empty(found, np.int64)
    for i in range(found):
        frequency[i] = count[seen[i]]
    order = stable_order(frequency[len(heads) :])
    for i in range(len(order)):
        names[len(heads) + i] = seen[len(heads) + order[i]]
    for i in range(found):
        number[names[i]] = i
    local = np.empty(len(nodes), np.int32)
    order_rows(ptr, nodes, number, frequencies(names, count), local)
    for i in range(found):
        number[names[i]] = -1
        count[names[i]] = 0
    return local, names
