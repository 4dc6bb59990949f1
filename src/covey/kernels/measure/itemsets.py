"""Counting triples of a few items over many rows."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.kernels.shared.jit import kernel


@kernel
def triple_counts(indptr: Ints, indices: Ids, place: Ids, linked: Mask, keys: Ints) -> Ints:
    """Return in how many rows each of some triples is.

    Precondition: `keys` are sorted, (a * width + b) * width + c for places a < b < c that `linked` links in pairs, and
    items ascend as their places do. O(linked triples in all rows x log(keys)).
    """
    width = len(linked)
    count = np.zeros(len(keys), np.int64)
    here = np.empty(width, np.int64)
    for row in range(len(indptr) - 1):
        many = 0
        for e in range(indptr[row], indptr[row + 1]):
            if place[indices[e]] >= 0:
                here[many] = place[indices[e]]
                many += 1
        for i in range(many):
            for j in range(i + 1, many):
                if not linked[here[i], here[j]]:
                    continue
                for h in range(j + 1, many):
                    if linked[here[i], here[h]] and linked[here[j], here[h]]:
                        key = (here[i] * width + here[j]) * width + here[h]
                        count[np.searchsorted(keys, key)] += 1
    return count
