"""Releases on disk: the tables of a kind and the manifest that vouches for them."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pyarrow as pa

from covey.errors import CoveyError, TamperedRelease
from covey.parameters import path
from covey.progress import Progress, silent
from covey.release.about import About
from covey.release.archive import opened
from covey.release.base import Release
from covey.release.documents import Named, documents
from covey.release.kinds import release_kind
from covey.release.manifest import NAME, Manifest, file_digest, read_manifest
from covey.release.tables import Tables, write_tables
from covey.staging import staged, writing


def save(
    release: Release, directory: Path, *, csv: bool = False, about: About | None = None, progress: Progress = silent
) -> Manifest:
    """Write the tables of `release`, their manifest and what explains them into an existing, empty directory."""
    stated = manifest_of(release)
    with writing(directory):
        names = write_tables(
            release.tables(),
            release.schemas(stated),
            directory,
            csv=csv,
            rows=next(iter(stated.counts.values())),
            progress=progress,
        )
        manifest = manifest_of(release, {name: file_digest(directory / name) for name in names}, about)
    seal(directory, manifest, release.named_columns())
    return manifest


def seal(directory: Path, manifest: Manifest, named: Named) -> None:
    """Write the manifest, and what explains the release, beside tables that are written."""
    with writing(directory):
        for name, text in {NAME: manifest.to_bytes(), **documents(manifest, named)}.items():
            (directory / name).write_bytes(text)


def manifest_of(release: Release, files: dict[str, str] | None = None, about: About | None = None) -> Manifest:
    """The manifest of a release with these files, of which this is said."""
    return Manifest.of(
        release.kind,
        release.made,
        counts=release.counts(),
        facts=release.facts(),
        files=files or {},
        about=(about or About()).given(),
    )


def load(directory: str | Path) -> Any:
    """Read a release back, from its directory or a ZIP file of it.

    Raises
    ------
    TamperedRelease
        A file is not the one that was written.
    """
    with opened(path("read_release", "directory", directory)) as place:
        manifest = read_manifest(place.release)
        changed = changed_files(place.release, manifest)
        if changed:
            raise TamperedRelease(f"{place.given}: {'; '.join(changed)}.")
        return read_tables(place.release, manifest)[0]


def rewrite(release: Release, manifest: Manifest, out: Path, *, force: bool) -> Manifest:
    """Write a fresh copy of a release that was read, in the format that it had and with what was said about it."""
    csv = not any(name.endswith(".parquet") for name in manifest.files)
    with staged(out, force=force) as stage:
        return save(release, stage, csv=csv, about=About(**manifest.about))


def changed_files(directory: Path, manifest: Manifest) -> list[str]:
    """What differs between the files in `directory` and what its manifest vouches for."""
    # A folder with something in it is no file of its own.
    found = (path for path in directory.rglob("*") if path.is_symlink() or not path.is_dir() or not any(path.iterdir()))
    present = {path.relative_to(directory).as_posix() for path in found}
    problems = [f"{name} is missing" for name in sorted(set(manifest.names) - present)]
    # Names of files need not be text that can be printed.
    problems += [
        f"{name if name.isprintable() else ascii(name)} does not belong to the release"
        for name in sorted(present - set(manifest.names))
    ]
    for name in sorted(present & set(manifest.names)):
        file = directory / name
        linked = file.is_symlink() or (file.parent != directory and file.parent.is_symlink())
        if linked or not stat.S_ISREG(file.lstat().st_mode):
            problems.append(f"{name} is not a regular file")
    if problems:
        return problems
    return [
        f"{name} was changed after writing"
        for name, digest in sorted(manifest.files.items())
        if file_digest(directory / name) != digest
    ]


def read_tables(directory: Path, manifest: Manifest) -> tuple[Any, Tables]:
    """The release whose manifest is known, and the tables that it was read from, whatever their digests."""
    kind = release_kind(manifest.kind)
    problem = kind.problem(manifest)
    if problem:
        raise TamperedRelease(f"{directory / NAME} {problem}.")
    try:
        tables = Tables.of(directory, kind.schemas(manifest), manifest.files)
        release = kind.from_tables(tables, manifest)
        # Arrow keeps what it has read with; what is done with the release next needs the memory.
        pa.default_memory_pool().release_unused()
        return release, tables
    except CoveyError:
        raise
    except Exception as error:  # whatever a damaged file makes a library raise, the file is damaged
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise TamperedRelease(f"{directory}: the tables cannot be read ({reason}).") from None
