"""The company of everybody in a grouped release: the groups, and what they count."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from covey.arrays import Floats, Ints
from covey.attacks.company import Company
from covey.data import Baskets
from covey.data.equal_rows import equal_rows
from covey.release.grouped.model import GroupedRelease
from covey.release.grouped.original import parts
from covey.verify.placing import placing


def of_grouped(release: GroupedRelease, original: Baskets, about: Collection[str] = ()) -> Company:
    """Groups, and the chance of each sensitive item: the mean over the groups of all who look the same.

    An item that is hidden elsewhere and published here is as likely as it is among those who look the same without it.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["b"], ["c"], ["d"]], sensitive=["s"])
    >>> of_grouped(covey.anonymize(baskets, "degree(p=4)", seed=0), baskets).share["s"].tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    public, secret = (part.by_person() for part in parts(release, original))
    placed = placing(release, original.as_baskets())
    size, count = release.members(), release.holding()
    known = public.only(np.array([item not in about for item in public.items], np.bool_))
    kind = kinds_of(known)
    share = {}
    for s, item in enumerate(release.sensitive_items):
        told = np.zeros(release.groups)
        of_item = release.count_item == s
        told[release.count_group[of_item]] = count[of_item] / size[release.count_group[of_item]]
        share[item] = mean_by(kind, told[placed.home])
    for item in set(about) & set(public.items):
        share[item] = mean_by(kind, held(public, item))
    holds = {item: held(secret, item) for item in secret.items}
    return Company(home=placed.home, size=size, holds=holds, share=share, unsure=placed.unsure)


def kinds_of(baskets: Baskets) -> Ints:
    """A number for each row, equal for rows with equal items."""
    return equal_rows(baskets.indptr, baskets.indices, baskets.d, seed=0)[0]


def mean_by(kind: Ints, value: Floats) -> Floats:
    """For each row the mean of the value over all rows of its kind."""
    often = np.bincount(kind)
    return (np.bincount(kind, value, len(often)) / np.maximum(often, 1))[kind]


def held(baskets: Baskets, item: str) -> Floats:
    """1 for each row that holds the item, 0 for the others."""
    found = np.zeros(baskets.n)
    entries = np.flatnonzero(baskets.indices == baskets.items.index(item))
    found[np.searchsorted(baskets.indptr, entries, side="right") - 1] = 1.0
    return found
