"""Who really holds what: the yardstick for attacks, worked out from a release and its original.

A release does not say which of its rows was which original. Rows with different published items cannot be
confused; rows with the same items can, and no attacker could tell them apart either. So holders are counted
per *kind* of basket: of the x members of one in a group, f hold the item, and a guess at one of them is
right with probability f/x. When several kinds in a group have holders, f is fitted to all that is known, the
counts of the groups and the holders of each kind, assuming nothing else (iterative proportional fitting).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Floats, Ints
from covey.data import Baskets
from covey.release.grouped.model import GroupedRelease
from covey.verify.row_matching import paired

#: Rounds of fitting; the shares settle long before on all data tried.
ROUNDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """How likely each published row is to hold each sensitive item of its group.

    Attributes
    ----------
    kind, kind_of_original : int64 array
        Number of the distinct basket of each published row, and of each row of the original.
    kinds : int
        How many distinct baskets there are.
    keys : int64 array
        Sorted (position in the release's counts) · kinds + kind, where that kind can hold that item.
    share : float array
        For each key, the share of the kind's members in the group that hold the item.
    """

    kind: Ints
    kind_of_original: Ints
    kinds: int
    keys: Ints
    share: Floats

    def of(self, entry: Ints, row: Ints) -> Floats:
        """The probability that published row ``row[i]`` holds the item that count ``entry[i]`` is of."""
        if not len(self.keys):
            return np.zeros(len(entry))
        wanted = entry * self.kinds + self.kind[row]
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[at] == wanted, self.share[at], 0.0)


def find_truth(release: GroupedRelease, public: Baskets, secret: Baskets) -> Truth:
    """Work out who holds what, given the published and the sensitive part of the original."""
    kind, kind_of_original, kinds = paired(release.transactions, public)
    m = max(secret.d, 1)
    # Holders of each (kind, item), by kind.
    held, holders = np.unique(np.repeat(kind_of_original, secret.lengths()) * m + secret.indices, return_counts=True)
    first = np.searchsorted(held, np.arange(kinds + 1) * m)
    # Every published row with every item that its kind can hold and its group counts.
    able = np.flatnonzero(np.diff(first)[kind])
    options = np.diff(first)[kind[able]]
    ends = np.cumsum(options)
    of_kind = np.arange(int(options.sum())) + np.repeat(first[kind[able]] - (ends - options), options)
    group = np.searchsorted(release.group_ptr, able, side="right") - 1
    counted = release.count_group * m + release.count_item
    wanted = np.repeat(group, options) * m + held[of_kind] % m
    entry = np.searchsorted(counted, wanted)
    kept = entry < len(counted)
    kept[kept] = counted[entry[kept]] == wanted[kept]
    pairs, members = np.unique(entry[kept] * len(held) + of_kind[kept], return_counts=True)
    entry, of_kind = pairs // max(len(held), 1), pairs % max(len(held), 1)
    share = _fit(members.astype(np.float64), entry, release.count, of_kind, holders)
    keys = entry * kinds + held[of_kind] // m
    return Truth(kind=kind, kind_of_original=kind_of_original, kinds=kinds, keys=keys, share=share)


def _fit(members: Floats, entry: Ints, count: Ints, of_kind: Ints, holders: Ints) -> Floats:
    """Shares f / members such that f adds up to `count` by entry and to `holders` by kind and item."""
    total = np.bincount(of_kind, members, len(holders))
    f = members * (holders / np.maximum(total, 1))[of_kind]
    for _ in range(ROUNDS):
        for label, target in ((entry, count), (of_kind, holders)):
            got = np.bincount(label, f, len(target))
            f = np.minimum(f * np.divide(target, got, out=np.zeros(len(target)), where=got > 0)[label], members)
    return f / np.maximum(members, 1)
