"""Ask whether data or a release keeps a promise, and what could be marked as sensitive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from covey.engine import engine as choose_engine
from covey.guarantees import guarantee as parse_guarantee
from covey.io.archive import opened
from covey.io.source import Source
from covey.parameters import as_paths, path
from covey.progress import Progress, silent
from covey.registry import declared
from covey.release.base import Release
from covey.verdict import Verdict
from covey.verify import check_data, check_release, examine, kinds_checked
from covey.verify.closed_world import check_copy


def check(data: Any, guarantee: Any, *, sensitive: Any = None, progress: Progress = silent, **reading: Any) -> Verdict:
    """Say whether data as it stands, or a release in memory, keeps a guarantee.

    Parameters
    ----------
    data : Source, path, frame, data or Release
        What is asked; a release on disk is for `verify`.
    guarantee : str or guarantee
        For example ``"k-anonymity(k=5)"``.
    sensitive : path, comma list, collection or None
        Marks what is sensitive; None keeps the marks that `data` has.
    progress : callable
        Told of the stages.
    **reading
        How to read `data`.

    Examples
    --------
    >>> import covey
    >>> covey.check([["wine"], ["wine"], ["beer"]], "k-anonymity(k=2)").holds
    False
    """
    promise = parse_guarantee(guarantee)
    if isinstance(data, Release):
        return check_release(promise, data)
    source = Source.of(data, sensitive=sensitive, **reading).as_kind(kinds_checked(promise.name)[0])
    return check_data(promise, source.read(progress=progress), progress=progress)


def verify(
    directory: str | Path,
    original: Any = None,
    *,
    sensitive: Any = None,
    taxonomy: Any = None,
    fingerprint: str | None = None,
    engine: Any = "local",
    master: str | None = None,
    trace: str | Path | Sequence[str | Path] = (),
    progress: Progress = silent,
    **reading: Any,
) -> Verdict:
    """Check a release from its files alone and, given the original, that it is a faithful release of it.

    Parameters
    ----------
    directory : path
        The release, or a ZIP file of one.
    original : Source, path, frame, data or None
        What the release was made from.
    sensitive : path, comma list, collection or None
        What had to be treated as sensitive; None takes the release's word for it.
    taxonomy : Taxonomy, path or None
        What labels were generalized along; with the original, the labels are then checked too.
    fingerprint : str or None
        The fingerprint noted when the release was made, or its beginning.
    engine, master
        As for `publish`.
    trace : path or sequence of paths
        The file with the trace of the release; a saved dataset has it.
    **reading
        How to read the original.

    Returns
    -------
    Verdict
        With every check made; it is not an exception when a check fails.
    """
    source = None if original is None else Source.of(original, **reading)
    where = choose_engine(engine, master=master)
    with opened(path("verify", "directory", directory)) as place:
        given = {"sensitive": sensitive, "taxonomy": taxonomy, "fingerprint": fingerprint}
        given |= {"trace": as_paths(trace)} if trace else {}
        verdict = where.examine(place.release, source, progress=progress, **given).verdict
        checks = [replace(check, detail=place.told(check.detail)) for check in verdict.checks]
        if place.copy is not None:
            found = (examine(one, declared) for one in (place.release, place.copy))
            checks.append(check_copy(place.release, *found))
    return replace(verdict, checks=tuple(checks))
