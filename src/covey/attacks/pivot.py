"""pivot: guess that the holder is the member most similar to its group.

Methods that gather similar transactions around a sensitive one make that one the centre of its group
(docs/papers.md, attacks). The attacker needs nothing but the release: for each group, the members that share
most items with the others are taken for the holders of each of the group's sensitive items.
"""

from __future__ import annotations

import numpy as np

from covey.attacks.result import AttackResult
from covey.attacks.study import Study
from covey.data import Baskets
from covey.kernels.measure.attack import group_overlaps
from covey.release.grouped.model import GroupedRelease


def pivot(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Attack every group of `release` that counts a sensitive item.

    Parameters
    ----------
    release, original, seed
        As for `covey.attacks.run_attacks`.
    study : Study or None
        What is known of the two already.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "b", "s"], ["a"], ["b"]], sensitive=["s"])
    >>> release = covey.anonymize(baskets, "degree(p=3)", seed=0)
    >>> result = pivot(release, baskets)
    >>> result.success_rate, round(result.chance, 3)
    (1.0, 0.333)
    """
    study = study or Study(release, original, seed)
    published = release.transactions
    overlap = group_overlaps(published.indptr, published.indices, release.group_ptr, published.d)
    return study.result(
        "pivot",
        study.hits(lambda who: overlap[who.rows].astype(np.float64)),
        does=f"{study.knows}, and guesses in each group that the members sharing most items with the others "
        "hold its sensitive items.",
    )
