"""How much of the meaning of items a release of records keeps."""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.kernels.shared.jit import kernel


@kernel
def meaning_kept(
    cell_ptr: Ints, persons: Ints, label_ptr: Ints, labels: Ids, published: Ints, worth: Floats, parent: Ids,
    leaf_ptr: Ints, leaves: Ids,
) -> float:  # fmt: skip
    """Sum over cells and their labels of: how often it is published · its worth · how many items it stands for.

    Cell c could be of the persons ``persons[cell_ptr[c]:cell_ptr[c + 1]]`` and publishes the nodes
    ``labels[label_ptr[c]:label_ptr[c + 1]]``. What one stands for is the mean number of items below it, over those of
    these persons who have any; 1 where nobody has. O(entries of all these persons · height).
    """
    slot = np.full(len(parent), -1, np.int64)
    total = 0.0
    for c in range(len(cell_ptr) - 1):
        first, width = label_ptr[c], label_ptr[c + 1] - label_ptr[c]
        for place in range(width):
            slot[labels[first + place]] = place
        below, holders = np.zeros(width, np.int64), np.zeros(width, np.int64)
        latest = np.full(width, -1, np.int64)
        for at in range(cell_ptr[c], cell_ptr[c + 1]):
            person = persons[at]
            for e in range(leaf_ptr[person], leaf_ptr[person + 1]):
                x = leaves[e]
                while x >= 0:
                    place = slot[x]
                    if place >= 0:
                        below[place] += 1
                        if latest[place] != person:
                            latest[place] = person
                            holders[place] += 1
                    x = parent[x]
        for place in range(width):
            many = below[place] / holders[place] if holders[place] else 1.0
            total += published[first + place] * worth[labels[first + place]] * many
            slot[labels[first + place]] = -1
    return total
