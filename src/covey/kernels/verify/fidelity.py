"""Comparing two sets of rows as multisets: a salted hash per row, then the rows themselves.

Used only to check a release against its original; no method uses these loops.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Words
from covey.data.jit import kernel


@kernel
def row_hashes(indptr: Ints, indices: Ids, item_words: Words) -> Words:
    """Return a 64-bit hash of each row as a set: its items' random words, combined by XOR (Zobrist). O(nnz).

    `item_words` are drawn anew for each comparison, so nobody can prepare rows that collide.
    """
    n = len(indptr) - 1
    hashes = np.zeros(n, np.uint64)
    for row in range(n):
        h = np.uint64(0)
        for e in range(indptr[row], indptr[row + 1]):
            h ^= item_words[indices[e]]
        hashes[row] = h
    return hashes


@kernel
def first_unequal(a_ptr: Ints, a_ids: Ids, b_ptr: Ints, b_ids: Ids, partner: Ints) -> int:
    """Return the first row i of a that differs from row ``partner[i]`` of b, or -1. O(nnz)."""
    for i in range(len(partner)):
        a, b = a_ptr[i], b_ptr[partner[i]]
        length = a_ptr[i + 1] - a
        if length != b_ptr[partner[i] + 1] - b:
            return i
        for e in range(length):
            if a_ids[a + e] != b_ids[b + e]:
                return i
    return -1


@kernel
def first_impossible_count(
    group_ptr: Ints,
    kind: Ints,
    kind_size: Ints,
    holder_ptr: Ints,
    holder_item: Ids,
    holder_count: Ints,
    m: int,
    count_ptr: Ints,
    count_item: Ids,
    count: Ints,
) -> tuple[int, int]:
    """Return the first (group, sensitive item) whose count no original could have given, or (-1, -1).

    Rows with the same published basket are of one `kind`; of its ``kind_size`` originals,
    ``holder_count`` hold each item listed in ``holder_ptr``/``holder_item``. A group with x rows of a kind
    owns between x - (those without the item) and min(x, those with it) of its holders. The published counts
    come in ``count_ptr`` order by group. O(n log n) plus the listed holders of each kind in each group.
    """
    low, high, published = np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(m, np.int64)
    for g in range(len(group_ptr) - 1):
        kinds = np.sort(kind[group_ptr[g] : group_ptr[g + 1]])
        i = np.int64(0)
        while i < len(kinds):
            j = i
            while j < len(kinds) and kinds[j] == kinds[i]:
                j += 1
            x, k = j - i, kinds[i]
            for e in range(holder_ptr[k], holder_ptr[k + 1]):
                s = holder_item[e]
                low[s] += max(0, x - (kind_size[k] - holder_count[e]))
                high[s] += min(x, holder_count[e])
            i = j
        for e in range(count_ptr[g], count_ptr[g + 1]):
            published[count_item[e]] = count[e]
        wrong = np.int64(-1)
        for e in range(count_ptr[g], count_ptr[g + 1]):
            s = count_item[e]
            if published[s] < low[s] or published[s] > high[s]:
                wrong = s
        for i in range(len(kinds)):
            for e in range(holder_ptr[kinds[i]], holder_ptr[kinds[i] + 1]):
                s = holder_item[e]
                if published[s] < low[s] or published[s] > high[s]:
                    wrong = s
        if wrong >= 0:
            return g, wrong
        for i in range(len(kinds)):
            for e in range(holder_ptr[kinds[i]], holder_ptr[kinds[i] + 1]):
                low[holder_item[e]] = 0
                high[holder_item[e]] = 0
        for e in range(count_ptr[g], count_ptr[g + 1]):
            published[count_item[e]] = 0
    return -1, -1
