"""Which published records could be whose, by attributes and items; used by verification alone."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel


@kernel
def stands_above(labels: Ids, last: Ids, leaves: Ids) -> bool:
    """Whether each of the labels, nodes of a tree in tour order, has one of the ascending `leaves` below it."""
    at = 0
    for x in labels:
        while at < len(leaves) and leaves[at] < x:
            at += 1
        if at == len(leaves) or leaves[at] > last[x]:
            return False
    return True


@kernel
def fitting_records(
    row_of: Ints, cover_ptr: Ints, cover: Ids, record_ptr: Ints, label_ptr: Ints, labels: Ids, last: Ids,
    leaf_ptr: Ints, leaves: Ids, most: int, tests: int,
) -> tuple[bool, bool, Ints, Ids]:  # fmt: skip
    """For each person up to `most` records of each cell that covers them: (done, whole, offsets, records).

    Person i is of the row ``row_of[i]``, which the cells ``cover[cover_ptr[row]:cover_ptr[row + 1]]`` cover; cell c has
    the records ``record_ptr[c]`` to ``record_ptr[c + 1]``. They are looked at in this order, so that with the longest
    first those are found that fit few others. It is not `whole` when a cell had more, and not `done` when all `tests`
    were used up. O(tests · labels), most of them given up at the first label.
    """
    persons = len(row_of)
    ptr, found = np.zeros(persons + 1, np.int64), np.empty(max(persons, 16), np.int32)
    used, whole = np.int64(0), True
    for person in range(persons):
        held = leaves[leaf_ptr[person] : leaf_ptr[person + 1]]
        for at in range(cover_ptr[row_of[person]], cover_ptr[row_of[person] + 1]):
            start, stop = record_ptr[cover[at]], record_ptr[cover[at] + 1]
            before = used
            for record in range(start, stop):
                tests -= 1
                if not stands_above(labels[label_ptr[record] : label_ptr[record + 1]], last, held):
                    continue
                if used - before == most:
                    whole = False
                    break
                if used == len(found):
                    larger = np.empty(2 * used, np.int32)
                    larger[:used] = found
                    found = larger
                found[used] = record
                used += 1
        ptr[person + 1] = used
        if tests < 0:
            return False, False, ptr, found[:used]
    return True, whole, ptr, found[:used].copy()
