"""matched: hide each holder among baskets that are as likely to hold the sensitive item as the holder's.

The idea is that of case-control studies. If all members of a group have the same propensity, the probability to
hold the item given the ordinary items, then nobody learns anything inside the group, and equal shares are unbiased
for every query (the balancing score of Rosenbaum and Rubin 1983): privacy and utility pull the same way, as far as
the population allows.

Data flow: split off the sensitive items → cross-fitted propensities (O(entries · sensitive items)) → holders in random
order, each with the free rows that resemble it and are as likely as it is to hold what it holds → the same again, with
rows that an attacker who looks at the last groups cannot tell from the holder either → publication in merged normal
form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data import Baskets
from covey.errors import ParameterError
from covey.guarantees.degree import Degree
from covey.methods.base import Groups, Rows
from covey.methods.swapping import ExchangesBaskets
from covey.parameters import parameter
from covey.progress import Progress, silent


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched(ExchangesBaskets):
    """Groups of a holder and baskets that resemble it and are as likely to hold what it holds.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of([["wine", "test"], ["wine"], ["meat"], ["meat", "rice"]], sensitive=["test"])
    >>> Matched(seed=0).anonymize(baskets, guarantee("degree(p=2)"))
    GroupedRelease(degree(p=2) by matched: 4 transactions, 2 groups, 1 sensitive items)
    """

    name: ClassVar[str] = "matched"

    reach: int = parameter(
        5000,
        at_least=1,
        says="Baskets with items of a holder that are looked at for its group, the rarest items first.",
    )
    likely: float = parameter(
        0.3,
        at_least=0,
        says="How much companions must be as likely as the holder to hold what it holds.",
    )
    typical: float = parameter(
        0.5,
        at_least=0,
        says="How much companions must be as typical of the groups made before as the holder, in the eyes of the "
        "attack hub.",
    )
    rounds: int = parameter(
        2,
        at_least=0,
        says="How often the groups are made again, so that the attack on the previous ones fails.",
    )
    common: float = parameter(
        0.3,
        at_least=0,
        expert=True,
        says="How much more items count the more frequent they are: by this much for each percent of the baskets.",
    )
    foreign: float = parameter(
        0.05,
        at_least=0,
        expert=True,
        says="What an item counts that the companion has and the holder does not have.",
    )
    lengthy: float = parameter(0.06, at_least=0, expert=True, says="How much companions must be as long as the holder.")

    def groups(self, data: Baskets, promise: Degree, progress: Progress) -> Groups:
        """Groups with the privacy degree of `promise`."""
        return self.match(*data.split(), promise.p, progress)

    def match(self, public: Baskets, secret: Baskets, p: int, progress: Progress = silent) -> Groups:
        """Groups with the privacy degree `p`, of the ordinary and the sensitive items of the same rows."""
        from covey.kernels.methods.matched import form_matched_groups, typicality
        from covey.kernels.shared.csr import take_rows, transpose

        progress("learning", 0.0)
        odds = self.log_odds(public, secret)
        progress("grouping", 0.0)
        order = np.argsort(-(1 / (1 + np.exp(-odds))).sum(axis=1), kind="stable")
        supports = public.supports()
        frequency = 100 * supports / max(public.n, 1)
        qid, sens = (take_rows(part.indptr, part.indices, order) for part in (public, secret))
        by_item, rows = transpose(*qid, public.d)
        # A basket without ordinary items is like those that have few of them.
        lengths = np.diff(qid[0])
        short = np.argsort(lengths, kind="stable")[int((lengths == 0).sum()) :].astype(np.int32)
        rng = np.random.default_rng(None if self.seed is None else [self.seed, 4])
        holders = rng.permutation(np.flatnonzero(np.diff(sens[0]) > 0))
        likely: Floats = odds[order].astype(np.float32)
        typical: Floats = np.zeros((1, 1), np.float32)
        for turn in range(1 + self.rounds):
            progress("grouping", turn / (1 + self.rounds))
            group, groups = form_matched_groups(
                *qid,
                np.append(by_item, by_item[-1] + len(short)),
                np.concatenate([rows, short]),
                *sens,
                *transpose(*sens, secret.d),
                holders,
                likely,
                typical,
                1 + self.common * frequency,
                self.foreign + self.common * frequency,
                p,
                self.reach,
                float(self.lengthy),
                float(self.likely),
                float(self.typical) if turn else 0.0,
            )
            group, groups = with_rest(group, groups, p)
            if turn < self.rounds:
                typical = typicality(*qid, supports, group, *counted_by(group, groups, *sens, secret.d), secret.d)
        return Groups.of(order, group, groups)

    def require_able_in_parts(self) -> None:
        """Refuse exchanges, which need all groups."""
        if self.swaps:
            raise ParameterError("The engine spark makes no exchanges. Leave swaps out, or use the engine local.")

    def group_part(self, public: Rows, d: int, secret: Rows, m: int, p: int) -> Groups:
        """Groups of the rows of a part, by models of its own."""
        return self.match(Baskets.numbered(*public, d), Baskets.numbered(*secret, m), p)


def counted_by(group: Ints, groups: int, indptr: Ints, indices: Ids, m: int) -> tuple[Ints, Ids]:
    """The sensitive items that each group counts, as sparse rows; `indptr` and `indices` are those of the rows.

    Examples
    --------
    >>> ptr, counted = counted_by(np.array([1, 0, 1]), 2, np.array([0, 1, 1, 3]), np.array([1, 0, 1]), 2)
    >>> ptr.tolist(), counted.tolist()
    ([0, 0, 2], [0, 1])
    """
    cells = np.unique(np.repeat(group, np.diff(indptr)) * m + indices)
    return np.searchsorted(cells, m * np.arange(groups + 1)), (cells % m).astype(np.int32)


def with_rest(group: Ints, groups: int, p: int) -> tuple[Ints, int]:
    """Give rows that are left over, -1, a group: one of their own, or the last one if they are too few for that.

    Fewer than p hold no sensitive item, because all that are left keep the degree.
    """
    rest = np.flatnonzero(group < 0)
    if len(rest) >= p or not groups:
        group[rest] = groups
        return group, groups + (len(rest) > 0)
    group[rest] = groups - 1
    return group, groups
