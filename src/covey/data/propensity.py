"""How likely each basket is to hold each sensitive item, judged by its ordinary items alone.

A logistic regression on the items, the logarithm of the length and its square. It is cross-fitted: nobody is judged
by a model that has seen them, as an attacker who knows the population but not this person would judge.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats
from covey.data.baskets import Baskets
from covey.threads import side_by_side

#: The rows are divided into so many parts, each judged by a model of the others.
FOLDS = 3
#: Sensitive items whose models are fitted side by side; more would need more memory and be no faster.
BLOCK = 16


def propensities(
    public: Baskets,
    secret: Baskets,
    *,
    seed: int | list[int] | None = 0,
    ridge: float = 2.0,
    rounds: int = 10,
    suffice: int | None = None,
) -> Floats:
    """The cross-fitted log odds that each row holds each item of `secret`, given its items of `public`.

    Parameters
    ----------
    public, secret : Baskets
        Ordinary and sensitive items of the same rows.
    seed : int, list of int or None
        Draws the parts that rows are divided into.
    ridge : float
        Penalty of the squared weights.
    rounds : int
        Sweeps over the items; ten come close enough for the order of rows to settle.
    suffice : int or None
        How many rows the models need to learn from: about so many are drawn, and a tenth as many holders of each
        sensitive item, all if there are fewer. None: all rows.

    Returns
    -------
    float64 array
        Rows x sensitive items.

    Examples
    --------
    >>> rows = [["beer", "s"] if i % 2 else ["tea"] for i in range(60)]
    >>> public, secret = Baskets.of(rows, sensitive=["s"]).split()
    >>> odds = propensities(public, secret)[:, 0]
    >>> bool(odds[1::2].min() > odds[::2].max())
    True
    """
    from scipy.sparse import diags_array

    from covey.kernels.shared.csr import take_rows, transpose
    from covey.kernels.shared.logistic import fit_logistic, log_odds_of

    n, m = public.n, secret.d
    lengths = np.log1p(public.lengths())
    values, length = np.unique(lengths, return_inverse=True)
    centred = values - (lengths.mean() if n else 0.0)
    shape = np.stack([np.ones(len(values)), centred, centred**2], axis=1)
    items, holds = public.to_scipy().astype(np.float64), secret.to_scipy().astype(np.float64)
    found = np.empty((n, m))
    rng = np.random.default_rng(seed)
    part = rng.permutation(n) % FOLDS
    chance = chances(secret, n if suffice is None else suffice)
    drawn = rng.random(n) < chance

    def judge(fold: int) -> None:
        known, asked = np.flatnonzero(drawn & (part != fold)), np.flatnonzero(part == fold)
        often = 1 / chance[known]
        by_item = transpose(*take_rows(public.indptr, public.indices, known), public.d)
        rows = take_rows(public.indptr, public.indices, asked)
        features, targets = items[known].T.tocsr(), (diags_array(often) @ holds[known]).tocsc()
        for first in range(0, m, BLOCK):
            block = targets[:, first : first + BLOCK]
            seen = np.vstack([shape[length[known]].T @ block.toarray(), (features @ block).toarray()])
            weights = fit_logistic(*by_item, shape, length[known], often, seen, float(ridge), rounds, 1e-3)
            found[asked, first : first + BLOCK] = log_odds_of(*rows, shape, length[asked], weights)

    side_by_side(judge, range(FOLDS))
    return found


def chances(secret: Baskets, suffice: int) -> Floats:
    """How likely each row is to be learned from: holders of rare items always, so that no model lacks examples.

    Examples
    --------
    >>> secret = Baskets.of([["s"], [], [], []])
    >>> chances(secret, 2).tolist()
    [0.5, 0.5, 0.5, 0.5]
    >>> chances(Baskets.of([["s"]] + [["t"]] * 19), 10).tolist()[:2]
    [1.0, 0.5]
    """
    chance = np.full(secret.n, suffice / max(secret.n, 1))
    of_item = np.maximum(suffice, 1) / (10 * np.maximum(secret.supports(), 1))
    np.maximum.at(chance, np.repeat(np.arange(secret.n), secret.lengths()), of_item[secret.indices])
    result: Floats = np.minimum(chance, 1.0)
    return result
