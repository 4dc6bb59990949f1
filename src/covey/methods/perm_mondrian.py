"""PermMondrian: groups split top-down on single items, then divided like Anatomy (Ghinita et al. 2008, section V).

The paper's hybrid of Mondrian and Anatomy. Data flow: all transactions as one group → split on the item that
divides the sensitive items most evenly, while both halves keep the degree → groups that cannot be split are
divided at random into groups with at most one occurrence of each sensitive item → publication.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets
from covey.guarantees.base import Guarantee
from covey.methods.anatomy import shuffled_rows
from covey.parameters import choice, integer
from covey.progress import Progress, silent
from covey.release.grouped import publish
from covey.release.grouped.model import GroupedRelease

LEAVES = ("divided", "whole")


@dataclass(frozen=True, slots=True, kw_only=True)
class PermMondrian:
    """Top-down splits on items, published like CAHD.

    Parameters
    ----------
    leaves : {"divided", "whole"}
        What becomes of a group that no item can split any more. ``whole`` publishes it as it is, the most
        literal reading of the paper, and also splits off members without any sensitive item. ``divided``
        makes groups with at most one occurrence of each sensitive item in it, at random, as Anatomy would: a
        holder then mostly shares a group with p - 1 others only. On clicks that makes the error smaller, on
        sparse supermarket baskets a little larger.
    seed : int or None
        For dividing groups and for the publication's shuffle. None: the system's entropy.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of(
    ...     [["wine", "test"], ["wine"], ["meat", "test"], ["meat", "rice"]], sensitive=["test"]
    ... )
    >>> PermMondrian(seed=0).anonymize(baskets, guarantee("degree(p=2)"))
    GroupedRelease(degree(p=2) by perm-mondrian: 4 transactions, 2 groups, 1 sensitive items)
    """

    name: ClassVar[str] = "perm-mondrian"

    leaves: str = "divided"
    seed: int | None = None

    def __post_init__(self) -> None:
        choice(self.name, "leaves", self.leaves, LEAVES)
        if self.seed is not None:
            integer(self.name, "seed", self.seed, minimum=0)

    def options(self) -> dict[str, Any]:
        """What the manifest may state of how the release was made; never the seed."""
        return {"leaves": self.leaves}

    def anonymize(
        self, data: Baskets, guarantee: Guarantee, *, progress: Progress = silent
    ) -> GroupedRelease:
        """Return a grouped release of `data` with the privacy degree of `guarantee`."""
        from covey.kernels.methods.perm_mondrian import split_groups
        from covey.kernels.shared.csr import transpose

        guarantee.require_feasible(data)
        p: int = guarantee.p  # type: ignore[attr-defined]
        progress("grouping", 0.0)
        public, secret = data.split()
        divided = self.leaves == "divided"
        by_item = transpose(public.indptr, public.indices, public.d)
        group, groups = split_groups(
            public.indptr, public.indices, *by_item, secret.indptr, secret.indices, secret.d, p, divided
        )
        if divided:
            progress("grouping", 0.5)
            group, groups = self._divide(group, groups, secret, p)
        progress("publishing", 0.0)
        return publish.grouped(
            data,
            group,
            groups,
            guarantee=guarantee.text,
            method=self.name,
            options=self.options(),
            seed=self.seed,
        )

    def _divide(self, group: Ints, groups: int, secret: Baskets, p: int) -> tuple[Ints, int]:
        """Divide every group at random into groups with at most one occurrence of each sensitive item."""
        from covey.kernels.methods.anatomy import random_groups_within
        from covey.kernels.shared.csr import take_rows
        from covey.kernels.shared.groups import rows_by_group

        ptr, rows = rows_by_group(group, shuffled_rows(secret.n, self.seed), groups)
        taken = take_rows(secret.indptr, secret.indices, rows)
        inside, groups = random_groups_within(ptr, *taken, secret.d, p)
        divided = np.empty(secret.n, np.int64)
        divided[rows] = inside
        return divided, groups
