"""Ranges within ranges: what a wider one has besides the narrower ones in it."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel


@kernel
def free_space(owner: Ids, begin: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Return, for each range of an owner, the pieces of it that none of the owner's ranges inside it covers.

    (ptr, begin, end): pieces ``ptr[i]`` to ``ptr[i + 1]`` are those of range i. Precondition: ranges stand by owner and
    begin, wider ones first, and are nested or apart. O(ranges x depth).
    """
    n = len(owner)
    ptr = np.zeros(n + 1, np.int64)
    # Every range opens one piece, and splits at most one of the range around it.
    low, high = np.empty(2 * n, np.int64), np.empty(2 * n, np.int64)
    found = np.int64(0)
    for i in range(n):
        at, j = begin[i], i + 1
        while j < n and owner[j] == owner[i] and begin[j] < end[i]:
            if begin[j] > at:
                low[found], high[found] = at, begin[j]
                found += 1
            at = max(at, end[j])
            inner = j
            while j < n and owner[j] == owner[i] and begin[j] < end[inner]:
                j += 1
        if end[i] > at:
            low[found], high[found] = at, end[i]
            found += 1
        ptr[i + 1] = found
    return ptr, low[:found], high[:found]


@kernel
def mixed(state: int) -> tuple[int, int]:
    """Return the next state and 62 random bits of the generator splitmix64."""
    state = np.uint64(state) + np.uint64(0x9E3779B97F4A7C15)
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state, np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(2))


@kernel
def draw_places(part_ptr: Ints, space_ptr: Ints, low: Ints, high: Ints, places: int, seed: int) -> Ints:
    """Return a place for every part, drawn at random, different ones within each chunk.

    Chunk c has the parts ``part_ptr[c]`` to ``part_ptr[c + 1]`` and the places in the pieces ``space_ptr[c]`` to
    ``space_ptr[c + 1]``; `places` is how many there are in all. -1 for a part that finds no place. Cost: the parts, and
    for chunks that fill more than half of their places these places.
    """
    chosen = np.full(part_ptr[-1], -1, np.int64)
    taken = np.full(places, -1, np.int64)
    state = np.uint64(seed)
    for c in range(len(part_ptr) - 1):
        first, stop = space_ptr[c], space_ptr[c + 1]
        room = np.int64(0)
        for s in range(first, stop):
            room += high[s] - low[s]
        many = part_ptr[c + 1] - part_ptr[c]
        if 2 * many > room:
            # All places in random order, as far as they are needed.
            free = np.empty(room, np.int64)
            at = np.int64(0)
            for s in range(first, stop):
                for place in range(low[s], high[s]):
                    free[at] = place
                    at += 1
            for i in range(min(many, room)):
                state, bits = mixed(state)
                j = i + bits % (room - i)
                chosen[part_ptr[c] + i] = free[j]
                free[j] = free[i]
            continue
        for i in range(many):
            while True:
                state, bits = mixed(state)
                place, s = bits % room, first
                while place >= high[s] - low[s]:
                    place -= high[s] - low[s]
                    s += 1
                if taken[low[s] + place] != c:
                    break
            taken[low[s] + place] = c
            chosen[part_ptr[c] + i] = low[s] + place
    return chosen
