"""Adversaries that try to beat a guarantee, and how often they do; one module per family of attacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from covey.errors import ParameterError
from covey.measure.attacks import chunks, grouped, lookups, model, table
from covey.measure.attacks.grey import grey
from covey.measure.attacks.result import AttackResult
from covey.measure.study import Study
from covey.progress import Progress, silent
from covey.release.base import Release, require_same_unit
from covey.release.chunks import ChunksRelease
from covey.release.grouped import GroupedRelease
from covey.release.model import ModelRelease
from covey.release.ratings import RatingsRelease
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease
from covey.release.table import TableRelease

__all__ = ["ATTACKS", "AttackResult", "run_attacks"]

#: The attacks that a release of each kind has to fear.
ATTACKS: Mapping[str, tuple[str, ...]] = {
    "grouped": ("linkage", "pivot", "longest", "hub", "learned", "strong", "grey"),
    "model": ("half known", "all others known", "grey"),
    "sets": ("linkage", "whole", "inference"),
    "table": ("linkage", "inference"),
    "ratings": ("linkage", "inference"),
    "records": ("linkage", "whole"),
    "chunks": ("linkage", "whole", "inference"),
}


def run_attacks(
    release: Release, original: Any, seed: int = 0, *, progress: Progress = silent, study: Study | None = None
) -> list[AttackResult]:
    """Attack a release in every way covey knows.

    The original determines whether a guess was right, and what could be known without the release. Where a release
    counts persons, the attackers know whose transactions are whose. A `study` of a grouped release may be shared.

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
    if release.kind not in ATTACKS:
        raise ParameterError(f"There are no attacks yet for releases of the kind {release.kind}.")
    require_same_unit(release.facts(), original)
    results: list[AttackResult] = []
    progress("attacking", 0.0)
    for result in _attacks(release, original, seed, study):
        results.append(result)
        progress("attacking", min(len(results) / len(ATTACKS[release.kind]), 1.0))
    return results


def _attacks(release: Release, original: Any, seed: int, study: Study | None) -> Iterator[AttackResult]:
    """Yield the result of each attack."""
    match release:
        case GroupedRelease():
            people = (study or Study(release, original, seed)).people
            yield grouped.linkage(people)
            yield from grouped.by_looks(people)
            yield from (attack(people) for attack in (grouped.learned, grouped.strong, grey))
            if people.visits is not None:
                yield grouped.volume(people)
        case ModelRelease():
            known = model.ModelStudy(release, original, seed)
            yield from (attack(known) for attack in (model.half_known, model.all_others_known, model.grey))
        case SetsRelease():
            yield from lookups.on_sets(release, seed)
        case RecordsRelease():
            yield from lookups.on_records(release, seed)
        case RatingsRelease():
            yield from lookups.on_ratings(release, seed)
        case TableRelease():
            yield from table.on_table(release, original, seed)
        case ChunksRelease():
            yield from chunks.on_chunks(release, original, seed)
