"""What explains a release to people and to programs, made from its manifest and its schemas and from nothing else.

Both texts state the fingerprint, so the manifest cannot list their digests; it vouches for them all the same, because
every byte of them follows from it and from the tables. The verifier makes them anew and compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from covey.release.datapackage import datapackage
from covey.release.kinds import release_kind
from covey.release.manifest import PACKAGE, README, Manifest
from covey.release.readme import readme
from covey.release.tables import TEXT

#: Table → columns → what each means, for tables whose schema does not name its columns.
Named = Mapping[str, Mapping[str, str]]


def documents(manifest: Manifest, named: Named) -> dict[str, bytes]:
    """The texts that a release with this manifest holds beside its tables.

    Parameters
    ----------
    manifest : Manifest
        Of the release.
    named : mapping
        The release's `named_columns`.
    """
    schemas = dict(release_kind(manifest.kind).load_files().tables(manifest))
    for table, columns in named.items():
        schemas[table] = replace(schemas[table], columns=dict.fromkeys(columns, TEXT), says=columns)
    return {README: readme(manifest, schemas), PACKAGE: datapackage(manifest, schemas)}


def first_unlike(directory: Path, manifest: Manifest, named: Named) -> str:
    """Which of the texts is not what follows from the rest, in words; nothing when all are."""
    for name, text in documents(manifest, named).items():
        path = directory / name
        if path.stat().st_size != len(text) or path.read_bytes() != text:
            return f"{name} does not say what follows from the manifest and the tables"
    return ""
