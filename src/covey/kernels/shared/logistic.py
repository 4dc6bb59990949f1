"""Logistic regression over compressed sparse rows, for several yes-or-no targets at once.

Cyclic coordinate descent with trust regions: the algorithm CLG of Genkin, Lewis and Madigan, Large-Scale Bayesian
Logistic Regression for Text Categorization, Technometrics 2007. Items are 0 or 1, and rows of equal length have equal
features besides, so a step multiplies the odds of many rows by one number and no exponential is taken per entry.
Targets lie side by side, so that the compiler can use vector instructions.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.kernels.shared.jit import kernel

#: The features beside the items: a constant, the centred logarithm of the length, and its square.
SHAPE = 3


@kernel
def add_slopes(odds: Floats, scale: Floats, reach: Floats, slope: Floats, bend: Floats) -> None:
    """Add one row's part of slope and curvature for each target; `scale` are its feature and the square of it.

    The curvature is the most that it can become while the odds change by a factor of `reach` at most. O(targets).
    """
    for s in range(len(odds)):
        o = odds[s]
        slope[s] += scale[0] * (o / (1.0 + o))
        near = min(o * reach[s], 1.0) if o < 1.0 else max(o / reach[s], 1.0)
        bend[s] += scale[1] * (near / ((1.0 + near) * (1.0 + near)))


@kernel
def move(slope: Floats, bend: Floats, seen: Floats, ridge: float, weight: Floats, trust: Floats, step: Floats) -> float:
    """Take one Newton step within `trust` for each target, in place; return the largest step. O(targets)."""
    largest = 0.0
    for s in range(len(slope)):
        wanted = (seen[s] - slope[s] - ridge * weight[s]) / (bend[s] + ridge)
        step[s] = min(max(wanted, -trust[s]), trust[s])
        weight[s] += step[s]
        trust[s] = max(2 * abs(step[s]), trust[s] / 2)
        largest = max(largest, abs(step[s]))
    return largest


@kernel
def fit_logistic(
    item_ptr: Ints,
    item_rows: Ids,
    shape: Floats,
    length: Ints,
    often: Floats,
    seen: Floats,
    ridge: float,
    rounds: int,
    tolerance: float,
) -> Floats:
    """Return the weights, (`SHAPE` + items) x targets, of a ridge regression on each target's log odds.

    Minimises the log loss plus ridge / 2 · weight² (the constant is free). Stops after `rounds` sweeps, or when no
    weight moved by more than `tolerance`. O(rounds · (entries + rows) · targets).

    Parameters
    ----------
    item_ptr, item_rows
        The rows that hold each item.
    shape, length
        ``shape[k]`` are the features of length class k, ``length[i]`` is the class of row i.
    often
        How many rows each row stands for.
    seen
        The sum of each feature over the rows that have the target, as often as they stand; laid out like the weights.
    """
    n, d, m, classes = len(length), len(item_ptr) - 1, seen.shape[1], len(shape)
    weights, trust = np.zeros((SHAPE + d, m)), np.ones((SHAPE + d, m))
    odds, factor = np.empty((n, m)), np.empty((classes, m))
    everybody = often.sum()
    for s in range(m):
        share = (seen[0, s] + 0.5) / (everybody - seen[0, s] + 0.5)
        odds[:, s] = share
        weights[0, s] = np.log(share)
    slope, bend, step, change = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    scale = np.empty(2)
    for _ in range(rounds):
        moved = 0.0
        for f in range(SHAPE):
            slope[:], bend[:] = 0.0, 0.0
            for k in range(classes):
                factor[k] = np.exp(abs(shape[k, f]) * trust[f])
            for i in range(n):
                scale[0] = shape[length[i], f] * often[i]
                scale[1] = shape[length[i], f] * scale[0]
                add_slopes(odds[i], scale, factor[length[i]], slope, bend)
            moved = max(moved, move(slope, bend, seen[f], ridge if f else 0.0, weights[f], trust[f], step))
            for k in range(classes):
                factor[k] = np.exp(shape[k, f] * step)
            for i in range(n):
                for s in range(m):
                    odds[i, s] *= factor[length[i], s]
        for f in range(SHAPE, SHAPE + d):
            rows = item_rows[item_ptr[f - SHAPE] : item_ptr[f - SHAPE + 1]]
            slope[:], bend[:] = 0.0, 0.0
            change[:] = np.exp(trust[f])
            for i in rows:
                scale[:] = often[i]
                add_slopes(odds[i], scale, change, slope, bend)
            largest = move(slope, bend, seen[f], ridge, weights[f], trust[f], step)
            moved = max(moved, largest)
            change[:] = np.exp(step)
            for i in rows:
                for s in range(m):
                    odds[i, s] *= change[s]
        if moved < tolerance:
            break
    return weights


@kernel
def log_odds_of(indptr: Ints, indices: Ids, shape: Floats, length: Ints, weights: Floats) -> Floats:
    """Return what the weights of `fit_logistic` say of rows x targets. O(entries · targets)."""
    n, m = len(length), weights.shape[1]
    out = np.zeros((n, m))
    for i in range(n):
        for f in range(SHAPE):
            for s in range(m):
                out[i, s] += weights[f, s] * shape[length[i], f]
        for e in range(indptr[i], indptr[i + 1]):
            for s in range(m):
                out[i, s] += weights[SHAPE + indices[e], s]
    return out
