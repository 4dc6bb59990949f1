"""How likely each basket is to hold each sensitive item, judged by its ordinary items alone.

A logistic regression on the items, the logarithm of the length and its square. It is cross-fitted: nobody is judged
by a model that has seen them, as an attacker who knows the population but not this person would judge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Bytes, Floats, Ids, Ints
from covey.data.baskets import Baskets
from covey.data.csr import sums_by_item, take_rows, transpose
from covey.data.logistic import LANES, SHAPE, fit_logistic, log_odds_of
from covey.threads import parallel

#: The rows are divided into so many parts, each judged by a model of the others.
FOLDS = 3
#: Penalty of the squared weights.
RIDGE = 2.0
#: Weights that would move by less have settled.
TOLERANCE = 1e-2
#: Log odds that are worked out at once, at most, where only sums of them are kept.
AT_ONCE = 1 << 20
#: All sensitive items.
EVERY = slice(None)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Propensity:
    """Models of who holds what, and by which of them each row is judged; `fit_propensity` makes them."""

    #: The ordinary items.
    public: Baskets
    #: Which model has not seen a row.
    part: Bytes
    #: What besides items is known of a row, for each class of lengths; and the class of each row.
    shape: Floats
    length: Ids
    #: For each model what each feature says of each sensitive item.
    weights: Floats

    def of(self, rows: Ints, items: slice = EVERY) -> Floats:
        """The log odds, rows x sensitive items, of some rows."""
        told = np.ascontiguousarray(self.weights[:, :, items])
        return log_odds_of(*self.public.csr, rows, self.part, self.shape, self.length, told)

    def expected(self) -> Floats:
        """How many of the sensitive items each row is expected to hold."""
        n, at_once = self.public.n, max(AT_ONCE // max(self.weights.shape[2], 1), 1)
        found = np.empty(n)

        def add(first: int) -> None:
            rows = np.arange(first, min(first + at_once, n))
            found[rows] = (1 / (1 + np.exp(-self.of(rows)))).sum(axis=1)

        parallel(add, range(0, n, at_once))
        return found


def fit_propensity(
    public: Baskets,
    secret: Baskets,
    *,
    seed: int | list[int] | None = 0,
    rounds: int = 20,
    suffice: int | None = None,
    alike: Ints | None = None,
) -> Propensity:
    """Models of who holds each item of `secret`, given the items of `public`; `of` asks them about some rows at a time.

    Parameters
    ----------
    public, secret : Baskets
        Ordinary and sensitive items of the same rows.
    seed : int, list of int or None
        Draws the parts that rows are divided into.
    rounds : int
        Sweeps over the items; twenty come close enough for the order of rows to settle.
    suffice : int or None
        How many rows the models need to learn from: about so many are drawn, and a tenth as many holders of each
        sensitive item, all if there are fewer. None: all rows.
    alike : int array or None
        A number for each row, equal only for rows with the same items of `public`, where that is known: less work.

    Examples
    --------
    >>> rows = [["beer", "s"] if i % 2 else ["tea"] for i in range(60)]
    >>> public, secret = Baskets.of(rows, sensitive=["s"]).split()
    >>> odds = fit_propensity(public, secret).of(np.arange(60))[:, 0]
    >>> bool(odds[1::2].min() > odds[::2].max())
    True
    """
    n, m = public.n, secret.d
    shape, length = _by_length(public.lengths())
    rng = np.random.default_rng(seed)
    part = (rng.permutation(n) % FOLDS).astype(np.uint8)
    chance = chances(secret, n if suffice is None else suffice)
    is_drawn = rng.random(n) < chance
    drawn = np.flatnonzero(is_drawn)
    weight = 1 / chance[drawn]
    holder = secret.row_of_entries()
    of_holder = np.where(is_drawn[holder], 1 / chance[holder], 0.0)
    # Rows with the same items are learned from as one that stands for all of them.
    number, example = np.arange(len(drawn)), drawn
    if alike is not None:
        _, first, number = np.unique(alike[drawn], return_index=True, return_inverse=True)
        example = drawn[first]
    del chance, is_drawn

    def learn(fold: int) -> Floats:
        often: Floats = np.bincount(number, np.where(part[drawn] != fold, weight, 0.0), len(example)).astype(np.float64)
        known = np.flatnonzero(often)
        rows = take_rows(*public.csr, example[known])
        by_item, classes = transpose(*rows, public.d), length[example[known]]
        del rows
        weights = np.empty((SHAPE + public.d, m))
        for first in range(0, m, LANES):
            seen = np.zeros((SHAPE + public.d, LANES))
            for lane, s in enumerate(range(first, min(first + LANES, m))):
                mine = secret.indices == s
                theirs = holder[mine]
                taught = np.where(part[theirs] != fold, of_holder[mine], 0.0)
                seen[:SHAPE, lane] = taught @ shape[length[theirs]]
                held = take_rows(*public.csr, theirs)
                seen[SHAPE:, lane] = sums_by_item(*held, taught, public.d)
            found = fit_logistic(*by_item, shape, classes, often[known], seen, RIDGE, rounds, TOLERANCE)
            weights[:, first : first + LANES] = found[:, : m - first]
        return weights

    weights = np.stack(parallel(learn, range(FOLDS)))
    return Propensity(public=public, part=part, shape=shape, length=length, weights=weights)


def _by_length(lengths: Ints) -> tuple[Floats, Ids]:
    """What lengths say: 1, the centred logarithm and its square, for each that occurs; and which each row has."""
    occurring = np.flatnonzero(np.bincount(lengths))
    place = np.zeros(int(lengths.max(initial=0)) + 1, np.int32)
    place[occurring] = np.arange(len(occurring))
    centred = np.log1p(occurring) - (np.log1p(lengths).mean() if len(lengths) else 0.0)
    return np.stack([np.ones(len(occurring)), centred, centred**2], axis=1), place[lengths]


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
    np.maximum.at(chance, secret.row_of_entries(), of_item[secret.indices])
    result: Floats = np.minimum(chance, 1.0)
    return result
