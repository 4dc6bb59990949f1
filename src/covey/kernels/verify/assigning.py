"""Assigning published sets to transactions that hold them, as many as possible; used by verification alone.

A maximum flow from sets to rows (Dinic 1970), on nothing but the list of rows that hold each set: a row is a few
places, as many as there are transactions like it, and each place has at most one set. Sets alone are nodes; a set
reaches another one if it could take a place from it.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel

#: A place that no set has; a set that cannot be reached.
FREE, FAR = np.int32(-1), np.int32(-1)


@kernel
def without_place(pair_ptr: Ints, pairs: Ids, wanted: Ints, offered: Ints) -> Ints:
    """Return how many of each set find no row, at best over all ways to assign them.

    Set s is to be assigned ``wanted[s]`` times to rows ``pairs[pair_ptr[s]:pair_ptr[s + 1]]``, row r at most
    ``offered[r]`` times. O(pairs) for each length that chains of moves have, which are few; at worst as many as the
    square root of all that is wanted.
    """
    begin = np.zeros(len(offered) + 1, np.int32)
    for r in range(len(offered)):
        begin[r + 1] = begin[r] + offered[r]
    owner, missing = np.full(begin[-1], FREE, np.int32), wanted.copy()
    # Those come first that have the fewest rows to choose from.
    choice = np.empty(len(wanted))
    for s in range(len(wanted)):
        choice[s] = (pair_ptr[s + 1] - pair_ptr[s]) / max(wanted[s], 1)
    for s in np.argsort(choice):
        for e in range(pair_ptr[s], pair_ptr[s + 1]):
            for place in range(begin[pairs[e]], begin[pairs[e] + 1]):
                if missing[s] > 0 and owner[place] == FREE:
                    owner[place] = s
                    missing[s] -= 1
    while missing.any():
        level = steps_from_missing(pair_ptr, pairs, begin, owner, missing)
        if not move_on(pair_ptr, pairs, begin, owner, missing, level):
            break
    return missing


@kernel
def steps_from_missing(pair_ptr: Ints, pairs: Ids, begin: Ids, owner: Ids, missing: Ints) -> Ids:
    """Return by how many moves a set can be reached from those that miss rows, as far as to free places. O(pairs)."""
    level, queue = np.full(len(missing), FAR, np.int32), np.empty(len(missing), np.int32)
    tail, deepest = np.int64(0), np.int64(len(missing))
    for s in range(len(missing)):
        if missing[s] > 0:
            level[s], queue[tail] = 0, s
            tail += 1
    head = np.int64(0)
    while head < tail and level[queue[head]] <= deepest:
        s = queue[head]
        head += 1
        for e in range(pair_ptr[s], pair_ptr[s + 1]):
            for place in range(begin[pairs[e]], begin[pairs[e] + 1]):
                other = owner[place]
                if other == FREE:
                    deepest = level[s]
                elif level[other] == FAR:
                    level[other], queue[tail] = level[s] + 1, other
                    tail += 1
    return level


@kernel
def move_on(pair_ptr: Ints, pairs: Ids, begin: Ids, owner: Ids, missing: Ints, level: Ids) -> bool:
    """Let sets take places from sets one level further, which take others, up to a free one; whether any could.

    Every pair is looked at until it leads nowhere, and never again. O(pairs, and the moves).
    """
    at, moved = pair_ptr[:-1].copy(), False
    chain, taken = np.empty(len(missing) + 1, np.int32), np.empty(len(missing) + 1, np.int64)
    for start in range(len(missing)):
        depth, chain[0] = 0, start
        while missing[start] > 0 and depth >= 0:
            s, step = chain[depth], np.int64(-1)
            while step < 0 and at[s] < pair_ptr[s + 1]:
                for place in range(begin[pairs[at[s]]], begin[pairs[at[s]] + 1]):
                    other = owner[place]
                    if other == FREE or (level[other] == level[s] + 1 and at[other] < pair_ptr[other + 1]):
                        step = place
                        break
                if step < 0:
                    at[s] += 1
            if step < 0:  # nothing is left for this set, nor for whoever would take from it
                depth -= 1
                continue
            taken[depth] = step
            if owner[step] != FREE:
                depth += 1
                chain[depth] = owner[step]
                continue
            for i in range(depth + 1):
                owner[taken[i]] = chain[i]
            missing[start] -= 1
            depth, moved = 0, True
    return moved
