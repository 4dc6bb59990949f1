"""Whether two releases hold the same: a release in Parquet, and its copy in CSV."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from covey.release.kinds import release_kind
from covey.release.store import read_tables
from covey.release.tables import first_difference
from covey.verdict import Check
from covey.verify.closed_world import Examined


def check_copy(directory: Path, found: Examined, copy: Examined) -> Check:
    """Whether what was found in a copy is what was found in the release in `directory`, file formats apart."""
    name = "the copy in CSV has the same content"
    if found.release is None or found.manifest is None:
        return Check(name=name, passed=False, detail="the release itself fails its checks")
    if copy.release is None or copy.manifest is None:
        failed = copy.verdict.failures()[0]
        return Check(name=name, passed=False, detail=f"in the copy: {failed.name}: {failed.detail}")
    if replace(copy.manifest, files={}) != replace(found.manifest, files={}):
        return Check(name=name, passed=False, detail="their manifests state different things")
    _, tables = read_tables(directory, found.manifest)
    written = release_kind(found.manifest.kind).load_files().to_tables(copy.release)
    problem = first_difference(tables, written, found.manifest.files)
    return Check(name=name, passed=not problem, detail=(problem and "a table differs") or "table by table")
