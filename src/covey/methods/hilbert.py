"""Hilbert: rows along a space-filling curve, cut optimally into groups (Ghinita et al., VLDB 2007)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.data import Table
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.l_diversity import LDiversity
from covey.kernels.methods.hilbert import hilbert_keys, optimal_cuts
from covey.methods.base import Groups, GroupsTables
from covey.methods.extents import extents_of, merged
from covey.parameters import parameter
from covey.progress import Progress


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

    bits: int = parameter(8, at_least=1, at_most=32, says="Resolution of the curve in each column.")

    def groups(self, data: Table, promise: KAnonymity | LDiversity, progress: Progress) -> Groups:
        """Groups that keep `promise`."""
        progress("ordering", 0.0)
        keys = hilbert_keys(grid(data, self.bits), self.bits)
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
