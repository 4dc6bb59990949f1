"""Which published rows could stand for which original rows; used by verification alone."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel


@kernel
def covering(rows: Ids, row_secret: Ints, low: Ids, high: Ids, cell_ptr: Ints, limit: int) -> tuple[Ints, Ids]:
    """For each original row the published cells that cover it and hold its secret: (offsets, cells).

    Cells stand by secret: those with secret s are ``cell_ptr[s]`` to ``cell_ptr[s + 1]``. Cell c covers a row when
    every code lies from ``low[c]`` to ``high[c]``. Once `limit` pairs are found the search stops and the offsets
    are cut short. O(rows · cells of the same secret), most given up at the first column.
    """
    n, q = rows.shape
    ptr = np.zeros(n + 1, np.int64)
    found = np.empty(max(n, 16), np.int32)
    used = np.int64(0)
    for i in range(n):
        for c in range(cell_ptr[row_secret[i]], cell_ptr[row_secret[i] + 1]):
            a = 0
            while a < q and low[c, a] <= rows[i, a] <= high[c, a]:
                a += 1
            if a < q:
                continue
            if used == len(found):
                larger = np.empty(2 * used, np.int32)
                larger[:used] = found
                found = larger
            found[used] = c
            used += 1
        ptr[i + 1] = used
        if used > limit:
            return ptr[: i + 2].copy(), found[:used].copy()
    return ptr, found[:used].copy()
