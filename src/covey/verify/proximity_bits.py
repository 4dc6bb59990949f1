"""Groups of epsilon-proximate records in a large bucket, 64 records a word (Sun et al. 2010, Def. 1 to 3).

For each issue and rating a row of bits tells which records are near it. The records proximate to one of them are
sliced out issue by issue with "and"; only words with a bit left go on to the next issue, and since records are
sorted, these are few and neighbours in the order share most of the work.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Codes, Floats, Ids, Ints, Words
from covey.data.jit import kernel
from covey.verify.spread import empty_sums, take_lowest

Bits = Words

Secret = tuple[Ints, Ids, Codes]
Found = tuple[Ints, Floats, Ids]

_NONE, _ONE = np.uint64(0), np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_PAIRS, _FOURS, _BYTES = (
    np.uint64(0x5555555555555555),
    np.uint64(0x3333333333333333),
    np.uint64(0x0F0F0F0F0F0F0F0F),
)
_S1, _S2, _S4, _S8, _S16, _S32 = (np.uint64(s) for s in (1, 2, 4, 8, 16, 32))
_LAST = np.uint64(0x7F)


@kernel
def ones(word: np.uint64) -> int:
    """Count the bits that are set. O(1), and one instruction once compiled."""
    word = word - ((word >> _S1) & _PAIRS)
    word = (word & _FOURS) + ((word >> _S2) & _FOURS)
    word = (word + (word >> _S4)) & _BYTES
    word = word + (word >> _S8)
    word = word + (word >> _S16)
    word = word + (word >> _S32)
    return np.int64(word & _LAST)


@kernel
def near_bits(columns: Codes, epsilon: int, levels: int) -> Bits:
    """Return ``bits[t, code]``: which records have a rating within `epsilon` steps of `code` on issue t.

    `columns` holds one row per issue. O(issues × levels × records).
    """
    issues, n = columns.shape
    bits = np.zeros((issues, levels + 1, n // 64 + 1), np.uint64)
    for t in range(issues):
        for j in range(n):
            bit = _ONE << np.uint64(j % 64)
            code = np.int64(columns[t, j])
            low, high = np.int64(max(code - epsilon, 1)), np.int64(min(code + epsilon, levels))
            for near in range(low, high + 1):
                bits[t, near, j // 64] |= bit
    return bits


@kernel
def secret_bits(order: Ints, secret: Secret, issues: int, levels: int) -> Bits:
    """Return ``bits[s, code]``: which records, in this order, gave the sensitive issue s this code. O(ratings)."""
    ptr, issue, code = secret
    bits = np.zeros((issues, levels + 1, len(order) // 64 + 1), np.uint64)
    if issues > 0:
        for i in range(len(order)):
            for e in range(ptr[order[i]], ptr[order[i] + 1]):
                bits[issue[e], code[e], i // 64] |= _ONE << np.uint64(i % 64)
    return bits


@kernel
def groups_by_words(
    columns: Codes, shared: Ids, near: Bits, held: Bits, records: int, zero: bool, first: int, last: int,
    found: Found,
) -> None:  # fmt: skip
    """Write size, lowest variance and its issue for the distinct records ``first:last``.

    The stack holds, for each number of leading issues, the words with records proximate on all of them; only
    issues behind the prefix shared with the previous distinct record are sliced anew. Precondition: records
    are sorted and `shared` tells the prefixes. O(distinct records × words left, summed over the issues).
    """
    size, lowest, worst = found
    levels, words = len(columns), records // 64 + 1
    issues, codes = held.shape[0], held.shape[1]
    place = np.empty((levels + 1) * words, np.int32)
    mask = np.empty((levels + 1) * words, np.uint64)
    start = np.zeros(levels + 2, np.int64)
    for w in range(words):
        place[w], mask[w] = w, _ALL
    if records % 64 > 0:
        mask[words - 1] = (_ONE << np.uint64(records % 64)) - _ONE
    start[1] = words if records % 64 > 0 else words - 1
    sums = empty_sums(issues)
    for i in range(first, last):
        for t in range(shared[i] if i > first else 0, levels):
            row, write = near[t, columns[t, i]], start[t + 1]
            for e in range(start[t], start[t + 1]):
                # Nobody can foresee which words have a bit left, so all are written, and the others over again.
                left = mask[e] & row[place[e]]
                place[write], mask[write] = place[e], left
                write += left != _NONE
            start[t + 2] = write
        count = 0
        for e in range(start[levels], start[levels + 1]):
            count += ones(mask[e])
            for s in range(issues):
                for code in range(1, codes):
                    many = ones(mask[e] & held[s, code, place[e]])
                    sums[0][s] += many
                    sums[1][s] += many * code
                    sums[2][s] += many * code * code
        for s in range(issues):
            if sums[0][s] > 0:
                sums[3][sums[4][0]] = s
                sums[4][0] += 1
        size[i] = count
        variance, issue = take_lowest(sums, count, zero)
        lowest[i], worst[i] = variance, issue
