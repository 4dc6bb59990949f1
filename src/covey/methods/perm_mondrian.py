"""PermMondrian: groups split top-down on single items, then divided like Anatomy (Ghinita et al. 2008, section V).

The paper's hybrid of Mondrian and Anatomy. Data flow: all transactions as one group → split on the item that
divides the sensitive items most evenly, while both halves keep the degree → groups that cannot be split are
divided at random into groups with at most one occurrence of each sensitive item → publication.
"""

from __future__ import annotations

from dataclasses import dataclass

from covey.arrays import Ints
from covey.data import Baskets
from covey.guarantees.degree import Degree
from covey.kernels.methods.anatomy import random_groups_within
from covey.kernels.methods.perm_mondrian import split_groups
from covey.kernels.shared.csr import take_rows, transpose
from covey.kernels.shared.groups import rows_by_group
from covey.methods.anatomy import shuffled_rows
from covey.methods.base import Groups, GroupsBaskets
from covey.parameters import parameter
from covey.progress import Progress

LEAVES = ("divided", "whole")


@dataclass(frozen=True, slots=True, kw_only=True)
class PermMondrian(GroupsBaskets):
    """Top-down splits on items, published like CAHD.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of(
    ...     [["wine", "test"], ["wine"], ["meat", "test"], ["meat", "rice"]], sensitive=["test"]
    ... )
    >>> PermMondrian(seed=0, merge=False).anonymize(baskets, guarantee("degree(p=2)"))
    GroupedRelease(degree(p=2) by perm-mondrian: 4 transactions, 2 groups, 1 sensitive item)
    """

    name = "perm-mondrian"

    leaves: str = parameter(
        "divided",
        one_of=LEAVES,
        says="What happens to a group that no item can split: it is divided at random into groups with each sensitive "
        "item at most once, as Anatomy would do, or published whole, the most literal reading of the paper.",
    )

    def groups(self, data: Baskets, promise: Degree, progress: Progress) -> Groups:
        """Groups with the privacy degree of `promise`.

        Divided, a holder mostly shares a group with p - 1 others only: on clicks that makes the error smaller, on
        sparse supermarket baskets a little larger. Whole, members without any sensitive item are split off too.
        """
        progress("grouping", 0.0)
        public, secret = data.split()
        divided = self.leaves == "divided"
        by_item = transpose(*public.csr, public.d)
        group, groups = split_groups(
            *public.csr,
            *by_item,
            *secret.csr,
            secret.d,
            promise.p,
            divided,
        )
        if not divided:
            return Groups(group, groups)
        progress("grouping", 0.5)
        return self._divide(group, groups, secret, promise.p)

    def _divide(self, group: Ints, groups: int, secret: Baskets, p: int) -> Groups:
        """Divide every group at random into groups with at most one occurrence of each sensitive item."""
        ptr, rows = rows_by_group(group, shuffled_rows(secret.n, self.seed), groups)
        taken = take_rows(*secret.csr, rows)
        inside, groups = random_groups_within(ptr, *taken, secret.d, p)
        return Groups.of(rows, inside, groups)
