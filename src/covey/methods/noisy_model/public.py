"""What is computed from the ordinary items alone: cells of similar transactions.

Each cell gives every frequent item an integer score, and a transaction is in the cell whose scores add up to the most
over its items (ties: the lowest number). So a cell can be checked with integers, by anyone. The scores come from
k-means on the mean of embedded items: |z/l - c|² is smallest where the sum over the items of 2 e·c - |c|² is largest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data import Baskets
from covey.data.jit import kernel
from covey.release.model_sums import LEVELS

#: Items that are embedded, the most frequent ones of at least `LEAST` transactions, and axes of the embedding.
EMBEDDED, LEAST, AXES = 1000, 5, 20
#: Transactions, at most, that the centres of cells are learned from; and rounds of learning.
LEARNED_FROM, ROUNDS = 40_000, 10
#: A score of 1 as an integer.
UNIT = 1024


class Cells(NamedTuple):
    """Cells, and which scores make them."""

    #: The cell of each transaction.
    cell: Ids
    #: The items that count, and the score of each in each cell.
    items: Ids
    scores: Ints
    #: For each of `LEVELS` the cell that each cell is joined to.
    joined: Ids


def cells_of(public: Baskets, seed: int = 0) -> Cells:
    """Return the cells of the transactions of `public`, which holds ordinary items only."""
    supports = public.supports()
    frequent = np.argsort(-supports, kind="stable")[:EMBEDDED]
    chosen = np.sort(frequent[supports[frequent] >= LEAST])
    some = public.only(np.isin(np.arange(public.d), chosen))
    filled = np.flatnonzero(some.lengths())
    if len(filled) == 0:
        return Cells(np.zeros(public.n, np.int32), chosen[:0].astype(np.int32), np.zeros((0, 1), np.int64),
                     np.zeros((len(LEVELS), 1), np.int32))  # fmt: skip
    embedding = embed(some)
    rng = np.random.default_rng(seed)
    if len(filled) > LEARNED_FROM:
        filled = rng.choice(filled, LEARNED_FROM, replace=False)
    learned = some.take(filled)
    centres = k_means(np.asarray(learned.to_scipy() @ embedding) / learned.lengths()[:, None], rng)
    exact = 2 * embedding @ centres.T - (centres**2).sum(axis=1)
    scores = np.rint(UNIT * exact).astype(np.int64)
    return Cells(best_cells(*some.csr, scores), chosen.astype(np.int32), scores, joined_cells(centres))


def embed(some: Baskets) -> Floats:
    """Return items x axes: the eigenvectors of how much more often than by chance two items are together.

    By chance means for transactions of these lengths; the diagonal says nothing and is 0. O(pairs in rows + items³).
    """
    rows = some.to_scipy().astype(np.float64)
    together = np.asarray((rows.T @ rows).todense())
    lengths, supports = some.lengths().astype(np.float64), some.supports().astype(np.float64)
    chance = np.outer(supports, supports) * (lengths * (lengths - 1)).sum() / lengths.sum() ** 2
    lift = np.log((together + 1) / (chance + 1))
    np.fill_diagonal(lift, 0)
    values, vectors = np.linalg.eigh(lift)
    largest = np.argsort(-np.abs(values))[:AXES]
    found: Floats = vectors[:, largest] * np.sqrt(np.abs(values[largest]))
    return found


def k_means(points: Floats, rng: np.random.Generator) -> Floats:
    """Return centres of points, begun at distinct ones. O(rounds · points · centres · axes)."""
    distinct = np.unique(points, axis=0)
    centres = distinct[rng.choice(len(distinct), min(LEVELS[-1], len(distinct)), replace=False)]
    for _ in range(ROUNDS):
        nearest = np.argmax(2 * points @ centres.T - (centres**2).sum(axis=1), axis=1)
        size = np.bincount(nearest, minlength=len(centres))
        for axis in range(points.shape[1]):
            total = np.bincount(nearest, points[:, axis], len(centres))
            centres[:, axis] = np.where(size > 0, total / np.maximum(size, 1), centres[:, axis])
    return centres


def joined_cells(centres: Floats) -> Ids:
    """Return for each of `LEVELS` which cells are joined: levels x cells, numbered from 0."""
    from scipy.cluster.hierarchy import fcluster, linkage

    if len(centres) == 1:
        return np.zeros((len(LEVELS), 1), np.int32)
    tree = linkage(centres, "ward")
    levels = [
        fcluster(tree, level, "maxclust") - 1 if level < len(centres) else np.arange(len(centres)) for level in LEVELS
    ]
    return np.stack(levels).astype(np.int32)


@kernel
def best_cells(indptr: Ints, indices: Ids, scores: Ints) -> Ids:
    """Return the cell of each row: the one with the largest sum of scores, the first of equals. O(entries · cells)."""
    rows, cells = len(indptr) - 1, scores.shape[1]
    best, total = np.empty(rows, np.int32), np.empty(cells, np.int64)
    for row in range(rows):
        total[:] = 0
        for e in range(indptr[row], indptr[row + 1]):
            total += scores[indices[e]]
        best[row] = np.argmax(total)
    return best
