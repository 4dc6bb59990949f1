"""Who is exposed among many records that rate the same issues: the method's own search, 64 records a word.

It is written apart from the search that checks the guarantee, so that neither can inherit a fault of the other.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Codes, Ints, Mask, Words
from covey.kernels.methods.suppression import Rows, least_spread
from covey.kernels.shared.jit import kernel

Bits = Words

_ONE, _NONE, _FULL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def within(codes: Codes, epsilon: int, levels: int) -> Bits:
    """Return ``bits[issue, code]``: the records (rows of `codes`) rating the issue within `epsilon` of `code`.

    O(records × issues × (2 · epsilon + 1)).
    """
    n, issues = codes.shape
    bits = np.zeros((issues, levels + 1, (n + 63) // 64), np.uint64)
    for row in range(n):
        for issue in range(issues):
            for code in range(1, levels + 1):
                if abs(np.int64(codes[row, issue]) - code) <= epsilon:
                    bits[issue, code, row // 64] |= _ONE << np.uint64(row % 64)
    return bits


@kernel
def exposed_in_run(
    codes: Codes, bits: Bits, members: Ints, k: int, secret: Rows, issues: int, zero: bool, least: float
) -> Mask:
    """Mark the records with fewer than k near ones, or near ones whose sensitive ratings spread too little.

    Row i of `codes` belongs to respondent ``members[i]``. Without sensitive issues a record is done when k near
    ones are found. Precondition: all rows rate the same issues. O(records² / 64 × issues) at worst.
    """
    n, width = codes.shape
    result = np.zeros(n, np.bool_)
    found = np.empty(n, np.int64)
    words = (n + 63) // 64
    for i in range(n):
        count = 0
        for w in range(words):
            word = _FULL
            for t in range(width):
                word &= bits[t, codes[i, t], w]
                if word == _NONE:
                    break
            j = 64 * w
            while word != _NONE and j < n:
                if word & _ONE != _NONE:
                    found[count] = members[j]
                    count += 1
                word >>= _ONE
                j += 1
            if issues == 0 and count >= k:
                break
        result[i] = count < k
        if issues > 0 and count >= k:
            result[i] = least_spread(found[:count], secret, issues, zero) < least
    return result
