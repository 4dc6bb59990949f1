"""Records that rated exactly the same non-sensitive issues, brought together (docs/papers.md, Sun et al. 2010).

With epsilon below r only such records can be proximate, so every search stays inside a bucket.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Codes, Ids, Ints, Mask
from covey.data.jit import kernel


@kernel
def support_hashes(indptr: Ints, indices: Ids, words: Ints) -> Ints:
    """Return the exclusive or of the words of each row's issues; sensitive issues have the word 0. O(nnz)."""
    hashes = np.empty(len(indptr) - 1, np.int64)
    for row in range(len(indptr) - 1):
        mixed = np.int64(0)
        for e in range(indptr[row], indptr[row + 1]):
            mixed ^= words[indices[e]]
        hashes[row] = mixed
    return hashes


@kernel
def same_support(indptr: Ints, indices: Ids, words: Ints, a: int, b: int) -> bool:
    """Tell whether two rows hold the same issues among those whose word is not 0. O(lengths)."""
    i, j = indptr[a], indptr[b]
    while True:
        while i < indptr[a + 1] and words[indices[i]] == 0:
            i += 1
        while j < indptr[b + 1] and words[indices[j]] == 0:
            j += 1
        if i == indptr[a + 1] or j == indptr[b + 1]:
            return bool(i == indptr[a + 1] and j == indptr[b + 1])
        if indices[i] != indices[j]:
            return False
        i += 1
        j += 1


@kernel
def split_runs(indptr: Ints, indices: Ids, words: Ints, hashes: Ints, order: Ints) -> Ints:
    """Cut `order`, the rows by hash, into buckets of equal support; returns their offsets.

    Rows of equal hash but different support are told apart: `order` is rearranged within such a run.
    Expected O(nnz); a run with c different supports costs c times its length.
    """
    n = len(order)
    ptr = np.empty(n + 1, np.int64)
    ptr[0] = 0
    buckets = 0
    start = 0
    while start < n:
        stop = start + 1
        while stop < n and hashes[order[stop]] == hashes[order[start]]:
            stop += 1
        while start < stop:
            end = start + 1
            for i in range(start + 1, stop):
                if same_support(indptr, indices, words, order[start], order[i]):
                    order[end], order[i] = order[i], order[end]
                    end += 1
            buckets += 1
            ptr[buckets] = end
            start = end
    return ptr[: buckets + 1].copy()


@kernel
def gather_codes(
    indptr: Ints, indices: Ids, codes: Codes, sensitive: Mask, rows: Ints
) -> tuple[Ints, Codes, Ints, Ids, Codes]:
    """Return the non-sensitive codes of `rows` and their sensitive ratings, one row after the other.

    Non-sensitive: offsets and codes (their issues are the bucket's). Sensitive: offsets, issue and code.
    O(ratings of the rows).
    """
    open_ptr, secret_ptr = np.zeros(len(rows) + 1, np.int64), np.zeros(len(rows) + 1, np.int64)
    for i in range(len(rows)):
        secret = 0
        for e in range(indptr[rows[i]], indptr[rows[i] + 1]):
            secret += sensitive[indices[e]]
        secret_ptr[i + 1] = secret_ptr[i] + secret
        open_ptr[i + 1] = open_ptr[i] + indptr[rows[i] + 1] - indptr[rows[i]] - secret
    open_code = np.empty(open_ptr[-1], np.int16)
    issue, secret_code = np.empty(secret_ptr[-1], np.int32), np.empty(secret_ptr[-1], np.int16)
    for i in range(len(rows)):
        write, other = open_ptr[i], secret_ptr[i]
        for e in range(indptr[rows[i]], indptr[rows[i] + 1]):
            if sensitive[indices[e]]:
                issue[other], secret_code[other] = indices[e], codes[e]
                other += 1
            else:
                open_code[write] = codes[e]
                write += 1
    return open_ptr, open_code, secret_ptr, issue, secret_code
