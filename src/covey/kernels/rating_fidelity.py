"""Is every published record part of a record of the original?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from covey.kernels.jit import kernel

Ints = NDArray[np.int64]


@kernel
def first_foreign(
    indptr: Ints, cells: Ints, original_ptr: Ints, original_cells: Ints, cell_ptr: Ints, owner: Ints
) -> int:
    """Return the first published record that is contained in no record of the original, or -1.

    A cell is a pair of issue and rating as one number, ascending within a record; the records of the original
    that hold cell c are ``owner[cell_ptr[c]:cell_ptr[c + 1]]``. Only the holders of a record's rarest cell are
    compared with it. O(records × holders × ratings) at worst, far less on sparse data.
    """
    for row in range(len(indptr) - 1):
        first, last = indptr[row], indptr[row + 1]
        if first == last:
            continue
        rarest = cells[first]
        for e in range(first + 1, last):
            if cell_ptr[cells[e] + 1] - cell_ptr[cells[e]] < cell_ptr[rarest + 1] - cell_ptr[rarest]:
                rarest = cells[e]
        contained = False
        for holder in range(cell_ptr[rarest], cell_ptr[rarest + 1]):
            e, f = first, original_ptr[owner[holder]]
            stop = original_ptr[owner[holder] + 1]
            while e < last and f < stop:
                if cells[e] == original_cells[f]:
                    e += 1
                elif cells[e] < original_cells[f]:
                    break
                f += 1
            if e == last:
                contained = True
                break
        if not contained:
            return row
    return -1
