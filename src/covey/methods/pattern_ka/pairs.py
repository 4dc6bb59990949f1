"""How long patterns can be, by the pairs of items that are frequent (see `patterns`).

A pattern of L items has L·(L - 1)/2 pairs, each of which rows of weight k hold. So an entry is of use to it only if it
has L - 1 *partners*: other items of its row that rows of weight k hold together with it.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Mask, Words
from covey.data.csr import NEAR, pieces, shares
from covey.data.jit import kernel
from covey.methods.pattern_ka.root import AT, HEAD, ROW, pack
from covey.threads import parallel


def pair_bounds(indptr: Ints, indices: Ids, weight: Ints, d: int, k: int, only: Mask | None = None) -> tuple[Ints, Ids]:
    """Return how long a pattern can be that begins with each of the `d` items, and how many partners each entry has.

    A pattern that begins with item j needs rows of weight k in which as many of the items behind j are its partners.
    Holds for any part of the rows. With `only`, no other pairs count than those that begin with one of these items.
    Precondition: as for `pack`. O(squares of the lengths of the rows).
    """
    packed, places, first, behind = pack(indptr, indices, weight, d)
    asked = np.diff(first) if only is None else np.diff(first) * only
    bound = np.zeros(d, np.int64)
    # Both items of a pair write down that they are partners, so each thread has a list of its own.
    found = parallel(
        lambda items: bounds_of_items(packed, places, first, asked, k, items.start, items.stop, bound),
        shares(np.where(asked > 0, behind + asked, 0)),
    )
    partners = found.pop()
    for more in found:
        partners += more
    return bound, partners


@kernel
def bounds_of_items(
    packed: Ids, places: Words, first: Ints, asked: Ints, k: int, begin: int, end: int, bound: Ints
) -> Ids:
    """Do what `pair_bounds` does for the items from `begin` to `end` that are `asked` about; returns the partners."""
    d, partners, near = len(bound), np.zeros(len(places), np.int32), np.empty((4, NEAR), np.int64)
    # Half-size counts stay in the nearest cache. None is above the number of transactions, which is below 2^31.
    count, held_by = np.zeros(d, np.int32), np.zeros(d + 1, np.int64)
    for j in range(begin, end if len(places) else begin):
        some = places[first[j] : first[j] + asked[j]]
        total, read, top, most, reached = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        for done in range(0, len(some), NEAR):
            fetch_rows(packed, some[done : done + NEAR], near)
            for x in range(min(NEAR, len(some) - done)):
                w = near[2, x]
                total += w
                read += near[1, x] - near[0, x] + 1
                for e in range(np.uint64(near[0, x]), np.uint64(near[1, x])):
                    held = count[packed[e]] + w
                    count[packed[e]] = held
                    top = max(top, held)
        for done in range(0, len(some) if top >= k else 0, NEAR):
            fetch_rows(packed, some[done : done + NEAR], near)
            for x in range(min(NEAR, len(some) - done)):
                place, own = np.uint64(near[3, x]), np.int64(0)
                for e in range(np.uint64(near[0, x]), np.uint64(near[1, x])):
                    partner = count[packed[e]] >= k
                    partners[e - place] += partner
                    own += partner
                partners[near[0, x] - 1 - near[3, x]] += own
                held_by[own] += near[2, x]
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
        for x in range(len(some)):
            head = np.int64(some[x] >> ROW)
            behind = packed[np.int64(some[x] & AT) + 1 : head + HEAD + packed[head + 2]]
            for e in range(len(behind)):
                count[behind[e]] = 0
    return partners


@kernel
def fetch_rows(packed: Ids, some: Words, near: Ints) -> None:
    """Write where what follows the places in their rows begins and ends, the weights, and what was put before entries.

    Each is a scattered read: all are on their way before the first is needed. O(places).
    """
    for x in range(len(some)):
        head = np.int64(some[x] >> ROW)
        near[0, x], near[1, x] = np.int64(some[x] & AT) + 1, head + HEAD + packed[head + 2]
        near[2, x], near[3, x] = packed[head + 1], HEAD * (packed[head] + 1)


def reach(indptr: Ints, partners: Ids) -> Ids:
    """Return how long a pattern each row can hold: the greatest h with h entries of h - 1 partners or more. O(nnz)."""
    return np.concatenate(
        parallel(lambda rows: reach_of_rows(indptr[rows.start : rows.stop + 1], partners), pieces(len(indptr) - 1))
    )


@kernel
def reach_of_rows(indptr: Ints, partners: Ids) -> Ids:
    """Do what `reach` does, in one thread."""
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
