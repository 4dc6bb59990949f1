"""Anatomy for baskets: groups drawn at random, whatever their items (Ghinita et al. 2008, section V).

A rival to measure against: it shows what is lost when similarity plays no part. Data flow: random order →
each sensitive transaction takes the next ones without a common sensitive item → publication.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets
from covey.guarantees.base import Guarantee
from covey.parameters import integer
from covey.progress import Progress, silent
from covey.release.grouped import publish
from covey.release.grouped.model import GroupedRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class Anatomy:
    """Random groups with at most one occurrence of each sensitive item.

    Parameters
    ----------
    seed : int or None
        For drawing the groups and for the publication's shuffle. None: the system's entropy.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of([["wine", "test"], ["wine"], ["meat"], ["meat", "rice"]], sensitive=["test"])
    >>> Anatomy(seed=0).anonymize(baskets, guarantee("degree(p=2)"))
    GroupedRelease(degree(p=2) by anatomy: 4 transactions, 2 groups, 1 sensitive items)
    """

    name: ClassVar[str] = "anatomy"

    seed: int | None = None

    def __post_init__(self) -> None:
        if self.seed is not None:
            integer(self.name, "seed", self.seed, minimum=0)

    def options(self) -> dict[str, Any]:
        """What the manifest may state of how the release was made; never the seed."""
        return {}

    def anonymize(
        self, data: Baskets, guarantee: Guarantee, *, progress: Progress = silent
    ) -> GroupedRelease:
        """Return a grouped release of `data` with the privacy degree of `guarantee`."""
        from covey.kernels.methods.anatomy import random_groups
        from covey.kernels.shared.csr import take_rows

        guarantee.require_feasible(data)
        p: int = guarantee.p  # type: ignore[attr-defined]
        progress("grouping", 0.0)
        secret = data.only(data.sensitive)
        order = shuffled_rows(data.n, self.seed)
        group, groups = random_groups(*take_rows(secret.indptr, secret.indices, order), secret.d, p)
        group_of_row = np.empty(data.n, np.int64)
        group_of_row[order] = group
        progress("publishing", 0.0)
        return publish.grouped(
            data,
            group_of_row,
            groups,
            guarantee=guarantee.text,
            method=self.name,
            options=self.options(),
            seed=self.seed,
        )


def shuffled_rows(n: int, seed: int | None) -> Ints:
    """A random order of n rows, from another stream than the publication's shuffle with the same seed."""
    return np.random.default_rng(None if seed is None else [seed, 1]).permutation(n)
