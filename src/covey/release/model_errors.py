"""Standard errors of estimates from a model: what the noise of its sums, chance and the model's form leave open."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import inv

from covey.arrays import Floats, Ints, Mask
from covey.release.model_sums import GRID, Layout, Rows

#: The standard deviation of Laplace noise of the scale 1.
SD = math.sqrt(2)
#: The standard deviation of what the model's form gets wrong, as a share of an estimate that no sum pins down.
MISFIT = 0.25


class Errors(NamedTuple):
    """What the standard errors of one sensitive item's estimates are computed from."""

    #: The inverse curvature of the fit, and the inverse covariance of the sums of independent transactions.
    by_noise: Floats
    by_chance: Floats
    #: How far the prior has drawn each weight towards its mean.
    drawn: Floats
    #: Half the rows between what the model expects of each measured item and the farthest number that the item's own
    #: noisy sum leaves open, within two standard deviations of the noise and of how many rows it stands for.
    by_item: Floats
    #: How many rows hold the sensitive item by the model, and by how many the noisy total may be off.
    total: float
    of_total: float

    @property
    def most(self) -> float:
        """How many rows may hold the sensitive item, as far as the noisy total goes."""
        return self.total + 2 * self.of_total


def errors_of(
    rows: Rows, every: Rows, layout: Layout, sums: Ints, scales: tuple[int, ...], weights: Floats, spread: Floats,
    prior: Floats,
) -> Errors:  # fmt: skip
    """Return what the standard errors of a model's estimates are computed from; `rows` are the measured of `every`."""
    likely = rows.chances(weights)
    bend = likely * (1 - likely)
    slope, covariance = (rows.products(bend, weighted=weighted) for weighted in (False, True))
    by_noise: Floats = inv((slope.T / layout.variance(scales)) @ slope + np.diag(spread**-2))
    items, own = slice(1, 1 + layout.items), sums / GRID
    # How many rows a sum of 1 stands for.
    stands_for = every.down(np.ones(every.n), weighted=False) / np.maximum(rows.exact_sums() / GRID, 1 / GRID)
    open_to = np.abs(own - rows.down(likely, weighted=True)) / 2 + SD * layout.of_parts(scales) / GRID
    return Errors(
        by_noise=by_noise,
        by_chance=inv(covariance + 1e-6 * np.eye(layout.size)),
        drawn=by_noise @ ((weights - prior) / spread**2),
        by_item=(stands_for * np.hypot(open_to, MISFIT * own))[items],
        total=max(float(every.chances(weights).sum()), 1e-9),
        of_total=float(open_to[0]) * every.n / max(rows.n, 1),
    )


def standard_error(errors: Errors, rows: Rows, counts: Mask, likely: Floats, miss: float) -> float:
    """Return the standard error of the sum of the chances of some rows, the answer to a query.

    The weights vary with the noise: by the inverse curvature of the fit, and no less than the noisy total; and the
    prior draws them to the base rate. Holders vary by chance, as far as the sums over the rows that are measured
    (`counts`) leave it open: by the variance p · (1 - p) less the regression on these sums. As far as it is open, the
    model's form may be wrong, too, by `MISFIT` of the estimate. And the weights of the items of the query may be
    telltale ones that the fit missed, by `miss` rows.
    """
    bend, estimate = likely * (1 - likely), float(likely.sum())
    by_weight, by_sum = (rows.down(bend, weighted=weighted) for weighted in (False, True))
    shared = rows.down(np.where(counts, bend, 0), weighted=True)
    of_noise = max(float(by_weight @ errors.by_noise @ by_weight), (estimate * errors.of_total / errors.total) ** 2)
    of_prior = float(by_weight @ errors.drawn) ** 2
    of_chance = max(float(bend.sum() + (by_sum - 2 * shared) @ errors.by_chance @ by_sum), 0.0)
    open_share = min(of_chance / max(float(bend.sum()), 1e-300), 1.0)
    of_form = open_share * (estimate * MISFIT) ** 2
    return math.sqrt(of_noise + of_prior + of_chance + of_form + miss**2)
