"""What a group of table rows loses: the normalized certainty penalty of its extents (PatternKa 2020, section 2.1).

A scale describes the columns as flat arrays: ``(start, numeric, parent, last, weight)``. Column a owns the nodes
from ``start[a]`` to ``start[a + 1]``. For a numeric column node i is value i and ``weight`` its place between 0
and 1 (2 for the missing value). For a categorical column the nodes are those of its hierarchy, leaves first;
``parent`` and ``last`` (last leaf below) are relative to ``start[a]``, ``weight`` is the loss of a node.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.kernels.shared.jit import kernel

Scale = tuple[Ints, Mask, Ids, Ids, Floats]


@kernel
def span_loss(scale: Scale, a: int, low: int, high: int) -> float:
    """The loss, 0 to 1, of publishing codes `low` to `high` of column `a` as one value. O(depth)."""
    start, numeric, parent, last, weight = scale
    base = start[a]
    if numeric[a]:
        return float(min(1.0, weight[base + high] - weight[base + low]))
    node = low
    while last[base + node] < high:
        node = parent[base + node]
    return float(weight[base + node])


@kernel
def group_extents(codes: Ids, ptr: Ints, rows: Ints) -> tuple[Ids, Ids]:
    """The lowest and the highest code of each group and column. O(n · columns).

    Group g holds ``rows[ptr[g]:ptr[g + 1]]`` and is not empty.
    """
    groups, q = len(ptr) - 1, codes.shape[1]
    low = np.empty((groups, q), np.int32)
    high = np.empty((groups, q), np.int32)
    for g in range(groups):
        for a in range(q):
            low[g, a] = high[g, a] = codes[rows[ptr[g]], a]
        for e in range(ptr[g] + 1, ptr[g + 1]):
            for a in range(q):
                code = codes[rows[e], a]
                low[g, a] = min(low[g, a], code)
                high[g, a] = max(high[g, a], code)
    return low, high


@kernel
def extents_loss(scale: Scale, low: Ids, high: Ids) -> float:
    """The summed loss over all columns of one group with these extents. O(columns · depth)."""
    total = 0.0
    for a in range(len(low)):
        total += span_loss(scale, a, low[a], high[a])
    return total


@kernel
def joined_loss(scale: Scale, low: Ids, high: Ids, row_low: Ids, row_high: Ids, bound: float) -> float:
    """The summed loss of the two extents taken together; stops early once it reaches `bound`."""
    total = 0.0
    for a in range(len(low)):
        total += span_loss(scale, a, min(low[a], row_low[a]), max(high[a], row_high[a]))
        if total >= bound:
            return total
    return total
