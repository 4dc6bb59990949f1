"""Classes of equal sets, and which sets hold which: for checking releases; no method uses these loops."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Words
from covey.data.jit import kernel


@kernel
def set_hashes(indptr: Ints, indices: Ids, item_words: Words) -> Words:
    """Return a 64-bit hash of each row as a set: its items' random words, combined by XOR. O(nnz)."""
    hashes = np.zeros(len(indptr) - 1, np.uint64)
    for row in range(len(hashes)):
        for e in range(indptr[row], indptr[row + 1]):
            hashes[row] ^= item_words[indices[e]]
    return hashes


@kernel
def classes_of(indptr: Ints, indices: Ids, hashes: Words, order: Ints) -> tuple[Ints, Ints]:
    """Return the class of each of the rows `order` (equal rows, and no others, are in one class) and a row of each.

    Precondition: `order` sorts its rows by `hashes`. A row is compared with one row of every class that has its
    hash, so different sets are never counted as one, whatever their hashes. O(nnz) unless hashes collide.
    """
    n = len(order)
    number, example = np.empty(n, np.int64), np.empty(n, np.int64)
    count, run = np.int64(0), np.int64(0)
    for i in range(n):
        row = order[i]
        if i == 0 or hashes[row] != hashes[order[i - 1]]:
            run = count
        home = count
        for c in range(run, count):
            a, b = indptr[row], indptr[example[c]]
            length = indptr[row + 1] - a
            same = length == indptr[example[c] + 1] - b
            for e in range(length if same else 0):
                same = same and indices[a + e] == indices[b + e]
            if same:
                home = c
                break
        if home == count:
            example[count] = row
            count += 1
        number[i] = home
    return number, example[:count].copy()


@kernel
def holders(
    set_ptr: Ints, sets: Ids, indptr: Ints, indices: Ids, item_ptr: Ints, in_row: Ids, limit: int
) -> tuple[Ints, Ids]:
    """Return for each set the rows that hold all of it, in compressed form; stops at `limit` rows in all.

    Precondition: sets are not empty; sets and rows ascend; ``item_ptr``/``in_row`` list the rows of each item.
    When the limit is passed, fewer offsets than sets are returned. O(rows of each set's rarest item).
    """
    n = len(set_ptr) - 1
    ptr, found = np.zeros(n + 1, np.int64), np.empty(1024, np.int32)
    for s in range(n):
        rarest = sets[set_ptr[s]]
        for x in range(set_ptr[s], set_ptr[s + 1]):
            j = sets[x]
            if item_ptr[j + 1] - item_ptr[j] < item_ptr[rarest + 1] - item_ptr[rarest]:
                rarest = j
        write = ptr[s]
        for x in range(item_ptr[rarest], item_ptr[rarest + 1]):
            row = in_row[x]
            at, e = set_ptr[s], indptr[row]
            while at < set_ptr[s + 1] and e < indptr[row + 1] and indices[e] <= sets[at]:
                at += sets[at] == indices[e]
                e += 1
            if at == set_ptr[s + 1]:
                if write == len(found):
                    wider = np.empty(2 * len(found), np.int32)
                    wider[:write] = found
                    found = wider
                found[write] = row
                write += 1
        ptr[s + 1] = write
        if write > limit:
            return ptr[: s + 2], found[:write]
    return ptr, found[: ptr[n]]
