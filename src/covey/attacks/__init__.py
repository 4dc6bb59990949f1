"""Adversaries that try to beat a guarantee, and how often they do; one module per attack."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from covey.attacks.result import AttackResult

if TYPE_CHECKING:
    from covey.data import Baskets
    from covey.progress import Progress

#: Each target is a function ``(release, original, *, seed) -> AttackResult``.
ATTACKS = {
    "linkage": "covey.attacks.linkage:linkage",
    "pivot": "covey.attacks.pivot:pivot",
    "learned": "covey.attacks.learned:learned",
}

__all__ = ["ATTACKS", "AttackResult", "run_attacks"]


def run_attacks(
    release: Any, original: Baskets, seed: int = 0, *, progress: Progress | None = None
) -> list[AttackResult]:
    """Attack a grouped release in every way covey knows.

    Parameters
    ----------
    release : GroupedRelease
        What was published; the attackers see nothing else.
    original : Baskets
        What it was made from; it only tells whether a guess was right.
    seed : int
        For drawing targets.
    progress : callable or None
        Told of the stages.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b"]], sensitive=["s"])
    >>> release = covey.anonymize(baskets, "degree(p=2)", seed=1)
    >>> [result.attack for result in run_attacks(release, baskets)]
    ['linkage', 'pivot', 'learned']
    """
    results = []
    for done, target in enumerate(ATTACKS.values()):
        if progress is not None:
            progress("attacking", done / len(ATTACKS))
        module, _, name = target.partition(":")
        results.append(getattr(import_module(module), name)(release, original, seed=seed))
    return results
