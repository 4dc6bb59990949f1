"""KL reconstruction error of many queries in one pass (Ghinita et al. 2008, section II-B).

A query is a sensitive item and up to 16 published items; a row falls into the cell whose bits say which of
them it holds. Only cells in which the sensitive item really occurs contribute, so only those are kept: the
work and the memory follow the entries touched, never the 2^r cells.

Queries are given by sensitive item (``by_sens``) and by published item (``by_item`` with the bit in ``bit``).
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.kernels.shared.jit import kernel
from covey.kernels.shared.sorting import lower_bound

#: Bits of a cell key taken by the cell; the query's number stands above them.
CELL_BITS = 16


@kernel
def actual_cells(
    qid_ptr: Ints,
    qid: Ids,
    sens_ptr: Ints,
    sens: Ids,
    by_sens_ptr: Ints,
    by_sens: Ids,
    by_item_ptr: Ints,
    by_item: Ids,
    bit: Ids,
) -> Ints:
    """Return one key (query << 16 | cell) per original occurrence of each query's sensitive item.

    O(entries of sensitive rows, times the queries that ask for them).
    """
    total = np.int64(0)
    for e in range(len(sens)):
        total += by_sens_ptr[sens[e] + 1] - by_sens_ptr[sens[e]]
    keys = np.empty(total, np.int64)
    cell = np.full(len(by_sens), -1, np.int64)
    write = np.int64(0)
    for row in range(len(qid_ptr) - 1):
        if sens_ptr[row] == sens_ptr[row + 1]:
            continue
        for e in range(sens_ptr[row], sens_ptr[row + 1]):
            for f in range(by_sens_ptr[sens[e]], by_sens_ptr[sens[e] + 1]):
                cell[by_sens[f]] = 0
        for e in range(qid_ptr[row], qid_ptr[row + 1]):
            for f in range(by_item_ptr[qid[e]], by_item_ptr[qid[e] + 1]):
                if cell[by_item[f]] >= 0:
                    cell[by_item[f]] |= np.int64(1) << bit[f]
        for e in range(sens_ptr[row], sens_ptr[row + 1]):
            for f in range(by_sens_ptr[sens[e]], by_sens_ptr[sens[e] + 1]):
                keys[write] = (np.int64(by_sens[f]) << CELL_BITS) | cell[by_sens[f]]
                cell[by_sens[f]] = -1
                write += 1
    return keys


@kernel
def estimated_cells(
    indptr: Ints,
    indices: Ids,
    group_ptr: Ints,
    count_ptr: Ints,
    count_item: Ids,
    count: Ints | Floats,
    by_sens_ptr: Ints,
    by_sens: Ids,
    by_item_ptr: Ints,
    by_item: Ids,
    bit: Ids,
    keys: Ints,
) -> Floats:
    """Return the estimated count (eq. 2, summed over groups) of each cell in the sorted `keys`.

    O(entries of groups that hold a queried sensitive item, times the queries that ask for them).
    """
    estimate = np.zeros(len(keys), np.float64)
    queries = len(by_sens)
    weight = np.zeros(queries, np.float64)
    cell = np.zeros(queries, np.int64)
    elsewhere = np.zeros(queries, np.int64)
    touched = np.empty(queries, np.int64)
    first = np.searchsorted(keys, np.arange(queries + 1) << CELL_BITS)
    for g in range(len(group_ptr) - 1):
        size = group_ptr[g + 1] - group_ptr[g]
        asked = np.int64(0)
        for e in range(count_ptr[g], count_ptr[g + 1]):
            for f in range(by_sens_ptr[count_item[e]], by_sens_ptr[count_item[e] + 1]):
                weight[by_sens[f]] = count[e] / size
                elsewhere[by_sens[f]] = 0
                asked += 1
        if asked == 0:
            continue
        for row in range(group_ptr[g], group_ptr[g + 1]):
            met = np.int64(0)
            for e in range(indptr[row], indptr[row + 1]):
                for f in range(by_item_ptr[indices[e]], by_item_ptr[indices[e] + 1]):
                    q = by_item[f]
                    if weight[q] > 0:
                        if cell[q] == 0:
                            touched[met] = q
                            met += 1
                        cell[q] |= np.int64(1) << bit[f]
            for i in range(met):
                q = touched[i]
                add_to_cell(keys, first[q], first[q + 1], estimate, (q << CELL_BITS) | cell[q], weight[q])
                elsewhere[q] += 1
                cell[q] = 0
        for e in range(count_ptr[g], count_ptr[g + 1]):
            for f in range(by_sens_ptr[count_item[e]], by_sens_ptr[count_item[e] + 1]):
                q = np.int64(by_sens[f])
                missed = weight[q] * (size - elsewhere[q])
                add_to_cell(keys, first[q], first[q + 1], estimate, q << CELL_BITS, missed)
                weight[q] = 0
    return estimate


@kernel
def add_to_cell(keys: Ints, low: int, stop: int, estimate: Floats, key: int, amount: float) -> None:
    """Add `amount` to the estimate of `key` if it is among the sorted ``keys[low:stop]``. O(log(stop - low))."""
    at = lower_bound(keys, low, stop, key)
    if at < stop and keys[at] == key:
        estimate[at] += amount
