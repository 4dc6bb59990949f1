"""How likely each basket is to hold each sensitive item, judged by its ordinary items alone.

A logistic regression on the items, the logarithm of the length and its square. It is cross-fitted: nobody is judged
by a model that has seen them, as an attacker who knows the population but not this person would judge.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ints
from covey.data.baskets import Baskets
from covey.threads import side_by_side

#: The rows are divided into so many parts, each judged by a model of the others.
FOLDS = 3
#: Weights that would move by less have settled.
TOLERANCE = 1e-2


def propensities(
    public: Baskets,
    secret: Baskets,
    *,
    seed: int | list[int] | None = 0,
    ridge: float = 2.0,
    rounds: int = 20,
    suffice: int | None = None,
    alike: Ints | None = None,
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
        Sweeps over the items; twenty come close enough for the order of rows to settle.
    suffice : int or None
        How many rows the models need to learn from: about so many are drawn, and a tenth as many holders of each
        sensitive item, all if there are fewer. None: all rows.
    alike : int array or None
        A number for each row, equal only for rows with the same items of `public`, where that is known: less work.

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
    from covey.kernels.shared.csr import sums_by_item, take_rows, transpose
    from covey.kernels.shared.logistic import LANES, SHAPE, fit_logistic, log_odds_of

    n, m = public.n, secret.d
    lengths = np.log1p(public.lengths())
    values, length = np.unique(lengths, return_inverse=True)
    centred = values - (lengths.mean() if n else 0.0)
    shape = np.stack([np.ones(len(values)), centred, centred**2], axis=1)
    found = np.empty((n, m))
    rng = np.random.default_rng(seed)
    part = rng.permutation(n) % FOLDS
    chance = chances(secret, n if suffice is None else suffice)
    drawn = rng.random(n) < chance
    weight = np.where(drawn, 1 / chance, 0.0)
    # Rows with the same items are learned from as one that stands for all of them.
    kind = np.arange(n) if alike is None else alike
    example = np.zeros(int(kind.max(initial=-1)) + 1, np.int64)
    example[kind] = np.arange(n)
    holder = np.repeat(np.arange(n), secret.lengths())

    def judge(fold: int) -> None:
        taught = np.where(part != fold, weight, 0.0)
        often: Floats = np.bincount(kind, taught, len(example)).astype(np.float64)
        known, asked = np.flatnonzero(often), np.flatnonzero(part == fold)
        rows = take_rows(public.indptr, public.indices, example[known])
        by_item, classes = transpose(*rows, public.d), length[example[known]]
        judged = take_rows(public.indptr, public.indices, asked)
        for first in range(0, m, LANES):
            seen = np.zeros((SHAPE + public.d, LANES))
            for lane, s in enumerate(range(first, min(first + LANES, m))):
                theirs = holder[secret.indices == s]
                seen[:SHAPE, lane] = taught[theirs] @ shape[length[theirs]]
                held = take_rows(public.indptr, public.indices, theirs)
                seen[SHAPE:, lane] = sums_by_item(*held, taught[theirs], public.d)
            weights = fit_logistic(*by_item, shape, classes, often[known], seen, float(ridge), rounds, TOLERANCE)
            found[asked, first : first + LANES] = log_odds_of(*judged, shape, length[asked], weights)[:, : m - first]

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
