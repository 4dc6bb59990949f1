"""matched: hide each holder among baskets that are as likely to hold the sensitive item as the holder's.

The idea is that of case-control studies. If all members of a group have the same propensity, the probability to
hold the item given the ordinary items, then nobody learns anything inside the group, and equal shares are unbiased
for every query (the balancing score of Rosenbaum and Rubin 1983): privacy and utility pull the same way, as far as
the population allows.

Data flow: split off the sensitive items → cross-fitted models (O(entries · sensitive items)) → rows by falling
propensity, many of them dealt out to parts → in each part, holders in random order, each with the free rows that
resemble it and are as likely as it is to hold what it holds → the same again, with rows that an attacker who looks at
the last groups cannot tell from the holder either → publication in merged normal form.

`grouping.py` has the kernels. Oracle: `tests/oracles/matched.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data import Baskets
from covey.data.csr import take_rows, transpose
from covey.data.propensity import Propensity, fit_propensity
from covey.guarantees.degree import Degree
from covey.methods.base import Groups, GroupsBaskets
from covey.methods.matched.grouping import form_matched_groups, shares_in_groups, typicality
from covey.methods.remaining import Rows, with_rest
from covey.progress import Progress, silent
from covey.threads import parallel

#: Baskets that the models of propensity learn from, about, where there are more.
LEARNED_FROM = 200_000
#: Rows that are grouped together, about; beyond twice as many they are dealt out to parts.
PART = 50_000
#: Items, the most frequent ones, of which it is known at once whether a row has them.
BITS = 64

# What candidates are judged by; `docs/methods.md` has the trials from which these values come.
#: Entries of the lists of a holder's items that are read for its group, the rarest items first.
REACH = 3000
#: Weight of the difference in log odds to hold what the holder holds.
LIKELY = 0.3
#: Weight of the difference in what the attack `hub` sees in the groups made before.
TYPICAL = 0.5
#: How often the groups are made again, so that the attack on the previous ones fails.
ROUNDS = 2
#: How much more items count the more frequent they are: by this much for each percent of the baskets.
COMMON = 0.3
#: What an item counts that the candidate has and the holder does not have.
FOREIGN = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched(GroupsBaskets):
    """Groups of a holder and baskets that resemble it and are as likely to hold what it holds.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of([["wine", "test"], ["wine"], ["meat"], ["meat", "rice"]], sensitive=["test"])
    >>> Matched(seed=0).anonymize(baskets, guarantee("degree(p=2)"))
    GroupedRelease(degree(p=2) by matched: 4 transactions, 2 groups, 1 sensitive item)
    """

    name = "matched"

    def groups(self, data: Baskets, promise: Degree, progress: Progress) -> Groups:
        """Groups with the privacy degree of `promise`."""
        return self.match(*data.split(), promise.p, progress)

    def match(self, public: Baskets, secret: Baskets, p: int, progress: Progress = silent) -> Groups:
        """Groups with the privacy degree `p`, of the ordinary and the sensitive items of the same rows."""
        progress("learning", 0.0)
        seeds = [None if self.seed is None else [self.seed, number] for number in (2, 4)]
        models = fit_propensity(public, secret, seed=seeds[0], rounds=5, suffice=LEARNED_FROM)
        parts = parts_of(np.argsort(-models.expected(), kind="stable"), secret, p)
        turns = np.random.default_rng(seeds[1]).permutation(public.n)
        supports = public.supports()
        hub = None
        for turn in range(1 + ROUNDS):
            progress("grouping", turn / (1 + ROUNDS))
            form = partial(self._form, public, supports, secret, turns, models, hub, p)
            group, groups = np.full(public.n, -1), 0
            for rows, (some, number) in zip(parts, parallel(form, parts), strict=True):
                group[rows] = np.where(some < 0, -1, some + groups)
                groups += number
            group, groups = with_rest(group, groups, p)
            if turn < ROUNDS:
                hub = Hub.of(group, groups, public, supports, secret)
        return Groups(group, groups)

    def _form(
        self,
        public: Baskets,
        supports: Ints,
        secret: Baskets,
        turns: Ints,
        models: Propensity,
        hub: Hub | None,
        p: int,
        rows: Ints,
    ) -> tuple[Ints, int]:
        """Groups of some rows, given by falling propensity; -1 are rows left over."""
        often = COMMON * 100 * supports / max(public.n, 1)
        bit, frequent = np.full(public.d, -1), np.argsort(-supports, kind="stable")[:BITS]
        bit[frequent] = np.arange(len(frequent))
        qid, sens = (take_rows(*of.csr, rows) for of in (public, secret))
        by_item, listed = transpose(*qid, public.d)
        holders = np.flatnonzero(np.diff(sens[0]) > 0)
        return form_matched_groups(
            qid,
            (
                np.append(by_item, by_item[-1] + len(rows)),
                np.concatenate([listed, np.arange(len(rows), dtype=np.int32)]),
            ),
            sens,
            transpose(*sens, secret.d),
            holders[np.argsort(turns[rows[holders]])],
            np.ascontiguousarray(models.of(rows).T, np.float32),
            np.zeros((1, 1), np.float32) if hub is None else hub.sees(qid, supports, rows),
            1 + often,
            FOREIGN + often,
            bit,
            p,
            REACH,
            min(p * len(holders) / max(len(rows), 1), 1.0) ** (2 / 3),
            LIKELY,
            0.0 if hub is None else TYPICAL,
        )

    def group_part(self, public: Rows, d: int, secret: Rows, m: int, p: int) -> Groups:
        """Groups of the rows of a part, by models of its own."""
        return self.match(Baskets.numbered(*public, d), Baskets.numbered(*secret, m), p)


class Hub(NamedTuple):
    """What the attack `hub` knows of groups."""

    #: The group of each row.
    group: Ints
    #: The sensitive items that each group counts.
    counted: Rows
    #: Items x sensitive items: how many of the rows with an item are in groups that count the other.
    share: Floats

    @classmethod
    def of(cls, group: Ints, groups: int, public: Baskets, supports: Ints, secret: Baskets) -> Hub:
        """What it knows of these groups."""
        counted = counted_by(group, groups, *secret.csr, secret.d)
        return cls(group, counted, shares_in_groups(public.csr, supports, group, counted, secret.d))

    def sees(self, rows: Rows, supports: Ints, numbers: Ints) -> Floats:
        """How typical some rows, with these numbers, are of the groups that count each sensitive item."""
        return typicality(rows, supports, self.group[numbers], self.counted, self.share)


def parts_of(order: Ints, secret: Baskets, p: int) -> list[Ints]:
    """Rows dealt out to parts that are grouped one by one, each with as many of the likely ones as the others.

    So the time grows with the rows and not faster, and parts are worked on side by side. Fewer parts where a sensitive
    item is so frequent that the degree does not hold in each of them.
    """
    parts, place = max(len(order) // PART, 1), np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    place = np.repeat(place, secret.lengths())
    while parts > 1:
        held = np.bincount(place % parts * secret.d + secret.indices, minlength=parts * secret.d)
        if p * held.max(initial=0) <= len(order) // parts:
            break
        parts //= 2
    return [np.ascontiguousarray(order[part::parts]) for part in range(parts)]


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
