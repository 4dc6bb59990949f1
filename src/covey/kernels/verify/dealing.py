"""Dealing published records out to persons, one each, to as many as possible; used by verification alone."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel


@kernel
def give(person: int, cell: int, holds: Ints, first: Ints, after: Ints, before: Ints) -> int:
    """Give a person a cell instead of the one they hold, which is returned; -1 for none. O(1).

    Those who hold a cell are a list: ``first[cell]``, then ``after`` it, and ``before`` it backwards.
    """
    old = holds[person]
    if old >= 0:
        if before[person] >= 0:
            after[before[person]] = after[person]
        else:
            first[old] = after[person]
        if after[person] >= 0:
            before[after[person]] = before[person]
    holds[person], before[person], after[person] = cell, -1, first[cell]
    if first[cell] >= 0:
        before[first[cell]] = person
    first[cell] = person
    return int(old)


@kernel
def most_dealt(ptr: Ints, cells: Ids, size: Ints) -> int:
    """Return how many persons can get a cell, person i one of ``cells[ptr[i]:ptr[i + 1]]``, cell c ``size[c]`` times.

    Those with fewest choices come first. Who finds all their cells taken looks, breadth first, for a chain of holders
    who can move on to a free one; when nobody finds any, no other way to deal gives more (Berge 1957). O(pairs) for
    each who has to look at worst; most find a free cell at once.
    """
    persons, count = len(ptr) - 1, len(size)
    left, first = size.copy(), np.full(count, -1, np.int64)
    holds, after = np.full(persons, -1, np.int64), np.full(persons, -1, np.int64)
    before = np.full(persons, -1, np.int64)
    seen, asked_by, queue = np.full(count, -1, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    order, dealt = np.argsort(ptr[1:] - ptr[:-1]), np.int64(0)
    for turn in range(persons):
        person = order[turn]
        head, tail, free, asking = np.int64(0), np.int64(0), np.int64(-1), person
        while free < 0:
            for e in range(ptr[asking], ptr[asking + 1]):
                c = cells[e]
                if seen[c] != turn:
                    seen[c], asked_by[c], queue[tail] = turn, asking, c
                    tail += 1
                    if left[c] > 0:
                        free = np.int64(c)
                        break
            # All holders of a cell are asked before those of the next.
            asking = after[asking] if asking != person else np.int64(-1)
            while asking < 0 and head < tail:
                asking = first[queue[head]]
                head += 1
            if asking < 0:
                break
        if free < 0:
            continue
        left[free] -= 1
        dealt += 1
        while free >= 0:
            free = np.int64(give(asked_by[free], free, holds, first, after, before))
    return dealt
