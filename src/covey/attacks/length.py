"""longest and shortest: guess by the number of items alone.

People with one uncommon item have more of everything, so the longest basket of a group is often the holder's. A
method that avoids long baskets, or that surrounds holders with longer ones, is caught by the opposite guess.
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
    return _by_length("longest", 1, study or Study(release, original, seed))


def shortest(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Guess that the shortest baskets of each group are the holders'; parameters as for `covey.attacks.pivot`.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "b", "s"], ["a"], ["b"]], sensitive=["s"])
    >>> shortest(covey.anonymize(baskets, "degree(p=3)", seed=0), baskets).success_rate
    0.0
    """
    return _by_length("shortest", -1, study or Study(release, original, seed))


def _by_length(which: str, sign: int, study: Study) -> AttackResult:
    score = sign * study.release.transactions.lengths().astype(np.float64)
    whom = f"{which} baskets" if study.by_row else f"persons with the {'most' if sign > 0 else 'fewest'} items"
    return study.result(
        which,
        study.hits(lambda who: score[who.rows]),
        does=f"{study.knows}, and guesses the {whom} of each group.",
    )
