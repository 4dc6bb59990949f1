"""Hilbert: rows along a space-filling curve, cut optimally into groups (Ghinita et al., VLDB 2007, section 4).

Data flow: rows as points of a grid → their keys on the Hilbert curve, O(rows · columns · bits) → the line of rows cut
into groups with least loss, O(rows · k · columns) → groups joined where they are not diverse → publication. Oracle:
`tests/oracles/tables.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.arrays import Ids, Ints
from covey.data import Table
from covey.data.jit import kernel
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.l_diversity import LDiversity
from covey.methods.base import Groups, GroupsTables
from covey.methods.extents import Scale, extents_of, hilbert_keys, merged, span_loss
from covey.progress import Progress

#: Resolution of the curve in each column.
BITS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Hilbert(GroupsTables):
    """Order the rows along a Hilbert curve and cut the line into groups of k to 2k-1 rows with least loss.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> people = Table.of({"age": [21, 40, 23, 44], "sex": ["f", "m", "f", "m"]})
    >>> Hilbert(seed=0).anonymize(people, guarantee("k-anonymity(k=2)")).distinct_rows()
    [('[21-23]', 'f'), ('[40-44]', 'm')]
    """

    name = "hilbert"

    def groups(self, data: Table, promise: KAnonymity | LDiversity, progress: Progress) -> Groups:
        """Groups that keep `promise`."""
        progress("ordering", 0.0)
        keys = hilbert_keys(grid(data, BITS), BITS)
        order = np.lexsort(keys.T[::-1])
        progress("grouping", 0.0)
        e = extents_of(data, promise)
        return merged(e, optimal_cuts(e.codes, order, e.scale, e.k), order)


def grid(data: Table, bits: int) -> NDArray[np.uint32]:
    """The rows as points of a grid with 2**bits lines in each direction; missing numbers on the last line."""
    columns = []
    for column in data.of_role("quasi"):
        if column.numeric:
            places = np.minimum(column.positions(), 1.0)
        else:
            places = np.arange(len(column.values)) / max(len(column.values) - 1, 1)
        columns.append((places * (2**bits - 1)).astype(np.uint32)[column.codes])
    return np.stack(columns, axis=1)


def optimal_cuts(codes: Ids, order: Ints, scale: Scale, k: int) -> Ints:
    """Offsets of the groups of k to 2k-1 consecutive rows of `order` with the least summed loss.

    Precondition: at least k rows.
    """
    begins, ends = last_groups(codes, order, scale, k), [len(order)]
    while ends[-1] > 0:
        ends.append(int(begins[ends[-1]]))
    return np.array(ends[::-1])


@kernel
def last_groups(codes: Ids, order: Ints, scale: Scale, k: int) -> Ints:
    """Return where the last group of the best groups of each prefix of `order` begins.

    A dynamic programme: the best last group of a prefix is found by growing it backwards row by row, with its extents.
    O(n · k · columns · depth).
    """
    n, q = len(order), codes.shape[1]
    best, back = np.full(n + 1, np.inf), np.zeros(n + 1, np.int64)
    best[0] = 0.0
    low, high, own = np.empty(q, np.int64), np.empty(q, np.int64), np.empty(q)
    for stop in range(k, n + 1):
        low[:], high[:], own[:] = codes[order[stop - 1]], codes[order[stop - 1]], 0.0
        loss = 0.0
        for begin in range(stop - 1, max(stop - 2 * k, -1), -1):
            for a in range(q):
                code = codes[order[begin], a]
                if low[a] <= code <= high[a]:
                    continue
                low[a], high[a] = min(low[a], code), max(high[a], code)
                loss -= own[a]
                own[a] = span_loss(scale, a, low[a], high[a])
                loss += own[a]
            size = stop - begin
            if size >= k and best[begin] + size * loss < best[stop]:
                best[stop] = best[begin] + size * loss
                back[stop] = begin
    return back
