"""The model that a release of the kind `model` states: who is likely to hold a sensitive item, what sums that implies,
and how far estimates may be off.

A transaction holds the item with probability sigmoid(base + items + cell + length). To the measured sums it adds a
public row vector: 1 to the total, a weight for each of its frequent items, 1 for its cell, 1 for its length's class.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import scipy.sparse
from scipy.special import expit

from covey.arrays import Floats, Ids, Ints, Mask
from covey.data.csr import take_rows
from covey.data.jit import kernel

#: What 1 is in the measured sums, which are integers.
GRID = 1 << 16
#: How far one transaction moves each part of the sums at most, in absolute values.
SENSITIVITY = {"total": 1, "item": 2, "cell": 1, "length": 1}
PARTS = tuple(SENSITIVITY)
#: The standard deviation of Laplace noise of the scale 1.
SD = math.sqrt(2)
#: The standard deviation of what the model's form gets wrong, as a share of an estimate that no sum pins down.
MISFIT = 0.25
#: What an item with one holder counts, before its transaction's sum is limited.
RAREST = 1 << 20
#: The shortest length of each class of lengths.
LENGTHS = np.array([0, 1, 2, 3, 4, 5, 7, 9, 12, 17, 24, 33, 48, 65])


class Branch(NamedTuple):
    """How the budget is spent, by the noisy total."""

    #: How many holders, times epsilon, it takes.
    signal: float
    #: The shares of the budget, in thousandths: items, cells, lengths.
    items: int
    cells: int
    lengths: int
    #: Which of the levels of joined cells is measured.
    level: int


#: The share of the total, in thousandths, and the branches; the first for which the signal suffices is taken.
TOTAL_SHARE = 60
BRANCHES = (Branch(200, 480, 360, 100, 2), Branch(60, 480, 360, 100, 1), Branch(-np.inf, 0, 740, 200, 0))


def branch_of(total: int, epsilon: float, rows_each: int) -> Branch:
    """Return how the rest of the budget is spent, given the noisy total.

    Examples
    --------
    >>> [branch_of(holders * GRID, 1.0, 1).level for holders in (-3, 100, 3000)]
    [0, 1, 2]
    """
    signal = total / GRID * epsilon / rows_each
    return next(branch for branch in BRANCHES if signal >= branch.signal)


def total_scale(epsilon: float, rows_each: int) -> int:
    """Return the scale of the noise of the total, `GRID` being 1."""
    return _scale("total", TOTAL_SHARE, epsilon, rows_each)


def scales_of(branch: Branch, epsilon: float, rows_each: int) -> tuple[int, int, int]:
    """Return the scales of the noise of items, cells and lengths, `GRID` being 1; 0 for what is not measured."""
    shares = zip(("item", "cell", "length"), (branch.items, branch.cells, branch.lengths), strict=True)
    items, cells, lengths = (_scale(part, share, epsilon, rows_each) if share else 0 for part, share in shares)
    return items, cells, lengths


def _scale(part: str, share: int, epsilon: float, rows_each: int) -> int:
    """Return sensitivity / (share · epsilon), rounded up exactly."""
    return math.ceil(Fraction(1000 * SENSITIVITY[part] * rows_each * GRID, share) / Fraction(epsilon))


def usual_rows_each(person: Ids) -> int:
    """Return how many transactions of each person are measured if nothing else is set: the median of what they have."""
    many = np.bincount(person)
    return int(np.median(many[many > 0]))


class Rows(NamedTuple):
    """The public part of transactions, as the model sees it."""

    #: The frequent items of each, as sparse rows, numbered from 0, and what each entry counts, of `GRID`.
    indptr: Ints
    items: Ids
    weight: Ids
    #: The cell of each, and the class of its length.
    cell: Ids
    length: Ids

    def some(self, rows: Ints) -> Rows:
        """Return some of the rows."""
        indptr, weight = take_rows(self.indptr, self.weight, rows)
        return Rows(indptr, take_rows(self.indptr, self.items, rows)[1], weight, self.cell[rows], self.length[rows])

    def joined(self, cells: Ids) -> Rows:
        """Return the same with coarser cells."""
        return self._replace(cell=cells[self.cell])

    def without_items(self) -> Rows:
        """Return the same as if no item were frequent."""
        return self._replace(indptr=np.zeros_like(self.indptr), items=self.items[:0], weight=self.weight[:0])


class Layout(NamedTuple):
    """How many items, cells and classes of lengths have a sum and a weight; before them is the total, or the base."""

    items: int
    cells: int
    lengths: int

    @property
    def size(self) -> int:
        """How many sums there are."""
        return 1 + sum(self)

    def of_parts(self, values: tuple[float, ...]) -> Floats:
        """Return one value for each part as one for each sum."""
        return np.repeat(np.array(values, np.float64), [1, *self])


def item_weights(indptr: Ints, items: Ids, supports: Ints) -> Ids:
    """Return what each entry of sparse rows of frequent items counts, of `GRID`: rare items count for more.

    At most 1 each and 2 together; if there are more than two, in inverse proportion to the root of the item's support.
    Exact on every machine.

    Examples
    --------
    >>> weights = item_weights(np.array([0, 1, 3, 6]), np.array([0, 0, 1, 0, 1, 2]), np.array([4, 1, 1]))
    >>> (weights / GRID).round(3).tolist()
    [1.0, 1.0, 1.0, 0.4, 0.8, 0.8]
    """
    rarity, most = np.floor(RAREST / np.sqrt(supports)).astype(np.int64)[items], SENSITIVITY["item"]
    each = np.diff(indptr)
    row = np.repeat(np.arange(len(each)), each)
    whole = np.bincount(row, rarity, len(each)).astype(np.int64)[row]
    shared = np.minimum(most * GRID * rarity // whole, GRID)
    return np.where(each[row] <= most, GRID, shared).astype(np.int32)


def length_class(lengths: Ints) -> Ids:
    """Return the class of each length.

    Examples
    --------
    >>> length_class(np.array([0, 4, 5, 6, 7, 1000])).tolist()
    [0, 4, 5, 5, 6, 13]
    """
    return (np.searchsorted(LENGTHS, lengths, side="right") - 1).astype(np.int32)


def length_offsets(lengths: Ints) -> Floats:
    """Return how much likelier, as log odds, a transaction of each class of lengths is to lack one more item.

    Someone with l ordinary items and the sensitive one has l + 1; if an average item is hidden in its place, l are left
    of (l + 1) · N(l + 1) transactions, against N(l) that have l themselves.
    """
    count = np.bincount(lengths, minlength=2).astype(np.float64)
    shorter = np.arange(len(count) - 1)
    home = length_class(shorter)
    lacking = np.bincount(home, (shorter + 1) * count[1:], len(LENGTHS))
    there = np.bincount(length_class(np.arange(len(count))), count, len(LENGTHS))
    offsets: Floats = np.log((lacking + 1) / (there + 1))
    return offsets


def prior_means(rows: Rows, layout: Layout, offsets: Floats, total: float) -> Floats:
    """Return the weights that the fit starts from and is drawn to: the base rate, by length."""
    means = np.zeros(layout.size)
    means[-layout.lengths :] = offsets
    means[0] = np.log(max(total, 5.0) / max(float(np.exp(offsets)[rows.length].sum()), 1e-9))
    return means


def chances(rows: Rows, layout: Layout, weights: Floats) -> Floats:
    """Return how likely each transaction is to hold the item. O(entries)."""
    _, items, cells, lengths = np.split(weights, np.cumsum([1, *layout[:2]]))
    held = scipy.sparse.csr_array((np.ones(len(rows.items)), rows.items, rows.indptr), (len(rows.cell), layout.items))
    found: Floats = expit(weights[0] + held @ items + cells[rows.cell] + lengths[rows.length])
    return found


def moments(rows: Rows, layout: Layout, likely: Floats, *, weighted: bool = False) -> tuple[Floats, Floats]:
    """Return the measured sums that are expected, 1 being 1, and how they change with each weight: sums x weights.

    If `weighted`, the second is instead the covariance of the sums, for independent transactions.
    """
    sums, slope = np.zeros(layout.size), np.zeros((layout.size, layout.size))
    add_rows(*rows, layout.items, layout.cells, likely, weighted, sums, slope)
    return sums, slope


@kernel
def add_rows(
    indptr: Ints, items: Ids, weight: Ids, cell: Ids, length: Ids, n_items: int, n_cells: int, likely: Floats,
    weighted: bool, sums: Floats, slope: Floats,
) -> None:  # fmt: skip
    """Add what each row brings to `sums` and `slope`. O(Σ length²)."""
    most = 3 + np.diff(indptr).max() if len(cell) else 3
    place, each = np.zeros(most, np.int64), np.ones(most)
    for row in range(len(cell)):
        place[1], place[2], size = 1 + n_items + cell[row], 1 + n_items + n_cells + length[row], 3
        for e in range(indptr[row], indptr[row + 1]):
            place[size], each[size] = 1 + items[e], weight[e] / GRID
            size += 1
        bend = likely[row] * (1.0 - likely[row])
        for a in range(size):
            sums[place[a]] += each[a] * likely[row]
            for b in range(size):
                slope[place[a], place[b]] += each[a] * bend * (each[b] if weighted else 1.0)


def exact_sums(rows: Rows, layout: Layout) -> Ints:
    """Return the sums of the public vectors of some rows, `GRID` being 1. O(entries)."""
    of_items = np.bincount(rows.items, rows.weight, layout.items)
    counted = np.bincount(rows.cell, minlength=layout.cells), np.bincount(rows.length, minlength=layout.lengths)
    return np.concatenate([[GRID * len(rows.cell)], of_items.astype(np.int64), *(GRID * count for count in counted)])


class Errors(NamedTuple):
    """What the standard errors of one sensitive item's estimates are computed from."""

    layout: Layout
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
    rows: Rows,
    layout: Layout,
    sums: Ints,
    weights: Floats,
    spread: Floats,
    scales: tuple[int, ...],
    offsets: Floats,
    every: Rows,
) -> Errors:
    """Return what the standard errors of a model's estimates are computed from; `rows` are the measured of `every`."""
    likely = chances(rows, layout, weights)
    expected, slope = moments(rows, layout, likely)
    variance = layout.of_parts(tuple(2 * (scale / GRID) ** 2 + 1 for scale in scales))
    by_noise = np.linalg.inv(slope.T @ (slope / variance[:, None]) + np.diag(spread**-2)).astype(np.float64)
    prior = prior_means(rows, layout, offsets, float(sums[0]) / GRID)
    covariance = moments(rows, layout, likely, weighted=True)[1]
    items = slice(1, 1 + layout.items)
    whole = np.bincount(rows.items, rows.weight / GRID, layout.items)
    # How many rows a sum of 1 stands for.
    stands_for = np.bincount(every.items, minlength=layout.items) / np.maximum(whole, 1 / GRID)
    own = sums / GRID
    open_to = np.abs(own - expected) / 2 + SD * layout.of_parts(scales) / GRID
    return Errors(
        layout=layout,
        by_noise=by_noise,
        by_chance=np.linalg.inv(covariance + 1e-6 * np.eye(layout.size)).astype(np.float64),
        drawn=by_noise @ ((weights - prior) / spread**2),
        by_item=stands_for * np.hypot(open_to, MISFIT * own)[items],
        total=max(float(chances(every, layout, weights).sum()), 1e-9),
        of_total=float(open_to[0]) * len(every.cell) / max(len(rows.cell), 1),
    )


def standard_error(errors: Errors, rows: Rows, counts: Mask, likely: Floats, miss: float) -> float:
    """Return the standard error of the sum of the chances of some rows, the answer to a question.

    The weights vary with the noise: by the inverse curvature of the fit, and no less than the noisy total; and the
    prior draws them to the base rate. Holders vary by chance, as far as the sums over the rows that are measured
    (`counts`) leave it open: by the variance p · (1 - p) less the regression on these sums. As far as it is open, the
    model's form may be wrong, too, by `MISFIT` of the estimate. And the weights of the items asked for may be telltale
    ones that the fit missed, by `miss` rows.
    """
    bend, estimate = likely * (1 - likely), float(likely.sum())
    by_weight, by_sum = (moments(rows, errors.layout, likely, weighted=each)[1][0] for each in (False, True))
    inside = np.flatnonzero(counts)
    shared = moments(rows.some(inside), errors.layout, likely[inside], weighted=True)[1][0]
    of_noise = max(float(by_weight @ errors.by_noise @ by_weight), (estimate * errors.of_total / errors.total) ** 2)
    of_prior = float(by_weight @ errors.drawn) ** 2
    of_chance = max(float(bend.sum() + (by_sum - 2 * shared) @ errors.by_chance @ by_sum), 0.0)
    open_share = min(of_chance / max(float(bend.sum()), 1e-300), 1.0)
    of_form = open_share * (estimate * MISFIT) ** 2
    return math.sqrt(max(of_noise + of_prior + of_chance + of_form + miss**2, 0.0))
