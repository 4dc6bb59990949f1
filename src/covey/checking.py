"""Check data and releases against a guarantee."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from covey.errors import ParameterError
from covey.guarantees import guarantee as parse_guarantee
from covey.guarantees.base import Guarantee
from covey.io.source import Source
from covey.local import EngineName, Local, require_local
from covey.local import engine as choose_engine
from covey.parameters import Place, as_paths, path
from covey.pipeline import Data, Marks, Reading, Tree, original_source, verb
from covey.progress import Progress, silent
from covey.registry import declared
from covey.release.archive import opened
from covey.release.base import Release
from covey.release.store import rewrite as write_fresh
from covey.verdict import Verdict
from covey.verify import check_data, check_release, examine, kinds_checked
from covey.verify.closed_world import check_copy


@verb
def check(
    data: Data | Release,
    guarantee: str | Guarantee,
    *,
    progress: Progress = silent,
    **reading: Unpack[Reading],
) -> Verdict:
    """Return whether data as it stands, or a release in memory, keeps a guarantee.

    Examples
    --------
    >>> import covey
    >>> covey.check([["wine"], ["wine"], ["beer"]], "k-anonymity(k=2)").holds
    False
    """
    promise = parse_guarantee(guarantee)
    if isinstance(data, Release):
        return check_release(promise, data)
    source = Source.of(data, **reading).as_kind(kinds_checked(promise.name)[0])
    return check_data(promise, source.read(progress=progress), progress=progress)


@verb
def verify(
    release: Place | Release,
    original: Data | None = None,
    *,
    sensitive: Marks | None = None,
    kind: str | None = None,
    person: str | None = None,
    taxonomy: Tree | None = None,
    fingerprint: str | None = None,
    trace: Place | Sequence[Place] = (),
    rewrite: Path | None = None,
    force: bool = False,
    engine: EngineName = "local",
    master: str | None = None,
    progress: Progress = silent,
) -> Verdict:
    """Check a release from its files alone and, given the original, that it is a faithful release of it.

    Parameters
    ----------
    release
        A directory, a ZIP file of one, or a release in memory, of which the guarantee is checked.
    original
        What the release was made from, as a dataset or a file; `kind` and `person` are for a file.
    sensitive
        What had to be treated as sensitive; None takes what the release states.
    taxonomy
        What labels were generalized along; with the original, the labels are then checked too.
    fingerprint
        The fingerprint noted when the release was made, or its first 8 characters or more.
    trace
        Files with the trace of the release; a saved dataset has it.
    rewrite
        Where to write a fresh copy of a release that holds; with `force`, in place of another.

    Returns
    -------
    Verdict
        With every check made; no exception is raised when a check fails.
    """
    source = original_source(original, kind=kind, person=person)
    where = choose_engine(engine, master=master)
    given: dict[str, Any] = {
        "sensitive": sensitive,
        "taxonomy": taxonomy,
        "trace": as_paths(trace),
        "progress": progress,
    }
    if isinstance(release, Release):
        require_local(engine)
        if fingerprint is not None:
            raise ParameterError("Only a published release has a fingerprint.")
        return Local().examine(release, source, **given).verdict
    with opened(path("verify", "release", release)) as place:
        found = where.examine(place.release, source, fingerprint=fingerprint, **given)
        checks = [replace(check, detail=place.told(check.detail)) for check in found.verdict.checks]
        if place.copy is not None:
            checks.append(check_copy(*(examine(one, declared) for one in (place.release, place.copy))))
    verdict = replace(found.verdict, checks=tuple(checks))
    if rewrite is not None and verdict.holds and found.manifest is not None:
        if where.name == "spark":
            raise ParameterError("The engine spark does not rewrite releases. Use the engine local for that.")
        write_fresh(found.release, found.manifest, Path(rewrite), force=force)
    return verdict
