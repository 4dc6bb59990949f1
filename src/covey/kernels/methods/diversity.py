"""Whether groups of rows hold well represented secrets, and merging those that do not or that are too small."""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.kernels.methods.extents import Scale, extents_loss, joined_loss
from covey.kernels.shared.jit import kernel

#: Groups looked at on either side for a merger.
WINDOW = 512


@kernel
def diverse(secret: Ids, rows: Ints, ell: int, frequency: bool) -> bool:
    """Whether `rows` hold, in every secret column, at least `ell` values, or none above a share of 1/ell.

    `frequency` asks for the latter, which implies the former. O(rows log rows) per secret column.
    """
    if ell <= 1:
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
        if (frequency and longest * ell > n) or (not frequency and distinct < ell):
            return False
    return True


@kernel
def all_diverse(secret: Ids, ptr: Ints, rows: Ints, ell: int, frequency: bool) -> Mask:
    """Which groups are diverse; group g holds ``rows[ptr[g]:ptr[g + 1]]``. O(n log n) per secret column."""
    groups = len(ptr) - 1
    good = np.empty(groups, np.bool_)
    for g in range(groups):
        good[g] = diverse(secret, rows[ptr[g] : ptr[g + 1]], ell, frequency)
    return good


@kernel
def cheapest_partner(
    scale: Scale, low: Ids, high: Ids, size: Ints, own: Floats, before: Ints, after: Ints, g: int
) -> int:
    """The live group among the next `WINDOW` on either side whose merger with `g` raises the loss least, or -1.

    `before` and `after` link the live groups. O(WINDOW · columns).
    """
    best, cheapest = np.int64(-1), np.inf
    for side in range(2):
        h = before[g] if side == 0 else after[g]
        for _ in range(WINDOW):
            if h < 0:
                break
            alone, total = own[g] * size[g] + own[h] * size[h], size[g] + size[h]
            bound = (cheapest + alone) / total
            rise = joined_loss(scale, low[g], high[g], low[h], high[h], bound) * total - alone
            if rise < cheapest:
                best, cheapest = h, rise
            h = before[h] if side == 0 else after[h]
    return best


@kernel
def merge_undiverse(
    scale: Scale, low: Ids, high: Ids, ptr: Ints, rows: Ints, secret: Ids, k: int, ell: int, frequency: bool
) -> Ints:
    """Merge each group that is not diverse or has fewer than k rows into a near one that it costs least to join.

    Returns new numbers of the groups.

    `low` and `high` are the extents of the groups and are changed. Groups that are alike should stand near each
    other. A merged group that is still not diverse, or too small, is merged on, so the result is neither whenever
    all rows together are not. O(merges · WINDOW · columns + rows merged · log).
    """
    groups = len(ptr) - 1
    home, size = np.arange(groups), np.diff(ptr)
    before, after = np.arange(-1, groups - 1), np.arange(1, groups + 1)
    after[groups - 1] = -1
    # Each merged group is a chain of the original ones, from `g` on along `link` to `tail[g]`.
    link, tail = np.full(groups, -1), np.arange(groups)
    own = np.empty(groups, np.float64)
    for g in range(groups):
        own[g] = extents_loss(scale, low[g], high[g])
    good = all_diverse(secret, ptr, rows, ell, frequency)
    members = np.empty(len(rows), np.int64)
    for g in range(groups):
        while home[g] == g and (size[g] < k or not good[g]):
            best = cheapest_partner(scale, low, high, size, own, before, after, g)
            if best < 0:
                break
            home[best] = g
            link[tail[g]], tail[g] = best, tail[best]
            if before[best] >= 0:
                after[before[best]] = after[best]
            if after[best] >= 0:
                before[after[best]] = before[best]
            size[g] += size[best]
            for a in range(low.shape[1]):
                low[g, a] = min(low[g, a], low[best, a])
                high[g, a] = max(high[g, a], high[best, a])
            own[g] = extents_loss(scale, low[g], high[g])
            count, at = 0, np.int64(g)
            while at >= 0:
                for e in range(ptr[at], ptr[at + 1]):
                    members[count] = rows[e]
                    count += 1
                at = link[at]
            good[g] = diverse(secret, members[:count], ell, frequency)
    for g in range(groups):
        root = g
        while home[root] != root:
            root = home[root]
        home[g] = root
    return home
