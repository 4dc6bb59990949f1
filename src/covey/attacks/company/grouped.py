"""The company of everybody in a grouped release: the groups, and what they count."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

import numpy as np

from covey.arrays import Floats, Ints
from covey.attacks.company import Company, require_one_row_each
from covey.data import Baskets
from covey.errors import InputError
from covey.kernels.shared.set_classes import classes_of, set_hashes
from covey.release.grouped.model import GroupedRelease
from covey.release.grouped.original import parts
from covey.verify.row_matching import Matching, match_rows


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
    require_one_row_each(release.group_persons is not None, original)
    public, secret = parts(release, original)
    matching = match_rows(release.transactions, public)
    if matching.problem:
        raise InputError(
            f"the release was not made from this original: {matching.problem}",
            remedy="Give the data that this release was made from.",
        )
    home = _homes(release, secret, matching)
    size = release.group_sizes()
    known = public.only(np.array([item not in about for item in public.items], np.bool_))
    kind = kinds_of(known)
    share = {}
    for s, item in enumerate(release.sensitive_items):
        told = np.zeros(release.groups)
        of_item = release.count_item == s
        told[release.count_group[of_item]] = release.count[of_item] / size[release.count_group[of_item]]
        share[item] = mean_by(kind, told[home])
    for item in set(about) & set(public.items):
        share[item] = mean_by(kind, held(public, item))
    return Company(home=home, size=size, holds={item: held(secret, item) for item in secret.items}, share=share)


def _homes(release: GroupedRelease, secret: Baskets, matching: Matching) -> Ints:
    """A group for each row of the original, such that groups have the rows that they publish.

    Of rows that look the same in several groups, holders of sensitive items come first: each goes to the group that
    counts most that nobody was found for yet. O(rows), and for each such holder the groups of its like.
    """
    group = np.searchsorted(release.group_ptr, matching.ours, side="right") - 1
    missing = np.zeros((release.groups, max(secret.d, 1)), np.int64)
    missing[release.count_group, release.count_item] = release.count
    first = np.flatnonzero(np.diff(matching.kind, prepend=-1, append=-1))
    lengths, torn = secret.lengths()[matching.theirs], []
    for a, b in pairwise(first.tolist()):
        if not lengths[a:b].any():
            continue
        if (group[a:b] == group[a]).all():
            for row in matching.theirs[a:b][lengths[a:b] > 0]:
                missing[group[a], secret.indices[secret.indptr[row] : secret.indptr[row + 1]]] -= 1
        else:
            torn.append((a, b))
    home = np.empty(secret.n, np.int64)
    home[matching.theirs] = group
    for a, b in torn:
        free = group[a:b].tolist()
        rows = matching.theirs[a:b]
        for row in rows[lengths[a:b] > 0]:
            items = secret.indices[secret.indptr[row] : secret.indptr[row + 1]]
            best = max(set(free), key=lambda g: (missing[g, items].min(), -g))
            missing[best, items] -= 1
            free.remove(best)
            home[row] = best
        home[rows[lengths[a:b] == 0]] = free
    return home


def kinds_of(baskets: Baskets) -> Ints:
    """A number for each row, equal for rows with equal items."""
    words = np.random.default_rng(0).integers(0, 2**64, max(baskets.d, 1), np.uint64)
    hashes = set_hashes(baskets.indptr, baskets.indices, words)
    return classes_of(baskets.indptr, baskets.indices, hashes, np.argsort(hashes, kind="stable"))[0]


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
