"""The model of who holds a sensitive item, fitted to noisy sums; nothing here sees who holds what.

The weights u of a model with chances p minimise

    ½ Σ_k (t_k - Σ_i m_ik p_i)² / v_k + ½ Σ_k ((u_k - μ_k) / sd_k)²

over the measured sums t with noise variances v. L-BFGS, on coordinates in which the curvature at the start is 1; one
evaluation is O(entries). The curvature comes from at most `SAMPLE` rows. Weights of items, of cells and of lengths are
drawn from a Student distribution each: most are small, a few are large. So every weight has a spread sd of its own. It
is learned, with the scale of the distribution, by a few steps of expectation maximisation on the linearised model:
where sums are mostly noise the scale is small, and the model comes close to the base rate. A telltale item, which
nearly only holders have, looks in the linearised model as if no weight could explain its sum; so weights that would
are tried first (`find_telltales`).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.linalg import cholesky, inv, solve_triangular
from scipy.optimize import minimize

from covey.arrays import Floats
from covey.release.model_sums import Layout, Rows

#: A fit ends when no coordinate of the gradient is above this: in the last round, and in those before it.
LAST, BEFORE = 1e-4, 1e-1
#: Rows that the curvature is computed from at most, and those that all rounds but the last are fitted to.
SAMPLE, EARLY = 50_000, 200_000
#: Rounds in which the spreads are learned, steps in each, and the range of the scale of their distribution.
ROUNDS, LEARNING, SCALES = 3, 3, (0.02, 3.0)
#: The degrees of freedom of the distribution.
FREEDOM = 4.0
#: The spread of the base weight, which stays, and the scales for items, cells and lengths to begin with.
FIRST_SPREADS = (10.0, 0.3, 0.5, 0.3)


def fit_weights(rows: Rows, layout: Layout, sums: Floats, variance: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """Return the weights that fit noisy sums, given the variance of the noise, and the spread of each.

    Laid out as base, items, cells, lengths. `prior` are their means. `rows` are in random order.
    """
    scale = layout.of_parts(FIRST_SPREADS)
    weights, spread = prior.copy(), scale.copy()
    early = rows.first(min(rows.n, EARLY))
    share = early.n / max(rows.n, 1)
    rounds = [(early, sums * share, variance * share**2, BEFORE)] * (ROUNDS - 1) + [(rows, sums, variance, LAST)]
    for turn, (some, wanted, noise, end) in enumerate(rounds):
        if turn:
            found = find_telltales(wanted, expected(some, weights), noise, scale, layout)
            weights += found
            spread = np.sqrt(spread**2 + found**2 / (FREEDOM + 1))
        slope = slope_at(some, weights)
        fisher = (slope.T / noise) @ slope
        seen = wanted - expected(some, weights) + slope @ (weights - prior)
        learn_spreads(spread, scale, layout, fisher, slope.T @ (seen / noise))
        weights = minimised(some, wanted, noise, prior, spread, weights, fisher, end)
    return weights, spread


def expected(rows: Rows, weights: Floats) -> Floats:
    """Return the sums that a model expects."""
    return rows.down(rows.chances(weights), weighted=True)


def slope_at(rows: Rows, weights: Floats) -> Floats:
    """Return how the expected sums change with the weights: sums x weights."""
    some = rows.first(min(rows.n, SAMPLE))
    likely = some.chances(weights)
    return some.products(likely * (1 - likely) * rows.n / max(some.n, 1), weighted=False)


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


def minimised(
    rows: Rows, sums: Floats, variance: Floats, prior: Floats, spread: Floats, start: Floats, fisher: Floats, end: float
) -> Floats:
    """Return the weights that minimise the loss, from `start` on; `fisher` is the curvature of the squared errors."""
    root = cholesky(fisher + np.diag(spread**-2))

    def loss(moved: Floats) -> tuple[float, Floats]:
        weights = start + solve_triangular(root, moved)
        likely = rows.chances(weights)
        left, off = sums - rows.down(likely, weighted=True), (weights - prior) / spread
        bend = likely * (1 - likely) * rows.along(left / variance, weighted=True)
        gradient = off / spread - rows.down(bend, weighted=False)
        return 0.5 * float(left @ (left / variance) + off @ off), solve_triangular(root, gradient, trans="T")

    found = minimize(loss, np.zeros(len(start)), jac=True, method="L-BFGS-B", options={"gtol": end, "ftol": 0.0})
    weights: Floats = start + solve_triangular(root, found.x)
    return weights


def learn_spreads(spread: Floats, scale: Floats, layout: Layout, fisher: Floats, pull: Floats) -> None:
    """Change spreads and scales, in place, to those under which the sums that were seen are likeliest.

    Linearised: seen = slope · (weights - prior) + noise. Expectation maximisation, `LEARNING` steps. O(sums³).
    """
    for _ in range(LEARNING):
        posterior = inv(fisher + np.diag(spread**-2), assume_a="pos", overwrite_a=True)
        second = (posterior @ pull) ** 2 + np.diag(posterior)
        for low, high in pairwise(np.cumsum([1, *layout])):
            if high > low:
                some, part = second[low:high], slice(low, high)
                precision = (FREEDOM + 1) / (FREEDOM + some / scale[part] ** 2)
                scale[part] = np.clip(np.sqrt((precision * some).mean()), *SCALES)
                spread[part] = np.sqrt((FREEDOM * scale[part] ** 2 + some) / (FREEDOM + 1))
