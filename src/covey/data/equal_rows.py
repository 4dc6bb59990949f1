"""Which rows of a sparse matrix are equal."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Words
from covey.data.csr import pieces
from covey.data.jit import kernel
from covey.threads import parallel


def equal_rows(indptr: Ints, indices: Ids, d: int, seed: int | None = None) -> tuple[Ints, Ints, Ints]:
    """A number for each row, the same for equal rows only; how many rows have each number, and one of them.

    Rows over `d` items ascend. Without a `seed`, hashes are drawn afresh: nobody can prepare rows whose hashes collide
    and make it slow.

    Examples
    --------
    >>> number, size, example = equal_rows(np.array([0, 1, 2, 3]), np.array([1, 0, 1], np.int32), 2)
    >>> size[number].tolist(), bool(number[0] == number[2])
    ([2, 1, 2], True)
    """
    words = np.random.default_rng(seed).integers(0, 2**64, max(d, 1), np.uint64)
    n, ranges = len(indptr) - 1, pieces(len(indptr) - 1)
    hashes = np.concatenate(
        parallel(lambda rows: set_hashes(indptr[rows.start : rows.stop + 1], indices, words), ranges)
    )
    # Equal rows have equal hashes, so what lies between two hashes is looked at by itself.
    part = (hashes >> np.uint64(32)) * np.uint64(len(ranges)) >> np.uint64(32)

    def classes(at: int) -> tuple[Ints, Ints, Ints]:
        some = np.flatnonzero(part == at)
        order = some[np.argsort(hashes[some], kind="stable")]
        return order, *classes_of(indptr, indices, hashes, order)

    number, examples, before = np.empty(n, np.int64), [], 0
    for order, numbers, example in parallel(classes, range(len(ranges))):
        number[order] = numbers + before
        examples.append(example)
        before += len(example)
    return number, np.bincount(number, minlength=before), np.concatenate(examples)


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
