"""Gradient boosting of the log loss over features in bins, with trees that ask one question per level.

Each tree divides all its leaves again and again by a question "is feature f above bin b" (the symmetric trees of
Prokhorenkova et al. 2018), chosen by its gain to second order (Chen and Guestrin 2016, section 2.2). The answers are
the bits of the leaf's number, so judging a row takes no branches.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Bytes, Floats, Ints, Pairs
from covey.data.jit import kernel

#: Bins per feature, a power of two.
BINS = 64


@kernel
def bin_columns(columns: Floats, edges: Floats) -> Bytes:
    """Return rows x features: how many of the feature's `edges` are below each value. O(values · log(bins)).

    `columns` are features x rows, `edges` features x (`BINS` - 1), ascending.
    """
    features, n = columns.shape
    found = np.empty((n, features), np.uint8)
    for f in range(features):
        for i in range(n):
            below, step = np.int64(0), np.int64(BINS // 2)
            while step > 0:
                if edges[f, below + step - 1] < columns[f, i]:
                    below += step
                step //= 2
            found[i, f] = below
    return found


@kernel
def best_question(sums: Pairs, ridge: float) -> tuple[int, int]:
    """Return the feature and the bin whose question gains most over all leaves; the first of equals. O(sums).

    ``sums[leaf, f, b]`` are slope and curvature of the rows in a leaf with bin b of feature f.
    """
    best, feature, edge = 0.0, 0, BINS - 1  # if nothing gains, a question that is always answered with no
    gain = np.empty(BINS - 1)
    for f in range(sums.shape[1]):
        gain[:] = 0.0
        for leaf in range(len(sums)):
            total, below = sums[leaf, f].sum(), 0j
            for b in range(BINS - 1):
                below += sums[leaf, f, b]
                above = total - below
                gain[b] += below.real**2 / (below.imag + ridge) + above.real**2 / (above.imag + ridge)
        for b in range(BINS - 1):
            if gain[b] > best:
                best, feature, edge = gain[b], f, b
    return feature, edge


@kernel
def add_to_bins(codes: Bytes, pull: Pairs, leaf: Ints, first: int, sums: Pairs) -> None:
    """Add the pull of every row in the leaves from `first` on to its bin of each feature. O(codes)."""
    n, features = codes.shape
    flat = sums.reshape(-1)
    for i in range(n):
        if leaf[i] >= first:
            # Unsigned, or else every index would be asked whether it counts from the end.
            start, here = np.uint64(leaf[i] * features * BINS), pull[i]
            for f in range(features):
                flat[start + np.uint64(codes[i, f])] += here
                start += np.uint64(BINS)


@kernel
def grow_tree(codes: Bytes, pull: Pairs, ridge: float, feature: Bytes, edge: Bytes, sums: Pairs) -> Ints:
    """Write the questions of one tree to `feature` and `edge`, and return the leaf of each row.

    ``pull[i]`` are slope and curvature of row i. Where leaves are divided, only the rows above the edge are summed; the
    others are what is left. `sums` is room to work in, leaves x features x bins. O(codes · depth).
    """
    leaf = np.zeros(len(codes), np.int64)
    sums[:] = 0.0
    add_to_bins(codes, pull, leaf, 0, sums)
    for level in range(len(feature)):
        half = 1 << level
        f, b = best_question(sums[:half], ridge)
        feature[level], edge[level] = f, b
        for i in range(len(codes)):
            leaf[i] += half * (codes[i, f] > b)  # upper parts of leaves come behind all lower ones
        if level + 1 < len(feature):
            add_to_bins(codes, pull, leaf, half, sums)
            sums[:half] -= sums[half : 2 * half]
    return leaf


@kernel
def grow_trees(
    codes: Bytes, share: Floats, trees: int, depth: int, rate: float, ridge: float
) -> tuple[Bytes, Bytes, Floats]:
    """Return (feature, bin) of each tree's questions, trees x depth, and what each leaf adds to the log odds.

    `codes` are rows x features, ``share[i]`` is how likely row i is one of those sought; `rate` shrinks every tree, and
    `ridge` is the penalty of a leaf's square. Precondition: the shares are neither all 0 nor all 1.
    O(trees · depth · codes).
    """
    n, features = codes.shape
    feature, edge = np.zeros((trees, depth), np.uint8), np.zeros((trees, depth), np.uint8)
    value = np.zeros((trees, 1 << depth))
    # Slope and curvature are the two parts of one number: they are always added together.
    sums, pull = np.empty((1 << depth, features, BINS), np.complex128), np.empty(n, np.complex128)
    mean = share.mean()
    odds = np.full(n, np.log(mean / (1.0 - mean)))
    for t in range(trees):
        for i in range(n):
            likely = 1.0 / (1.0 + np.exp(-odds[i]))
            pull[i] = complex(share[i] - likely, likely * (1.0 - likely))
        leaf = grow_tree(codes, pull, ridge, feature[t], edge[t], sums)
        total = np.zeros(1 << depth, np.complex128)
        for i in range(n):
            total[leaf[i]] += pull[i]
        value[t] = rate * total.real / (total.imag + ridge)
        for i in range(n):
            odds[i] += value[t, leaf[i]]
    return feature, edge, value


@kernel
def judge_rows(codes: Bytes, feature: Bytes, edge: Bytes, value: Floats) -> Floats:
    """Return what all trees of `grow_trees` together add to the log odds of each row. O(rows · trees · depth)."""
    found = np.zeros(len(codes))
    for i in range(len(codes)):
        for t in range(len(value)):
            leaf = np.int64(0)
            for level in range(feature.shape[1]):
                leaf += np.int64(codes[i, feature[t, level]] > edge[t, level]) << level
            found[i] += value[t, leaf]
    return found
