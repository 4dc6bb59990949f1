"""Looking for one set of labels that breaks a promise, on published rows alone; used by checkers only.

A plain forward search that shares nothing with how methods mine: labels by ascending frequency, each set's rows held
as (row, next place) pairs on a stack, ending at the first set that occurs too rarely or gives a private item away.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.data.csr import NEAR, bring_rests_near
from covey.data.jit import kernel


@kernel
def most_common_secret(
    rows: Ids, start: int, stop: int, weight: Ints, secret_ptr: Ints, secret: Ids, count: Ints
) -> int:  # fmt: skip
    """Return in how many of the rows on the stack the most common private item is. O(their private entries)."""
    most = np.int64(0)
    for i in range(start, stop):
        for e in range(secret_ptr[rows[i]], secret_ptr[rows[i] + 1]):
            count[secret[e]] += weight[rows[i]]
            most = max(most, count[secret[e]])
    for i in range(start, stop):
        for e in range(secret_ptr[rows[i]], secret_ptr[rows[i] + 1]):
            count[secret[e]] = 0
    return most


@kernel
def room(array: Any, need: int) -> Any:
    """Return `array`, or a longer copy when it has fewer than `need` places. O(length)."""
    if need <= len(array):
        return array
    longer = np.empty(need + need // 8 + 16, array.dtype)
    longer[: len(array)] = array
    return longer


@kernel
def first_offence(
    indptr: Ints, labels: Ids, weight: Ints, width: int, secret_ptr: Ints, secret: Ids, secrets: int,
    k: int, m: int, h: float, work_limit: int, low_label: int, high_label: int,
) -> tuple[int, Ints, int, int]:  # fmt: skip
    """Return (0, set, its support) for a set of 1..m labels that breaks the promise; (1, -, 0) when there is none.

    (2, -, 0) means that more than `work_limit` entries would have to be read; last comes how many were. Precondition:
    rows ascending, with fewer than 2^32 entries. Larger sets are looked at if their lowest label is from `low_label` up
    to `high_label`. A label that stands in all rows of a set is not added to it: that changes no count. Cost: the rows
    of every set of fewer than m labels that occurs.
    """
    n = len(indptr) - 1
    rows, places = np.arange(n).astype(np.int32), indptr[:-1].astype(np.uint32)
    seen, heavy, touched = np.zeros(width, np.int64), np.zeros(width, np.int64), np.empty(width, np.int64)
    goes, private = np.full(width, -1, np.int64), np.zeros(secrets, np.int64)
    chosen, near = np.empty(width + 1, np.int64), np.empty((3, NEAR), np.int64)
    # One pending set per entry: its newest label, where its rows lie, their weight, how many labels it has.
    # The first one is the empty set: all rows, from before their first label, weighing more than any label.
    name, low, high = np.full(1, -1, np.int64), np.zeros(1, np.int64), np.full(1, n, np.int64)
    mass, size_of = np.full(1, weight.sum() + 1, np.int64), np.zeros(1, np.int64)
    pending, work = np.int64(1), np.int64(0)
    while pending > 0:
        pending -= 1
        size, start, stop, whole = size_of[pending], low[pending], high[pending], mass[pending]
        if size > 0:
            chosen[size - 1] = name[pending]
            if secrets > 0:
                most = most_common_secret(rows, start, stop, weight, secret_ptr, secret, private)
                if most > h * whole + 1e-9:
                    return 0, chosen[:size], whole, work
        if size >= m:
            continue
        found = np.int64(0)
        for done in range(start, stop, NEAR):
            some = rows[done : min(done + NEAR, stop)]
            bring_rests_near(indptr, labels, some, places[done : done + NEAR], near)
            for i in range(len(some)):
                for e in range(near[0, i], near[1, i]):
                    x = labels[e]
                    if seen[x] == 0:
                        touched[found] = x
                        found += 1
                    seen[x] += 1
                    heavy[x] += weight[some[i]]
                    work += 1
        offender, support, end, more = np.int64(-1), np.int64(0), stop, np.int64(0)
        for t in range(found):
            x = touched[t]
            if heavy[x] < k:
                offender, support = x, heavy[x]
            elif heavy[x] < whole and (size + 1 < m or secrets > 0) and (size > 0 or low_label <= x < high_label):
                at = pending + more
                name, low, high = room(name, at + 1), room(low, at + 1), room(high, at + 1)
                mass, size_of = room(mass, at + 1), room(size_of, at + 1)
                name[at], low[at], high[at] = x, end, end + seen[x]
                mass[at], size_of[at] = heavy[x], size + 1
                goes[x] = end
                end += seen[x]
                more += 1
            seen[x], heavy[x] = 0, 0
        if offender >= 0:
            chosen[size] = offender
            return 0, chosen[: size + 1], support, work
        if work > work_limit:
            return 2, chosen[:0], 0, work
        rows, places = room(rows, end), room(places, end)
        for i in range(start, stop if more else start):
            for e in range(places[i], indptr[rows[i] + 1]):
                if goes[labels[e]] >= 0:
                    rows[goes[labels[e]]], places[goes[labels[e]]] = rows[i], e + 1
                    goes[labels[e]] += 1
        for t in range(found):
            goes[touched[t]] = -1
        pending += more
    return 1, chosen[:0], 0, work


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
