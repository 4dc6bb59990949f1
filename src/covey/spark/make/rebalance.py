"""Parts of the data in which a sensitive item is too frequent, put right on counts alone.

Each part needs every sensitive item in at most 1 / p of its rows; data that keeps this as a whole need not keep it in
every part. Rows whose only sensitive item is the one in excess move to the nearest parts that have room for it; rows
without sensitive items are borrowed from the nearest parts that can spare them; parts that still lack rows are merged
with a neighbour, at worst all of them into one.

The plan costs the driver O(parts · sensitive items). It says *how many* rows of a role go where; which ones is decided
where the rows are, by their order under a salted hash.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.arrays import Ints

#: The role of a row without sensitive items, and of one with several; a row with one has that item's number.
PLAIN, SEVERAL = -1, -2


class Counts(NamedTuple):
    """Of each part: rows, rows without sensitive items, and for each item rows that hold it, or hold it alone."""

    size: Ints
    plain: Ints
    held: Ints
    alone: Ints


class Move(NamedTuple):
    """Rows `start` to `stop` of one role in one part, in the order of their hash, go to another part."""

    part: int
    role: int
    start: int
    stop: int
    to: int


class Plan(NamedTuple):
    """Moves between the parts as they were counted, and then for each part the number of the one it becomes."""

    moves: tuple[Move, ...]
    merged: Ints

    @property
    def parts(self) -> int:
        """How many parts there are in the end."""
        return int(self.merged.max()) + 1


def plan(counts: Counts, p: int) -> Plan:
    """Plan what makes every part keep p · (rows with the item) <= rows, for every sensitive item.

    The data as a whole must allow it; parts come in the order of their similarity, so that neighbours are alike.

    Examples
    --------
    >>> sizes, held = np.array([4, 8]), np.array([[3], [0]])
    >>> made = plan(Counts(size=sizes, plain=sizes - held[:, 0], held=held, alone=held), 4)
    >>> made.moves, made.merged.tolist()
    ((Move(part=0, role=0, start=0, stop=2, to=1), Move(part=1, role=-1, start=0, stop=2, to=0)), [0, 1])
    """
    desk = _Desk(counts, p)
    for part in np.flatnonzero(_lack(desk.size, desk.held, p) > 0):
        desk.send_away(int(part))
    for part in np.flatnonzero(_lack(desk.size, desk.held, p) > 0):
        desk.borrow(int(part))
    return Plan(moves=tuple(desk.moves), merged=_merge(desk.size, desk.held, p))


class _Desk:
    """The counts as they become while moves are planned."""

    def __init__(self, counts: Counts, p: int) -> None:
        self.p = p
        self.size, self.held = counts.size.copy(), counts.held.copy()
        # What a part can still give of its own; received rows are not passed on, so ranks stay those counted.
        self.plain, self.alone = counts.plain.copy(), counts.alone.copy()
        self.given: dict[tuple[int, int], int] = {}
        self.moves: list[Move] = []

    def send_away(self, part: int) -> None:
        """Move rows with an item in excess out of `part`, until it is feasible or no part has room."""
        p = self.p
        while True:
            item = int(self.held[part].argmax())
            lacking = p * int(self.held[part, item]) - int(self.size[part])
            # Each row that leaves takes p - 1 off what is lacking: p for itself, less the row it was.
            wanted = min(-(-lacking // (p - 1)), int(self.alone[part, item]))
            if wanted <= 0:
                return
            room = (self.size - p * self.held[:, item]) // (p - 1)
            moved = self._spread(part, room, wanted)
            if not len(moved):
                return
            for to, count in moved:
                self._move(part, item, count, to)

    def borrow(self, part: int) -> None:
        """Move rows without sensitive items into `part` from parts that can spare them."""
        lack = _lack(self.size, self.held, self.p)
        for lender, count in self._spread(part, np.minimum(-lack, self.plain), int(lack[part])):
            self._move(lender, PLAIN, count, part)

    def _spread(self, part: int, room: Ints, wanted: int) -> list[tuple[int, int]]:
        """Share `wanted` rows out over the other parts with room, nearest first, the earlier of two as near."""
        room = np.maximum(room, 0)
        room[part] = 0
        able = np.flatnonzero(room)
        able = able[np.argsort(2 * np.abs(able - part) - (able < part), kind="stable")]
        before = np.concatenate([[0], np.cumsum(room[able])])[:-1]
        shares = np.minimum(room[able], wanted - before)
        return [(int(to), int(share)) for to, share in zip(able, shares, strict=True) if share > 0]

    def _move(self, part: int, role: int, count: int, to: int) -> None:
        start = self.given.get((part, role), 0)
        self.given[part, role] = start + count
        self.moves.append(Move(part=part, role=role, start=start, stop=start + count, to=to))
        for place, by in ((part, -count), (to, count)):
            self.size[place] += by
            if role != PLAIN:
                self.held[place, role] += by
        (self.plain if role == PLAIN else self.alone[:, role])[part] -= count


def _lack(size: Ints, held: Ints, p: int) -> Ints:
    """How many rows each part lacks for its most frequent sensitive item; negative: how many it can spare."""
    lack: Ints = p * held.max(axis=1, initial=0) - size
    return lack


def _merge(size: Ints, held: Ints, p: int) -> Ints:
    """Merge each infeasible part with the neighbour that leaves less lacking, until all are feasible."""
    parts, size, held = len(size), size.copy(), held.copy()
    first = np.arange(parts)  # where each of the merged runs of parts begins
    while len(first) > 1 and (lack := _lack(size, held, p)).max() > 0:
        worst = int(lack.argmax())
        sides = [side for side in (worst - 1, worst + 1) if 0 <= side < len(first)]
        together = [(int(p * (held[worst] + held[side]).max() - size[worst] - size[side]), side) for side in sides]
        side = min(together)[1]
        left, right = min(worst, side), max(worst, side)
        size[left] += size[right]
        held[left] += held[right]
        size, held, first = (np.delete(array, right, axis=0) for array in (size, held, first))
    return np.searchsorted(first, np.arange(parts), side="right") - 1
