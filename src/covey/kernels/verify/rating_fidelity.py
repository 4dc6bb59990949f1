"""Does the original have as many records that hold a published one as there are of it?"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel


@kernel
def first_short(
    set_ptr: Ints,
    sets: Ids,
    row_ptr: Ints,
    rows: Ids,
    cell_ptr: Ints,
    owner: Ids,
    wanted: Ints,
    offered: Ints,
) -> tuple[int, int]:
    """Return the first set that fewer rows hold than are wanted, and how many do; (-1, 0) if there is none.

    Precondition: sets are not empty; sets and rows ascend; row r stands for ``offered[r]`` equal ones, and the rows
    with cell c are ``owner[cell_ptr[c]:cell_ptr[c + 1]]``. Only rows with a set's rarest cell are looked at, and
    only until there are enough. O(sets × rows of the rarest cell × length) at worst, far less where all is well.
    """
    for s in range(len(set_ptr) - 1):
        first, last = set_ptr[s], set_ptr[s + 1]
        rarest = sets[first]
        for x in range(first + 1, last):
            if cell_ptr[sets[x] + 1] - cell_ptr[sets[x]] < cell_ptr[rarest + 1] - cell_ptr[rarest]:
                rarest = sets[x]
        held = np.int64(0)
        for x in range(cell_ptr[rarest], cell_ptr[rarest + 1]):
            row = owner[x]
            at, e, stop = first, row_ptr[row], row_ptr[row + 1]
            while at < last and e < stop and rows[e] <= sets[at]:
                at += sets[at] == rows[e]
                e += 1
            if at == last:
                held += offered[row]
                if held >= wanted[s]:
                    break
        if held < wanted[s]:
            return s, held
    return -1, 0
