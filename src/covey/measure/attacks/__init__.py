"""Adversaries that try to beat a guarantee, and how often they do; one module per attack.

Which of them a release has to fear is said by its kind (`covey.release.kinds.ReleaseKind.attacks`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from covey.errors import ParameterError
from covey.lazy import load
from covey.measure.attacks.grouped import volume
from covey.measure.attacks.result import AttackResult
from covey.measure.person_view import visits_of
from covey.progress import Progress, silent
from covey.release.grouped.model import GroupedRelease
from covey.release.kinds import release_kind
from covey.release.persons import require_same_unit

__all__ = ["AttackResult", "run_attacks"]


def run_attacks(release: Any, original: Any, seed: int = 0, *, progress: Progress = silent) -> list[AttackResult]:
    """Attack a release in every way covey knows.

    Parameters
    ----------
    release : a release of any kind
        What was published. Where it counts persons, the attackers know whose transactions are whose, and attack
        persons.
    original : data of the kind it was made from
        What it was made from: it tells whether a guess was right, and what could be known without the release.
    seed : int
        For drawing targets and dividing rows.
    progress : callable
        Told of the stages.

    Raises
    ------
    ParameterError
        There are no attacks yet for releases of this kind, or this one counts rows and persons have several.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b"]], sensitive=["s"])
    >>> release = covey.anonymize(baskets, "degree(p=2)", seed=1)
    >>> [result.attack for result in run_attacks(release, baskets)][:3]
    ['linkage', 'pivot', 'longest']
    """
    kind = release_kind(release.kind)
    if not kind.attacks:
        raise ParameterError(f"There are no attacks yet for releases of the kind {release.kind}.")
    require_same_unit(release.facts(), original)
    note = approximate(release, original)
    visits = visits_of(release, original) if isinstance(release, GroupedRelease) else None
    release, original = attacked(release, original)
    shared = {} if kind.study is None else {"study": load(kind.study)(release, original, seed, visits)}
    results = []
    for done, attack in enumerate(kind.attacks.values()):
        progress("attacking", done / len(kind.attacks))
        results.append(replace(load(attack)(release, original, seed=seed, **shared), approximate=note))
    if visits is not None:
        results.append(replace(volume(release, original, **shared), approximate=note))
    return results


def attacked(release: Any, original: Any) -> tuple[Any, Any]:
    """A release and its original as attackers see them: with a row per person where the release counts persons."""
    by_person = release_kind(release.kind).by_person
    return (release, original) if by_person is None else load(by_person)(release, original)


def approximate(release: Any, original: Any) -> str:
    """Why figures about a release are approximate, in a sentence; empty where they are not."""
    target = release_kind(release.kind).approximate
    return "" if target is None else str(load(target)(release, original))
