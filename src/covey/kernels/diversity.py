"""Whether groups of rows hold well represented secrets, and merging those that do not."""

from __future__ import annotations

import numpy as np

from covey.kernels.extents import Ids, Ints, Mask, Scale, extents_loss, joined_loss
from covey.kernels.jit import kernel


@kernel
def diverse(secret: Ids, rows: Ints, l: int, frequency: bool) -> bool:
    """Whether `rows` hold, in every secret column, at least `l` values, or none above a share of 1/l.

    `frequency` asks for the latter, which implies the former. O(rows log rows) per secret column.
    """
    if l <= 1:
        return True
    n = len(rows)
    values = np.empty(n, np.int32)
    for s in range(secret.shape[1]):
        for i in range(n):
            values[i] = secret[rows[i], s]
        ordered = np.sort(values)
        distinct, run, longest = np.int64(1), np.int64(1), np.int64(1)
        for i in range(1, n):
            if ordered[i] == ordered[i - 1]:
                run += 1
            else:
                distinct += 1
                run = np.int64(1)
            longest = max(longest, run)
        if (frequency and longest * l > n) or (not frequency and distinct < l):
            return False
    return True


@kernel
def all_diverse(secret: Ids, ptr: Ints, rows: Ints, l: int, frequency: bool) -> Mask:
    """Which groups are diverse; group g holds ``rows[ptr[g]:ptr[g + 1]]``. O(n log n) per secret column."""
    groups = len(ptr) - 1
    good = np.empty(groups, np.bool_)
    for g in range(groups):
        good[g] = diverse(secret, rows[ptr[g] : ptr[g + 1]], l, frequency)
    return good


@kernel
def merge_undiverse(
    scale: Scale, low: Ids, high: Ids, ptr: Ints, rows: Ints, secret: Ids, l: int, frequency: bool
) -> Ints:
    """Merge each group that is not diverse into the one it costs least to join; return each group's new number.

    `low` and `high` are the extents of the groups and are changed. A merged group that is still not diverse is
    merged on, so the result is diverse whenever all rows together are. O(merges · (groups · columns + n)).
    """
    groups = len(ptr) - 1
    home = np.arange(groups)
    size = np.diff(ptr)
    good = all_diverse(secret, ptr, rows, l, frequency)
    members = np.empty(len(rows), np.int64)
    for g in range(groups):
        while home[g] == g and not good[g]:
            best, cheapest = -1, np.inf
            own = extents_loss(scale, low[g], high[g]) * size[g]
            for h in range(groups):
                if h == g or home[h] != h:
                    continue
                alone = own + extents_loss(scale, low[h], high[h]) * size[h]
                total = size[g] + size[h]
                bound = (cheapest + alone) / total
                rise = joined_loss(scale, low[g], high[g], low[h], high[h], bound) * total - alone
                if rise < cheapest:
                    best, cheapest = h, rise
            if best < 0:
                break
            for other in range(groups):
                if home[other] == best:
                    home[other] = g
            for a in range(low.shape[1]):
                low[g, a] = min(low[g, a], low[best, a])
                high[g, a] = max(high[g, a], high[best, a])
            size[g] += size[best]
            count = 0
            for other in range(groups):
                if home[other] == g:
                    for e in range(ptr[other], ptr[other + 1]):
                        members[count] = rows[e]
                        count += 1
            good[g] = diverse(secret, members[:count], l, frequency)
    return home
