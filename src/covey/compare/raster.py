"""Sparse matrices as small pictures: entries are counted into at most a few hundred cells a side.

Memory is O(rows + cells²) beside the data, whatever its size; no dense matrix is built.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ints
from covey.data import Baskets
from covey.kernels.shared.csr import sums_by_item

#: The finest picture; more cells than pixels help nobody.
CELLS = 600
#: Rows that are drawn at once.
AT_ONCE = 1 << 17


def column_order(baskets: Baskets, rows: Ints) -> Ints:
    """Items by the mean position of their transactions when these stand in the order `rows`.

    Reverse Cuthill-McKee orders the transactions only; this lays the items along the diagonal beside them.
    Items that no transaction holds come last. O(entries + d log d).
    """
    place = np.empty(baskets.n)
    place[rows] = np.arange(baskets.n)
    total = sums_by_item(baskets.indptr, baskets.indices, place, baskets.d)
    supports = baskets.supports()
    mean = np.where(supports > 0, total / np.maximum(supports, 1), np.inf)
    return np.argsort(mean, kind="stable")


def density(baskets: Baskets, rows: Ints | None = None, columns: Ints | None = None, *, cells: int = CELLS) -> Floats:
    """How full each cell of the picture is, from 0 to 1, transactions downwards and items to the right.

    Parameters
    ----------
    baskets : Baskets
        The matrix.
    rows, columns : int64 arrays or None
        The order of transactions and of items; None keeps theirs.
    cells : int
        Most cells a side.

    Examples
    --------
    >>> density(Baskets.of([["a"], ["b"]])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    height, width = max(min(baskets.n, cells), 1), max(min(baskets.d, cells), 1)
    down = _cell_of(baskets.n, height, rows)
    across = _cell_of(baskets.d, width, columns)
    filled = np.zeros(height * width, np.int64)
    for first in range(0, baskets.n, AT_ONCE):
        ptr = baskets.indptr[first : first + AT_ONCE + 1]
        place = (
            np.repeat(down[first : first + AT_ONCE] * width, np.diff(ptr)) + across[baskets.indices[ptr[0] : ptr[-1]]]
        )
        filled += np.bincount(place, minlength=height * width)
    area = np.outer(np.bincount(down, minlength=height), np.bincount(across, minlength=width))
    return np.asarray(filled.reshape(height, width) / np.maximum(area, 1), np.float64)


def _cell_of(size: int, cells: int, order: Ints | None) -> Ints:
    """The cell of each row or column: equal stretches of the order."""
    steps = np.arange(size, dtype=np.int64) * cells // max(size, 1)
    if order is None:
        return steps
    cell = np.empty(size, np.int64)
    cell[order] = steps
    return cell


def shade(filled: Floats) -> Floats:
    """Densities as darkness from 0 to 1: the brightest hundredth saturates, a single entry stays visible.

    Examples
    --------
    >>> shade(np.array([[0.0, 0.25], [1.0, 1.0]])).round(3).tolist()
    [[0.0, 0.575], [1.0, 1.0]]
    """
    present = filled[filled > 0]
    if not len(present):
        return np.zeros_like(filled)
    top = float(np.quantile(present, 0.99))
    strength = np.sqrt(np.minimum(filled / top, 1.0))
    return np.where(filled > 0, 0.15 + 0.85 * strength, 0.0)
