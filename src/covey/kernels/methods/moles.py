"""What to suppress so that no mole is left, and what that costs at least (Xu et al. 2008)."""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.kernels.shared.jit import kernel


@kernel
def suppress_greedily(offsets: Ints, members: Ids, support: Ints) -> Mask:
    """Return the items to suppress so that no mole is left: always the one with most moles per occurrence.

    A tie goes to the last item. Precondition: fewer than 2^32 moles. O(items suppressed · items + members).
    """
    d, sets = len(support), len(offsets) - 1
    gone, alive = np.zeros(d, np.bool_), np.ones(sets, np.bool_)
    moles, begin = np.zeros(d, np.int64), np.zeros(d + 1, np.int64)
    for e in range(len(members)):
        moles[members[e]] += 1
    begin[1:] = np.cumsum(moles)
    holder, cursor = np.empty(len(members), np.uint32), begin[:-1].copy()
    for s in range(sets):
        for e in range(offsets[s], offsets[s + 1]):
            holder[cursor[members[e]]] = s
            cursor[members[e]] += 1
    left = sets
    while left > 0:
        worst = np.int64(-1)
        for x in range(d):
            if moles[x] > 0 and (worst < 0 or moles[x] * support[worst] >= moles[worst] * support[x]):
                worst = x
        gone[worst] = True
        for q in range(begin[worst], begin[worst + 1]):
            s = holder[q]
            if alive[s]:
                alive[s] = False
                left -= 1
                for e in range(offsets[s], offsets[s + 1]):
                    moles[members[e]] -= 1
    return gone


@kernel
def packed(offsets: Ints, members: Ids, price: Floats) -> float:
    """Return what hitting every one of the sets costs at least, and lower `price` by what that accounts for.

    Each set in turn takes from all its members the price of the one that has least left: a feasible dual of the
    cheapest hitting set, so its value is a lower bound. Going on with more sets adds to the bound. O(members).
    """
    total = 0.0
    for s in range(len(offsets) - 1):
        least = np.inf
        for e in range(offsets[s], offsets[s + 1]):
            least = min(least, price[members[e]])
        total += least
        for e in range(offsets[s], offsets[s + 1]):
            price[members[e]] -= least
    return total
