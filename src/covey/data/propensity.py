"""How likely each basket is to hold each sensitive item, judged by its ordinary items alone.

A logistic regression on the items, the logarithm of the length and its square. It is cross-fitted: nobody is judged
by a model that has seen them, as an attacker who knows the population but not this person would judge.

Coordinate descent: a Newton step for the features that depend on the length of a row, then a step for each item, sweep
after sweep. No step overshoots: while no log odds move by more than x, the curvature grows by a factor of exp(x) at
most (Bach, Self-concordant analysis for logistic regression, Electronic Journal of Statistics 2010), and a step ends
where that bound is lowest. Items are 0 or 1, so a step changes the odds of all rows of an item by one factor, and no
exponential is taken per entry. Targets lie side by side, so that each entry is read once for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Bytes, Floats, Ids, Ints
from covey.data.baskets import Baskets
from covey.data.csr import take_rows, transpose
from covey.data.jit import kernel
from covey.threads import parallel

#: The features beside the items: a constant, the centred logarithm of the length, and its square.
SHAPE = 3
#: Targets that are fitted side by side.
LANES = 4
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
    """Models of who holds each item of `secret`, given the items of `public`, in the same rows.

    The `seed` divides the rows into parts. Twenty `rounds` over the items come close enough for the order of rows to
    settle. To `suffice` for learning, about so many rows are drawn, and a tenth as many holders of each sensitive
    item; None takes all. Rows with one number in `alike` have the same items of `public`: less work.

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
                seen[SHAPE:, lane] = np.bincount(held[1], np.repeat(taught, np.diff(held[0])), public.d)
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


@kernel
def sum_chances(likely: Floats, rows: Ids, often: Floats, slope: Floats, bend: Floats) -> None:
    """Write the sums of p and p · (1 - p) over some rows, as often as they stand, for each target. O(rows · targets).

    Written out for each of the `LANES`, so that the sums stay in registers; a loop takes half as long again.
    """
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    e, f, g, h = 0.0, 0.0, 0.0, 0.0
    for i in rows:
        w, p, q, r, s = often[i], likely[i, 0], likely[i, 1], likely[i, 2], likely[i, 3]
        a, b, c, d = a + w * p, b + w * q, c + w * r, d + w * s
        e, f, g, h = e + w * (p - p * p), f + w * (q - q * q), g + w * (r - r * r), h + w * (s - s * s)
    slope[0], slope[1], slope[2], slope[3] = a, b, c, d
    bend[0], bend[1], bend[2], bend[3] = e, f, g, h


@kernel
def multiply_odds(likely: Floats, rows: Ids, by: Floats) -> None:
    """Multiply the odds of some rows by a factor for each target. O(rows · targets)."""
    for i in rows:
        for s in range(LANES):
            likely[i, s] = times(likely[i, s], by[s])


@kernel
def times(p: float, by: float) -> float:
    """Return the probability of odds that are `by` times those of p, which is below 1. O(1)."""
    # Unlike the operator, it does not test for a division by 0.
    return np.divide(p * by, 1.0 + p * (by - 1.0))  # type: ignore[no-any-return]


@kernel
def item_step(pull: float, bend: float, ridge: float) -> float:
    """Return where bend · (exp(x) - 1) + ridge · x reaches the size of `pull`, with its sign. O(1)."""
    size = abs(pull)
    x = size / (bend + ridge)
    if x > 0.01 and bend > 0.0:  # or else the first guess is as good; each guess is above the result, and comes nearer
        x = min(x, np.log1p(size / bend))
        for _ in range(3):
            grown = bend * np.exp(x)
            x -= (grown - bend + ridge * x - size) / (grown + ridge)
    return x if pull > 0 else -x


@kernel
def shape_step(
    slope: Floats, bend: Floats, shape: Floats, seen: Floats, weights: Floats, ridge: float, step: Floats
) -> float:
    """Write a Newton step of the `SHAPE` weights of one target, as far as it is safe; return how far odds move.

    `slope` and `bend` are sums over the rows of each length class. O(length classes).
    """
    pull, curve = np.empty(SHAPE), np.zeros((SHAPE, SHAPE))
    for f in range(SHAPE):
        pull[f] = seen[f] - (slope * shape[:, f]).sum() - (ridge * weights[f] if f else 0.0)
        for g in range(SHAPE):
            curve[f, g] = (bend * shape[:, f] * shape[:, g]).sum()
        curve[f, f] += ridge if f else 1e-9
    for f in range(SHAPE):  # Gauss: the matrix is positive definite
        for g in range(f + 1, SHAPE):
            share = curve[g, f] / curve[f, f]
            curve[g] -= share * curve[f]
            pull[g] -= share * pull[f]
    for f in range(SHAPE - 1, -1, -1):
        step[f] = (pull[f] - (curve[f, f + 1 :] * step[f + 1 :]).sum()) / curve[f, f]
    reach = 0.0
    for k in range(len(shape)):
        reach = max(reach, abs((shape[k] * step).sum()))
    safe: float = np.log1p(reach)
    if reach > 0.0:
        step *= safe / reach
    return safe


@kernel
def fit_shape(
    likely: Floats, shape: Floats, length: Ids, often: Floats, seen: Floats, ridge: float, weights: Floats
) -> float:
    """Step the `SHAPE` weights of all targets, in place; return the largest change of odds. O(rows · targets)."""
    classes = len(shape)
    slope, bend, by = np.zeros((classes, LANES)), np.zeros((classes, LANES)), np.empty((classes, LANES))
    for i in range(len(length)):
        for s in range(LANES):
            p = likely[i, s]
            slope[length[i], s] += often[i] * p
            bend[length[i], s] += often[i] * (p - p * p)
    step, largest = np.zeros(SHAPE), 0.0
    for s in range(LANES):
        pulls, bends = slope[:, s].copy(), bend[:, s].copy()
        largest = max(largest, shape_step(pulls, bends, shape, seen[:, s], weights[:, s], ridge, step))
        weights[:SHAPE, s] += step
        for k in range(classes):
            by[k, s] = np.exp((shape[k] * step).sum())
    for i in range(len(length)):
        for s in range(LANES):
            likely[i, s] = times(likely[i, s], by[length[i], s])
    return largest


@kernel
def fit_logistic(
    item_ptr: Ints,
    item_rows: Ids,
    shape: Floats,
    length: Ids,
    often: Floats,
    seen: Floats,
    ridge: float,
    rounds: int,
    tolerance: float,
) -> Floats:
    """Return the weights, (`SHAPE` + items) x `LANES` targets, of a ridge regression on each target's log odds.

    Minimises the log loss plus ridge / 2 · weight² (the constant is free). Items that would move by less than
    `tolerance` rest until the others have come to rest, too. Stops after `rounds` sweeps, or when all rest.
    O(rounds · (entries + rows) · targets).

    ``item_ptr``/``item_rows`` list the rows that hold each item, ``shape[k]`` are the features of length class k, in
    which row i is if ``length[i] == k``; row i stands for ``often[i]`` rows. `seen` has the sum of each feature over
    the rows with the target, as often as they stand, laid out like the weights.
    """
    d, places = len(item_ptr) - 1, item_rows.view(np.uint32)  # or else each would be looked at for being below 0
    weights, likely = np.zeros((SHAPE + d, LANES)), np.empty((len(length), LANES))
    everybody = often.sum()
    for s in range(LANES):
        share = (seen[0, s] + 0.5) / (everybody + 1.0)
        likely[:, s], weights[0, s] = share, np.log(share / (1.0 - share))
    slope, bend, by, step = np.empty(LANES), np.empty(LANES), np.empty(LANES), np.empty(LANES)
    awake, everyone, moved_shape = np.ones(d, np.bool_), True, np.inf
    for _ in range(rounds):
        if everyone or moved_shape >= tolerance:
            moved_shape = fit_shape(likely, shape, length, often, seen, ridge, weights)
        moved = moved_shape
        for j in range(d):
            if not (everyone or awake[j]):
                continue
            rows = places[item_ptr[j] : item_ptr[j + 1]]
            sum_chances(likely, rows, often, slope, bend)
            largest = 0.0
            for s in range(LANES):
                step[s] = item_step(seen[SHAPE + j, s] - slope[s] - ridge * weights[SHAPE + j, s], bend[s], ridge)
                largest = max(largest, abs(step[s]))
            awake[j] = largest >= tolerance
            if awake[j]:
                moved = max(moved, largest)
                weights[SHAPE + j] += step
                by[:] = np.exp(step)
                multiply_odds(likely, rows, by)
        if everyone and moved < tolerance:
            break
        everyone = moved < tolerance
    return weights


@kernel
def log_odds_of(
    indptr: Ints, indices: Ids, rows: Ints, part: Bytes, shape: Floats, length: Ids, weights: Floats
) -> Floats:
    """Return what the weights of `fit_logistic` say of some rows x targets. O(entries of the rows · targets).

    ``weights[f]`` are those of model f, and ``part[i]`` is the model that judges row i.
    """
    m = weights.shape[2]
    out = np.zeros((len(rows), m))
    for r in range(len(rows)):
        i = rows[r]
        model, found = weights[part[i]], out[r]
        # Rows of their own, so that the compiler adds up several targets at once.
        for f in range(SHAPE):
            told, by = model[f], shape[length[i], f]
            for s in range(m):
                found[s] += told[s] * by
        for e in range(indptr[i], indptr[i + 1]):
            told = model[SHAPE + indices[e]]
            for s in range(m):
                found[s] += told[s]
    return out
