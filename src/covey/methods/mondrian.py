"""Mondrian: k-anonymity of tables by halving at medians, widest column first (LeFevre et al., ICDE 2006, section 4).

Data flow: all rows as one part → halved at the median of the column with the widest span, as long as both halves keep
the guarantee, O(rows · log(rows) · columns) → publication. Codes stand in the order of their column, so a median is
taken of codes; for categories that is the order of a walk of their hierarchy. Oracle: `tests/oracles/tables.py`; page:
`docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints
from covey.data import Table
from covey.data.jit import kernel, stable_order
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.l_diversity import LDiversity
from covey.methods.base import Groups, GroupsTables
from covey.methods.extents import Scale, diverse, extents_of, group_extents, span_loss
from covey.parameters import parameter
from covey.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Mondrian(GroupsTables):
    """Halve the rows at the median of the widest column for as long as both halves keep the guarantee.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> people = Table.of({"age": [21, 23, 40, 44], "sex": ["f", "f", "m", "m"]})
    >>> Mondrian(seed=0).anonymize(people, guarantee("k-anonymity(k=2)")).distinct_rows()
    [('[21-23]', 'f'), ('[40-44]', 'm')]
    """

    name = "mondrian"

    relaxed: bool = parameter(
        False,
        label="Cut between equal values",
        says="When no cut between two values is possible any more, also cut between rows with equal values.",
    )

    def groups(self, data: Table, promise: KAnonymity | LDiversity, progress: Progress) -> Groups:
        """Groups that keep `promise`."""
        progress("grouping", 0.0)
        e = extents_of(data, promise)
        ptr, rows = mondrian(e.codes, e.scale, e.k, self.relaxed, e.secret, e.ell, e.frequency)
        groups = len(ptr) - 1
        return Groups.of(rows, np.repeat(np.arange(groups), np.diff(ptr)), groups)


@kernel
def even_cut(ordered: Ints) -> int:
    """How many of the ascending codes go left so that equal ones stay together and both sides are most even.

    0 when all are equal. O(codes equal to the median).
    """
    n = len(ordered)
    middle = ordered[n // 2]
    below, upto = n // 2, n // 2
    while below > 0 and ordered[below - 1] == middle:
        below -= 1
    while upto < n and ordered[upto] == middle:
        upto += 1
    # Either the median goes left, or it goes right with everything above it.
    cut = upto if min(upto, n - upto) >= min(below, n - below) else below
    return cut if cut < n else 0


@kernel
def divide(codes: Ids, part: Ints, a: int, k: int, relaxed: bool) -> int:
    """Sort `part`, rows of one partition, by column `a`; return the size of the left half, 0 if impossible.

    Strict: rows with equal codes stay together. Relaxed: rows at the median go to either side. O(len log len).
    """
    n = len(part)
    values = codes[part, a].astype(np.int64)
    order = stable_order(values)
    ordered, part[:] = values[order], part[order]
    left = even_cut(ordered)
    if relaxed and ordered[0] != ordered[-1]:
        left = n // 2
    return left if left >= k and n - left >= k else 0


@kernel
def by_width(codes: Ids, part: Ints, scale: Scale) -> Ints:
    """The columns in descending order of the normalized extent of the rows in `part`. O(rows · columns)."""
    q = codes.shape[1]
    ends = np.zeros(2, np.int64)
    ends[1] = len(part)
    low, high = group_extents(codes, ends, part)
    width, order = np.empty(q, np.float64), np.arange(q)
    for a in range(q):
        width[a] = span_loss(scale, a, low[0, a], high[0, a])
        at = a
        while at > 0 and width[order[at - 1]] < width[a]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = a
    return order


@kernel
def mondrian(
    codes: Ids, scale: Scale, k: int, relaxed: bool, secret: Ids, ell: int, frequency: bool
) -> tuple[Ints, Ints]:
    """Partition all rows; return (offsets of the groups, rows group by group).

    Precondition: at least k rows, which together are diverse. A cut is made at the median of the column with the
    widest normalized extent that leaves k rows and `ell` well represented secrets on both sides; no such column,
    no cut. With `relaxed`, rows with equal codes are then divided too. O(n log² n · columns) when cuts are even.
    """
    n, q = codes.shape
    rows = np.arange(n)
    stack = np.empty((2 * (n // k) + 2, 2), np.int64)
    ends = np.zeros(n // k + 2, np.int64)
    stack[0, 0], stack[0, 1] = 0, n
    top, groups = 1, 0
    while top > 0:
        top -= 1
        start, stop = stack[top, 0], stack[top, 1]
        left = np.int64(0)
        if stop - start >= 2 * k:
            part = rows[start:stop]
            widest = by_width(codes, part, scale)
            for attempt in range(2 * q if relaxed else q):
                left = divide(codes, part, widest[attempt % q], k, attempt >= q)
                good = left > 0 and diverse(secret, part[:left], ell, frequency)
                if good and diverse(secret, part[left:], ell, frequency):
                    break
                left = np.int64(0)
        if left > 0:
            # The right half waits below the left one, so groups come out in order and the stack stays shallow.
            stack[top, 0], stack[top, 1] = start + left, stop
            stack[top + 1, 0], stack[top + 1, 1] = start, start + left
            top += 2
        else:
            groups += 1
            ends[groups] = stop
    return ends[: groups + 1].copy(), rows
