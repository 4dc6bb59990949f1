"""Adversaries that try to beat a guarantee, and how often they do; one module per attack.

`ATTACKS` names those that a release of each kind has to fear.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from covey.errors import ParameterError
from covey.measure.attacks import chunks, grouped, model, ratings, sets, table
from covey.measure.attacks.grey import grey
from covey.measure.attacks.grouped import volume
from covey.measure.attacks.result import AttackResult
from covey.measure.attacks.study import Study
from covey.measure.person_view import by_person, visits_of
from covey.progress import Progress, silent
from covey.release.base import Release
from covey.release.grouped import GroupedRelease
from covey.release.model import ModelRelease
from covey.release.persons import require_same_unit

__all__ = ["ATTACKS", "AttackResult", "run_attacks"]

#: The attacks on each kind of release, by name; each takes a release, its original and a seed.
ATTACKS: dict[str, dict[str, Callable[..., AttackResult]]] = {
    "grouped": {
        "linkage": grouped.linkage,
        "pivot": grouped.pivot,
        "longest": grouped.longest,
        "hub": grouped.hub,
        "learned": grouped.learned,
        "strong": grouped.strong,
        "grey": grey,
    },
    "model": {
        "half known": model.half_known,
        "all others known": model.all_others_known,
        "grey": model.grey,
    },
    "sets": {"linkage": sets.linkage, "whole": sets.whole, "inference": sets.inference},
    "table": {"linkage": table.linkage, "inference": table.inference},
    "ratings": {"linkage": ratings.linkage, "inference": ratings.inference},
    "records": {"linkage": sets.linkage_of_records, "whole": sets.whole_of_records},
    "chunks": {"linkage": chunks.linkage, "whole": chunks.whole, "inference": chunks.inference},
}


def run_attacks(release: Release, original: Any, seed: int = 0, *, progress: Progress = silent) -> list[AttackResult]:
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
    attacks = ATTACKS.get(release.kind)
    if not attacks:
        raise ParameterError(f"There are no attacks yet for releases of the kind {release.kind}.")
    require_same_unit(release.facts(), original)
    visits = visits_of(release, original) if isinstance(release, GroupedRelease) else None
    release, original = attacked(release, original)
    shared: dict[str, Any] = {}
    if isinstance(release, GroupedRelease):
        shared["study"] = Study(release, original, seed, visits)
    elif isinstance(release, ModelRelease):
        shared["study"] = model.ModelStudy(release, original, seed)
    results = []
    for done, attack in enumerate(attacks.values()):
        progress("attacking", done / len(attacks))
        results.append(attack(release, original, seed=seed, **shared))
    if visits is not None:
        results.append(volume(release, original, **shared))
    return results


def attacked(release: Release, original: Any) -> tuple[Release, Any]:
    """Return a release and its original as attackers see them: a row per person where the release counts persons."""
    return by_person(release, original) if isinstance(release, GroupedRelease) else (release, original)
