"""Releases on disk: the manifest and its digests; the tables are left to the module of each kind of release."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

from covey import __version__
from covey.contracts import Progress, silent
from covey.errors import CoveyError, ReleaseError, TamperedRelease
from covey.release.manifest import NAME, Manifest, file_digest, read_manifest
from covey.release.staging import files_in
from covey.release.writing import writing

#: Each kind's module has ``write(release, directory, csv=, progress=) -> names``, ``read(directory, manifest)``
#: and ``compare(release, original) -> checks``.
KINDS = {
    "grouped": "covey.release.grouped.files",
    "generalized": "covey.release.sets.files",
    "table": "covey.release.table.files",
    "ratings": "covey.release.ratings.files",
}


def kind_of(kind: str) -> Any:
    """The module that writes, reads and compares releases of a kind."""
    if kind not in KINDS:
        raise ReleaseError(f"This version of covey does not know releases of the kind {kind!r}.")
    return import_module(KINDS[kind])


def save(release: Any, directory: Path, *, csv: bool = False, progress: Progress = silent) -> Manifest:
    """Write the tables of `release` and their manifest into an existing, empty directory."""
    with writing(directory):
        names = kind_of(release.kind).write(release, directory, csv=csv, progress=progress)
        manifest = Manifest(
            kind=release.kind,
            method=release.method,
            guarantee=release.guarantee,
            options=release.options,
            counts=release.counts(),
            covey=__version__,
            files={name: file_digest(directory / name) for name in names},
        )
        (directory / NAME).write_bytes(manifest.to_bytes())
    return manifest


def load(directory: str | Path, *, trusted: bool = False) -> Any:
    """Read a release back.

    Parameters
    ----------
    directory : path
        The directory that `covey anonymize` wrote.
    trusted : bool
        Skip comparing the files with the digests in the manifest.

    Raises
    ------
    TamperedRelease
        A file is not the one that was written.
    """
    directory = Path(directory)
    manifest = read_manifest(directory)
    if not trusted:
        changed = changed_files(directory, manifest)
        if changed:
            raise TamperedRelease(f"{directory}: {'; '.join(changed)}.")
    return tables_of(directory, manifest)


def changed_files(directory: Path, manifest: Manifest) -> list[str]:
    """What differs between the files in `directory` and what its manifest vouches for."""
    problems = []
    for name, digest in sorted(manifest.files.items()):
        path = directory / name
        if not _inside(name) or not path.is_file():
            problems.append(f"{name} is missing")
        elif file_digest(path) != digest:
            problems.append(f"{name} was changed after writing")
    present = set(files_in(directory))
    problems += [
        f"{name} does not belong to the release" for name in sorted(present - {*manifest.files, NAME})
    ]
    return problems


def _inside(name: str) -> bool:
    """Whether a name in a manifest is that of a file in the release, or of a part in one of its folders."""
    parts = PurePosixPath(name).parts
    return 1 <= len(parts) <= 2 and "/".join(parts) == name and not {"..", "/"} & set(parts)


def tables_of(directory: Path, manifest: Manifest) -> Any:
    """Read the tables of a release whose manifest is known, whatever their digests."""
    try:
        return kind_of(manifest.kind).read(directory, manifest)
    except CoveyError:
        raise
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise TamperedRelease(
            f"{directory}: the tables cannot be read ({str(error).splitlines()[0]})."
        ) from None
