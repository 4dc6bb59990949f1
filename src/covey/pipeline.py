"""The one path: anonymize → write aside → verify what was written → put in place.

The command line and the web page call the same functions; so can you.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from covey.contracts import Check, Progress, Verdict, silent
from covey.data import Baskets, Ratings, Table, Taxonomy
from covey.errors import CoveyError, ParameterError, TamperedRelease, VerificationFailed
from covey.guarantees import guarantee as parse_guarantee
from covey.parameters import Scalar
from covey.registry import METHODS, kinds_of, methods
from covey.registry import method as make_method
from covey.release.grouped.model import GroupedRelease
from covey.release.manifest import Manifest, read_manifest, tampered, with_fingerprint
from covey.release.staging import staged
from covey.release.store import changed_files, kind_of, save, tables_of

#: The kind of data that each kind of release is made from, where that is not baskets.
RELEASE_DATA = {"ratings": "ratings", "table": "table"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A release that is in place, with the proof that was made before it was put there.

    Attributes
    ----------
    path : Path
        Where it is.
    manifest : Manifest
        What it states.
    verdict : Verdict
        What was checked on the written files.
    """

    path: Path
    manifest: Manifest
    verdict: Verdict

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain data for JSON."""
        return {
            "path": str(self.path),
            "fingerprint": self.manifest.fingerprint,
            "method": self.manifest.method,
            "options": dict(self.manifest.options),
            "counts": dict(self.manifest.counts),
            **self.verdict.to_dict(),
        }


def choose_method(method: Any, guarantee: Any, **options: Scalar | None) -> Any:
    """The method to use: the one named, or the recommended one for the guarantee."""
    if method is None:
        fitting = methods(guarantee=guarantee.name)
        if not fitting:
            raise ParameterError(f"No method keeps {guarantee.name}.")
        method = fitting[0].name
    chosen = make_method(method, **options)
    known = {entry.name for entry in METHODS}
    if chosen.name in known and guarantee.name not in {
        kept for entry in METHODS if entry.name == chosen.name for kept in entry.guarantees
    }:
        able = ", ".join(m.name for m in methods(guarantee=guarantee.name))
        raise ParameterError(f"The method {chosen.name} does not keep {guarantee.name}. These do: {able}.")
    return chosen


def data_kind(method: Any, guarantee: Any) -> str:
    """The kind of data that is read when a path is all that is given: what the method usually takes."""
    promise = parse_guarantee(guarantee)
    return next(iter(kinds_of(choose_method(method, promise).name, promise.name)), "baskets")


def anonymize(
    data: Any,
    guarantee: Any,
    method: Any = None,
    *,
    sensitive: Any = None,
    seed: int | None = None,
    progress: Progress = silent,
    **options: Scalar | None,
) -> Any:
    """Make a release in memory and check its guarantee.

    Parameters
    ----------
    data : Baskets, anything `covey.read` takes, or a function without arguments that returns one of these
        The original.
    guarantee : str or guarantee
        For example ``"degree(p=10)"``.
    method : str, method or None
        None chooses the recommended method for the guarantee.
    sensitive : path, comma list, collection or None
        Marks the sensitive items; None keeps the marks that `data` has.
    seed : int or None
        Makes the release reproducible; None draws from the system's entropy.
    progress : callable
        Told of the stages.
    **options
        Options of the method, for example ``alpha=5``, or ``taxonomy=`` a `Taxonomy` or the path of one.

    Returns
    -------
    GroupedRelease

    Raises
    ------
    Infeasible
        No release of this data keeps the guarantee.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["wine", "test"], ["wine"], ["meat"], ["meat"]], sensitive=["test"])
    >>> covey.anonymize(baskets, "degree(p=4)").groups
    1
    """
    promise = parse_guarantee(guarantee)
    chosen = choose_method(method, promise, seed=seed, **_with_taxonomy(options))
    original = _data(data, sensitive, chosen, promise)
    release = chosen.anonymize(original, promise, progress=progress)
    require_holds(promise.check(release))
    return release


def publish(
    data: Any,
    out: str | Path,
    guarantee: Any,
    method: Any = None,
    *,
    sensitive: Any = None,
    csv: bool = False,
    force: bool = False,
    seed: int | None = None,
    progress: Progress = silent,
    **options: Scalar | None,
) -> Published:
    """Anonymize `data` and write the release to `out`, whole and verified or not at all.

    The files are written aside, read back and checked by code that shares nothing with the method: that the
    guarantee holds on the published files alone, and against `data` that nothing was lost or invented.

    Parameters
    ----------
    data, guarantee, method, sensitive, seed, progress, **options
        As for `anonymize`.
    out : path
        The directory to make.
    csv : bool
        Write CSV instead of Parquet.
    force : bool
        Replace an existing release.
    """
    target = Path(out)
    promise = parse_guarantee(guarantee)
    chosen = choose_method(method, promise, seed=seed, **_with_taxonomy(options))
    with staged(target, force=force) as stage:
        original = _data(data, sensitive, chosen, promise)
        release = chosen.anonymize(original, promise, progress=progress)
        progress("writing", 0.0)
        manifest = save(release, stage, csv=csv, progress=progress)
        del release
        progress("verifying", 0.0)
        verdict = _verdict(stage, read_manifest(stage), original, getattr(chosen, "taxonomy", None))
        require_holds(verdict)
        progress("verifying", 1.0)
    return Published(path=target, manifest=manifest, verdict=verdict)


def verify(
    directory: str | Path,
    original: Any = None,
    *,
    sensitive: Any = None,
    taxonomy: Any = None,
    fingerprint: str | None = None,
    progress: Progress = silent,
) -> Verdict:
    """Check a release from its files alone and, given the original, that it is a faithful release of it.

    Parameters
    ----------
    directory : path
        The release.
    original : Baskets, anything `covey.read` takes, or None
        What the release was made from.
    sensitive : path, comma list, collection or None
        The items that had to be treated as sensitive; None takes the release's word for it.
    taxonomy : Taxonomy, path or None
        What labels were generalized along; with the original, the labels are then checked too.
    fingerprint : str or None
        The fingerprint noted when the release was made, or its beginning.

    Returns
    -------
    Verdict
        With every check made; it is not an exception when a check fails.
    """
    directory = Path(directory)
    try:
        manifest = read_manifest(directory)
    except TamperedRelease as error:
        return tampered(error)
    progress("verifying", 0.0)
    if original is not None:
        original = original_of(directory, manifest, original, sensitive=sensitive)
    tree = _with_taxonomy({"taxonomy": taxonomy})["taxonomy"]
    verdict = _verdict(directory, manifest, original, tree)
    if sensitive is not None and original is None and verdict.holds:
        if manifest.kind != "grouped":
            raise ParameterError(
                "Sensitive items can be compared with a grouped release only; give the original too."
            )
        kept_apart = _kept_apart(tables_of(directory, manifest), sensitive)
        verdict = replace(verdict, checks=(*verdict.checks, kept_apart))
    return with_fingerprint(verdict, manifest, fingerprint)


def report(
    directory: str | Path,
    out: str | Path,
    original: Any = None,
    *,
    sensitive: Any = None,
    taxonomy: Any = None,
    seed: int = 0,
    date: str | None = None,
    progress: Progress = silent,
) -> Verdict:
    """Verify a release and write a report of it as one self-contained HTML file.

    Parameters
    ----------
    directory : path
        The release.
    out : path
        The file to write, replaced whole.
    original : Baskets, anything `covey.read` takes, or None
        What the release was made from: adds risk, utility and attacks, and makes the report confidential.
    sensitive : path, comma list, collection or None
        The sensitive items of the original; None takes the release's word for it.
    taxonomy : Taxonomy, path or None
        What the labels of generalized sets were generalized along.
    seed : int
        For everything that samples.
    date : str or None
        Printed in the report; None prints today's.

    Returns
    -------
    Verdict
        As from `verify`; the report is written whether it holds or not.
    """
    from datetime import date as calendar

    from covey.release.writing import write_whole
    from covey.report import examine_release, release_page

    directory = Path(directory)
    manifest = read_manifest(directory)
    data = None if original is None else original_of(directory, manifest, original, sensitive=sensitive)
    tree = _with_taxonomy({"taxonomy": taxonomy})["taxonomy"]
    verdict = verify(directory, data, taxonomy=tree, progress=progress)
    release = tables_of(directory, manifest) if verdict.holds else None
    if isinstance(data, Baskets) and isinstance(release, GroupedRelease) and not data.sensitive.any():
        data = data.with_sensitive(release.sensitive_items)
    found = examine_release(
        directory, manifest, verdict, release, data, taxonomy=tree, seed=seed, progress=progress
    )
    page = release_page(found, date=calendar.today().isoformat() if date is None else date)
    write_whole(Path(out), page.encode())
    return verdict


def _verdict(directory: Path, manifest: Manifest, original: Any, taxonomy: Taxonomy | None = None) -> Verdict:
    """All checks on the files in `directory`, in the order in which a failure makes later ones pointless."""
    changed = changed_files(directory, manifest)
    digests = Check(
        name="the files are those the manifest vouches for",
        passed=not changed,
        detail="; ".join(changed) or manifest.listed,
    )
    checks = [digests]
    if changed:  # what was tampered with is not worth parsing, and may not be safe to parse
        return Verdict(guarantee=manifest.guarantee, checks=tuple(checks))
    try:
        promise = parse_guarantee(manifest.guarantee)
        release = tables_of(directory, manifest)
    except CoveyError as error:
        checks.append(Check(name="the tables can be read", passed=False, detail=str(error)))
        return Verdict(guarantee=manifest.guarantee, checks=tuple(checks))
    counts = release.counts()
    wrong = [name for name in counts if counts[name] != manifest.counts.get(name)]
    checks.append(
        Check(
            name="the tables are as large as the manifest says",
            passed=not wrong,
            detail=f"{wrong[0]}: {counts[wrong[0]]:,} instead of {manifest.counts.get(wrong[0])}"
            if wrong
            else ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items()),
        )
    )
    kept = promise.check(release)
    checks += kept.checks
    if original is not None:
        extra = {"taxonomy": taxonomy} if taxonomy is not None and manifest.kind == "generalized" else {}
        checks += kind_of(manifest.kind).compare(release, original, **extra)
    figures = {"fingerprint": manifest.fingerprint, **kept.figures}
    return Verdict(guarantee=kept.guarantee, checks=tuple(checks), figures=figures)


def _kept_apart(release: GroupedRelease, sensitive: Any) -> Check:
    """Whether no item that somebody names as sensitive is published in single transactions."""
    from covey.io import read_sensitive

    named = read_sensitive(sensitive)
    published = sorted(set(named) & set(release.transactions.items))
    unknown = [name for name in named if name not in release.sensitive_items and name not in published]
    detail = f"{len(named)} named items"
    if published:
        detail = f"{published[0]!r} is published in single transactions"
    elif unknown:
        detail = f"{unknown[0]!r} is not in the release at all; check the spelling"
    return Check(
        name="the items named as sensitive are counts only", passed=not (published or unknown), detail=detail
    )


def require_holds(verdict: Verdict) -> None:
    """Raise when a release that was just made fails its own check."""
    if not verdict.holds:
        failed = verdict.failures()[0]
        raise VerificationFailed(
            f"The release was not written, because it failed its own check: {failed.name}: {failed.detail}. "
            "This is a fault in covey; please report it."
        )


def _with_taxonomy(options: dict[str, Any]) -> dict[str, Any]:
    """The options with a taxonomy given as a path read in."""
    if isinstance(options.get("taxonomy"), str | Path):
        from covey.io import read_taxonomy

        return {**options, "taxonomy": read_taxonomy(options["taxonomy"])}
    return options


def original_of(directory: Path, manifest: Manifest, original: Any, *, sensitive: Any = None) -> Any:
    """The original of a release, read as the kind of data, on the scale and with the roles that the release states."""
    from covey.release.table.files import published_roles

    kind = RELEASE_DATA.get(manifest.kind, "baskets")
    roles = published_roles(directory) if kind == "table" else None
    data = _read(original, sensitive, kind, scale=manifest.options.get("scale"), roles=roles)
    if data.kind != kind:
        raise ParameterError(f"This release was made from {kind}, and the original is given as {data.kind}.")
    return data


def _data(data: Any, sensitive: Any, method: Any, guarantee: Any) -> Any:
    """The original, of a kind for which `method` keeps `guarantee`."""
    taken = kinds_of(method.name, guarantee.name)
    original = _read(data, sensitive, taken[0] if taken else "baskets")
    if taken and original.kind not in taken:
        able = [m.name for m in methods(guarantee=guarantee.name) if m.data == original.kind]
        raise ParameterError(
            f"The method {method.name} takes data of the kind {' or '.join(taken)} for {guarantee.name}; "
            f"this is {original.kind}. "
            + (f"These take it: {', '.join(able)}." if able else "No method takes it.")
        )
    return original


def _read(data: Any, sensitive: Any, kind: str, **hints: Any) -> Any:
    """Data as it is, or read as `kind`; a source that reads later is told what is wanted."""
    if hasattr(data, "for_kind"):
        data = data.for_kind(kind, **hints)
    if callable(data):
        data = data()
    if isinstance(data, Baskets | Ratings | Table):
        kind = data.kind
        if sensitive is None:
            return data
    from covey.io.kinds import reader

    return reader(kind)(data, sensitive=sensitive)
