"""Records cut into sub-records: what each holds of the items of each chunk."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel


@kernel
def sub_records(row_ptr: Ints, items: Ids, chunk_of: Ids, chunks: int) -> tuple[Ints, Ints, Ids]:
    """Return (where the sub-records of each chunk begin, where the items of each begin, their items).

    ``chunk_of[e]`` is the chunk that entry e is in, or -1. Sub-records of a chunk stand in the order of their records.
    O(entries + chunks).
    """
    part_ptr, start = np.zeros(chunks + 1, np.int64), np.zeros(chunks + 1, np.int64)
    latest = np.full(chunks, -1, np.int64)
    for row in range(len(row_ptr) - 1):
        for e in range(row_ptr[row], row_ptr[row + 1]):
            c = chunk_of[e]
            if c >= 0:
                part_ptr[c + 1] += latest[c] != row
                start[c + 1] += 1
                latest[c] = row
    for c in range(chunks):
        part_ptr[c + 1] += part_ptr[c]
        start[c + 1] += start[c]
    indptr, out = np.full(part_ptr[chunks] + 1, start[chunks]), np.empty(start[chunks], np.int32)
    part = part_ptr[:-1].copy()
    latest[:] = -1
    for row in range(len(row_ptr) - 1):
        for e in range(row_ptr[row], row_ptr[row + 1]):
            c = chunk_of[e]
            if c >= 0:
                if latest[c] != row:
                    indptr[part[c]] = start[c]
                    part[c] += 1
                    latest[c] = row
                out[start[c]] = items[e]
                start[c] += 1
    return part_ptr, indptr, out
