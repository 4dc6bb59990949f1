"""Top-down specialization: every column recoded alike everywhere, one part of it cut at a time (Fung et al. 2005).

At first each column is one part. A step cuts one part of one column, a node of its hierarchy into the children or a
range of numbers in two, wherever it occurs; of all steps that leave no class below k persons it takes the one that
spares most loss for each class that it adds, so that classes are large for as long as possible. So the classes of each
step are those of the one before, cut further.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data import Column, Table

#: A range of numbers may be cut at so many places, which leave about as many rows between them.
PLACES = 16


class Parts(NamedTuple):
    """A column and the parts that its values are in; hierarchies have their nodes as parts, numbers the lowest code."""

    column: Column
    of_value: Ints

    def loss(self, of_value: Ints) -> Floats:
        """What each value loses when it is published as its part."""
        if self.column.hierarchy is not None:
            return self.column.hierarchy.losses()[of_value]
        places, values = self.column.positions(), np.arange(len(of_value))
        high = np.zeros(len(of_value), np.int64)
        np.maximum.at(high, of_value, values)
        return np.minimum(places[high[of_value]] - places[of_value], 1.0)

    def cuts(self, part: int, rows: Ints) -> Iterator[Ints]:
        """The ways to cut a part in smaller ones, as parts of all values; `rows` counts the rows of each value."""
        inside = np.flatnonzero(self.of_value == part)
        tree = self.column.hierarchy
        if tree is not None:
            if part >= tree.leaves:
                lower = self.of_value.copy()
                lower[inside] = [_child(tree.parent, value, part) for value in inside.tolist()]
                yield lower
            return
        before = np.cumsum(rows[inside])
        wanted = before[-1] * np.arange(1, PLACES) / PLACES if len(inside) else np.empty(0)
        for at in np.unique(np.searchsorted(before, wanted, side="right")):
            if 0 < at < len(inside):
                lower = self.of_value.copy()
                lower[inside[at:]] = inside[at]
                yield lower


def _child(parent: Ids, value: int, above: int) -> int:
    """The child of a node that a value stands under, or is."""
    while parent[value] != above:
        value = int(parent[value])
    return int(value)


def specialized(data: Table, k: int) -> Iterator[Ints]:
    """The class of each row after each step, from one class of all to classes that no step can cut any further."""
    columns = data.of_role("quasi")
    parts = [Parts(c, np.full(len(c.values), _whole(c), np.int64)) for c in columns]
    rows = [np.bincount(c.codes, minlength=len(c.values)) for c in columns]
    kind = np.zeros(data.n, np.int64)
    yield kind
    while True:
        best: tuple[float, int, Ints, Ints] | None = None
        for a, one in enumerate(parts):
            before = one.loss(one.of_value)
            for part in np.unique(one.of_value[rows[a] > 0]).tolist():
                for lower in one.cuts(part, rows[a]):
                    number, sizes = _numbered(kind, lower[one.column.codes])
                    added = len(sizes) - int(kind.max())
                    worth = float((rows[a] * (before - one.loss(lower))).sum()) / added
                    if sizes.min() >= k and (best is None or worth > best[0]):
                        best = worth, a, lower, number
        if best is None:
            return
        _, a, lower, kind = best
        parts[a] = parts[a]._replace(of_value=lower)
        yield kind


def _whole(column: Column) -> int:
    """The part that a column is before it is cut: the root, or the range that begins with its lowest number."""
    return 0 if column.hierarchy is None else len(column.hierarchy.labels) - 1


def _numbered(kind: Ints, part: Ints) -> tuple[Ints, Ints]:
    """Classes cut by the part that each row is in: the new number of each row, and how many rows each class has."""
    _, number, sizes = np.unique(kind * (int(part.max()) + 1) + part, return_inverse=True, return_counts=True)
    return number.reshape(-1), sizes
