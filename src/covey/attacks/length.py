"""longest: guess by the number of items alone.

People with one uncommon item have more of everything, so the longest basket of a group is often the holder's.
"""

from __future__ import annotations

import numpy as np

from covey.attacks.result import AttackResult
from covey.attacks.study import Study
from covey.data import Baskets
from covey.release.grouped.model import GroupedRelease


def longest(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Guess that the longest baskets of each group are the holders'; parameters as for `covey.attacks.pivot`.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "b", "s"], ["a"], ["b"]], sensitive=["s"])
    >>> longest(covey.anonymize(baskets, "degree(p=3)", seed=0), baskets).success_rate
    1.0
    """
    study = study or Study(release, original, seed)
    lengths = study.release.transactions.lengths().astype(np.float64)
    whom = "longest baskets" if study.by_row else "persons with the most items"
    return study.result(
        "longest",
        study.hits(lambda who: lengths[who.rows]),
        does=f"{study.knows}, and guesses the {whom} of each group.",
    )
