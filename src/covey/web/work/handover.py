"""What is handed over besides the release itself, in a worker: a copy in CSV, a report to share, a project."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from covey.api.checking import verify
from covey.api.measuring import report
from covey.errors import InputError
from covey.io.archive import COPY, pack
from covey.pipeline import require_holds
from covey.project import Project, parse_project, tree_of
from covey.release import read_release
from covey.release.about import About
from covey.release.manifest import read_manifest
from covey.release.store import save
from covey.web.records.files import BOTH, RELEASE, SHARED
from covey.web.work.items import as_patterns


def pack_with_csv(folder: str) -> None:
    """Pack a release of a job again, with its copy in CSV beside it, and check what was packed."""
    here = Path(folder)
    copy = here / f"{RELEASE}{COPY}"
    shutil.rmtree(copy, ignore_errors=True)  # of a worker that was killed
    copy.mkdir()
    try:
        stated = read_manifest(here / RELEASE).about
        save(read_release(here / RELEASE), copy, csv=True, about=About(**stated))
        half = here / f".checked-{BOTH}"
        pack({RELEASE: here / RELEASE, copy.name: copy}, half)
        require_holds(verify(half))
        half.replace(here / BOTH)
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def report_to_share(folder: str) -> None:
    """Write the report that is made from the release alone."""
    here = Path(folder)
    report(here / RELEASE, here / SHARED)


def project_text(
    source: Mapping[str, Any], folder: str | None, patterns: Sequence[str], guarantee: str, method: str,
    options: Mapping[str, Any], audit: float | None, about: Mapping[str, str],
) -> str:  # fmt: skip
    """All that was chosen for a release, as the text of a project file.

    `folder` holds the items of the data as it was then, so that patterns can take the place of names; None is unknown.
    """
    tree, names = source.get("taxonomy"), dict(source["files"]).get("names")
    sensitive = source["sensitive"]
    if folder is not None and patterns:
        sensitive = as_patterns(folder, sensitive, patterns, tree)
    return Project(
        kind=source["kind"],
        guarantee=guarantee,
        method=method,
        sensitive=tuple(sensitive),
        reading=dict(source["options"]),
        options=dict(options),
        audit=audit,
        about=About(**about),
        taxonomy=tree_of(tree) if tree else None,
        names=tree_of(names) if names else None,
        hierarchies={column: tree_of(path) for column, path in dict(source["hierarchies"]).items()},
    ).to_toml()


def read_project(path: str, name: str) -> dict[str, Any]:
    """What a project file says, checked; it may name no files of this computer."""
    try:
        body = tomllib.loads(Path(path).read_bytes().decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"it is not valid TOML: {error}", file=name) from None
    found = parse_project(body, file=Path(name), paths=False)
    trees = {"taxonomy": found.taxonomy, "files/names": found.names}
    trees |= {f"hierarchies/{column}": tree for column, tree in found.hierarchies.items()}
    return {
        **{name: getattr(found, name) for name in ("kind", "guarantee", "method", "audit")},
        "sensitive": list(found.sensitive),
        "reading": dict(found.reading),
        "options": dict(found.options),
        "about": found.about.given(),
        "trees": {what: (tree.name, tree.text) for what, tree in trees.items() if tree is not None},
    }
