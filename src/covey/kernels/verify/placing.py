"""Who is in which group: persons are told by all that they need of a group, and groups by what they have to give.

What a person needs of a group are copies of the person's baskets, one of its places, and one of the holders of each
sensitive item. Persons who need the same are of one type, and as good as one another. Types and groups are rows of
(resource, amount), resources ascending; ``room`` is what is left of each cell of the groups.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ints, Mask
from covey.data.jit import kernel
from covey.data.sorting import lower_bound

#: Needs of types (where those of each begin, resources, amounts), and cells of groups likewise, with their room.
Both = tuple[Ints, Ints, Ints, Ints, Ints, Ints]


@kernel
def cell_of(row: int, resource: int, cell_ptr: Ints, cells: Ints) -> int:
    """Return where a row, a group or a type, has a resource, or -1. O(log of its cells)."""
    end = cell_ptr[row + 1]
    at = lower_bound(cells, cell_ptr[row], end, resource)
    return at if at < end and cells[at] == resource else np.int64(-1)


@kernel
def how_many_fit(kind: int, group: int, both: Both) -> int:
    """Return how many persons of a type a group has room for. O(needs of the type, log of the group's cells each)."""
    need_ptr, need, amount, cell_ptr, cells, room = both
    most = np.int64(1) << 62
    for e in range(need_ptr[kind], need_ptr[kind + 1]):
        at = cell_of(group, need[e], cell_ptr, cells)
        if at < 0 or room[at] < amount[e]:
            return np.int64(0)
        most = min(most, room[at] // amount[e])
    return most


@kernel
def rarest_needs(kinds: Ints, need_ptr: Ints, need: Ints, often: Ints) -> Ints:
    """Return for each of some types which of its resources the fewest groups have. O(needs)."""
    rarest = np.empty(len(kinds), np.int64)
    for i in range(len(kinds)):
        best = need[need_ptr[kinds[i]]]
        for e in range(need_ptr[kinds[i]], need_ptr[kinds[i] + 1]):
            if often[need[e]] < often[best]:
                best = need[e]
        rarest[i] = best
    return rarest


@kernel
def list_groups(
    kinds: Ints,
    rarest: Ints,
    most: int,
    having_ptr: Ints,
    having: Ints,
    both: Both,
) -> tuple[Ints, Ints]:
    """Return for each of some types at most `most` groups that have room for one, in compressed form.

    Precondition: ``having`` lists by resource the groups that have some left. Where not all are wanted, the search
    begins at a different one for each type. O(groups of each type's `rarest` resource, needs of the type each).
    """
    ptr = np.zeros(len(kinds) + 1, np.int64)
    bound = np.int64(0)
    for i in range(len(kinds)):
        bound += min(having_ptr[rarest[i] + 1] - having_ptr[rarest[i]], most)
    found = np.empty(bound, np.int64)
    for i in range(len(kinds)):
        first, length = having_ptr[rarest[i]], having_ptr[rarest[i] + 1] - having_ptr[rarest[i]]
        write, start = ptr[i], (kinds[i] * 40503) % max(length, 1) if length > most else np.int64(0)
        for step in range(length):
            if write - ptr[i] == most:
                break
            group = having[first + (start + step) % length]
            if how_many_fit(kinds[i], group, both) > 0:
                found[write] = group
                write += 1
        ptr[i + 1] = write
    return ptr, found[: ptr[len(kinds)]].copy()


@kernel
def place_forced(
    kinds: Ints,
    left: Ints,
    ptr: Ints,
    groups: Ints,
    placed: Ints,
    stop: Ints,
    most: Ints,
    supply: Ints,
    told: Mask,
    both: Both,
) -> int:
    """Place everybody who is in a group in every assignment that uses all groups up, and return how many that are.

    -1 says that there is no such assignment; some may have been placed before that showed.
    At least so many of a type are in a group as have no room in all its others, and as are needed there to use up a
    resource that the other types cannot. Precondition: ``groups[ptr[i]:stop[i]]`` has all groups with room for type
    ``kinds[i]``; `told` marks resources all of whose types are among these. Changes `left`, `placed`, `room`, `stop`;
    `most` and `supply` are scratch. One round; O(groups of all types, needs of the type each, log of cells).
    """
    need_ptr, need, amount, cell_ptr, cells, room = both
    for i in range(len(kinds)):
        for x in range(ptr[i], stop[i]):
            for e in range(need_ptr[kinds[i]], need_ptr[kinds[i] + 1]):
                supply[cell_of(groups[x], need[e], cell_ptr, cells)] = 0
    for i in range(len(kinds)):
        kind, x = kinds[i], ptr[i]
        while x < stop[i]:
            most[x] = min(left[kind], how_many_fit(kind, groups[x], both))
            if most[x] == 0:
                stop[i] -= 1
                groups[x], groups[stop[i]] = groups[stop[i]], groups[x]
                placed[x], placed[stop[i]] = placed[stop[i]], placed[x]
                continue
            for e in range(need_ptr[kind], need_ptr[kind + 1]):
                supply[cell_of(groups[x], need[e], cell_ptr, cells)] += most[x] * amount[e]
            x += 1
    done = np.int64(0)
    for i in range(len(kinds)):
        kind, spare = kinds[i], -left[kinds[i]]
        for x in range(ptr[i], stop[i]):
            spare += most[x]
        if spare < 0:
            return np.int64(-1)
        for x in range(ptr[i], stop[i]):
            least = most[x] - spare
            for e in range(need_ptr[kind], need_ptr[kind + 1]):
                at = cell_of(groups[x], need[e], cell_ptr, cells)
                if told[need[e]]:
                    if supply[at] < room[at]:
                        return np.int64(-1)
                    least = max(least, most[x] - (supply[at] - room[at]) // amount[e])
            if least > 0:
                fit = how_many_fit(kind, groups[x], both)
                if fit < least or left[kind] < least:
                    return np.int64(-1)
                move(kind, groups[x], least, left, both)
                placed[x] += least
                done += least
                for e in range(need_ptr[kind], need_ptr[kind + 1]):
                    supply[cell_of(groups[x], need[e], cell_ptr, cells)] -= least * amount[e]
    return done


@kernel
def move(
    kind: int,
    group: int,
    persons: int,
    left: Ints,
    both: Both,
) -> None:
    """Take what some persons of a type need from a group that has it; less than 0 give it back. O(needs, log cells)."""
    need_ptr, need, amount, cell_ptr, cells, room = both
    if persons != 0:
        left[kind] -= persons
        for e in range(need_ptr[kind], need_ptr[kind + 1]):
            room[cell_of(group, need[e], cell_ptr, cells)] -= persons * amount[e]


@kernel
def place_where_room(
    kinds: Ints,
    left: Ints,
    ptr: Ints,
    groups: Ints,
    placed: Ints,
    both: Both,
) -> None:
    """Place as many as fit of some types in the groups that are listed for each. O(groups, needs of the type each)."""
    for i in range(len(kinds)):
        for x in range(ptr[i], ptr[i + 1]):
            fit = how_many_fit(kinds[i], groups[x], both)
            fit = min(fit, left[kinds[i]])
            move(kinds[i], groups[x], fit, left, both)
            placed[x] += fit
