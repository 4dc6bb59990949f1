"""Counting the sets of labels that occur too rarely, and whose they are; used by checkers only."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.data.jit import kernel
from covey.kernels.verify.rare_sets import room


@kernel
def count_rare(
    indptr: Ints, labels: Ids, weight: Ints, width: int, k: int, m: int, work_limit: int
) -> tuple[int, Mask, bool]:  # fmt: skip
    """Return how many sets of 1..m labels occur in rows that weigh less than k, which rows hold one, and True.

    False instead of True: more than `work_limit` entries would have to be read, and there may be more of both.
    Precondition: rows ascending, m >= 1. Cost: the rows of every set of fewer than m labels that occurs.
    """
    n = len(indptr) - 1
    rows, places = np.arange(n), indptr[:-1] - 1
    seen, heavy, touched = np.zeros(width, np.int64), np.zeros(width, np.int64), np.empty(width, np.int64)
    goes, exposed = np.full(width, -1, np.int64), np.zeros(n, np.bool_)
    # One pending set per entry: where its rows lie, each with the place of the set's last label, and its size.
    low, high, size_of = np.zeros(1, np.int64), np.full(1, n, np.int64), np.zeros(1, np.int64)
    pending, work, count = np.int64(1), np.int64(0), np.int64(0)
    while pending > 0:
        pending -= 1
        start, stop, size = low[pending], high[pending], size_of[pending]
        found = np.int64(0)
        for i in range(start, stop):
            for e in range(places[i] + 1, indptr[rows[i] + 1]):
                if seen[labels[e]] == 0:
                    touched[found] = labels[e]
                    found += 1
                seen[labels[e]] += 1
                heavy[labels[e]] += weight[rows[i]]
                work += 1
        for i in range(start, stop):
            for e in range(places[i] + 1, indptr[rows[i] + 1]):
                exposed[rows[i]] |= heavy[labels[e]] < k
        end, more = stop, np.int64(0)
        for t in range(found):
            x = touched[t]
            count += heavy[x] < k
            if size + 1 < m:
                at = pending + more
                low, high, size_of = room(low, at + 1), room(high, at + 1), room(size_of, at + 1)
                low[at], high[at], size_of[at] = end, end + seen[x], size + 1
                goes[x] = end
                end += seen[x]
                more += 1
            seen[x], heavy[x] = 0, 0
        if work > work_limit:
            return count, exposed, False
        rows, places = room(rows, end), room(places, end)
        for i in range(start, stop if more else start):
            for e in range(places[i] + 1, indptr[rows[i] + 1]):
                rows[goes[labels[e]]], places[goes[labels[e]]] = rows[i], e
                goes[labels[e]] += 1
        pending += more
    return count, exposed, True
