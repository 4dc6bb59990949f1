"""first: guess by the place in the published order.

Rows are published in random order, so nothing can be learned from it; a release in the order of the original, or
with holders sorted to one end of their group, is caught.
"""

from __future__ import annotations

import numpy as np

from covey.attacks.result import AttackResult
from covey.attacks.study import Study
from covey.data import Baskets
from covey.release.grouped.model import GroupedRelease


def first(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Guess that holders stand first in their group, or last, whichever is better; parameters as for `pivot`.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["a"]], sensitive=["s"])
    >>> round(first(covey.anonymize(baskets, "degree(p=3)", seed=0), baskets).success_rate, 3)
    0.333
    """
    study = study or Study(release, original, seed)
    place = np.arange(release.transactions.n, dtype=np.float64)
    ahead, behind = study.hits(lambda who: -place[who.rows]), study.hits(lambda who: place[who.rows])
    return study.result(
        "first",
        max(ahead, behind),
        does=f"{study.knows}, and guesses those who are listed first in each group, or last if that is better."
        if study.by_row
        else "Guesses persons in random order, which shows what chance achieves.",
        details={"end": "first" if ahead >= behind else "last"},
    )
