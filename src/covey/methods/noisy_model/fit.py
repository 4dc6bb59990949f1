"""The model of who holds a sensitive item, fitted to noisy sums; nothing here sees who holds what.

A transaction holds the item with probability sigmoid(base + items + cell + length): one weight for each frequent item
in it, one for its cell, one for the class of its length. The weights minimise

    ½ Σ_k (t_k - Σ_i m_ik p_i)² / v_k + ½ Σ_k ((u_k - μ_k) / sd_k)²

over the measured sums t with noise variances v. Gauss-Newton steps with Levenberg damping until the Newton decrement is
small. Weights of items, of cells and of lengths are drawn from a Student distribution each: most are small, a few are
large. So every weight has a spread sd of its own. It is learned, with the scale of the distribution, by a few steps of
expectation maximisation on the linearised model: where sums are mostly noise the scale is small, and the model comes
close to the base rate. A telltale item, which nearly only holders have, looks in the linearised model as if no weight
could explain its sum; so weights that would are tried first (`find_telltales`).
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from covey.arrays import Floats, Ints
from covey.release.model_sums import Layout, Rows, chances, moments

#: A fit ends when the Newton decrement is below this, or after so many steps.
DECREMENT, STEPS = 0.02, 40
#: No step needs more damping.
MOST_DAMPED = 1e8
#: Rounds in which the spreads are learned, steps in each, and the range of the scale of their distribution.
ROUNDS, LEARNING, SCALES = 3, 3, (0.02, 3.0)
#: The degrees of freedom of the distribution.
FREEDOM = 4.0
#: The spread of the base weight, which stays, and the scales for items, cells and lengths to begin with.
FIRST_SPREADS = (10.0, 0.3, 0.5, 0.3)


def fit_weights(rows: Rows, layout: Layout, sums: Floats, variance: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """Return the weights that fit noisy sums, given the variance of the noise, and the spread of each.

    Laid out as base, items, cells, lengths. `prior` are their means.
    """
    starts, scale = np.cumsum([1, *layout]), layout.of_parts(FIRST_SPREADS)
    weights, spread = prior.copy(), scale.copy()
    for turn in range(ROUNDS):
        expected, slope = moments(rows, layout, chances(rows, layout, weights))
        if turn:
            found = find_telltales(sums, expected, variance, scale, layout)
            weights += found
            spread = np.sqrt(spread**2 + found**2 / (FREEDOM + 1))
            if found.any():
                expected, slope = moments(rows, layout, chances(rows, layout, weights))
        learn_spreads(spread, scale, starts, slope, sums - expected + slope @ (weights - prior), variance)
        weights = _minimised(rows, layout, sums, variance, prior, spread, weights)
    return weights, spread


def find_telltales(sums: Floats, expected: Floats, variance: Floats, scale: Floats, layout: Layout) -> Floats:
    """Return what to add to the weights of items whose sums are too large to be noise, and 0 for all others.

    Adding w to the weight of an item makes its sum about e^w times as large. It is added where the noise (Laplace, or
    normal where that is likelier) would be less likely than so large a weight.
    """
    found = np.zeros(len(sums))
    items = slice(1, 1 + layout.items)
    off = (sums[items] - expected[items]) / np.sqrt(variance[items])
    added = np.log(np.maximum(sums[items], 1e-9) / np.maximum(expected[items], 1e-9))
    gain = np.minimum(off**2 / 2, off * np.sqrt(2))
    price = (FREEDOM + 1) / 2 * np.log1p(added**2 / (FREEDOM * scale[items] ** 2))
    found[items] = np.where((off > 0) & (gain > price), added, 0)
    return found


def _minimised(
    rows: Rows, layout: Layout, sums: Floats, variance: Floats, prior: Floats, spread: Floats, weights: Floats
) -> Floats:
    """Return the weights that minimise the loss, from `weights` on."""

    def loss(expected: Floats, weights: Floats) -> float:
        return 0.5 * float((((sums - expected) ** 2) / variance).sum() + (((weights - prior) / spread) ** 2).sum())

    expected, slope = moments(rows, layout, chances(rows, layout, weights))
    now = loss(expected, weights)
    for _ in range(STEPS):
        curve, damping = _fisher(slope, variance), 0.0
        diagonal = np.diag_indices(len(curve))
        curve[diagonal] += spread**-2
        pull = slope.T @ ((sums - expected) / variance) - (weights - prior) / spread**2
        after = math.inf
        while after > now and damping < MOST_DAMPED:
            damped = curve.copy()
            damped[diagonal] *= 1 + damping
            step = cho_solve(cho_factor(damped, overwrite_a=True), pull)
            if damping == 0 and float(step @ pull) < DECREMENT:
                return weights
            expected, slope = moments(rows, layout, chances(rows, layout, weights + step))
            after, damping = loss(expected, weights + step), max(10 * damping, 1e-2)
        if after > now:
            break
        weights, now = weights + step, after
    return weights


def learn_spreads(spread: Floats, scale: Floats, starts: Ints, slope: Floats, seen: Floats, variance: Floats) -> None:
    """Change spreads and scales, in place, to those under which the sums that were seen are likeliest.

    Linearised: seen = slope · (weights - prior) + noise. Expectation maximisation, `LEARNING` steps. O(sums³).
    """
    fisher, pull = _fisher(slope, variance), slope.T @ (seen / variance)
    for _ in range(LEARNING):
        posterior = cho_solve(cho_factor(fisher + np.diag(spread**-2)), np.eye(len(fisher)))
        second = (posterior @ pull) ** 2 + np.diag(posterior)
        for low, high in pairwise(starts):
            if high > low:
                some, part = second[low:high], slice(low, high)
                precision = (FREEDOM + 1) / (FREEDOM + some / scale[part] ** 2)
                scale[part] = np.clip(np.sqrt((precision * some).mean()), *SCALES)
                spread[part] = np.sqrt((FREEDOM * scale[part] ** 2 + some) / (FREEDOM + 1))


def _fisher(slope: Floats, variance: Floats) -> Floats:
    """Return the curvature of the squared errors, to second order. O(sums³)."""
    scaled = slope / np.sqrt(variance)[:, None]
    found: Floats = scaled.T @ scaled  # one matrix with itself: half the work
    return found
