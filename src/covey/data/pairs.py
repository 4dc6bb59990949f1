"""Counting pairs of a few items over many rows."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel


@kernel
def pair_counts(indptr: Ints, indices: Ids, place: Ids, width: int) -> Ints:
    """Return a `width` x `width` matrix: in how many rows items a and b both are, at [place of a, place of b].

    Precondition: ``place[item]`` is below `width`, -1 for items that are not asked for. Symmetric, with the supports on
    the diagonal. O(sum over rows of the squared number of items asked for).
    """
    count = np.zeros((width, width), np.int64)
    here = np.empty(width, np.int64)
    for row in range(len(indptr) - 1):
        many = 0
        for e in range(indptr[row], indptr[row + 1]):
            if place[indices[e]] >= 0:
                here[many] = place[indices[e]]
                many += 1
        for i in range(many):
            for j in range(many):
                count[here[i], here[j]] += 1
    return count
