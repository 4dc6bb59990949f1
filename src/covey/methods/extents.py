"""A table as kernels see it: codes of the quasi-identifiers, a scale for what spans lose, and secrets.

What a group of rows loses is the normalized certainty penalty of its extents (PatternKa 2020, section 2.1). A scale
describes the columns as flat arrays: ``(start, numeric, parent, last, weight)``. Column a owns the nodes from
``start[a]`` to ``start[a + 1]``. For a numeric column node i is value i and ``weight`` its place between 0 and 1 (2 for
the missing value). For a categorical column the nodes are those of its hierarchy, leaves first; ``parent`` and ``last``
(last leaf below) are relative to ``start[a]``, ``weight`` is the loss of a node.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.arrays import Floats, Ids, Ints, Mask, Words
from covey.data import Table
from covey.data.jit import kernel, sort_ids
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.l_diversity import LDiversity
from covey.methods.base import Groups
from covey.methods.remaining import ring, unlink


@dataclass(frozen=True, slots=True, kw_only=True)
class Extents:
    """Arrays of a table and the demands on its groups."""

    #: The values of the rows.
    codes: Ids
    #: What spans of codes lose; see `covey.methods.extents`.
    scale: Scale
    #: The secrets of the rows.
    secret: Ids
    #: Least size of a group, and least number of well represented secrets (1 for no demand).
    k: int
    ell: int
    #: Whether "well represented" means that no secret exceeds a share of 1/ell.
    frequency: bool


def extents_of(data: Table, promise: KAnonymity | LDiversity) -> Extents:
    """The arrays of `data` with the demands of `promise`."""
    diversity = promise if isinstance(promise, LDiversity) else None
    return Extents(
        codes=data.rows("quasi"),
        scale=scale_of(data),
        secret=_secrets(data),
        k=promise.k,
        ell=diversity.l if diversity else 1,
        frequency=diversity is not None and diversity.by_frequency,
    )


def _secrets(data: Table) -> Ids:
    """The codes of the sensitive columns, in which values that people take for the same are one."""
    secret = data.rows("sensitive")
    for number, column in enumerate(data.of_role("sensitive")):
        secret[:, number] = column.alike()[secret[:, number]]
    return secret


def scale_of(data: Table) -> Scale:
    """The scale of the quasi-identifiers of a table, as `covey.methods.extents` describes it."""
    columns = data.of_role("quasi")
    start = np.zeros(len(columns) + 1, np.int64)
    parents, lasts, weights = [], [], []
    for a, column in enumerate(columns):
        tree = column.hierarchy
        if tree is None:
            weight = column.positions()
            parents.append(np.full(len(weight), -1, np.int32))
            lasts.append(np.arange(len(weight), dtype=np.int32))
        else:
            weight = tree.losses()
            parents.append(tree.parent)
            lasts.append(tree.last)
        weights.append(weight)
        start[a + 1] = start[a] + len(weight)
    numeric = np.array([column.numeric for column in columns], np.bool_)
    return start, numeric, np.concatenate(parents), np.concatenate(lasts), np.concatenate(weights)


def merged(extents: Extents, ptr: Ints, rows: Ints) -> Groups:
    """Groups from rows that stand group by group, after merging those that are too small or not diverse."""
    home = np.arange(len(ptr) - 1)
    if extents.ell > 1 or (np.diff(ptr) < extents.k).any():
        low, high = group_extents(extents.codes, ptr, rows)
        order, members = curve_order(low), np.split(rows, ptr[1:-1])
        home[order] = merge_undiverse(extents, low[order], high[order], [members[g] for g in order])
    kept, number = np.unique(home, return_inverse=True)
    return Groups.of(rows, np.repeat(number.reshape(-1), np.diff(ptr)), len(kept))


def merge_undiverse(extents: Extents, low: Ids, high: Ids, members: list[Ints]) -> Ints:
    """Merge each group that is not diverse or has fewer than k rows into a near one that it costs least to join.

    Returns new numbers of the groups, given their extents, which are changed, and the rows of each. Groups that are
    alike should stand near each other. A merged group that is still not diverse, or too small, is merged on, so the
    result is neither whenever all rows together are not. O(merges · WINDOW · columns + rows merged · log).
    """
    scale, count = extents.scale, len(members)
    sizes, own = np.array([len(rows) for rows in members]), losses_of(scale, low, high)
    previous, following = ring(count)
    joined = [[g] for g in range(count)]
    for g in range(count):
        while joined[g] and (
            sizes[g] < extents.k or not diverse(extents.secret, members[g], extents.ell, extents.frequency)
        ):
            best = cheapest_partner(scale, low, high, sizes, own, previous, following, g)
            if best < 0:
                break
            unlink(np.array([best]), previous, following)
            joined[g], joined[best] = joined[g] + joined[best], []
            members[g] = np.concatenate([members[g], members[best]])
            sizes[g] += sizes[best]
            low[g], high[g] = np.minimum(low[g], low[best]), np.maximum(high[g], high[best])
            own[g] = extents_loss(scale, low[g], high[g])
    home = np.empty(count, np.int64)
    for g in range(count):
        home[joined[g]] = g
    return home


def curve_order(points: Ids) -> Ints:
    """The points along a Hilbert curve, so that near ones stand near each other."""
    most = np.maximum(points.max(axis=0), 1)
    keys = hilbert_keys((points * (255 / most)).astype(np.uint32), 8)
    return np.lexsort(keys.T[::-1])


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


def losses_of(scale: Scale, low: Ids, high: Ids) -> Floats:
    """The loss of each group with these extents."""
    return np.array([extents_loss(scale, low[g], high[g]) for g in range(len(low))])


@kernel
def joined_loss(scale: Scale, low: Ids, high: Ids, row_low: Ids, row_high: Ids, bound: float) -> float:
    """The summed loss of the two extents taken together; stops early once it reaches `bound`."""
    total = 0.0
    for a in range(len(low)):
        total += span_loss(scale, a, min(low[a], row_low[a]), max(high[a], row_high[a]))
        if total >= bound:
            return total
    return total


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
        sort_ids(values)
        distinct, run, longest = np.int64(1), np.int64(1), np.int64(1)
        for i in range(1, n):
            if values[i] == values[i - 1]:
                run += 1
            else:
                distinct += 1
                run = np.int64(1)
            longest = max(longest, run)
        if (frequency and longest * ell > n) or (not frequency and distinct < ell):
            return False
    return True


@kernel
def cheapest_partner(
    scale: Scale, low: Ids, high: Ids, size: Ints, own: Floats, previous: Ints, following: Ints, g: int
) -> int:
    """The live group among the next `WINDOW` on either side whose merger with `g` raises the loss least, or -1.

    `previous` and `following` link the live groups in a ring. O(WINDOW · columns).
    """
    best, cheapest = np.int64(-1), np.inf
    for link in (previous, following):
        h = link[g]
        for _ in range(WINDOW):
            if h == len(size):
                break
            alone, total = own[g] * size[g] + own[h] * size[h], size[g] + size[h]
            bound = (cheapest + alone) / total
            rise = joined_loss(scale, low[g], high[g], low[h], high[h], bound) * total - alone
            if rise < cheapest:
                best, cheapest = h, rise
            h = link[h]
    return best


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
