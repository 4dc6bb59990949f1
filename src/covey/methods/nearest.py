"""nearest: each sensitive basket with the baskets that are most like it (Ghinita, Kalnis, Tao, TKDE 2011).

Data flow: split off the sensitive items → items numbered by rising support, with the list of each item's rows →
sensitive rows in random order, each with its nearest free neighbours (lists read from the rarest item on) → the rest,
where few find neighbours, as one group → publication.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import places_of
from covey.data import Baskets
from covey.guarantees.degree import Degree
from covey.kernels.methods.nearest import nearest_groups
from covey.kernels.shared.csr import canonicalize, transpose
from covey.methods.anatomy import shuffled_rows
from covey.methods.base import Groups, GroupsBaskets
from covey.methods.matched import with_rest
from covey.parameters import parameter
from covey.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest(GroupsBaskets):
    """Groups of a sensitive basket and its nearest neighbours.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of([["wine", "test"], ["wine"], ["meat"], ["meat", "rice"]], sensitive=["test"])
    >>> Nearest(seed=0).anonymize(baskets, guarantee("degree(p=2)"))
    GroupedRelease(degree(p=2) by nearest: 4 transactions, 2 groups, 1 sensitive item)
    """

    name = "nearest"

    reach: int = parameter(
        1_000_000,
        at_least=1,
        says="Entries of items' lists read for each sensitive basket, rarest items first; reading all of them is "
        "exact.",
        cut_short="Some sensitive baskets hold items so frequent that not all neighbours were considered; a larger "
        "reach may find nearer ones.",
    )

    def groups(self, data: Baskets, promise: Degree, progress: Progress) -> Groups:
        """Groups with the privacy degree of `promise`; who comes first is drawn from the seed."""
        progress("grouping", 0.0)
        public, secret = data.split()
        rarest_first = np.argsort(public.supports(), kind="stable")
        indptr, indices = public.indptr.copy(), public.indices.copy()
        canonicalize(indptr, indices, places_of(rarest_first, public.d))
        by_item = transpose(indptr, indices, public.d)
        group, groups, unread = nearest_groups(
            indptr, indices, *by_item, *secret.csr, secret.d,
            shuffled_rows(data.n, self.seed), promise.p, self.reach,
        )  # fmt: skip
        return Groups(*with_rest(group, groups, promise.p), ("reach",) if unread else ())
