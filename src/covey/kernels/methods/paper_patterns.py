"""PatternKa's choice of patterns and rows on tables, exactly as Algorithm 2 of the paper has it."""

from __future__ import annotations

import heapq

import numpy as np

from covey.arrays import Ids, Ints
from covey.kernels.methods.extents import Scale, extents_loss
from covey.kernels.methods.table_patterns import typicality
from covey.kernels.shared.csr import transpose_rows
from covey.kernels.shared.jit import kernel

#: Logarithms of equal products may differ by this much.
SAME = 1e-9


@kernel
def least_scored(rows: Ids, items: Ids, k: int, counts: Ints) -> int:
    """Bring C_p to the front of `rows`: all that score no more than the k-th smallest; return how many (eq. 21 to 23).

    A row's score is the product of how often each of its items occurs among `rows`; ties with the k-th row are in.
    `counts` has a zero for every item and has so again on return. O(rows · (columns + log rows)).
    """
    score = typicality(rows, items, counts)
    most = np.sort(score)[k - 1] + SAME
    size = np.int64(0)
    for i in range(len(rows)):
        if score[i] <= most:
            rows[size], rows[i] = rows[i], rows[size]
            score[size], score[i] = score[i], score[size]
            size += 1
    return size


@kernel
def assess(
    rows: Ids, alive: int, codes: Ids, items: Ids, scale: Scale, k: int, group: Ints, counts: Ints
) -> tuple[float, int, int]:
    """NCP of the group that a pattern would make now (eq. 8), its size, and the live rows of the pattern.

    Live rows come to the front of `rows`, those of the group first; the size is 0 for a pattern that is rare by now.
    """
    count = np.int64(0)
    for i in range(alive):
        if group[rows[i]] < 0:
            rows[count] = rows[i]
            count += 1
    if count < k:
        return 0.0, 0, count
    size = least_scored(rows[:count], items, k, counts)
    low, high = codes[rows[0]].copy(), codes[rows[0]].copy()
    for i in range(1, size):
        for a in range(codes.shape[1]):
            low[a] = min(low[a], codes[rows[i], a])
            high[a] = max(high[a], codes[rows[i], a])
    return size * extents_loss(scale, low, high), size, count


@kernel
def take_groups_as_written(
    ptr: Ints, classes: Ids, codes: Ids, items: Ids, scale: Scale, k: int, group: Ints, groups: int
) -> int:
    """Form groups of live rows from frequent patterns of one length, least NCP first (Alg. 2); return their number.

    As `covey.kernels.methods.table_patterns.take_groups`, but a pattern that loses rows may come to lose less, so all
    that share a row with a new group are assessed anew. Of equally good patterns the first is the random one.
    O(groups · k · choices · rows of a pattern · columns) at worst.
    """
    counts = np.zeros(items.max() + 1, np.int64)
    of_ptr, of_row = transpose_rows(ptr, classes, len(items))
    alive, size = np.diff(ptr), np.zeros(len(ptr) - 1, np.int64)
    stamp, touched = np.zeros(len(alive), np.int64), np.full(len(alive), -1, np.int64)
    heap = [(np.inf, np.int64(-1), np.int64(0))]
    for c in range(len(alive)):
        loss, size[c], alive[c] = assess(classes[ptr[c] : ptr[c + 1]], alive[c], codes, items, scale, k, group, counts)
        if size[c]:
            heapq.heappush(heap, (loss, np.int64(c), stamp[c]))
    while True:
        _, c, at = heapq.heappop(heap)
        if c < 0:
            return groups
        if at != stamp[c]:
            continue
        taken = classes[ptr[c] : ptr[c] + size[c]].copy()
        group[taken] = groups
        for row in taken:
            for e in range(of_ptr[row], of_ptr[row + 1]):
                b = np.int64(of_row[e])
                if touched[b] == groups or not size[b]:
                    continue
                touched[b], stamp[b] = groups, stamp[b] + 1
                rows = classes[ptr[b] : ptr[b + 1]]
                loss, size[b], alive[b] = assess(rows, alive[b], codes, items, scale, k, group, counts)
                if size[b]:
                    heapq.heappush(heap, (loss, b, stamp[b]))
        groups += 1
