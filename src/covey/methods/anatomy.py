"""Anatomy for baskets: groups drawn at random, whatever their items (Ghinita et al. 2008, section V).

A rival to measure against: it shows what is lost when similarity plays no part. Data flow: random order →
each sensitive transaction takes the next ones without a common sensitive item → publication.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets
from covey.guarantees.degree import Degree
from covey.kernels.methods.anatomy import random_groups
from covey.kernels.shared.csr import take_rows
from covey.methods.base import Groups, GroupsBaskets
from covey.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Anatomy(GroupsBaskets):
    """Random groups with at most one occurrence of each sensitive item.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of([["wine", "test"], ["wine"], ["meat"], ["meat", "rice"]], sensitive=["test"])
    >>> Anatomy(seed=0).anonymize(baskets, guarantee("degree(p=2)"))
    GroupedRelease(degree(p=2) by anatomy: 4 transactions, 2 groups, 1 sensitive item)
    """

    name = "anatomy"

    def groups(self, data: Baskets, promise: Degree, progress: Progress) -> Groups:
        """Groups with the privacy degree of `promise`, drawn from the seed."""
        progress("grouping", 0.0)
        secret = data.only(data.sensitive)
        order = shuffled_rows(data.n, self.seed)
        taken = take_rows(*secret.csr, order)
        return Groups.of(order, *random_groups(*taken, secret.d, promise.p))


def shuffled_rows(n: int, seed: int | None) -> Ints:
    """A random order of n rows, from another stream than the publication's shuffle with the same seed."""
    return np.random.default_rng(None if seed is None else [seed, 1]).permutation(n)
