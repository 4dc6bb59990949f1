"""strong: know the population, and guess inside the groups.

The attacker has a model of who holds what (`covey.data.propensity`), as good as the original allows without having seen
the person who is judged. That model alone achieves the floor; inside the groups it achieves more, and the difference is
what the release adds.
"""

from __future__ import annotations

from covey.attacks.result import AttackResult
from covey.attacks.study import Study
from covey.data import Baskets
from covey.release.grouped.model import GroupedRelease


def strong(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Attack every group with the cross-fitted model behind the floor; parameters as for `pivot`.

    Examples
    --------
    >>> import covey
    >>> rows = [["beer", "s"] if i % 5 == 0 else ["tea"] for i in range(60)]
    >>> baskets = covey.Baskets.of(rows, sensitive=["s"])
    >>> result = strong(covey.anonymize(baskets, "degree(p=5)", "anatomy", seed=0), baskets)
    >>> result.success_rate, result.floor, result.lift
    (1.0, 1.0, 1.0)
    """
    study = study or Study(release, original, seed)
    return study.result(
        "strong",
        study.population.hits,
        does="Knows the population: a model of who has what, fitted on everyone but the target, picks the most "
        "likely members of each group.",
    )
