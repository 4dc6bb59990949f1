"""The model that a release of the kind `model` states: who is likely to hold a sensitive item, and the sums it implies.

A transaction holds the item with probability sigmoid(base + items + cell + length). To the measured sums it adds a
public row vector: 1 to the total, a weight for each of its frequent items, 1 for its cell, 1 for its length's class.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data.csr import take_rows
from covey.data.jit import kernel

#: What 1 is in the measured sums, which are integers.
GRID = 1 << 16
#: How far one transaction moves each part of the sums at most, in absolute values.
SENSITIVITY = {"total": 1, "item": 2, "cell": 1, "length": 1}
PARTS = tuple(SENSITIVITY)
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
    return ceil(Fraction(1000 * SENSITIVITY[part] * rows_each * GRID, share) / Fraction(epsilon))


class Rows(NamedTuple):
    """The public part of transactions, as the model sees it."""

    #: The frequent items of each, as sparse rows, numbered from 0, and what each of its items counts, of `GRID`.
    indptr: Ints
    items: Ids
    weight: Ints
    #: The cell of each, and the class of its length.
    cell: Ids
    length: Ids

    def some(self, rows: Ints) -> Rows:
        """Return some of the rows."""
        taken = take_rows(self.indptr, self.items, rows)
        return Rows(*taken, self.weight[rows], self.cell[rows], self.length[rows])

    def joined(self, cells: Ids) -> Rows:
        """Return the same with coarser cells."""
        return self._replace(cell=cells[self.cell])

    def without_items(self) -> Rows:
        """Return the same as if no item were frequent."""
        return self._replace(indptr=np.zeros_like(self.indptr), items=self.items[:0])


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


def item_weight(frequent: Ints) -> Ints:
    """Return what each item counts in a transaction with so many frequent ones; together at most 2.

    Examples
    --------
    >>> (item_weight(np.array([0, 1, 2, 3])) / GRID).round(3).tolist()
    [1.0, 1.0, 1.0, 0.667]
    """
    weight: Ints = SENSITIVITY["item"] * GRID // np.maximum(frequent, SENSITIVITY["item"])
    return weight


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
    """Return how likely each transaction is to hold the item."""
    likely = np.empty(len(rows.cell))
    chance_of_rows(rows.indptr, rows.items, rows.cell, rows.length, layout.items, layout.cells, weights, likely)
    return likely


@kernel
def chance_of_rows(
    indptr: Ints, items: Ids, cell: Ids, length: Ids, n_items: int, n_cells: int, weights: Floats, likely: Floats
) -> None:
    """Write the probability of each row. O(entries)."""
    for row in range(len(cell)):
        score = weights[0] + weights[1 + n_items + cell[row]] + weights[1 + n_items + n_cells + length[row]]
        for e in range(indptr[row], indptr[row + 1]):
            score += weights[1 + items[e]]
        likely[row] = 1.0 / (1.0 + np.exp(-score))


def moments(rows: Rows, layout: Layout, likely: Floats, *, weighted: bool = False) -> tuple[Floats, Floats]:
    """Return the measured sums that are expected, 1 being 1, and how they change with each weight: sums x weights.

    If `weighted`, the second is instead the covariance of the sums, for independent transactions.
    """
    sums, slope = np.zeros(layout.size), np.zeros((layout.size, layout.size))
    add_rows(*rows, layout.items, layout.cells, likely, weighted, sums, slope)
    items, cells = slice(1, 1 + layout.items), slice(1 + layout.items, 1 + layout.items + layout.cells)
    slope[items, items] += np.triu(slope[items, items], 1).T
    lengths = slice(cells.stop, None)
    slope[lengths, cells] = slope[cells, lengths].T
    slope[0], slope[:, 0] = slope[cells].sum(axis=0), slope[:, cells].sum(axis=1)  # every row is in one cell
    slope[0, 0], sums[0] = slope[0, cells].sum(), likely.sum()
    return sums, slope


@kernel
def add_rows(
    indptr: Ints,
    items: Ids,
    weight: Ints,
    cell: Ids,
    length: Ids,
    n_items: int,
    n_cells: int,
    likely: Floats,
    weighted: bool,
    sums: Floats,
    slope: Floats,
) -> None:
    """Add each row to the sums and slopes that `moments` does not derive from others. O(Σ length²)."""
    for row in range(len(cell)):
        chance, each = likely[row], weight[row] / GRID
        bend, other = chance * (1.0 - chance), each if weighted else 1.0
        at_cell, at_length = 1 + n_items + cell[row], 1 + n_items + n_cells + length[row]
        for e in range(indptr[row], indptr[row + 1]):
            place = 1 + items[e]
            sums[place] += each * chance
            slope[place, at_cell] += each * bend
            slope[place, at_length] += each * bend
            slope[at_cell, place] += other * bend
            slope[at_length, place] += other * bend
            for f in range(e, indptr[row + 1]):
                slope[place, 1 + items[f]] += each * other * bend
        sums[at_cell] += chance
        sums[at_length] += chance
        slope[at_cell, at_cell] += bend
        slope[at_cell, at_length] += bend
        slope[at_length, at_length] += bend


def exact_sums(rows: Rows, layout: Layout) -> Ints:
    """Return the sums of the public vectors of some rows, `GRID` being 1. O(entries)."""
    of_items = np.bincount(rows.items, np.repeat(rows.weight, np.diff(rows.indptr)), layout.items)
    counted = np.bincount(rows.cell, minlength=layout.cells), np.bincount(rows.length, minlength=layout.lengths)
    return np.concatenate([[GRID * len(rows.cell)], of_items.astype(np.int64), *(GRID * count for count in counted)])
