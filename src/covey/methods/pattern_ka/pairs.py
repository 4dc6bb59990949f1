"""How long patterns can be, by the pairs of items that are frequent (see `reduction`).

A pattern of L items has L·(L - 1)/2 pairs, each of which rows of weight k hold. So an entry is of use to it only if it
has L - 1 *partners*: other items of its row that rows of weight k hold together with it.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.data.csr import count_behind, item_starts, pieces, shares
from covey.data.jit import kernel
from covey.threads import parallel


def pair_bounds(indptr: Ints, indices: Ids, weight: Ints, d: int, k: int, only: Mask | None = None) -> tuple[Ints, Ids]:
    """Return how long a pattern can be that begins with each of the `d` items, and how many partners each entry has.

    A pattern that begins with item j needs rows of weight k in which as many of the items behind j are its partners.
    Holds for any part of the rows. With `only`, no other pairs count than those that begin with one of these items.
    Precondition: rows are ascending. O(squares of the lengths of the rows).
    """
    ranges = pieces(len(weight))
    first, starts = item_starts(indptr, indices, d, ranges)
    # What a scan of an item's rows needs lies side by side; only the rows themselves are scattered.
    at, behind, often = (np.empty(len(indices), kind) for kind in (np.int64, np.int32, np.int32))
    parallel(
        lambda part: list_places(indptr, indices, weight, part[0].start, part[0].stop, part[1], at, behind, often),
        zip(ranges, starts, strict=True),
    )
    wanted = np.diff(first) if only is None else np.diff(first) * only
    bound = np.zeros(d, np.int64)
    # Both items of a pair write down that they are partners, so each thread has a list of its own.
    found = parallel(
        lambda items: bounds_of_items(indices, at, behind, often, first, wanted, k, items.start, items.stop, bound),
        shares(np.where(wanted > 0, count_behind(indptr, indices, d) + wanted, 0)),
    )
    partners = found.pop()
    for more in found:
        partners += more
    return bound, partners


@kernel
def list_places(
    indptr: Ints, indices: Ids, weight: Ints, begin: int, end: int, cursor: Ints, at: Ints, behind: Ids, often: Ids
) -> None:
    """Write place, entries behind it and weight of the row for each entry of the rows `begin` to `end`. O(nnz).

    The list of each item goes on where `cursor` is for it, and it moves.
    """
    for r in range(begin, end):
        for e in range(indptr[r], indptr[r + 1]):
            j = indices[e]
            at[cursor[j]], behind[cursor[j]], often[cursor[j]] = e, indptr[r + 1] - e - 1, weight[r]
            cursor[j] += 1


@kernel
def bounds_of_items(
    indices: Ids, at: Ints, behind: Ids, often: Ids, first: Ints, wanted: Ints, k: int, begin: int, end: int,
    bound: Ints,
) -> Ids:  # fmt: skip
    """Do what `pair_bounds` does for the items from `begin` to `end` that are `wanted`; returns the partners."""
    d, partners = len(bound), np.zeros(len(indices), np.int32)
    # Half-size counts stay in the nearest cache. None is above the number of transactions, which is below 2^31.
    count, held_by = np.zeros(d, np.int32), np.zeros(d + 1, np.int64)
    for j in range(begin, end):
        total, read, top, most, reached = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        places = range(first[j], first[j] + wanted[j])
        for x in places:
            w = often[x]
            total += w
            read += behind[x] + 1
            for e in range(at[x] + 1, at[x] + 1 + behind[x]):
                held = count[indices[e]] + w
                count[indices[e]] = held
                top = max(top, held)
        for x in places if top >= k else range(0):
            own = np.int64(0)
            for e in range(at[x] + 1, at[x] + 1 + behind[x]):
                partner = count[indices[e]] >= k
                partners[e] += partner
                own += partner
            partners[at[x]] += own
            held_by[own] += often[x]
            most = max(most, own)
        bound[j] = total >= k
        for own in range(most, 0, -1):
            reached += held_by[own]
            if reached >= k:
                bound[j] = max(bound[j], own + 1)
        held_by[: most + 1] = 0
        # Clearing by the whole is faster than reading the rows once more, unless they were few.
        if 4 * read > d:
            count[:] = 0
            continue
        for x in places:
            for e in range(at[x] + 1, at[x] + 1 + behind[x]):
                count[indices[e]] = 0
    return partners


@kernel
def reach(indptr: Ints, partners: Ids) -> Ids:
    """Return how long a pattern each row can hold: the greatest h with h entries of h - 1 partners or more. O(nnz)."""
    longest = np.int64(0)
    for r in range(len(indptr) - 1):
        longest = max(longest, indptr[r + 1] - indptr[r])
    count, reached = np.zeros(longest + 1, np.int64), np.empty(len(indptr) - 1, np.int32)
    for r in range(len(indptr) - 1):
        length = indptr[r + 1] - indptr[r]
        for e in range(indptr[r], indptr[r + 1]):
            count[min(partners[e] + 1, length)] += 1
        h, enough = length, count[length]
        while enough < h:
            h -= 1
            enough += count[h]
        reached[r] = h
        count[: length + 1] = 0
    return reached
