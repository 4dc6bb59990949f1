"""Re-identification risk: what one known item tells, and drawing what is known."""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data.jit import kernel


@kernel
def mean_inverse_support(indptr: Ints, indices: Ids, supports: Ints) -> Floats:
    """Return per row the mean of 1/support over its items; 0 for an empty row. O(nnz)."""
    n = len(indptr) - 1
    risk = np.zeros(n, np.float64)
    for row in range(n):
        for e in range(indptr[row], indptr[row + 1]):
            risk[row] += 1.0 / supports[indices[e]]
        if indptr[row + 1] > indptr[row]:
            risk[row] /= indptr[row + 1] - indptr[row]
    return risk


@kernel
def pick_items(indptr: Ints, indices: Ids, rows: Ints, uniforms: Floats) -> Ids:
    """Return for each of `rows` r distinct items of it, drawn by the given uniform numbers.

    `uniforms` is len(rows) × r. Floyd's sampling: O(r²) per row, whatever the row's length.
    Precondition: every row has at least r items.
    """
    r = uniforms.shape[1]
    picked = np.empty((len(rows), r), np.int32)
    places = np.empty(r, np.int64)
    for i in range(len(rows)):
        start = indptr[rows[i]]
        length = indptr[rows[i] + 1] - start
        for c in range(r):
            top = length - r + c
            place = min(np.int64(uniforms[i, c] * (top + 1)), top)
            for b in range(c):
                if places[b] == place:
                    place = top
                    break
            places[c] = place
            picked[i, c] = indices[start + place]
    return picked
