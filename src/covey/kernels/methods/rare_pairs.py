"""Rare pairs of labels of a cut, counted rather than searched: what mining threats comes down to when m is 2.

Used by methods only; the checkers have loops of their own.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Words
from covey.kernels.methods.growing import larger
from covey.kernels.shared.csr import NEAR, bring_near
from covey.kernels.shared.jit import kernel
from covey.kernels.shared.tree import rows_below


@kernel
def count_labels(rows: Ids, indptr: Ints, leaf: Ids, label: Ids, count: Ints, met: Ids) -> int:
    """Count in how many of the rows each label is; return how many labels are listed in `met`, as first seen.

    Precondition: rows hold leaves in tour order, so those of one label stand together. O(entries of the rows).
    """
    found, near = np.int64(0), np.empty((3, NEAR), np.int64)
    for done in range(0, len(rows), NEAR):
        some = rows[done : done + NEAR]
        bring_near(indptr, leaf, some, near)
        for i in range(len(some)):
            previous = np.int32(-1)
            for e in range(near[0, i], near[1, i]):
                y = label[leaf[e]]
                if y != previous:
                    if count[y] == 0:
                        met[found] = y
                        found += 1
                    count[y] += 1
                    previous = y
    return found


@kernel
def rare_pairs(
    heads: Ids, x: int, last: Ids, indptr: Ints, leaf: Ids, leaf_ptr: Ints, leaf_rows: Ids, cut_of: Ids, instead: Ids,
    support: Ints, k: int, count: Ints, marks: Words, used: Ints, limit: int,
) -> tuple[bool, Ints, Ids]:  # fmt: skip
    """Return the pairs of a head and a label of the cut that occur, but in fewer than k rows: all?, offsets, nodes.

    The cut has the nodes `instead` of x, and heads are those of them with k rows. Labels with fewer than k rows are
    left out. Precondition: `count` and `marks` are all 0, and are left so. As `threats.mine`, it ends early beyond
    `limit` members, or ``used[1]`` steps. The pairs of a head come by ascending count, and then as first seen.
    O(entries of the rows of every head).
    """
    own = cut_of[x : last[x] + 1].copy()
    for i in range(len(instead)):
        cut_of[instead[i] : last[instead[i]] + 1] = instead[i]
    met, start = np.empty(len(cut_of), np.int32), np.empty(k + 1, np.int64)
    out, write, spare = np.empty(1024, np.int32), np.int64(0), used[1]
    for i in range(len(heads) - 1, -1, -1):
        h = heads[i]
        rows = rows_below(h, last, leaf_ptr, leaf_rows, marks)
        found = count_labels(rows, indptr, leaf, cut_of, count, met)
        start[:] = 0
        for j in range(found):
            y = met[j]
            spare -= count[y]
            if count[y] < k and support[y] >= k and not x <= y <= h:
                start[count[y] + 1] += 1
        for c in range(k):
            start[c + 1] += start[c]
        more = start[k]
        out = larger(out, write + 2 * more)
        for j in range(found):
            y = met[j]
            if count[y] < k and support[y] >= k and not x <= y <= h:
                at = write + 2 * start[count[y]]
                out[at], out[at + 1] = h, y
                start[count[y]] += 1
            count[y] = 0
        write += 2 * more
        spare -= found
        if write > limit or spare <= 0:
            break
    cut_of[x : last[x] + 1] = own
    used[1] = max(spare, 0)
    return write <= limit and spare > 0, np.arange(0, write + 1, 2), out[:write]
