"""How far rows that share an item stand apart (Ghinita et al. 2008, section III)."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.kernels.shared.jit import kernel


@kernel
def reaches(indptr: Ints, indices: Ids, place: Ints, d: int) -> tuple[int, int]:
    """Return the farthest that any row reaches, and how far all rows reach together.

    A row reaches as far as the farthest row that shares one of the `d` items with it; row i stands at ``place[i]``.
    O(nnz + d).
    """
    n = len(indptr) - 1
    first, last = np.full(d, n, np.int64), np.full(d, -1, np.int64)
    for row in range(n):
        for e in range(indptr[row], indptr[row + 1]):
            first[indices[e]] = min(first[indices[e]], place[row])
            last[indices[e]] = max(last[indices[e]], place[row])
    farthest, together = np.int64(0), np.int64(0)
    for row in range(n):
        reach = np.int64(0)
        for e in range(indptr[row], indptr[row + 1]):
            reach = max(reach, place[row] - first[indices[e]], last[indices[e]] - place[row])
        farthest = max(farthest, reach)
        together += reach
    return farthest, together
