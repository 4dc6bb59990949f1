"""Exchanges of rows without sensitive items between groups, so that equal shares tell more of the truth.

Sizes and counts of groups stay what they are. A feature is whatever a row has or has not: an item, a pair of items, a
class of length or of propensity; what is known of holders of item s is how many of them have it, ``aim[s]``, and what
the groups tell is ``guess[s]``, the sum over groups of share x members that have it. Row i has the features
``has[ptr[i] : ptr[i + 1]]``, ascending, and for item s the feature ``level[s, i]``.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.kernels.shared.jit import kernel

#: Keeps the deviance finite where nobody has a feature.
SMALL = 0.05


@kernel
def gained(aim: float, guess: float, change: float) -> float:
    """How much of the deviance of a guess at a count goes if the guess changes. O(1).

    The deviance is (aim + e) ln((aim + e) / (guess + e)) - aim + guess, with `SMALL` for e.
    """
    after = max(guess + change, 0.0)
    return (aim + SMALL) * float(np.log((after + SMALL) / (guess + SMALL))) + guess - after


@kernel
def gain_of(
    s: int,
    rise: float,
    u: int,
    v: int,
    ptr: Ints,
    has: Ids,
    level: Ids,
    aim: Floats,
    guess: Floats,
    weight: Floats,
) -> float:
    """How much deviance goes if u counts `rise` less for item s, and v so much more. O(features of both)."""
    total, a, b = 0.0, ptr[u], ptr[v]
    f, g = level[s, u], level[s, v]
    if f != g:
        total += weight[s, f] * gained(aim[s, f], guess[s, f], -rise)
        total += weight[s, g] * gained(aim[s, g], guess[s, g], rise)
    while a < ptr[u + 1] or b < ptr[v + 1]:
        if b == ptr[v + 1] or (a < ptr[u + 1] and has[a] < has[b]):
            f, change = has[a], -rise
            a += 1
        elif a == ptr[u + 1] or has[b] < has[a]:
            f, change = has[b], rise
            b += 1
        else:
            a += 1
            b += 1
            continue
        total += weight[s, f] * gained(aim[s, f], guess[s, f], change)
    return total


@kernel
def share_in(g: int, s: int, share_ptr: Ints, shared: Ids, share: Floats) -> float:
    """The share of group g that holds item s. O(items counted by the group)."""
    for e in range(share_ptr[g], share_ptr[g + 1]):
        if shared[e] == s:
            return float(share[e])
    return 0.0


@kernel
def exchange_gain(
    u: int,
    v: int,
    g: int,
    h: int,
    share_ptr: Ints,
    shared: Ids,
    share: Floats,
    ptr: Ints,
    has: Ids,
    level: Ids,
    aim: Floats,
    guess: Floats,
    weight: Floats,
) -> float:
    """How much deviance goes if u, of group g, and v, of group h, change places. O(features · items counted)."""
    total = 0.0
    for e in range(share_ptr[g], share_ptr[g + 1]):
        rise = share[e] - share_in(h, shared[e], share_ptr, shared, share)
        if rise != 0:
            total += gain_of(shared[e], rise, u, v, ptr, has, level, aim, guess, weight)
    for e in range(share_ptr[h], share_ptr[h + 1]):
        if share_in(g, shared[e], share_ptr, shared, share) == 0:
            total += gain_of(shared[e], -share[e], u, v, ptr, has, level, aim, guess, weight)
    return total


@kernel
def count_row(
    i: int,
    g: int,
    sign: float,
    share_ptr: Ints,
    shared: Ids,
    share: Floats,
    ptr: Ints,
    has: Ids,
    level: Ids,
    guess: Floats,
) -> None:
    """Count row i in group g, or with the sign -1 no longer, in what the groups tell. O(features · items counted)."""
    for e in range(share_ptr[g], share_ptr[g + 1]):
        guess[shared[e], level[shared[e], i]] += sign * share[e]
        for k in range(ptr[i], ptr[i + 1]):
            guess[shared[e], has[k]] += sign * share[e]


@kernel
def told_by_groups(
    group: Ints, share_ptr: Ints, shared: Ids, share: Floats, ptr: Ints, has: Ids, level: Ids, guess: Floats
) -> None:
    """Add to `guess`, items x features, what the groups tell of holders. O(features of all rows · items counted)."""
    for i in range(len(group)):
        count_row(i, group[i], 1.0, share_ptr, shared, share, ptr, has, level, guess)


@kernel
def sweep(
    rows: Ints,
    plain: Mask,
    alike: Ints,
    group: Ints,
    holder_ptr: Ints,
    holders: Ids,
    item_ptr: Ints,
    item_rows: Ids,
    tries: int,
    rng: np.random.Generator,
    share_ptr: Ints,
    shared: Ids,
    share: Floats,
    ptr: Ints,
    has: Ids,
    level: Ids,
    aim: Floats,
    guess: Floats,
    weight: Floats,
) -> tuple[int, float]:
    """Let each of `rows` change places with the best of some others; return how many did, and the deviance gone.

    Three of four others hold an item of a holder of the row's group, the fourth is any row. Only `plain` rows change
    places, and only with rows that have the same number in `alike`. ``holders[holder_ptr[g] :]`` are those of group g;
    the features of a row ascend, and the first ones are the items of `item_ptr`. Changes `group` and `guess`.
    O(rows · tries · features of a row · items counted by a group).
    """
    moved, gone, n, d = 0, 0.0, len(group), len(item_ptr) - 1
    for u in rows:
        g, best, most = group[u], -1, 1e-9
        for k in range(tries):
            v = int(rng.random() * n)
            if k % 4 > 0 and holder_ptr[g] < holder_ptr[g + 1]:
                like = holders[holder_ptr[g] + int(rng.random() * (holder_ptr[g + 1] - holder_ptr[g]))]
                items = np.searchsorted(has[ptr[like] : ptr[like + 1]], d)
                if items > 0:
                    j = has[ptr[like] + int(rng.random() * items)]
                    v = int(item_rows[item_ptr[j] + int(rng.random() * (item_ptr[j + 1] - item_ptr[j]))])
            if not plain[v] or group[v] == g or alike[u] != alike[v]:
                continue
            gain = exchange_gain(u, v, g, group[v], share_ptr, shared, share, ptr, has, level, aim, guess, weight)
            if gain > most:
                best, most = v, gain
        if best < 0:
            continue
        h = group[best]
        count_row(u, g, -1.0, share_ptr, shared, share, ptr, has, level, guess)
        count_row(best, h, -1.0, share_ptr, shared, share, ptr, has, level, guess)
        group[u], group[best] = h, g
        count_row(u, h, 1.0, share_ptr, shared, share, ptr, has, level, guess)
        count_row(best, g, 1.0, share_ptr, shared, share, ptr, has, level, guess)
        moved += 1
        gone += most
    return moved, gone
