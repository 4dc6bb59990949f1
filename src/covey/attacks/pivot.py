"""pivot: guess that the holder is the member most similar to its group.

Methods that gather similar transactions around a sensitive one make that one the centre of its group
(docs/papers.md, attacks). The attacker needs nothing but the release: for each group, the member that shares
most items with the others is taken for the holder of each of the group's sensitive items.
"""

from __future__ import annotations

import numpy as np

from covey.attacks.result import AttackResult, claimed, compared, percent, wilson
from covey.attacks.truth import find_truth
from covey.data import Baskets
from covey.kernels.measure.attack import first_largest, group_overlaps
from covey.release.grouped.model import GroupedRelease
from covey.release.grouped.original import parts


def pivot(release: GroupedRelease, original: Baskets, *, seed: int = 0) -> AttackResult:
    """Attack every group of `release` that counts a sensitive item; nothing is drawn, so `seed` is not used.

    Ties between members go to the one published first, and the published order is random.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "b", "s"], ["a"], ["b"]], sensitive=["s"])
    >>> release = covey.anonymize(baskets, "degree(p=3)", seed=0)
    >>> result = pivot(release, baskets)
    >>> result.success_rate, round(result.chance, 3)
    (1.0, 0.333)
    """
    public, secret = parts(release, original)
    truth = find_truth(release, public, secret)
    published = release.transactions
    overlap = group_overlaps(published.indptr, published.indices, release.group_ptr, published.d)
    entries = np.arange(len(release.count))
    guess = first_largest(overlap, release.group_ptr)[release.count_group]
    right = truth.of(entries, guess)
    chance = release.count / release.group_sizes()[release.count_group]
    hit = np.ones(release.groups)
    np.multiply.at(hit, release.count_group, 1 - right)
    attacked = np.unique(release.count_group)
    low, high = wilson(float(right.sum()), len(right))
    rate = float(right.mean()) if len(right) else 0.0
    claim = claimed(release)
    return AttackResult(
        attack="pivot",
        success_rate=rate,
        low=low,
        high=high,
        claim=claim,
        chance=float(chance.mean()) if len(chance) else 0.0,
        targets=len(right),
        explanation=(
            "Knows only the release, and guesses in each group that the member sharing most items with the "
            f"others holds the group's sensitive items. Right in {percent(rate)} of {len(right):,} guesses. "
            + compared(low, high, claim)
        ),
        details={
            "groups": len(attacked),
            "groups_hit": float((1 - hit[attacked]).mean()) if len(attacked) else 0.0,
        },
    )
