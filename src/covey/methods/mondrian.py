"""Mondrian: multidimensional k-anonymity of tables by halving at medians (LeFevre et al., ICDE 2006)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.data import Table
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.l_diversity import LDiversity
from covey.kernels.methods.mondrian import mondrian
from covey.methods.base import Groups, GroupsTables
from covey.methods.extents import extents_of
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
        says="When no cut between two values is possible any more, also cut between rows with equal values.",
    )

    def groups(self, data: Table, promise: KAnonymity | LDiversity, progress: Progress) -> Groups:
        """Groups that keep `promise`."""
        progress("grouping", 0.0)
        e = extents_of(data, promise)
        ptr, rows = mondrian(e.codes, e.scale, e.k, self.relaxed, e.secret, e.ell, e.frequency)
        groups = len(ptr) - 1
        return Groups.of(rows, np.repeat(np.arange(groups), np.diff(ptr)), groups)
