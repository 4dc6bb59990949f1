"""What a release of the kind `model` measures: noisy sums of public vectors, and how the budget is spent on them.

A transaction that holds a sensitive item adds a vector to its sums: 1 to the total, a share for each of its frequent
items, 1 for its cell, 1 for the class of its length. The model has a weight for each sum: a transaction holds the item
with probability sigmoid(base + weights of its items + weight of its cell + weight of its length).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from covey.arrays import Floats, Ids, Ints, Mask, places_of
from covey.data import Baskets
from covey.data.csr import keep_items, take_rows
from covey.data.jit import kernel

#: What 1 is in the measured sums, which are integers.
GRID = 1 << 16
#: How far one transaction moves the total and the sums of items, cells and lengths at most, in absolute values.
CHANGES = (1, 2, 1, 1)
#: For each level how many cells there are at most, and the shares of the budget in thousandths: total, items, cells,
#: lengths.
LEVELS = (8, 32, 128)
SHARES = ((60, 0, 740, 200), (60, 480, 360, 100), (60, 480, 360, 100))
#: From how many holders, times epsilon, the levels after the first are used.
SIGNALS = (60, 200)
#: What an item with one holder counts, before its transaction's sum is limited.
RAREST = 1 << 20
#: The shortest length of each class of lengths.
LENGTHS = np.array([0, 1, 2, 3, 4, 5, 7, 9, 12, 17, 24, 33, 48, 65])


def level_of(total: int, epsilon: float, rows_each: int) -> int:
    """Return which level is measured, given the noisy total.

    Examples
    --------
    >>> [level_of(holders * GRID, 1.0, 1) for holders in (-3, 100, 3000)]
    [0, 1, 2]
    """
    return sum(total / GRID * epsilon / rows_each >= least for least in SIGNALS)


def scales_of(level: int, epsilon: float, rows_each: int) -> tuple[int, ...]:
    """Return the noise scales of total, items, cells and lengths on the grid; 0 for what is not measured.

    Each is change / (share · epsilon), rounded up exactly; that of the total is the same on all levels.
    """
    parts = zip(CHANGES, SHARES[level], strict=True)
    exact = (Fraction(1000 * change * rows_each * GRID, share) if share else 0 for change, share in parts)
    return tuple(math.ceil(scale / Fraction(epsilon)) for scale in exact)


def usual_rows_each(person: Ids) -> int:
    """Return how many transactions of each person are measured if nothing else is set: the median of what they have."""
    many = np.bincount(person)
    return int(np.median(many[many > 0]))


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

    def variance(self, scales: tuple[int, ...]) -> Floats:
        """Return the variance of the noise of each sum, and 1 for what the grid and the model's form get wrong."""
        return self.of_parts(tuple(2 * (scale / GRID) ** 2 + 1 for scale in scales))


class Rows(NamedTuple):
    """The public vectors of transactions, as sparse rows; places from `size` on have no sum and no weight."""

    indptr: Ints
    place: Ids
    #: What each entry adds to its sum, on the grid.
    share: Ids
    size: int

    @property
    def n(self) -> int:
        """Number of transactions."""
        return len(self.indptr) - 1

    def some(self, rows: Ints) -> Rows:
        """Return some of the rows."""
        indptr, share = take_rows(self.indptr, self.share, rows)
        return Rows(indptr, take_rows(self.indptr, self.place, rows)[1], share, self.size)

    def first(self, n: int) -> Rows:
        """Return the first `n` rows; published rows are in random order."""
        indptr = self.indptr[: n + 1]
        return self._replace(indptr=indptr, place=self.place[: indptr[-1]], share=self.share[: indptr[-1]])

    def exact_sums(self) -> Ints:
        """Return the sums over these rows, on the grid."""
        return np.bincount(self.place, self.share, self.size + 1)[: self.size].astype(np.int64)

    def chances(self, weights: Floats) -> Floats:
        """Return how likely each transaction is to hold the item."""
        found: Floats = expit(self.along(weights, weighted=False))
        return found

    def along(self, values: Floats, *, weighted: bool) -> Floats:
        """Return for each row the sum of the values at its places, times its shares if `weighted`. O(entries)."""
        out = np.zeros(self.n)
        add_along(self.indptr, self.place, self.share, weighted, np.append(values, 0.0), out)
        return out

    def down(self, values: Floats, *, weighted: bool) -> Floats:
        """Return for each place the sum of the values of the rows there, times shares if `weighted`. O(entries)."""
        out = np.zeros(self.size + 1)
        add_down(self.indptr, self.place, self.share, weighted, values, out)
        return out[: self.size]

    def products(self, values: Floats, *, weighted: bool) -> Floats:
        """Return sums x weights: how sums change with weights if `values` is p (1 - p). O(Σ length²).

        If `weighted`, it is instead the covariance of the sums, for independent transactions.
        """
        out = np.zeros((self.size + 1, self.size + 1))
        add_products(self.indptr, self.place, self.share, weighted, values, out)
        return out[: self.size, : self.size]


class Public(NamedTuple):
    """What follows from the ordinary items alone."""

    #: The items with sums of their own, ascending, and the vectors of all transactions on the last level.
    frequent: Ints
    rows: Rows
    #: The cell that each cell is joined to on each level.
    joined: Ids
    #: How much likelier a transaction of each class of lengths is to lack one more item, as log odds.
    offsets: Floats

    def layout(self, level: int) -> Layout:
        """Return what is measured on a level."""
        items = len(self.frequent) if SHARES[level][1] else 0
        return Layout(items, int(self.joined[level].max(initial=0)) + 1, len(self.offsets))

    def at(self, level: int, rows: Rows | None = None) -> Rows:
        """Return the vectors of all or some rows on a level."""
        rows, layout = rows or self.rows, self.layout(level)
        items = 1 + np.arange(len(self.frequent)) if layout.items else np.full(len(self.frequent), layout.size)
        cells, lengths = 1 + layout.items + self.joined[level], layout.size - layout.lengths + np.arange(layout.lengths)
        place = np.concatenate([[0], items, cells, lengths]).astype(np.int32)
        return rows._replace(place=place[rows.place], size=layout.size)

    def prior(self, rows: Rows, layout: Layout, total: float) -> Floats:
        """Return the weights that a fit to `rows` starts from and is drawn to: the base rate, by length."""
        means = np.zeros(layout.size)
        means[-layout.lengths :] = self.offsets
        by_length = rows.down(np.ones(rows.n), weighted=False)[-layout.lengths :]
        means[0] = np.log(max(total, 5.0) / max(float(by_length @ np.exp(self.offsets)), 1e-9))
        return means


def public_part(transactions: Baskets, cell: Ids, joined: Ids, measured: Mask | None, items: int) -> Public:
    """Return what follows from the published transactions, with sums of so many frequent items."""
    supports, lengths = transactions.supports(), transactions.lengths()
    frequent = np.sort(np.argsort(-supports, kind="stable")[:items])
    classes = length_class(lengths)
    number = int(classes.max(initial=0)) + 1
    offsets = length_offsets(lengths if measured is None else lengths[measured])[:number]
    indptr, chosen = keep_items(*transactions.csr, places_of(frequent, transactions.d))
    place, share = row_vectors(indptr, chosen, supports[frequent], cell, classes, joined.shape[1])
    size = 1 + len(frequent) + joined.shape[1] + number
    return Public(frequent, Rows(indptr + 3 * np.arange(len(indptr)), place, share, size), joined, offsets)


def row_vectors(indptr: Ints, items: Ids, supports: Ints, cell: Ids, length: Ids, cells: int) -> tuple[Ids, Ids]:
    """Return places and shares of the vectors of transactions: total, frequent items, cell, class of the length.

    Items count 1 each and 2 together at most; if there are more than two, in inverse proportion to the root of the
    item's support. Exact on every machine.

    Examples
    --------
    >>> zero = np.zeros(3, np.int32)
    >>> found = row_vectors(np.array([0, 1, 3, 6]), np.array([0, 0, 1, 0, 1, 2], np.int32), np.array([4, 1, 1]), zero,
    ...                     zero, 1)
    >>> found[0].tolist(), (found[1] / GRID).round(1).tolist()[8:]
    ([0, 1, 4, 5, 0, 1, 2, 4, 5, 0, 1, 2, 3, 4, 5], [1.0, 1.0, 0.4, 0.8, 0.8, 1.0, 1.0])
    """
    rarity = np.floor(RAREST / np.sqrt(supports)).astype(np.int64)
    place = np.zeros(len(items) + 3 * len(cell), np.int32)
    share = np.full(len(place), GRID, np.int32)
    fill_vectors(indptr, items, rarity, cell, length, cells, place, share)
    return place, share


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
    lacking = np.bincount(length_class(shorter), (shorter + 1) * count[1:], len(LENGTHS))
    there = np.bincount(length_class(np.arange(len(count))), count, len(LENGTHS))
    offsets: Floats = np.log((lacking + 1) / (there + 1))
    return offsets


@kernel
def fill_vectors(
    indptr: Ints, items: Ids, rarity: Ints, cell: Ids, length: Ids, cells: int, place: Ids, share: Ids
) -> None:
    """Fill in the places of each row, and the shares of its items where there are more than two. O(entries)."""
    at, most = 0, CHANGES[1]
    for row in range(len(cell)):
        at += 1
        held = items[indptr[row] : indptr[row + 1]]
        whole = rarity[held].sum()
        for item in held:
            place[at] = 1 + item
            if len(held) > most:
                share[at] = min(most * GRID * rarity[item] // whole, GRID)
            at += 1
        place[at], place[at + 1] = 1 + len(rarity) + cell[row], 1 + len(rarity) + cells + length[row]
        at += 2


@kernel
def add_along(indptr: Ints, place: Ids, share: Ids, weighted: bool, values: Floats, out: Floats) -> None:
    """Add to each row's `out` the values at its places, times shares if `weighted`. O(entries)."""
    for row in range(len(out)):
        for e in range(indptr[row], indptr[row + 1]):
            out[row] += values[place[e]] * (share[e] / GRID if weighted else 1.0)


@kernel
def add_down(indptr: Ints, place: Ids, share: Ids, weighted: bool, values: Floats, out: Floats) -> None:
    """Add each row's value to `out` at its places, times shares if `weighted`. O(entries)."""
    for row in range(len(values)):
        for e in range(indptr[row], indptr[row + 1]):
            out[place[e]] += values[row] * (share[e] / GRID if weighted else 1.0)


@kernel
def add_products(indptr: Ints, place: Ids, share: Ids, weighted: bool, values: Floats, out: Floats) -> None:
    """Add each row's value, times its share, to `out` at all pairs of its places. O(Σ length²)."""
    for row in range(len(values)):
        for a in range(indptr[row], indptr[row + 1]):
            first = values[row] * share[a] / GRID
            for b in range(indptr[row], indptr[row + 1]):
                out[place[a], place[b]] += first * (share[b] / GRID if weighted else 1.0)
