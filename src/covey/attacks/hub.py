"""hub: guess that the holder is the member whose like are all in its group.

A method that looks for a holder's nearest relatives takes them from wherever they are; the relatives of the others stay
where they are. So of the rows that share an item with a holder, more are in the same group.
"""

from __future__ import annotations

from covey.attacks.result import AttackResult
from covey.attacks.study import Study
from covey.data import Baskets
from covey.kernels.measure.attack import group_completeness
from covey.release.grouped.model import GroupedRelease


def hub(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Attack every group by how complete each member's neighbourhood is in it; parameters as for `pivot`.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b"], ["b"], ["b"]], sensitive=["s"])
    >>> release = covey.anonymize(baskets, "degree(p=3)", merge=False, seed=0)
    >>> hub(release, baskets).success_rate
    0.5
    """
    study = study or Study(release, original, seed)
    published = release.transactions
    complete = group_completeness(published.indptr, published.indices, release.group_ptr, published.supports())
    return study.result(
        "hub",
        study.hits(lambda who: complete[who.rows]),
        does=f"{study.knows}, and guesses in each group the members whose items are hardly found outside it.",
    )
