"""The Hilbert curve through the rows of a table, and the optimal cut of a line of rows into groups.

Skilling, Programming the Hilbert curve (2004); Ghinita, Karras, Kalnis, Mamoulis, VLDB 2007, section 4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from covey.arrays import Ids, Ints, Words
from covey.kernels.methods.extents import Scale
from covey.kernels.shared.jit import kernel


@kernel
def hilbert_keys(points: NDArray[np.uint32], bits: int) -> Words:
    """The place of each point on the Hilbert curve, as words of 64 bits, most significant first.

    Precondition: coordinates below 2**bits, bits <= 32. O(n · columns · bits); any number of columns.
    """
    n, q = points.shape
    words = (q * bits + 63) // 64
    keys = np.zeros((n, words), np.uint64)
    x = np.empty(q, np.uint32)
    one = np.uint32(1)
    for row in range(n):
        x[:] = points[row]
        # From coordinates to the transposed index: undo the excess work of each level, top bit first.
        for level in range(bits - 1, 0, -1):
            bit = one << np.uint32(level)
            below = bit - one
            for a in range(q):
                if x[a] & bit:
                    x[0] ^= below
                else:
                    swapped = (x[0] ^ x[a]) & below
                    x[0] ^= swapped
                    x[a] ^= swapped
        for a in range(1, q):
            x[a] ^= x[a - 1]
        flip = np.uint32(0)
        for level in range(bits - 1, 0, -1):
            if x[q - 1] & (one << np.uint32(level)):
                flip ^= (one << np.uint32(level)) - one
        at = words * 64 - q * bits
        for level in range(bits - 1, -1, -1):
            for a in range(q):
                bit = ((x[a] ^ flip) >> np.uint32(level)) & one
                keys[row, at // 64] |= np.uint64(bit) << np.uint64(63 - at % 64)
                at += 1
    return keys


@kernel
def optimal_cuts(codes: Ids, order: Ints, scale: Scale, k: int) -> Ints:
    """Offsets of the groups of k to 2k-1 consecutive rows of `order` with the least summed loss.

    Precondition: at least k rows. A dynamic programme over prefixes: the best last group of a prefix is found by
    growing it backwards row by row, with its extents. O(n · k · columns).
    """
    start, numeric, parent, last, weight = scale
    n, q = len(order), codes.shape[1]
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    back = np.zeros(n + 1, np.int64)
    low, high, node = np.empty(q, np.int64), np.empty(q, np.int64), np.empty(q, np.int64)
    for stop in range(k, n + 1):
        for a in range(q):
            low[a] = high[a] = node[a] = codes[order[stop - 1], a]
        loss = 0.0
        for begin in range(stop - 1, max(stop - 2 * k, -1), -1):
            row = order[begin]
            for a in range(q):
                code, base = np.int64(codes[row, a]), start[a]
                if low[a] <= code <= high[a]:
                    continue
                if numeric[a]:
                    loss -= min(1.0, weight[base + high[a]] - weight[base + low[a]])
                    low[a], high[a] = min(low[a], code), max(high[a], code)
                    loss += min(1.0, weight[base + high[a]] - weight[base + low[a]])
                else:
                    loss -= weight[base + node[a]]
                    low[a], high[a] = min(low[a], code), max(high[a], code)
                    # A node covers an unbroken range of leaves, so climb from the lowest leaf's side.
                    at = low[a]
                    while last[base + at] < high[a]:
                        at = np.int64(parent[base + at])
                    node[a] = at
                    loss += weight[base + at]
            size = stop - begin
            if size >= k and best[begin] + size * loss < best[stop]:
                best[stop] = best[begin] + size * loss
                back[stop] = begin
    cuts = np.empty(n // k + 1, np.int64)
    count, at = 0, n
    while at > 0:
        cuts[count] = at
        count += 1
        at = back[at]
    ends = np.zeros(count + 1, np.int64)
    for i in range(count):
        ends[count - i] = cuts[i]
    return ends
